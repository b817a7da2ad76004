import Care
import Foundation
import TestSupport
import Testing

@testable import Interchange

/// Messages of openScale-sync's webhook.
@Suite struct ScaleMessageTests {
  /// A message as the app's own code makes it, its numbers of single precision.
  ///
  /// Source: oliexdev/openScale-sync, WebhookSync.kt (`measurementToMap`) at 1fb1270.
  static let insert =
    #"{"id":17,"userId":1,"username":"Ann","date":"2026-03-02T06:04:31.000Z","#
    + #""weight":81.95,"body_fat":21.4,"water":0.0,"muscle":0.0,"values":["#
    + #"{"key":"weight","name":"Weight","unit":"kg","isDerived":false,"value":81.95000457763672},"#
    + #"{"key":"impedance","name":"Impedance","unit":"Ohm","isDerived":false,"value":503.0},"#
    + #"{"key":"custom_42","name":"Mood","unit":"","isDerived":false,"text":"well"}],"event":"insert"}"#

  private func read(_ text: String) throws -> ScaleMessage {
    try ScaleMessage(Array(text.utf8))
  }

  private func rows(_ text: String) throws -> [ScaleMessage.Measurement] {
    guard case .measurements(let rows) = try read(text) else { return [] }
    return rows
  }

  @Test func `a measurement has its values in their digits`() throws {
    let row = try #require(try rows(Self.insert).first)
    #expect(row.id == 17 && row.user == 1)
    #expect(row.date == Date(rfc3339: "2026-03-02T06:04:31Z"))
    #expect(row.entries.map(\.quantity) == [.bodyMass, .impedance, .bodyFatPercentage])
    #expect(row.entries.map(\.value) == [81.95, 503, 21.4])
    #expect(row.entries.map(\.digits) == ["81.95", "503.0", "21.4"])
    #expect(row.entries.map(\.isDerived) == [false, false, true])
    #expect(row.skips.isEmpty)
  }

  @Test func `a batch, a deletion, a clearing and a test are told apart`() throws {
    let one = Self.insert.replacing(#","event":"insert""#, with: "")
    #expect(try rows(#"{"event":"update","measurements":[\#(one),\#(one)]}"#).count == 2)
    #expect(try read(#"{"event":"test"}"#) == .test)
    #expect(try read(#"{"event":"clear","userId":1}"#) == .clearing(user: 1))
    let date = try #require(Date(rfc3339: "2026-03-02T06:04:31Z"))
    #expect(
      try read(#"{"event":"delete","userId":1,"date":"2026-03-02T06:04:31.000Z"}"#)
        == .deletion(user: 1, date: date))
  }

  @Test func `a weight of zero is none, and said`() throws {
    let row = try #require(
      try rows(
        #"{"id":1,"userId":1,"date":"2026-03-02T06:04:31.000Z","weight":0.0,"body_fat":21.4,"event":"insert"}"#
      ).first)
    #expect(row.entries.map(\.quantity) == [.bodyFatPercentage])
    #expect(row.skips == [HistorySkip(line: 1, reason: .number("0.0", column: "weight"))])
  }

  private static let faults: [(String, String, ScaleRefusal)] = [
    (#""event":"insert""#, #""event":"explode""#, .event("explode")),
    (#","event":"insert""#, "", .member("event")), (#""id":17"#, #""id":"17""#, .member("id")),
    ("2026-03-02T06:04:31.000Z", "2026-03-02 06:04:31", .member("date")),
    (#""body_fat":21.4"#, #""body_fat":"x""#, .member("body_fat")),
    (#""event":"insert"}"#, #""event":"insert""#, .notJSON),
  ]

  @Test(arguments: faults.indices)
  func `a fault is refused by its name`(index: Int) {
    let (old, new, refusal) = Self.faults[index]
    #expect(throws: refusal) { try read(Self.insert.replacing(old, with: new)) }
  }

  @Test func `a message of more values than rows can have is refused`() {
    let list = String(repeating: "1,", count: 400_000) + "1"
    let text = Self.insert.replacing(#""id":17"#, with: #""id":17,"x":[\#(list)]"#)
    #expect(throws: ScaleRefusal.tooMany(limit: 400_000)) { try read(text) }
  }

  @Test func `no text traps`() {
    var generator = SeededGenerator(seed: 49)
    for _ in 0..<Rounds.count(20_000) {
      var bytes = Array(Self.insert.utf8)
      for _ in 0...Int.random(in: 0...3, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
      }
      _ = try? ScaleMessage(bytes)
    }
  }
}

/// Bodies that a client packed.
@Suite struct GzipTextTests {
  /// `hello hello hello hello` as Python's gzip 3.12 packs it, with a time of zero.
  private static let packed: [UInt8] = [
    0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x48, 0xCD, 0xC9, 0xC9,
    0x57, 0xC8, 0x40, 0x27, 0x01, 0xE3, 0x51, 0x3D, 0x8D, 0x17, 0x00, 0x00, 0x00,
  ]

  @Test func `a packed body is unpacked, within its bound, and checked`() throws {
    let packed = Self.packed
    #expect(
      String(decoding: try GzipText.bytes(of: packed, most: 23), as: UTF8.self)
        == "hello hello hello hello")
    #expect(throws: GzipText.Fault.tooLong(most: 22)) {
      try GzipText.bytes(of: packed, most: 22)
    }
    for place in [0, 2, packed.count - 8, packed.count - 4] {
      var damaged = packed
      damaged[place] ^= 0x40
      #expect(throws: GzipText.Fault.damaged) { try GzipText.bytes(of: damaged, most: 100) }
    }
    for count in 0..<packed.count {
      #expect(throws: GzipText.Fault.damaged) {
        try GzipText.bytes(of: Array(packed.prefix(count)), most: 100)
      }
    }
    #expect(throws: GzipText.Fault.damaged) { try GzipText.bytes(of: packed + [0], most: 100) }
  }
}
