import Foundation
import NIOCore
import TestSupport
import Testing

@testable import Web

/// Lines that go both ways between a program of this machine and the server.
@Suite struct LineExchangeTests {
  private func lines(_ parts: [String]) throws -> ClientLines {
    let queue = LineQueue()
    for part in parts { try queue.put(Data(part.utf8)) }
    queue.finish()
    return ClientLines(queue)
  }

  private func all(_ parts: [String]) async throws -> [String] {
    var lines = try lines(parts)
    var all: [String] = []
    while let line = try await lines.next() { all.append(String(decoding: line, as: UTF8.self)) }
    return all
  }

  @Test
  func `lines are joined from parts; empty ones and an unfinished one are skipped`() async throws {
    #expect(try await all(["a\nb", "c\n", "\n\n", "d", "", "\n", "rest"]) == ["a", "bc", "d"])
    #expect(try await all([]).isEmpty)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `any split of the same bytes gives the same lines`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let expected = (0..<30).map { _ in
      String(repeating: "x", count: Int.random(in: 1...900, using: &random))
    }
    var rest = Substring(expected.map { $0 + "\n" }.joined())
    var parts: [String] = []
    while !rest.isEmpty {
      let part = rest.prefix(Int.random(in: 1...700, using: &random))
      parts.append(String(part))
      rest = rest.dropFirst(part.count)
    }
    #expect(try await all(parts) == expected)
  }

  @Test
  func `a line that is too long is refused, with and without its end`() async throws {
    let long = String(repeating: "x", count: ClientLines.longest + 1)
    for end in ["", "\n"] {
      var lines = try lines(["a\n", long + end])
      let first = try await lines.next()
      #expect(first == Data("a".utf8))
      do throws(ClientLines.TooLong) {
        _ = try await lines.next()
        Issue.record("The line is taken")
      } catch {}
    }
  }

  // MARK: Outbox

  private func contents(_ outbox: LineQueue) async -> String {
    var text = ""
    while let part = await outbox.next() { text += String(buffer: part) }
    return text
  }

  @Test
  func `what is put comes out in order, and the last line at the end`() async throws {
    let outbox = LineQueue()
    async let all = contents(outbox)
    for number in 0..<100 { try outbox.put(Data("\(number)\n".utf8)) }
    outbox.finish(with: Data("end\n".utf8))
    try outbox.put(Data("late\n".utf8))
    #expect(await all == (0..<100).map { "\($0)\n" }.joined() + "end\n")
  }

  @Test
  func `memory is bounded: further lines are refused`() async throws {
    let outbox = LineQueue()
    let line = Data(repeating: UInt8(ascii: "x"), count: 1_000)
    var count = 0
    #expect(throws: LineQueue.Full.self) {
      while true {
        try outbox.put(line)
        count += 1
      }
    }
    #expect(count == LineQueue.mostBytes / 1_000)
    outbox.finish(with: Data("end".utf8))
    #expect(await contents(outbox).utf8.count == count * 1_000 + 3)
  }

  @Test
  func `a source that can wait waits for room`() async throws {
    let outbox = LineQueue()
    let line = Data(repeating: UInt8(ascii: "x"), count: 100_000)
    async let all = contents(outbox)
    for _ in 0..<100 { try await outbox.write(line) }
    outbox.finish()
    #expect(await all.utf8.count == 10_000_000)
  }

  @Test
  func `a cancelled reader and a cancelled writer end`() async throws {
    let outbox = LineQueue()
    let reader = Task { await contents(outbox) }
    reader.cancel()
    #expect(await reader.value == "")
    let full = LineQueue()
    let line = Data(repeating: UInt8(ascii: "x"), count: LineQueue.mostBytes)
    try full.put(line)
    let writer = Task { try await full.write(line) }
    try await Task.sleep(for: .milliseconds(20))
    writer.cancel()
    await #expect(throws: LineQueue.Full.self) { try await writer.value }
  }
}
