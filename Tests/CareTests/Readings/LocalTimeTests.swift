import Care
import Foundation
import TestSupport
import Testing

@Suite struct LocalTimeTests {
  @Test(arguments: [
    ("2026-11-20", "2026-11-20T00:00:00-08:00"), ("2026-11-20T09:30", "2026-11-20T09:30:00-08:00"),
    ("2026-11-20T09:30:15", "2026-11-20T09:30:15-08:00"),
    ("2026-11-20T09:30:15Z", "2026-11-20T01:30:15-08:00"),
    ("2026-11-20T09:30:15.5+02:00", "2026-11-19T23:30:15.500000-08:00"),
    // Left out by the change of clocks, and given twice by it.
    ("2026-03-08T02:30", "2026-03-08T03:30:00-07:00"),
    ("2026-11-01T01:30", "2026-11-01T01:30:00-07:00"),
  ])
  func `reads times`(text: String, expected: String) throws {
    let angeles = try zone("America/Los_Angeles")
    #expect(Date(text, in: angeles)?.rfc3339(in: angeles) == expected)
  }

  @Test(arguments: [
    "", "2026", "2026-13-01", "2026-02-30", "2025-02-29", "0000-01-01", "2026-11-20T24:00",
    "2026-11-20T09:60", "2026-11-20T09", "2026-11-20T09:30:61", "2026-11-20T09:30+02:00",
    "2026-11-20 ", "tomorrow", "20261120", "2026-11-20T09:30:15+25:00", "２０２６-11-20",
  ])
  func `refuses what is no time`(text: String) throws {
    #expect(try Date(text, in: zone("Europe/Berlin")) == nil)
  }

  @Test(arguments: [
    (2026, 13, 1, 0), (2026, 2, 30, 0), (0, 1, 1, 0), (2026, 0, 1, 0), (2026, 1, 0, 0),
    (2026, 1, 1, 24), (.max, 1, 1, 0), (2026, .min, 1, 0), (2026, 1, 1, -1),
  ])
  func `a clock that shows no real time is not resolved`(year: Int, month: Int, day: Int, hour: Int)
    throws
  {
    let local = LocalDateTime(year: year, month: month, day: day, hour: hour)
    #expect(try local.resolved(in: zone("UTC")) == nil)
  }

  @Test func `resolves where the clock is`() throws {
    let local = LocalDateTime(year: 2018, month: 11, day: 4)
    let sao = try zone("America/Sao_Paulo")
    #expect(local.resolved(in: sao)?.rfc3339(in: sao) == "2018-11-04T01:00:00-02:00")
    #expect(local.resolved(in: .gmt)?.rfc3339(in: .gmt) == "2018-11-04T00:00:00+00:00")
  }

  @Test(arguments: ["Europe/Berlin", "UTC", "GMT", "Etc/GMT+3", "America/Argentina/Ushuaia"])
  func `takes IANA names`(name: String) {
    #expect(TimeZone(iana: name) != nil)
  }

  @Test(arguments: ["PST", "GMT+3", "EST", "+03:00", "Europe/Nowhere", "", "/", "../etc/passwd"])
  func `refuses other names of zones`(name: String) {
    #expect(TimeZone(iana: name) == nil)
  }

  @Test(arguments: 0..<10)
  func `printing and reading agree in every zone`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for name in ["America/New_York", "Asia/Kathmandu", "Pacific/Apia", "Africa/Monrovia"] {
      let zone = try zone(name)
      for _ in 0..<100 {
        let date = Date(
          microseconds: Int64.random(in: 0...4_000_000_000_000_000, using: &generator))
        #expect(Date(rfc3339: date.rfc3339(in: zone)) == date)
      }
    }
  }
}

@Suite("The date of mails and of HTTP")
struct InternetMessageDateTests {
  @Test(
    "is the second in UTC, without a zone",
    arguments: [
      (0.0, "Thu, 01 Jan 1970 00:00:00"), (784_111_777.9, "Sun, 06 Nov 1994 08:49:37"),
      (1_709_164_800, "Thu, 29 Feb 2024 00:00:00"), (-1, "Wed, 31 Dec 1969 23:59:59"),
    ])
  func text(second: Double, expected: String) {
    #expect(Date(timeIntervalSince1970: second).internetMessage == expected)
  }
}
