import ArgumentParser
import Care
import Foundation
import Testing

@testable import Commands
@testable import Terminal

/// Days and times on the command line.
@Suite struct TimeArgumentTests {
  private let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  /// The day after the one with 23 hours, shortly after midnight: in GMT it is still the day before.
  private let now = Date(rfc3339: "2026-03-30T00:30:00+02:00") ?? .distantPast

  @Test(arguments: [
    ("yesterday", "2026-03-29T00:00:00+01:00"), ("today", "2026-03-30T00:00:00+02:00"),
    ("Tomorrow", "2026-03-31T00:00:00+02:00"), ("2026-03-29", "2026-03-29T00:00:00+01:00"),
    ("8:15", "2026-03-30T08:15:00+02:00"), ("23:05:30", "2026-03-30T23:05:30+02:00"),
    ("2026-03-30T08:15", "2026-03-30T08:15:00+02:00"),
    ("2026-03-30T08:15:00Z", "2026-03-30T10:15:00+02:00"),
  ])
  func `reads days and times in the plans zone`(text: String, time: String) throws {
    let argument = try TimeArgument(entered: text)
    #expect(try argument.instant(in: zone, now: now).rfc3339(in: zone) == time)
  }

  @Test(arguments: [
    "yestarday", "heute", "", "20", "2026-13-01x", "today 08:00", "8:75", "25:00", ":15",
  ])
  func `says what is allowed`(text: String) {
    let error = #expect(throws: ValidationError.self) { try TimeArgument(entered: text) }
    #expect(
      error?.message
        == "write a day such as 2026-11-20, yesterday, today or tomorrow, or a time such as"
        + " 8:15, 2026-11-20T08:15 or 2026-11-20T08:15:00+01:00.")
  }

  @Test(arguments: [
    "2026-02-30", "2026-13-01", "2025-02-29", "2026-02-30T08:15", "2026-03-01T24:01",
  ])
  func `says that no calendar has the day`(text: String) {
    let error = #expect(throws: ValidationError.self) { try TimeArgument(entered: text) }
    #expect(error?.message == "There is no time ‘\(text)’.")
  }

  @Test(
    arguments: [
      ["today", "--date", "yestarday"], ["events", "--from", "2026-11-20", "--to", "morgen"],
      ["samples", "--from", "gestern"],
    ])
  func `ends with 2 and the words that are allowed`(arguments: [String]) async throws {
    let result = await InProcess.run(arguments)
    #expect(result.status == 2)
    #expect(result.error.contains("yesterday, today or tomorrow, or a time such as"))
  }

  @Test(arguments: ["today", "week", "done", "undo", "events", "tasks", "adherence", "samples"])
  func `help names the words`(command: String) async throws {
    let help = await InProcess.run([command, "--help"])
    #expect(help.output.contains("yesterday"))
  }
}

@Suite struct ListeningTimeTests {
  /// A time that no clock can count to must not end the program.
  @Test(arguments: ["nan", "inf", "1e300", "0", "-1"])
  func refuses(text: String) {
    let address = "C4:12:34:56:78:9A"
    #expect(throws: (any Error).self) { try ScanCommand.parse(["--seconds=\(text)"]) }
    #expect(throws: (any Error).self) { try PairCommand.parse([address, "--seconds=\(text)"]) }
    #expect(throws: (any Error).self) { try IdentifyCommand.parse([address, "--seconds=\(text)"]) }
    #expect(throws: (any Error).self) { try RecordCommand.parse(["-", "--seconds=\(text)"]) }
  }

  @Test func `takes a day`() throws {
    #expect(try ScanCommand.parse(["--seconds", "86400"]).seconds == 86_400)
    #expect(try RecordCommand.parse(["-", "--seconds", "604800"]).seconds == 604_800)
  }
}
