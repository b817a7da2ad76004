import Care
import Foundation
import TestSupport
import Testing

@testable import Hub

@Suite("TotalLedger")
struct TotalLedgerTests {
  static let ledger = TotalLedger(timeZone: TimeZone(identifier: "Europe/Zurich") ?? .gmt)

  private static func total(_ value: Double, _ time: Date) -> StoredTotal {
    StoredTotal(
      device: DeviceID("C0:FF:EE:00:00:01"), quantity: .stepCount, total: value, date: time)
  }

  /// Plays totals, and returns what each adds; `nil` for one that is not counted for a reason.
  private func counts(
    _ counter: RunningTotal, _ totals: [(time: String, value: Double)], booked: Double = 0
  ) -> [Double?] {
    var last: StoredTotal?
    return totals.map { item in
      let entry = Self.ledger.entry(
        Self.total(item.value, time("2026-11-\(item.time)+01:00")), of: counter, after: last
      ) { booked }
      last = entry.next ?? last
      return entry.reason == nil ? entry.counted : nil
    }
  }

  static let daily: [(name: String, totals: [(time: String, value: Double)], counts: [Double?])] = [
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
      "a night, and more steps than the day before", [("20T21:00:00", 800), ("21T09:00:00", 2500)],
      [800, 2500]
    ),
    (
      "a day in bed", [("20T21:00:00", 800), ("21T21:00:00", 800), ("21T22:00:00", 810)],
      [800, 0, 10]
    ),
    (
      "a battery was changed", [("20T08:00:00", 1000), ("20T12:00:00", 50), ("20T12:10:00", 70)],
      [1000, 50, 20]
    ),
    ("a week in a drawer", [("13T08:00:00", 5000), ("20T12:00:00", 700)], [5000, 700]),
    (
      "an older frame", [("20T08:00:00", 1000), ("20T07:00:00", 900), ("20T09:00:00", 1100)],
      [1000, 0, 100]
    ),
    (
      "a frame from another world",
      [("20T08:00:00", 1000), ("20T08:01:00", 4e9), ("20T08:02:00", 1010)],
      [1000, nil, 10]
    ),
    (
      "no number", [("20T08:00:00", .nan), ("20T08:01:00", -5), ("20T08:02:00", 10)],
      [nil, nil, 10]
    ),
  ]

  @Test("Totals of the day", arguments: daily.indices)
  func countsTheDay(_ index: Int) {
    let row = Self.daily[index]
    #expect(counts(RunningTotal(.daily), row.totals) == row.counts, "\(row.name)")
  }

  static let continuous:
    [(name: String, totals: [(time: String, value: Double)], counts: [Double?])] =
      [
        (
          "differences from the first", [("20T08:00:00", 71000), ("20T08:01:00", 71010)], [nil, 10]
        ),
        ("a midnight", [("20T23:59:00", 71000), ("21T00:01:00", 71004)], [nil, 4]),
        ("a night", [("20T22:00:00", 71000), ("21T08:00:00", 71200)], [nil, 200]),
        (
          "a gap of days belongs to no day",
          [("13T08:00:00", 71000), ("20T08:00:00", 90000), ("20T08:05:00", 90010)], [nil, nil, 10]
        ),
        (
          "it lost its memory", [("20T08:00:00", 71000), ("20T09:00:00", 25), ("20T09:01:00", 35)],
          [nil, 25, 10]
        ),
        (
          "it passed its limit", [("20T08:00:00", 65_530), ("20T08:01:00", 4), ("20T08:02:00", 9)],
          [nil, 10, 5]
        ),
        (
          "one frame from another world",
          [("20T08:00:00", 71000), ("20T08:01:00", 4e9), ("20T08:02:00", 71010)], [nil, nil, 10]
        ),
        (
          "another count altogether",
          [("20T08:00:00", 71000), ("20T08:01:00", 4e9), ("20T08:02:00", 4e9 + 7)], [nil, nil, 7]
        ),
        ("no number", [("20T08:00:00", .infinity), ("20T08:01:00", 10)], [nil, nil]),
      ]

  @Test("Totals since the device was switched on", arguments: continuous.indices)
  func countsOn(_ index: Int) {
    let row = Self.continuous[index]
    #expect(
      counts(RunningTotal(.continuous, limit: 65_536), row.totals) == row.counts, "\(row.name)")
  }

  @Test func whatTheDayHasAlreadyIsNotCountedAgain() {
    #expect(counts(RunningTotal(.daily), [("20T08:00:00", 1000)], booked: 900) == [100])
    #expect(counts(RunningTotal(.daily), [("20T08:00:00", 1000)], booked: 1200) == [0])
  }

  @Test func anUnchangedTotalIsWrittenSeldom() {
    let (first, minute) = (time("2026-11-20T08:00:00+01:00"), TimeInterval(60))
    func next(after seconds: TimeInterval) -> StoredTotal? {
      Self.ledger.entry(
        Self.total(50, first + seconds), of: RunningTotal(.daily), after: Self.total(50, first)
      ) { 0 }.next
    }
    #expect(next(after: minute) == nil)
    #expect(next(after: 11 * minute)?.date == first + 11 * minute)
    #expect(next(after: 16 * 60 * minute)?.total == 50)
  }

  /// A band that is heard at random times, restarts at midnight and sometimes loses its memory:
  /// every step that it showed is counted, and none twice.
  @Test("Every step that was shown is counted once", arguments: 0..<50)
  func random(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let midnight = time("2026-11-20T00:00:00+01:00")
    var (last, shown, counted, total, heard): (StoredTotal?, Double, Double, Double, Double) =
      (nil, 0, 0, 0, 0)
    var day = 0
    for minute in 0..<(5 * 24 * 60) {
      if minute / 1440 != day {
        (day, total, heard) = (minute / 1440, 0, 0)
      }
      let isAwake = (420..<1320).contains(minute % 1440)
      if isAwake { total += Double(Int.random(in: 0...100, using: &random)) }
      if isAwake, Int.random(in: 0..<2000, using: &random) == 0 { (total, heard) = (0, 0) }
      guard isAwake, Int.random(in: 0..<30, using: &random) == 0 else { continue }
      // A reset in a long silence after which more was walked than before cannot be seen.
      shown += total - heard
      heard = total
      let entry = Self.ledger.entry(
        Self.total(total, midnight + Double(minute) * 60), of: RunningTotal(.daily), after: last
      ) { 0 }
      #expect(entry.counted >= 0 && entry.reason == nil)
      counted += entry.counted
      last = entry.next ?? last
    }
    #expect(counted <= shown)
    #expect(counted >= shown - 5000)
  }
}
