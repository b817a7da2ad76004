import Care
import Foundation
import Glibc
import Motion
import Radio
import TestSupport
import Testing
import Traces

@Suite struct TraceFileTests {
  static func open(_ text: String, start: Date? = nil) throws -> any TraceReader {
    try TraceFile(start: start).open(
      MemoryStream(name: "folder/left-shank.csv", bytes: Array(text.utf8)))
  }

  @Test func `recognises a radio trace by its first bytes`() throws {
    var reader = try Self.open(
      RadioTraceTests.header + "\n" + #"{"t":0,"type":"connected","address":"5C:CA:D3:70:D4:A2"}"#)
    #expect(
      try reader.next()?.event
        == .connected(try #require(DeviceAddress("5C:CA:D3:70:D4:A2"))))
    #expect(try reader.next() == nil)
  }

  @Test func `skips a byte order mark`() throws {
    var reader = try Self.open("\u{FEFF}" + RadioTraceTests.header + "\n")
    #expect(try reader.next() == nil)
  }

  /// A pipe without a writer would make the program wait.
  @Test func `refuses a named pipe and a folder at once`() throws {
    let folder = FileManager.default.temporaryDirectory.path
    let pipe = "\(folder)/pipe-\(UUID().uuidString)"
    let status = unsafe mkfifo(pipe, 0o600)
    #expect(status == 0)
    defer { try? FileManager.default.removeItem(atPath: pipe) }
    #expect(throws: TraceError(file: pipe, .namedPipe)) { try FileStream(path: pipe) }
    #expect(throws: TraceError(file: folder, .folder)) { try FileStream(path: folder) }
  }

  @Test func `replays a motion file as the sensor of its name`() throws {
    let rows = (0..<60).map { "\(Double($0) / 100 + 5),0,0,1" }.joined(separator: "\n")
    let start = try #require(Date(rfc3339: "2026-11-20T07:00:00Z"))
    var reader = try Self.open("t,x,y,z\n" + rows, start: start)
    var events: [TimedEvent] = []
    while let event = try reader.next() { events.append(event) }
    #expect(
      events.map { $0.time.microseconds - start.microseconds } == [5_000_000, 5_250_000, 5_500_000])
    let motions = events.compactMap { event -> RecordedMotion? in
      guard case .motion(let motion) = event.event else { return nil }
      return motion
    }
    #expect(motions.map(\.sensor) == ["left-shank", "left-shank", "left-shank"])
    #expect(motions.map(\.samples.count) == [25, 25, 10])
    #expect(motions[1].samples.map(\.time).prefix(3) == [0, 10_000, 20_000])
  }

  @Test func `requires a start for a motion file`() {
    #expect(
      throws: TraceError(file: "folder/left-shank.csv", .unknownStart)
    ) { try Self.open("t,x,y,z\n0,0,0,1\n") }
  }

  @Test(
    arguments: [("/nonexistent/trace.jsonl", .missingFile), ("/etc", .folder)]
      as [(String, TraceError.Problem)])
  func `refuses a file that cannot be opened`(path: String, problem: TraceError.Problem) {
    #expect(throws: TraceError(file: path, problem)) { try FileStream(path: path) }
  }
}
