import Care
import Foundation
import TestSupport
import Testing

@testable import Interchange

/// Batches of NOOP's push protocol.
@Suite struct PushBatchTests {
  /// The batch, capabilities and acknowledgement that the protocol's document gives as examples.
  ///
  /// Source: ryanbr/noop, docs/PUSH_PROTOCOL.md at 8377102.
  static let published = """
    {"type":"batch","protocolVersion":"1.0","batchId":"e835f32f-60e7-4c93-90a0-51eb6830119a","sourceId":"3a3486dd-5030-4e17-a00d-a781399890f9","deviceId":"strap-local-id","stream":"hrSample","delivery":"append","recordCount":2,"startCursor":{"rowId":48110,"keySha256":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},"endCursor":{"rowId":48119,"keySha256":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"}}
    {"type":"record","key":{"ts":1723939201},"data":{"bpm":61}}
    {"type":"record","key":{"ts":1723939202},"data":{"bpm":62}}

    """
  private static let acknowledgement =
    #"{"protocolVersion":"1.0","batchId":"e835f32f-60e7-4c93-90a0-51eb6830119a","stream":"hrSample","#
    + #""deviceId":"strap-local-id","endCursor":{"rowId":48119,"keySha256":"#
    + #""bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"},"acceptedRows":2,"#
    + #""status":"accepted"}"#
  private static let capabilities =
    #"{"type":"capabilities","protocolVersion":"1.0","receiverStateId":"#
    + #""5fc7b9a0-8055-4e49-a308-3a290f98d81a","streams":["hrSample","rrInterval","dailyMetric"]}"#

  /// A window of the document's example, with two days.
  static let window = """
    {"type":"batch","protocolVersion":"1.1","batchId":"1bb17fc0-5f2c-4c7a-9a63-0b4fdf8d2b11","sourceId":"3a3486dd-5030-4e17-a00d-a781399890f9","deviceId":"strap-local-id","stream":"dailyMetric","delivery":"replace_window","recordCount":2,"startCursor":null,"endCursor":null,"window":{"replacementId":"bf8b735e-f157-4a35-beb2-9b086d10d5bd","selector":"day","startInclusive":"2026-08-05","endExclusive":"2026-08-19","part":1,"parts":1}}
    {"type":"record","key":{"day":"2026-08-05"},"data":{"totalSleepMin":431.5,"restingHr":54,"avgHrv":null,"steps":8123,"sleepPerformance":81.0,"later":[1]}}
    {"type":"record","key":{"day":"2026-08-06"},"data":{"steps":null}}

    """

  private func read(_ text: String) throws -> PushBatch { try PushBatch(Array(text.utf8)) }

  @Test func `the published batch is read, and answered as published`() throws {
    let batch = try read(Self.published)
    #expect(String(decoding: batch.acknowledgement, as: UTF8.self) == Self.acknowledgement)
    #expect(batch.entries.map(\.value) == [61, 62])
    #expect(
      batch.entries.map(\.time)
        == [1_723_939_201, 1_723_939_202].map { .instant(Date(timeIntervalSince1970: $0)) })
    #expect(batch.entries.allSatisfy { $0.quantity == .heartRate && $0.isStreamed })
    #expect(batch.address == DeviceID("NOOP: 3a3486dd strap-local-id"))
  }

  @Test func `the published capabilities are answered`() throws {
    let state = try #require(UUID(uuidString: "5FC7B9A0-8055-4E49-A308-3A290F98D81A"))
    let answer = try PushBatch.capabilities(offered: "1.0", state: state)
    #expect(String(decoding: answer, as: UTF8.self) == Self.capabilities)
    let newer = try PushBatch.capabilities(offered: "2.0, 1.1 ,1.0", state: state)
    #expect(String(decoding: newer, as: UTF8.self).contains(#""protocolVersion":"1.1""#))
    #expect(throws: PushRefusal(.noCommonVersion)) {
      try PushBatch.capabilities(offered: "2.0", state: state)
    }
  }

  @Test func `a window of days gives their steps, and no mean`() throws {
    let batch = try read(Self.window)
    #expect(batch.keys == ["2026-08-05", "2026-08-06"])
    #expect(batch.entries.map(\.value) == [8123])
    #expect(
      batch.entries.first?.time == .day(LocalDateTime(year: 2026, month: 8, day: 5)))
    #expect(batch.window?.parts == 1 && batch.end == nil)
    #expect(
      String(decoding: batch.acknowledgement, as: UTF8.self).contains(#""endCursor":null"#))
  }

  @Test func `beats of one second keep apart, and those in doubt are left out`() throws {
    let text = Self.published.replacing("hrSample", with: "rrInterval")
      .replacing(#"{"ts":1723939201},"data":{"bpm":61}"#, with: Self.beat(812, 0))
      .replacing(#"{"ts":1723939202},"data":{"bpm":62}"#, with: Self.beat(803, 1))
    let batch = try read(text)
    #expect(batch.entries.map(\.value) == [0.812, 0.803])
    #expect(Set(batch.entries.map(\.ordinal)).count == 2)
    let doubtful = text.replacing(#""tsSuspect":null"#, with: #""tsSuspect":1"#)
    #expect(try read(doubtful).entries.isEmpty)
    #expect(try read(doubtful).count == 2)
  }

  private static func beat(_ length: Int, _ sequence: Int) -> String {
    #"{"ts":1723939201,"rrMs":\#(length),"seq":\#(sequence)},"data":{"ord":1,"srcChannel":null,"tsSuspect":null}"#
  }

  @Test func `any quantity may be pushed by a program of one's own`() throws {
    let text = Self.published.replacing("hrSample", with: "measurement")
      .replacing(
        #"{"ts":1723939201},"data":{"bpm":61}"#,
        with: #"{"ts":1723939201,"quantity":"bodyMass"},"data":{"value":180.4,"unit":"lb"}"#
      )
      .replacing(
        #"{"ts":1723939202},"data":{"bpm":62}"#,
        with: #"{"ts":1723939202.5,"quantity":"bodyTemperature"},"data":{"value":36.7}"#)
    let batch = try read(text)
    #expect(batch.entries.map(\.quantity) == [.bodyMass, .bodyTemperature])
    #expect(batch.entries.map(\.value) == [81.82806355, 36.7])
    #expect(batch.entries.first?.sourceValue == SourceValue(value: 180.4, unit: .pound))
    for (old, new) in [
      ("bodyMass", "mood"), ("180.4", "-4"), (#""unit":"lb""#, #""unit":"furlong""#),
      ("180.4", "null"),
    ] {
      #expect(throws: PushRefusal(.invalidRecord, line: 2)) {
        try read(text.replacing(old, with: new))
      }
    }
  }

  // MARK: Faults

  /// The text to replace in the published batch, its replacement, and the refusal.
  private static let faults: [(String, String, PushRefusal)] = [
    (#""protocolVersion":"1.0""#, #""protocolVersion":"2.0""#, .init(.unsupportedVersion, line: 1)),
    ("hrSample", "metricSeries", .init(.unknownStream, line: 1)),
    ("hrSample", "dailyMetric", .init(.wrongDelivery, line: 1)),
    (#""recordCount":2"#, #""recordCount":3"#, .init(.malformed, line: 1)),
    (#""recordCount":2"#, #""recordCount":5001"#, .init(.malformed, line: 1)),
    (#""recordCount":2"#, #""recordCount":2.5"#, .init(.malformed, line: 1)),
    ("e835f32f", "E835F32F", .init(.malformed, line: 1)),
    ("e835f32f-", "", .init(.malformed, line: 1)),
    (#""rowId":48119"#, #""rowId":48110"#, .init(.malformed, line: 1)),
    (#""keySha256":"bb"#, #""keySha256":"Bb"#, .init(.malformed, line: 1)),
    (#""endCursor""#, #""cursor""#, .init(.malformed, line: 1)),
    ("strap-local-id", "", .init(.malformed, line: 1)),
    ("1723939202", "1723939201", .init(.duplicateKey, line: 3)),
    (#"{"bpm":62}"#, #"{"bpm":"62"}"#, .init(.invalidRecord, line: 3)),
    (#"{"bpm":62}"#, #"{}"#, .init(.invalidRecord, line: 3)),
    (#"{"ts":1723939202}"#, #"{"ts":1723939202,"x":1}"#, .init(.invalidRecord, line: 3)),
    (
      #""type":"record","key":{"ts":1723939202"#, #""type":"row","key":{"ts":1723939202"#,
      .init(.invalidRecord, line: 3)
    ),
    ("62}}\n", "62}}", .init(.malformed)), ("62}}\n", "62}}\n\n", .init(.malformed, line: 1)),
    ("62}}\n", "62}\n", .init(.malformed, line: 3)),
  ]

  @Test(arguments: faults.indices)
  func `a fault is refused by its name`(index: Int) {
    let (old, new, refusal) = Self.faults[index]
    #expect(throws: refusal) { try read(Self.published.replacing(old, with: new)) }
  }

  @Test func `a day outside of its window is refused`() {
    #expect(throws: PushRefusal(.outsideWindow, line: 3)) {
      try read(Self.window.replacing("2026-08-06", with: "2026-08-19"))
    }
    #expect(throws: PushRefusal(.malformed, line: 1)) {
      try read(Self.window.replacing("2026-08-19", with: "2026-08-05"))
    }
    #expect(throws: PushRefusal(.invalidRecord, line: 3)) {
      try read(Self.window.replacing("2026-08-06", with: "2026-02-30"))
    }
  }

  @Test func `a window of more days than a life is refused`() throws {
    let window = Self.window.replacing("2026-08-19", with: "2126-08-05")
    #expect(try read(window).window?.end == "2126-08-05")
    #expect(throws: PushRefusal(.malformed, line: 1)) {
      try read(window.replacing("2126-08-05", with: "2126-12-05"))
    }
  }

  @Test func `a row of more values than any has is refused`() {
    let list = String(repeating: "1,", count: 200) + "1"
    #expect(throws: PushRefusal(.malformed, line: 2)) {
      try read(Self.published.replacing(#""bpm":61"#, with: #""bpm":61,"x":[\#(list)]"#))
    }
  }

  @Test func `a batch beyond the bounds is refused before it is read`() {
    #expect(throws: PushRefusal(.tooLarge)) {
      try PushBatch([UInt8](repeating: 0x20, count: PushBatch.largest + 1))
    }
  }

  @Test func `no text traps`() {
    var generator = SeededGenerator(seed: 48)
    for _ in 0..<Rounds.count(20_000) {
      var bytes = Array((Bool.random(using: &generator) ? Self.published : Self.window).utf8)
      for _ in 0...Int.random(in: 0...3, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[place] = UInt8.random(in: .min ... .max, using: &generator)
      }
      _ = try? PushBatch(bytes)
    }
  }
}

/// JSON of other programs.
@Suite struct JSONReaderTests {
  /// A name is a part of the path of everything in it.
  @Test func `a long name is cut`() throws {
    let name = String(repeating: "n", count: 60_000)
    let text = #"{"\#(name)":{"a":"\#(name)"}}"#
    let file = MemoryBytes(Array(text.utf8), name: "f.json")
    var reader = JSONReader(TextSource(try HistoryPart(bytes: file).open()))
    var lengths: [Int] = []
    while let event = try reader.next() {
      switch event {
      case .key(let key): lengths.append(key.utf8.count)
      case .text(let text): lengths.append(text.utf8.count)
      default: break
      }
    }
    #expect(lengths == [256, 1, 60_000])
  }
}
