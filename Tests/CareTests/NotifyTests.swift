import Foundation
import Testing
import TestSupport

@testable import Care

@Suite struct QuietHoursTests {
  private func date(_ text: String) throws -> Date { try #require(Date(rfc3339: text)) }

  /// Nights in Berlin, whose clocks go forward on March 29 and back on October 25, 2026.
  @Test(arguments: [
    (
      1_320, 420, "2026-03-28T23:00:00+01:00", "2026-03-28T22:00:00+01:00",
      "2026-03-29T07:00:00+02:00"
    ),
    (
      1_320, 420, "2026-10-25T03:00:00+01:00", "2026-10-24T22:00:00+02:00",
      "2026-10-25T07:00:00+01:00"
    ),
    // 02:30 does not exist in the first of these nights, and is twice in the second.
    (
      1_320, 150, "2026-03-29T01:59:00+01:00", "2026-03-28T22:00:00+01:00",
      "2026-03-29T03:30:00+02:00"
    ),
    (
      1_320, 150, "2026-10-25T02:29:00+02:00", "2026-10-24T22:00:00+02:00",
      "2026-10-25T02:30:00+02:00"
    ),
    (
      780, 900, "2026-06-01T13:00:00+02:00", "2026-06-01T13:00:00+02:00",
      "2026-06-01T15:00:00+02:00"
    ),
  ])
  func `a night is one span, through changes of clocks`(
    from: Int, to: Int, at: String, begin: String, end: String
  ) throws {
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    let quiet = try #require(QuietHours(from: from, to: to))
    let span = quiet.span(containing: try date(at), in: berlin)
    #expect(span == (try date(begin))..<(try date(end)))
    #expect(quiet.lastEnd(until: try date(end), in: berlin) == (try date(end)))
    #expect(quiet.span(containing: try date(end), in: berlin) == nil)
  }

  /// The repeated hour after the end of a night is not quiet again.
  @Test func `an hour that is repeated is quiet once`() throws {
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    let quiet = try #require(QuietHours(from: 1_320, to: 150))
    #expect(quiet.span(containing: try date("2026-10-25T02:15:00+01:00"), in: berlin) == nil)
  }

  @Test(arguments: ["22:00", "7:00", "07:05", "0:00", "23:59"])
  func `a minute reads as it is written`(text: String) throws {
    let minute = try #require(QuietHours.minute(text))
    #expect(QuietHours.minute(QuietHours.text(ofMinute: minute)) == minute)
  }

  @Test(arguments: ["", "7", "24:00", "7:60", "7:0", "-1:00", "7:00:00", "１２:00", "007:00"])
  func `what is no minute is none`(text: String) { #expect(QuietHours.minute(text) == nil) }
}

@Suite struct MedianRuleTests {
  private static let day: TimeInterval = 86_400

  private func evidence(_ rule: Rule, _ weights: [(day: Double, value: Double)]) -> [Double]? {
    let results = weights.map { weight in
      let date = Date(timeIntervalSince1970: 1_795_000_000 + weight.day * Self.day)
      return RuleResult(start: date, time: date, value: weight.value, unit: .kilogram)
    }
    return rule.evidence(in: results, timeZone: .gmt)?.map(\.value)
  }

  /// The week of the guide: the median of the six days before is 81.95 kg.
  @Test func `a weight is compared with the median of the days before`() {
    let week = [81.9, 82.0, 81.8, 82.1, 82.0, 81.9].enumerated().map { (Double($0), $1) }
    let rule = Rule(trigger: .median(days: 7, by: 1.4), message: "")
    #expect(evidence(rule, week + [(6, 83.35)])?.last == 83.35)
    #expect(evidence(rule, week + [(6, 83.34)]) == nil)
    // A second weighing of a day counts on neither side.
    #expect(evidence(rule, week + [(6, 82.0), (6.2, 84)]) == nil)
    #expect(evidence(rule, week + [(5.2, 90), (6, 83.35)])?.count == 7)
    // Days that are too long ago, or too few of them.
    #expect(evidence(rule, Array(week.prefix(2)) + [(2, 84)]) == nil)
    #expect(evidence(rule, week + [(13.5, 84)]) == nil)
    let falls = Rule(trigger: .median(days: 7, by: -1.4), message: "")
    #expect(evidence(falls, week + [(6, 80.55)])?.last == 80.55)
    #expect(evidence(falls, week + [(6, 83.35)]) == nil)
  }

  /// 83.4 − 82 is more than 1.4 in binary, 84.1 − 82.1 is less than 2.
  @Test func `a difference of decimals counts as people write it`() {
    let rule = Rule(trigger: .change(by: 2, within: .days(1)), message: "")
    #expect(evidence(rule, [(0, 82.1), (0.5, 84.1)]) != nil)
    #expect(evidence(rule, [(0, 82.1), (0.5, 84.09)]) == nil)
  }
}
