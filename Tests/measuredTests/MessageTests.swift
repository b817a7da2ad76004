import Care
import Foundation
import Radio
import Testing

@testable import measured

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
    #expect(CommandFailure(Presentable()) == CommandFailure(.unknown, "the words"))
    #expect(CommandFailure(Foreign()) == CommandFailure(.failed, "its description"))
    let failure = CommandFailure(.refused, "refused")
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

  @Test func `says what blocks a controller`() {
    #expect(
      Controller.Block.soft.finding(of: "hci0") == "hci0 is blocked by software (rfkill)")
    #expect(Controller.Block.soft.advice == "Unblock it: rfkill unblock bluetooth")
    #expect(
      Controller.Block.hard.finding(of: "hci0")
        == "hci0 is switched off by a switch of the machine (rfkill)")
  }
}
