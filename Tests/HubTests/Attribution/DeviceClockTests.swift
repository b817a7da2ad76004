import Care
import Foundation
import Testing

@testable import Hub

@Suite struct DeviceClockTests {
  private static let losAngeles = TimeZone(identifier: "America/Los_Angeles") ?? .gmt
  private static let arrival = time("2026-11-20T07:10:00-08:00")

  private func verdict(
    _ deviceTime: LocalDateTime?, in zone: TimeZone = losAngeles, isStreamed: Bool = false
  ) -> DeviceClock.Verdict {
    DeviceClock(timeZone: zone).verdict(
      on: Reading(
        quantity: .bodyMass, value: 72, deviceTime: deviceTime, arrival: Self.arrival,
        device: DeviceIdentity(address: "scale"), isStreamed: isStreamed))
  }

  /// The scale's clock at 07:10, and the resulting time of the reading: `nil` for its arrival.
  @Test(arguments: [
    ("2026-11-20T07:09:58", "2026-11-20T07:09:58-08:00"),
    // Stored in the scale for an hour, or a month.
    ("2026-11-20T06:10:00", "2026-11-20T06:10:00-08:00"),
    ("2026-10-20T07:10:00", "2026-10-20T07:10:00-07:00"),
    // At most five minutes ahead.
    ("2026-11-20T07:15:00", "2026-11-20T07:15:00-08:00"),
    ("2026-11-20T07:15:01", nil),
    ("2027-11-20T07:10:00", nil),
    // Reset, and never set.
    ("1970-01-04T16:11:32", nil), ("2000-01-01T00:00:00", nil), ("2010-01-01T00:00:00", nil),
    ("0000-00-00T00:00:00", nil), ("2026-02-30T07:10:00", nil), ("2026-13-01T07:10:00", nil),
  ])
  func trustsAPlausibleClock(clock: String, expected: String?) {
    let parts = clock.split { "-T:".contains($0) }.compactMap { Int($0) }
    let verdict = verdict(
      LocalDateTime(
        year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4],
        second: parts[5]))
    #expect(verdict.start == expected.map(time) ?? Self.arrival)
    #expect(verdict.isTrusted == (expected != nil))
  }

  @Test func isReadInThePlansZone() throws {
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    let clock = LocalDateTime(year: 2026, month: 11, day: 20, hour: 16, minute: 9)
    #expect(verdict(clock, in: berlin).start == time("2026-11-20T16:09:00+01:00"))
    #expect(!verdict(clock).isTrusted)
  }

  @Test func aStreamNeedsNoClockAndAMeasurementDoes() {
    #expect(verdict(nil, isStreamed: true) == .init(start: Self.arrival, isTrusted: true))
    #expect(verdict(nil) == .init(start: Self.arrival, isTrusted: false))
  }

  /// A real frame of a scale whose clock was never set, stored on the day of its arrival.
  @Test func storesAFrameOf1970() async throws {
    let bench = try await Bench(Plans.john(expects: "72 kg"))
    let run = try await bench.play([
      .mi(MiFrame(kilograms: 72.3, clock: "1970-01-04T16:11:32"), at: Self.arrival)
    ])
    let sample = try #require(run.stored.first)
    #expect(sample.start == Self.arrival)
    #expect(!sample.isClockTrusted)
    #expect(sample.deviceTime?.description == "1970-01-04T16:11:32")
    #expect(run.completed == ["weigh-in"])
    let day = try await bench.events(
      "weigh-in", from: "2026-11-20T08:00:00-08:00", to: "2026-11-20T09:00:00-08:00")
    #expect(day.first?.outcome?.values.map(\.time) == [Self.arrival])
  }
}
