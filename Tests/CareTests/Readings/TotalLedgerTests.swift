import Care
import Foundation
import TestSupport
import Testing

struct TotalLedgerTests {
  typealias Case = (name: String, totals: [(time: String, value: Double)], counts: [Double])

  private static let zurich = TimeZone(identifier: "Europe/Zurich") ?? .gmt

  static func time(_ text: String) -> Date {
    Date(rfc3339: "2026-11-\(text)+01:00") ?? .distantPast
  }

  private func counts(_ counter: RunningTotal, _ totals: [CountedTotal]) -> [Double] {
    TotalLedger(counter, most: 100_000, timeZone: Self.zurich).shares(of: totals).map(\.counted)
  }

  private func counts(
    _ counter: RunningTotal, _ totals: [(time: String, value: Double)]
  ) -> [Double] {
    counts(counter, totals.map { CountedTotal(date: Self.time($0.time), total: $0.value) })
  }

  static let daily: [Case] = [
    (
      "differences", [("20T08:00:00", 1000), ("20T08:01:00", 1010), ("20T08:02:00", 1020)],
      [1000, 10, 10]
    ),
    ("the same total again", [("20T08:00:00", 1000), ("20T08:00:01", 1000)], [1000, 0]),
    (
      "a midnight", [("20T23:59:00", 9000), ("21T00:01:00", 4), ("21T00:05:00", 30)],
      [9000, 4, 26]
    ),
    (
      "the clock of the device is behind",
      [("20T23:59:00", 9000), ("21T00:01:00", 9002), ("21T00:10:00", 3)], [9000, 2, 3]
    ),
    (
      "nothing shows that it started again in the night",
      [("20T23:00:00", 500), ("21T07:00:00", 520)], [500, 20]
    ),
    (
      "it starts again at night, as the next night shows",
      [("20T21:00:00", 800), ("21T09:00:00", 2500), ("21T23:00:00", 9000), ("22T07:00:00", 15)],
      [800, 2500, 6500, 15]
    ),
    ("more than a day", [("20T21:00:00", 800), ("21T23:00:00", 2500)], [800, 2500]),
    (
      "a day in bed", [("20T21:00:00", 800), ("21T21:00:00", 800), ("21T22:00:00", 810)],
      [800, 0, 10]
    ),
    (
      "once a day", [("20T20:00:00", 9000), ("21T20:00:00", 8000), ("22T21:00:00", 12000)],
      [9000, 8000, 12000]
    ),
    (
      "a battery was changed", [("20T08:00:00", 1000), ("20T12:00:00", 50), ("20T12:10:00", 70)],
      [1000, 50, 20]
    ),
    (
      "a reset within seconds",
      [("20T08:00:00", 5), ("20T08:00:05", 0), ("20T08:00:15", 5), ("20T08:00:20", 6)],
      [5, 0, 5, 1]
    ),
    ("a week in a drawer", [("13T08:00:00", 5000), ("20T12:00:00", 700)], [5000, 700]),
    (
      "a late frame",
      [
        ("20T08:00:00", 1000), ("20T08:01:00", 1038), ("20T08:01:01", 1000),
        ("20T08:01:02", 1038), ("20T08:02:00", 1060),
      ], [1000, 38, 0, 0, 22]
    ),
    (
      "a frame from another world",
      [("20T08:00:00", 1000), ("20T08:01:00", 90000), ("20T08:02:00", 1010)], [1000, 0, 10]
    ),
    (
      "a low frame from another world",
      [("20T08:00:00", 1000), ("20T08:01:00", 3), ("20T08:02:00", 1010)], [1000, 0, 10]
    ),
    ("a jump without a witness", [("20T08:00:00", 1000), ("20T08:01:00", 90000)], [1000, 0]),
    (
      "a device that sends seldom",
      [("20T08:00:00", 1000), ("20T08:01:00", 3000), ("20T08:11:00", 3100)], [1000, 2000, 100]
    ),
    (
      "a device that reads an older total from its memory",
      [
        ("20T08:00:00", 1000), ("20T08:05:00", 1020), ("20T08:06:00", 990),
        ("20T08:15:00", 991), ("20T08:30:00", 1001),
      ], [1000, 20, 0, 1, 10]
    ),
  ]

  @Test(arguments: daily.indices)
  func `totals of the day`(_ index: Int) {
    let row = Self.daily[index]
    #expect(counts(RunningTotal(.daily), row.totals) == row.counts, "\(row.name)")
  }

  static let continuous: [Case] = [
    ("differences from the first", [("20T08:00:00", 71000), ("20T08:01:00", 71010)], [0, 10]),
    ("a midnight", [("20T23:59:00", 71000), ("21T00:01:00", 71004)], [0, 4]),
    ("a night", [("20T22:00:00", 71000), ("21T08:00:00", 71200)], [0, 200]),
    (
      "a gap of more than a day belongs to no day",
      [("19T00:05:00", 10000), ("20T23:50:00", 22000), ("20T23:55:00", 22010)], [0, 0, 10]
    ),
    (
      "it lost its memory", [("20T08:00:00", 71000), ("20T09:00:00", 25), ("20T09:01:00", 35)],
      [0, 25, 10]
    ),
    (
      "it passed its limit", [("20T08:00:00", 65_530), ("20T08:01:00", 4), ("20T08:02:00", 9)],
      [0, 10, 5]
    ),
    (
      "a late frame",
      [
        ("20T08:00:00", 71000), ("20T08:01:00", 71038), ("20T08:01:01", 71000),
        ("20T08:01:02", 71038), ("20T08:01:30", 71060),
      ], [0, 38, 0, 0, 22]
    ),
    (
      "one frame from another world",
      [("20T08:00:00", 71000), ("20T08:01:00", 4e9), ("20T08:02:00", 71010)], [0, 0, 10]
    ),
    (
      "another count altogether",
      [("20T08:00:00", 71000), ("20T08:01:00", 4e9), ("20T08:02:00", 4e9 + 7)], [0, 0, 7]
    ),
  ]

  @Test(arguments: continuous.indices)
  func `totals since the device was switched on`(_ index: Int) {
    let row = Self.continuous[index]
    #expect(
      counts(RunningTotal(.continuous, limit: 65_536), row.totals) == row.counts, "\(row.name)")
  }

  @Test func `reasons are given`() {
    let totals = [
      ("19T08:00:00", 71000.0), ("20T12:00:00", 90000), ("20T12:01:00", 90010),
      ("20T12:02:00", 4e9),
    ].map { CountedTotal(date: Self.time($0.0), total: $0.1) }
    let ledger = TotalLedger(RunningTotal(.continuous), most: 100_000, timeZone: Self.zurich)
    #expect(ledger.shares(of: totals).map(\.reason) == [.first, .gap, nil, .implausible])
  }

  @Test func `the day of the devices clock counts`() {
    let totals = [
      CountedTotal(date: Self.time("20T23:59:59"), total: 500, day: 20_261_120),
      CountedTotal(date: Self.time("21T07:00:00"), total: 520, day: 20_261_121),
      CountedTotal(date: Self.time("22T00:30:00"), total: 530, day: 20_261_121),
    ]
    #expect(counts(RunningTotal(.daily), totals) == [500, 520, 10])
  }

  @Test func `the next wearer and an erasure begin anew`() {
    let totals = [
      CountedTotal(date: Self.time("20T08:00:00"), total: 1000, owner: "john"),
      CountedTotal(date: Self.time("20T09:00:00"), total: 1200, owner: "jane"),
      CountedTotal(date: Self.time("20T09:05:00"), total: 1210, owner: nil),
      CountedTotal(date: Self.time("20T09:10:00"), total: 1230, owner: "jane"),
    ]
    #expect(counts(RunningTotal(.daily), totals) == [1000, 0, 10, 20])
    let erased = Self.time("20T06:00:00")...Self.time("20T08:00:00")
    let ledger = TotalLedger(
      RunningTotal(.daily), most: 100_000, timeZone: Self.zurich, erasures: [erased])
    #expect(ledger.shares(of: Array(totals.dropFirst())).map(\.counted) == [0, 10, 20])
  }

  /// Totals in order: every one that was shown counts, and none twice.
  @Test(arguments: 0..<60)
  func `what is heard in order is booked to the step`(seed: Int) {
    var history = CountedHistory(seed: UInt64(seed))
    history.play(days: 4, hears: 0.2)
    let booked = counts(RunningTotal(history.period), history.totals).reduce(0, +)
    #expect(booked == history.shown)
  }

  /// Late, repeated and damaged frames, silences and resets.
  @Test(arguments: 0..<120)
  func `nothing is booked twice`(seed: Int) {
    var history = CountedHistory(seed: UInt64(seed))
    history.hasFaults = true
    history.play(days: 4, hears: 0.6)
    let shares = counts(RunningTotal(history.period), history.totals)
    #expect(shares.allSatisfy { $0 >= 0 })
    #expect(shares.reduce(0, +) <= history.walked)
    // Faults are few: most of what was shown is booked.
    #expect(shares.reduce(0, +) >= 0.5 * history.shown - 2000)
  }
}

/// A person with a band, minute by minute; the band's midnight is the plan's.
struct CountedHistory {
  private var random: SeededGenerator
  let period: RunningTotal.Period
  var hasFaults = false
  /// The totals that were heard, in the order of time.
  private(set) var totals: [CountedTotal] = []
  /// The steps of the person, and those that can be told of in order.
  private(set) var walked = 0.0
  private(set) var shown = 0.0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    period = Bool.random(using: &random) ? .daily : .continuous
  }

  private mutating func happens(_ chance: Double) -> Bool {
    Double.random(in: 0..<1, using: &random) < chance
  }

  mutating func play(days: Int, hears: Double) {
    let midnight = TotalLedgerTests.time("17T00:00:00")
    var total = period == .daily ? 0 : Double.random(in: 0..<90_000, using: &random).rounded()
    var (last, quiet): (Double?, Int) = (period == .daily ? 0 : nil, 0)
    for minute in 0..<(days * 1440) {
      if period == .daily, minute % 1440 == 0 { (total, last) = (0, 0) }
      let isAwake = (420..<1380).contains(minute % 1440)
      if isAwake {
        let steps = Double(Int.random(in: 0...100, using: &random))
        (total, walked) = (total + steps, walked + steps)
      }
      if hasFaults, happens(0.0002) { (total, last) = (0, 0) }
      if hasFaults, happens(0.001) {
        quiet = minute + ([20, 200, 1000].randomElement(using: &random) ?? 0)
      }
      guard minute >= quiet, happens(hears) else { continue }
      let date = midnight + Double(minute) * 60
      shown += last.map { max(0, total - $0) } ?? 0
      last = total
      totals.append(CountedTotal(date: date, total: total))
      guard hasFaults else { continue }
      if happens(0.2) { totals.append(CountedTotal(date: date + 0.3, total: total)) }
      if happens(0.05), let late = totals.suffix(5).randomElement(using: &random),
        date.timeIntervalSince(late.date) < 400
      {
        totals.append(CountedTotal(date: date + 7, total: late.total))
      }
      if happens(0.002) {
        let damaged = Double(Int.random(in: 0..<200_000, using: &random))
        totals.append(CountedTotal(date: date + 20, total: damaged))
      }
    }
    totals.sort { ($0.date, $0.total) < ($1.date, $1.total) }
  }
}
