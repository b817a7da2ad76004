import Care
import Foundation
import TestSupport
import Testing

@testable import DeviceCatalog

struct FinalFrameFilterTests {
  private static let rule = CommitRule(
    stable: FlagTest(field: "state", bit: 0, isSet: true),
    removed: FlagTest(field: "state", bit: 1, isSet: true), quantity: .bodyMass,
    companion: .init(quantity: .impedance, seconds: 15))

  /// A frame of the state's bits, a weight, and an optional impedance.
  private func content(
    _ state: Int64, _ weight: Double?, impedance: Double? = nil, minute: Int = 0
  ) -> FrameContent {
    let time = LocalDateTime(year: 2026, month: 11, day: 20, hour: 7, minute: minute)
    return FrameContent(
      values: [
        weight.flatMap { DecodedValue(.bodyMass, $0, time: time) },
        impedance.flatMap { DecodedValue(.impedance, $0, time: time) },
      ].compactMap(\.self), fields: ["state": state])
  }

  private func offer(
    _ filter: inout FinalFrameFilter, _ content: FrameContent, at seconds: Double = 0
  ) -> [Double] {
    filter.offer(content, raw: [2], mainRaw: [1], at: SessionBench.time(seconds)).map(\.value.value)
  }

  @Test func `only stable frames with a person count`() {
    var filter = FinalFrameFilter(Self.rule)
    let answers = [
      content(0, 70), content(0, 70, impedance: 500), content(2, 70), content(3, 70),
      content(3, 70, impedance: 500), content(1, nil), content(1, 0), content(1, -1),
    ].map { offer(&filter, $0) }
    #expect(answers == Array(repeating: [], count: 8))
    #expect(filter.wakeAt == nil)
  }

  @Test func `the impedance may follow after stepping off`() {
    var filter = FinalFrameFilter(Self.rule)
    let answers = [content(1, 70), content(3, 70, impedance: 500)].map { offer(&filter, $0) }
    #expect(answers == [[], [70, 500]])
  }

  @Test func `stepping off ends the wait`() {
    var filter = FinalFrameFilter(Self.rule)
    let answers = [content(1, 70), content(3, 70), content(1, 70, impedance: 500)].map {
      offer(&filter, $0)
    }
    #expect(answers == [[], [70], []])
  }

  @Test func `a frame without weight ends the wait`() {
    var filter = FinalFrameFilter(Self.rule)
    let answers = [content(1, 70), content(0, nil)].map { offer(&filter, $0) }
    #expect(answers == [[], [70]])
  }

  @Test func `the same weight at another time is another weighing`() {
    var filter = FinalFrameFilter(Self.rule)
    let answers = [
      content(1, 70, impedance: 500), content(1, 70, impedance: 500, minute: 1),
      content(1, 70, impedance: 500), content(1, 70.5, impedance: 501),
    ].map { offer(&filter, $0) }
    #expect(answers == [[70, 500], [70, 500], [], [70.5, 501]])
  }

  /// Two people of one weight on a scale without a clock.
  @Test func `an empty scale and a rising weight tell two weighings apart`() {
    var rule = Self.rule
    rule.companion = nil
    func untimed(_ state: Int64, _ weight: Double) -> FrameContent {
      FrameContent(
        values: [DecodedValue(.bodyMass, weight)].compactMap(\.self), fields: ["state": state])
    }
    var filter = FinalFrameFilter(rule)
    let apart = [untimed(1, 70), untimed(0, 0), untimed(0, 41), untimed(1, 70)]
    #expect(apart.map { offer(&filter, $0) } == [[70], [], [], [70]])
    // A scale that is woken repeats the last one without a weight that rises.
    var woken = FinalFrameFilter(rule)
    let repeated = [untimed(1, 70), untimed(0, 0), untimed(1, 70)]
    #expect(repeated.map { offer(&woken, $0) } == [[70], [], []])
  }

  @Test func `each value has its frame`() {
    var filter = FinalFrameFilter(Self.rule)
    let committed = filter.offer(
      content(1, 70, impedance: 500), raw: [2], mainRaw: [1], at: SessionBench.time(0))
    #expect(committed.map(\.raw) == [[1], [2]])
  }

  @Test func `without a companion nothing waits`() {
    var rule = Self.rule
    rule.companion = nil
    var filter = FinalFrameFilter(rule)
    let answers = [content(1, 70, impedance: 500), content(1, 70)].map { offer(&filter, $0) }
    #expect(answers == [[70], []])
    #expect(filter.wakeAt == nil)
  }

  @Test(arguments: [1 as UInt64, 2, 3, 4])
  func `no weighing is given twice or lost`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var filter = FinalFrameFilter(Self.rule)
    var time = 0.0
    var given: [String] = []
    var sent: Set<String> = []
    func keep(_ committed: [FinalFrameFilter.Committed]) {
      given += committed.filter { $0.value.quantity == .bodyMass }.map {
        "\($0.value.time?.minute ?? 0) \($0.value.value)"
      }
    }
    // Forty weighings, fewer than the filter stores, with frames in random states.
    for minute in 0..<40 {
      let weight = 60 + Double(minute % 3)
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        time += Double.random(in: 0...10, using: &generator)
        if let due = filter.wakeAt, due <= SessionBench.time(time).steady {
          keep(filter.wake(at: due))
        }
        let state = Int64.random(in: 0...3, using: &generator)
        if state == 1 { sent.insert("\(minute) \(weight)") }
        let impedance = Bool.random(using: &generator) ? 500.0 : nil
        keep(
          filter.offer(
            content(state, weight, impedance: impedance, minute: minute), raw: [2], mainRaw: [1],
            at: SessionBench.time(time)))
      }
    }
    keep(filter.wake(at: .distantFuture))
    #expect(Set(given) == sent)
    #expect(given.count == sent.count)
  }
}

struct RecordRuleCompanionTests {
  /// Sixteen flags in either byte order, an impedance that is valid by bit 9, a weight.
  private func withoutCompanion(_ hex: String, flags type: String) throws -> String {
    let definition = try SampleDefinition.definition(
      "    length: 3\n    fields:\n      - {name: flags, type: u8}",
      """
          commit: {stable: flags.0, quantity: bodyMass, waitFor: {quantity: impedance, seconds: 5}}
          fields:
            - {name: flags, type: \(type)}
            - {name: z, type: u16le, validIf: flags.9, quantity: impedance}
      """)
    let record = try #require(definition.records.first)
    var decoders = FrameDecoders(definition)
    let decoded = try #require(try decoders.decode(bytes(hex), from: record.source))
    return record.withoutCompanion(bytes(hex), decoded.content).hexString
  }

  @Test func `zeroes its bytes and its bit`() throws {
    #expect(try withoutCompanion("ffff f401 803e", flags: "u16le") == "fffd0000803e")
    #expect(try withoutCompanion("ffff f401 803e", flags: "u16be") == "fdff0000803e")
    #expect(try withoutCompanion("0100 0000 803e", flags: "u16le") == "01000000803e")
  }

  @Test func `leaves other frames alone`() throws {
    let record = try #require(try Repository.definition("xiaomi-mi-scale-1").records.first)
    #expect(record.withoutCompanion([1, 2, 3], FrameContent()) == [1, 2, 3])
  }
}

// MARK: - Recent keys

struct RecentKeysTests {
  private static let start = SessionBench.time(0).steady

  @Test func `recognises a key`() {
    var keys = RecentKeys<Int>(capacity: 3)
    let news = [1, 1, 2, 1].map { keys.insert($0, at: Self.start) }
    #expect(news == [true, false, true, false])
  }

  @Test func `evicts the least recent key`() {
    var keys = RecentKeys<Int>(capacity: 3)
    for key in [1, 2, 3, 1, 4] { _ = keys.insert(key, at: Self.start) }
    // 4 evicted 2, because 1 was used again.
    let news = [1, 3, 2].map { keys.insert($0, at: Self.start) }
    #expect(news == [false, false, true])
  }

  /// A frame that is repeated for an hour is one; after half an hour of silence it is another.
  @Test func `forgets a key that was not used for long`() {
    var keys = RecentKeys<Int>(capacity: 3)
    let news = [0.0, 1200, 2400, 3600, 5401].map { keys.insert(7, at: Self.start + $0) }
    #expect(news == [true, false, false, false, true])
  }
}
