import Foundation
import Testing

@testable import Care

/// When a changed schedule begins, and when a new task does.
@Suite struct VersionBeginningTests {
  /// A schedule of these times of every day in New York, from 1 November 2026, for an hour each.
  private static func daily(_ times: [String], from day: String = "2026-11-01") throws -> Schedule {
    try Schedule(
      times.map { time in
        try ScheduleElement(
          start: date("\(day)T\(time)"), interval: Interval(days: 1),
          timeZone: zone("America/New_York"))
      })
  }

  private static let allDay = ["anytime"]

  private static func schedule(_ times: [String]) throws -> Schedule {
    guard times == allDay else { return try daily(times) }
    return try CareTests.schedule("2026-11-01", every: Interval(days: 1), lasting: .allDay)
  }

  @Test(
    arguments: [
      // Nothing of the day changes before now.
      (["08:00", "20:00"], ["08:00", "20:00"], "09:10", "09:10"),
      (["08:00", "20:00"], ["08:00", "21:00"], "09:10", "09:10"),
      (["08:00", "20:00"], ["08:00", "14:00", "20:00"], "09:10", "09:10"),
      (["08:00", "20:00"], ["10:00", "20:00"], "12:00", "12:00"),
      (["08:00", "20:00"], ["10:00", "21:00"], "07:00", "07:00"),
      // A third dose, or a missing one.
      (["08:00", "20:00"], ["10:00", "20:00"], "09:10", "tomorrow"),
      (["08:00", "20:00"], ["10:00"], "09:10", "tomorrow"),
      (["08:00", "20:00"], ["09:00", "14:00", "19:00"], "15:00", "tomorrow"),
      (["08:00", "14:00", "20:00"], ["10:00", "18:00"], "15:00", "tomorrow"),
      (["20:00"], ["08:00"], "12:00", "tomorrow"),
      // Nothing is over: the day begins again.
      (["08:00", "20:00"], ["10:00", "20:00"], "08:30", "today"),
      (["08:00"], allDay, "07:00", "today"),
      (allDay, ["08:00"], "07:00", "today"),
      // An element that runs all day is one event.
      (allDay, allDay, "12:00", "12:00"), (allDay, ["08:00"], "12:00", "12:00"),
      (["08:00"], allDay, "12:00", "12:00"),
    ] as [([String], [String], String, String)])
  func `a changed schedule begins when the day asks for no more and no less than it does`(
    old: [String], new: [String], now: String, expected: String
  ) throws {
    let history = TaskHistory([task(try Self.schedule(old))])
    let now = try date("2026-11-23T\(now)")
    let begin = history.beginning(of: try Self.schedule(new), madeAt: now) { _ in false }
    let wanted =
      switch expected {
      case "today": try date("2026-11-23")
      case "tomorrow": try date("2026-11-24")
      default: try date("2026-11-23T\(expected)")
      }
    #expect(begin == wanted)
  }

  @Test func `a day with an answer goes on`() throws {
    let history = TaskHistory([task(try Self.daily(["08:00", "20:00"]))])
    let begin = history.beginning(
      of: try Self.daily(["10:00", "20:00"]), madeAt: try date("2026-11-23T08:30")
    ) { event in event.occurrence.index == 44 }
    #expect(begin == (try date("2026-11-24")))
  }

  @Test func `a version of the same day is replaced`() throws {
    let first = task(try Self.daily(["08:00", "20:00"]))
    let second = task(
      try Self.daily(["06:00", "20:00"]), effective: try date("2026-11-23T05:00"))
    let begin = TaskHistory([first, second]).beginning(
      of: try Self.daily(["07:00", "20:00"]), madeAt: try date("2026-11-23T06:30")
    ) { _ in false }
    #expect(begin == (try date("2026-11-23T05:00")))
  }

  @Test func `no day asks for more or less than either plan`() throws {
    for seed in 0..<200 {
      var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
      func next(_ count: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(count))
      }
      func times() -> [String] {
        Set((0...next(3)).map { _ in next(24) }).sorted().map { String(format: "%02d:00", $0) }
      }
      let (old, new) = (try Self.daily(times()), try Self.daily(times()))
      let (today, tomorrow) = (try date("2026-11-23"), try date("2026-11-24"))
      let now = today + Double(next(24 * 60)) * 60
      let history = TaskHistory([task(old)])
      let begin = history.beginning(of: new, madeAt: now) { _ in false }
      let both = TaskHistory([task(old), task(new, effective: begin)])
      let count = try both.events(from: today, to: tomorrow)
        .count { $0.occurrence.start >= today }
      let counts = try [old, new].map {
        try $0.occurrences(from: today, to: tomorrow).count { $0.start >= today }
      }
      #expect(counts.contains(count), "\(old), \(new), \(now): \(count)")
    }
  }

  @Test(
    arguments: [
      ("2026-11-23T08:00", Interval(days: 1), "2026-11-24T08:00"),
      ("2026-11-23T08:11", Interval(days: 1), "2026-11-24T08:11"),
      ("2026-11-23T08:12", Interval(days: 1), "2026-11-23T08:12"),
      ("2026-11-23T20:00", Interval(days: 1), "2026-11-23T20:00"),
      ("2026-11-22T08:00", Interval(days: 1), "2026-11-22T08:00"),
      ("2026-11-23T08:00", Interval(weeks: 1), "2026-11-30T08:00"),
      ("2026-11-23T00:00", Interval(hours: 4), "2026-11-23T12:00"),
      ("2026-11-23T08:00", Interval(months: 1), "2026-12-23T08:00"),
    ] as [(String, Interval, String)])
  func `a new element begins with what is not over yet`(
    start: String, interval: Interval, expected: String
  ) throws {
    let schedule = try CareTests.schedule(start, every: interval)
    let begun = schedule.begun(at: try date("2026-11-23T09:11"))
    #expect(begun.startDate == (try date(expected)))
    #expect(begun.elements.map(\.interval) == [interval])
  }

  @Test func `an element that needs its first day stays`() throws {
    let monthly = try CareTests.schedule("2027-01-31T08:00", every: Interval(months: 1))
    #expect(monthly.begun(at: try date("2027-01-31T12:00")) == monthly)
    let allDay = try CareTests.schedule("2026-11-23", every: Interval(days: 1), lasting: .allDay)
    #expect(allDay.begun(at: try date("2026-11-23T23:00")) == allDay)
    let once = try CareTests.schedule(
      "2026-11-23T08:00", until: "2026-11-24", every: Interval(days: 1))
    #expect(once.begun(at: try date("2026-11-23T12:00")) == once)
  }
}
