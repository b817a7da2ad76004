import Care
import DeviceCatalog
import Foundation
import Localization
import Radio
import Testing
import Traces

@testable import Terminal

@Suite struct MessageTests {
  /// An error with words of its own.
  private struct Presentable: PresentableError {
    var message: String { "the words" }
    var exitCode: ExitCode { .unknown }
  }

  /// An error of another package.
  private struct Foreign: Error, CustomStringConvertible {
    var description: String { "its description" }
  }

  @Test func `takes message and exit code from the error`() {
    #expect(CommandFailure(Presentable()) == CommandFailure(.unknown, .verbatim("the words")))
    #expect(CommandFailure(Foreign()) == CommandFailure(.failed, .verbatim("its description")))
    let failure = CommandFailure(.refused, .verbatim("refused"))
    #expect(CommandFailure(failure, isJSON: true).code == .refused)
    #expect(CommandFailure(failure, isJSON: true).isJSON)
  }

  /// Foundation's description is `The operation could not be completed. (… error 256.)`.
  @Test func `gives the reason of a file error`() throws {
    let missing = try #require(throws: (any Error).self) {
      try Data(contentsOf: URL(fileURLWithPath: "/nonexistent/file"))
    }
    #expect(Message.of(missing) == "The file doesn’t exist.")
    let folder = try #require(FileHandle(forReadingAtPath: "/etc"))
    let error = try #require(throws: (any Error).self) { try folder.read(upToCount: 1) }
    #expect(Message.of(error) == "Is a directory")
  }

  /// Each of them has a value, a text as value, a count or a sentence after it.
  @Test(arguments: [
    (RadioError.stopped as any Localizable & Sendable, "The radio is stopped.", "無線電已停止。"),
    (
      TraceError.Problem.missingColumn("x", header: "a;b"),
      "there is no column ‘x’; this file has ‘a;b’; separate the columns by commas instead of "
        + "semicolons, and write decimals with a point",
      "沒有「x」欄位；這個檔案有「a;b」；請用逗號而不是分號分隔欄位，小數使用小數點"
    ),
    (
      LinkReport(
        name: "Scale", address: DeviceAddress(rawValue: 0x5CCA_D370_D4A2),
        error: LinkError(.gone, .notHeard), retryDelay: 600),
      "Scale (5C:CA:D3:70:D4:A2) has not advertised recently. Bring it near, wake it, and end its "
        + "link with a phone. It is tried again in 10 minutes.",
      "最近收不到 Scale (5C:CA:D3:70:D4:A2)。請拿到附近、喚醒它，並中斷它與手機的連線。10 分鐘後會再試一次。"
    ),
  ])
  func `speaks the language of the command`(
    subject: any Localizable & Sendable, english: String, chinese: String
  ) throws {
    let language = try #require(LanguageCatalogue.embedded.language("zh-TW"))
    #expect(subject.message == english)
    #expect(Console.$language.withValue(language) { subject.message } == chinese)
  }

  @Test func `says what blocks a controller`() {
    #expect(
      Controller.Block.soft.finding(of: "hci0").message == "hci0 is blocked by software (rfkill)")
    #expect(Controller.Block.soft.advice.message == "Unblock it: rfkill unblock bluetooth")
    #expect(
      Controller.Block.hard.finding(of: "hci0").message
        == "hci0 is switched off by a switch of the machine (rfkill)")
  }
}
