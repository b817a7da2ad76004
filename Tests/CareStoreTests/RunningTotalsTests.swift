import Care
import Foundation
import TestSupport
import Testing

@testable import CareStore

/// Running totals are booked alike in whatever order, and in whichever store, they arrive.
struct RunningTotalsTests {
  private static let band = DeviceIdentity(address: DeviceID("C0:FF:EE:00:00:01"))

  private static func sample(
    _ total: Double, at date: Date, patient: String? = "john",
    _ counter: RunningTotal = RunningTotal(.daily)
  ) -> Sample {
    let raw = (0..<4).map { UInt8(truncatingIfNeeded: Int(saturating: total) >> (8 * $0)) }
    return Sample(
      reading: Reading(
        quantity: .stepCount, value: 0, arrival: date, device: band, raw: raw, counter: counter,
        total: total),
      patient: patient, start: date, end: date)
  }

  private func store(_ seed: UInt64) async throws -> SQLStore {
    let store = try SQLStore.peer(seed)
    _ = try await store.write {
      var plan = PlanDocument.example()
      plan.patients.append(Patient(id: "jane", name: PersonName(given: "Jane")))
      return try $0.importPlan(plan, now: midnight)
    }
    return store
  }

  private func book(_ samples: [Sample], in store: SQLStore) async throws {
    try await store.write { for sample in samples { _ = try $0.book(sample) } }
  }

  /// The sums of the samples that count, by patient and local day.
  private func sums(_ store: SQLStore) async throws -> [String: Double] {
    let samples = try await store.read { try $0.samples(SampleQuery(quantity: .stepCount)) }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = losAngeles
    return samples.reduce(into: [:]) { sums, sample in
      let day = calendar.component(.day, from: sample.start)
      sums["\(sample.patient ?? "nobody") \(day)", default: 0] += sample.value
    }
  }

  private func merge(_ a: SQLStore, into b: SQLStore) async throws {
    _ = try await b.merge(lines: try await a.exported())
  }

  @Test func `two stores that heard the same band merge to its total`() async throws {
    let heard = (0..<60).map { minute in
      Self.sample(1000 + 10 * Double(minute), at: day(1, hour: 9, minute: minute))
    }
    for (even, odd) in [
      (heard.indices.filter { $0 % 2 == 0 }, heard.indices.filter { $0 % 2 == 1 }),
      (Array(heard.indices), Array(30..<60)),
    ] {
      let (a, b) = (try await store(1), try await store(2))
      try await book(even.map { heard[$0] }, in: a)
      try await book(odd.map { heard[$0] }, in: b)
      let copy = try await a.copied(3)
      try await merge(b, into: a)
      try await merge(copy, into: b)
      #expect(try await sums(a) == ["john 8": 1590])
      #expect(try await sums(b) == ["john 8": 1590])
      #expect(try await a.exported() == b.exported())
      #expect(try await a.merge(lines: try await b.exported()).isUnchanged)
      #expect(try await a.check() == [])
      // The share of a part of the day is that of the store that heard it.
      let part = SampleQuery(
        quantity: .stepCount, from: day(1, hour: 9, minute: 10), to: day(1, hour: 9, minute: 19))
      let count = try await a.read { try $0.samples(part).reduce(0) { $0 + $1.value } }
      #expect(count == 100)
    }
  }

  @Test func `totals that add nothing are kept and do not count`() async throws {
    let store = try await store(1)
    let continuous = RunningTotal(.continuous, limit: 65_536)
    let totals = [(0, 71_000.0), (1, 71_010), (2, 71_010), (3, 71_030)]
    try await book(
      totals.map { Self.sample($0.1, at: day(1, hour: 9, minute: $0.0), continuous) }, in: store)
    let all = try await store.read {
      try $0.samples(SampleQuery(states: Set(Sample.State.allCases)))
    }
    // The third says what the second says.
    #expect(all.map(\.reading.total) == [71_000, 71_010, 71_030])
    #expect(all.map(\.value) == [0, 10, 20])
    #expect(all.map(\.state) == [.duplicate, .live, .live])
    #expect(all.map(\.reading.counter) == [continuous, continuous, continuous])
    #expect(try await store.write { try $0.book(all[1]) } == nil)
    #expect(try await store.check() == [])
  }

  @Test func `what a person deleted or corrected stays so`() async throws {
    let store = try await store(1)
    let heard = [(0, 1000.0), (2, 1020), (3, 1030)].map {
      Self.sample($0.1, at: day(1, hour: 9, minute: $0.0))
    }
    try await book(heard, in: store)
    _ = try await store.write {
      try $0.change(.sample(heard[0].identity), .delete, reason: nil, now: day(1, hour: 10))
    }
    _ = try await store.write {
      try $0.correct(heard[1].identity, value: 5, source: nil, reason: nil, now: day(1, hour: 10))
    }
    #expect(try await sums(store) == ["john 8": 15])
    try await book([Self.sample(1005, at: day(1, hour: 9, minute: 1))], in: store)
    // Of the 20 that the second had added, five belong to the minute before.
    #expect(try await sums(store) == ["john 8": 20])
    #expect(try await store.sampleValue(heard[1].identity) == 15)
    #expect(try await store.check() == [])
  }

  @Test func `an erasure leaves the steps to nobody`() async throws {
    let (a, b) = (try await store(1), try await store(2))
    let johns = (0..<4).map { Self.sample(1000 + 10 * Double($0), at: day(1, hour: 9, minute: $0)) }
    try await book(johns, in: a)
    try await merge(a, into: b)
    try await a.erase(patient: "john", now: day(1, hour: 10))
    let janes = [(6, 1600.0), (7, 1610)].map {
      Self.sample($0.1, at: day(1, hour: 10, minute: $0.0), patient: "jane")
    }
    try await book(janes, in: a)
    #expect(try await sums(a) == ["jane 8": 10])
    // The mark goes along, and takes the totals of the other store.
    try await book(
      [Self.sample(1605, at: day(1, hour: 10, minute: 6) + 30, patient: "jane")], in: b)
    #expect(try await sums(b) == ["john 8": 1030])
    try await merge(a, into: b)
    #expect(try await sums(b) == ["jane 8": 10])
    try await merge(b, into: a)
    #expect(try await a.exported() == b.exported())
    let text = try await a.exported().joined()
    #expect(!text.contains("john"))
    #expect(try await a.check() == [])
  }

  /// A day or more of a band: late and repeated frames, silences, resets, a hand-over.
  @Test(
    arguments: Rounds.seeds(8, from: 1))
  func `any order, any division and any merge come to the same`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let counter = RunningTotal(seed % 3 == 0 ? .continuous : .daily)
    var (heard, walked): ([Sample], [String: Double]) = ([], [:])
    var total = counter.period == .daily ? 0 : Double.random(in: 0..<9e4, using: &random).rounded()
    var (patient, quiet) = ("john", 0)
    for minute in 0..<(3 * 1440) {
      if counter.period == .daily, minute % 1440 == 0 { total = 0 }
      let steps =
        (420..<1320).contains(minute % 1440) ? Double.random(in: 0...80, using: &random) : 0
      total += steps.rounded()
      walked[patient, default: 0] += steps.rounded()
      let chance = Int.random(in: 0..<10_000, using: &random)
      if chance < 2 { total = 0 }
      if chance > 9995 { quiet = minute + Int.random(in: 10..<1000, using: &random) }
      guard minute >= quiet, chance % 12 == 0 else { continue }
      if (10..<15).contains(chance / 100), seed % 4 == 1 { patient = "jane" }
      let date = day(0) + Double(minute) * 60
      heard.append(Self.sample(total, at: date, patient: patient, counter))
      if chance % 36 == 0, let late = heard.suffix(2).first, let old = late.reading.total,
        date.timeIntervalSince(late.start) < 500
      {
        heard.append(Self.sample(old, at: date + 9, patient: patient, counter))
      }
    }
    let inOrder = try await store(1)
    try await book(heard, in: inOrder)
    let expected = try await sums(inOrder)
    for patient in ["john", "jane"] {
      let sum = expected.filter { $0.key.hasPrefix(patient) }.values.reduce(0, +)
      #expect(sum <= walked[patient, default: 0])
    }
    let shuffled = try await store(2)
    try await book(heard.shuffled(using: &random), in: shuffled)
    #expect(try await sums(shuffled) == expected)
    // Recordings of parts, the last one first.
    let (a, b) = (try await store(3), try await store(4))
    let cut = heard.count / 2
    try await book(Array(heard[cut...]), in: a)
    try await book(Array(heard[..<cut]), in: a)
    #expect(try await sums(a) == expected)
    try await book(heard, in: a)
    #expect(try await sums(a) == expected)
    // Each frame in one of two stores, or in both.
    let both = heard.map { ($0, Int.random(in: 0..<3, using: &random)) }
    let c = try await store(5)
    try await book(both.filter { $0.1 != 0 }.map(\.0), in: b)
    try await book(both.filter { $0.1 != 1 }.map(\.0), in: c)
    let copy = try await b.copied(6)
    try await merge(c, into: b)
    try await merge(copy, into: c)
    #expect(try await sums(b) == expected)
    #expect(try await sums(c) == expected)
    #expect(try await b.exported() == c.exported())
    #expect(try await b.check() == [])
  }

  @Test func `a zone that changes counts nothing twice`() async throws {
    let store = try await store(1)
    let start = day(1, hour: 9)
    try await book(
      [Self.sample(3000, at: start), Self.sample(5000, at: start + 5 * 3600)], in: store)
    try await store.write {
      try $0.setPlanTimeZone(TimeZone(identifier: "Europe/Zurich") ?? .gmt, now: day(1, hour: 15))
    }
    try await book([Self.sample(5200, at: start + 7 * 3600)], in: store)
    #expect(try await sums(store) == ["john 8": 5200])
  }
}

extension SQLStore {
  fileprivate func sampleValue(_ identity: SampleIdentity) async throws -> Double? {
    try await read { try $0.sample(identity)?.value }
  }
}
