import Care
import Foundation
import GATT
import Radio
import Testing
import Traces

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
  func `trusts a plausible clock`(clock: String, expected: String?) {
    let parts = clock.split { "-T:".contains($0) }.compactMap { Int($0) }
    let verdict = verdict(
      LocalDateTime(
        year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4],
        second: parts[5]))
    #expect(verdict.start == expected.map(time) ?? Self.arrival)
    #expect(verdict.isTrusted == (expected != nil))
  }

  /// The clock of a scale that is heard live at 07:10, and the time of the reading: `nil` for its
  /// arrival, with the clock's error.
  @Test(arguments: [
    ("2026-11-20T07:09:58", "2026-11-20T07:09:58-08:00", nil),
    ("2026-11-20T07:05:00", "2026-11-20T07:05:00-08:00", nil),
    ("2026-11-20T07:04:59", nil, -301.0), ("2026-11-20T06:10:00", nil, -3600),
    ("2026-11-19T07:10:00", nil, -86_400), ("2016-01-01T00:00:00", nil, -343_552_200),
    ("2026-11-20T07:15:01", nil, 301), ("2026-02-30T07:10:00", nil, nil),
  ])
  func `a broadcast happened on arrival`(clock: String, expected: String?, error: Double?) throws {
    let parts = clock.split { "-T:".contains($0) }.compactMap { Int($0) }
    let reading = Reading(
      quantity: .bodyMass, value: 72,
      deviceTime: LocalDateTime(
        year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4],
        second: parts[5]),
      arrival: Self.arrival, device: DeviceIdentity(address: "scale"), isBroadcast: true)
    let verdict = DeviceClock(timeZone: Self.losAngeles).verdict(on: reading)
    #expect(verdict.start == expected.map(time) ?? Self.arrival)
    #expect(verdict.isTrusted == (expected != nil))
    #expect(verdict.error == error)
  }

  /// A record that says how long ago it was measured is sent again, some seconds later than its age
  /// says: the samples that there are then.
  @Test(arguments: [(-4.0, 1), (0, 1), (1.4, 1), (9, 1), (14, 2)])
  func `a record is known again by its age`(delay: Double, count: Int) async throws {
    let bench = try await Bench(Plans.john(expects: "72 kg"))
    func record(age: UInt16, at time: Date) throws -> TimedEvent {
      var frame: [UInt8] = [0x55, 0xAA, 0x15, 0, 12, 0, 0, 0x1C, 0x2A, 1, 0xF4, 0, 0]
      frame += [UInt8(age >> 8), UInt8(age & 0xFF), 0, 0]
      frame.append(frame.reduce(0, &+))
      return .value(0x2A10, of: 0x1A10, hex(frame), from: .scale, at: time)
    }
    let name = try AdvertisingStructure.localName("ES-26BB-B")
    let advertisement = Advertisement(
      address: .scale, addressType: .random, rssi: -60,
      data: try AdvertisingData(structures: [name]).encoded)
    let run = try await bench.play([
      TimedEvent(time: Self.arrival, event: .advertisement(advertisement)),
      try record(age: 3600, at: Self.arrival),
      // A link of its own, so that an older record would not be believed.
      try record(age: 4800, at: Self.arrival + 1200 + delay),
    ])
    #expect(run.notes == [])
    let weights = try await bench.samples(.bodyMass)
    #expect(weights.count == count)
    #expect(weights.map(\.isClockTrusted) == Array(repeating: true, count: count))
    #expect(weights.first?.start == Self.arrival - 3600)
    #expect(try await bench.samples(.impedance).count == count)
  }

  /// 01:30 occurs twice on 1 November 2026.
  @Test(arguments: ["2026-11-01T01:31:00-07:00", "2026-11-01T01:31:00-08:00"])
  func `the arrival tells the repeated hour apart`(arrival: String) throws {
    let clock = LocalDateTime(year: 2026, month: 11, day: 1, hour: 1, minute: 30)
    for isBroadcast in [false, true] {
      let reading = Reading(
        quantity: .bodyMass, value: 72, deviceTime: clock, arrival: time(arrival),
        device: DeviceIdentity(address: "scale"), isBroadcast: isBroadcast)
      let verdict = DeviceClock(timeZone: Self.losAngeles).verdict(on: reading)
      #expect(verdict == .init(start: time(arrival) - 60, isTrusted: true))
    }
  }

  @Test func `a fetched record is not older than the last fetch`() {
    let clock = LocalDateTime(year: 2026, month: 11, day: 18, hour: 7, minute: 0)
    let reading = Reading(
      quantity: .bodyMass, value: 72, deviceTime: clock, arrival: Self.arrival,
      device: DeviceIdentity(address: "scale"))
    let rule = DeviceClock(timeZone: Self.losAngeles)
    let taken = time("2026-11-18T07:00:00-08:00")
    #expect(
      rule.verdict(on: reading, .init(lastFetched: taken)) == .init(start: taken, isTrusted: true))
    let verdict = rule.verdict(on: reading, .init(lastFetched: taken + 1))
    #expect(verdict.start == Self.arrival)
    #expect(!verdict.isTrusted)
  }

  @Test func `is read in the plans zone`() throws {
    let berlin = try #require(TimeZone(identifier: "Europe/Berlin"))
    let clock = LocalDateTime(year: 2026, month: 11, day: 20, hour: 16, minute: 9)
    #expect(verdict(clock, in: berlin).start == time("2026-11-20T16:09:00+01:00"))
    #expect(!verdict(clock).isTrusted)
  }

  @Test func `a stream needs no clock and a measurement does`() {
    #expect(verdict(nil, isStreamed: true) == .init(start: Self.arrival, isTrusted: true))
    #expect(verdict(nil) == .init(start: Self.arrival, isTrusted: false))
  }

  /// A real frame of a scale whose clock was never set, stored on the day of its arrival.
  @Test func `stores a frame of 1970`() async throws {
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

  /// The clock was a day behind when it was last seen: its records are a day younger.
  @Test func `a record of a wrong clock is corrected`() {
    let clock = LocalDateTime(year: 2026, month: 11, day: 18, hour: 7, minute: 0)
    let reading = Reading(
      quantity: .bodyMass, value: 72, deviceTime: clock, arrival: Self.arrival,
      device: DeviceIdentity(address: "scale"))
    let verdict = DeviceClock(timeZone: Self.losAngeles)
      .verdict(on: reading, .init(error: -86_400))
    #expect(verdict == .init(start: time("2026-11-19T07:00:00-08:00"), isTrusted: false))
    // Three days ahead of it, that would be the future.
    let late = DeviceClock(timeZone: Self.losAngeles)
      .verdict(on: reading, .init(error: -3 * 86_400))
    #expect(late.start == Self.arrival)
  }

  // MARK: - Through the hub

  private func play(
    _ frames: [(MiFrame, String)], on bench: Bench? = nil
  ) async throws -> (bench: Bench, run: HubRun) {
    let bench = if let bench { bench } else { try await Bench(Plans.john(expects: "72 kg")) }
    return (bench, try await bench.play(frames.map { .mi($0.0, at: time($0.1)) }))
  }

  private static func errors(_ reports: [HubReport]) -> [Double] {
    reports.compactMap { if case .wrongClock(_, let error) = $0 { error } else { nil } }
  }

  /// A scale a day behind completes today, and its clock is reported once.
  @Test func `a scale a day behind completes today`() async throws {
    let (bench, run) = try await play([
      (MiFrame(kilograms: 72.3, clock: "2026-11-19T07:09:58"), "2026-11-20T07:10:00-08:00")
    ])
    #expect(run.stored.map(\.start) == [time("2026-11-20T07:10:00-08:00")])
    #expect(run.completed == ["weigh-in"])
    #expect(Self.errors(run.reports) == [-86_402])
    let next = try await play(
      [(MiFrame(kilograms: 72.4, clock: "2026-11-20T07:19:58"), "2026-11-21T07:20:00-08:00")],
      on: bench
    ).run
    #expect(next.completed == ["weigh-in"])
    #expect(Self.errors(next.reports) == [])
  }

  /// The clock restarts at every weighing: equal weights on two days are two weighings.
  @Test func `a reset clock does not hide a weighing`() async throws {
    let frame = MiFrame(kilograms: 72.3, clock: "2016-01-01T00:00:07")
    let (bench, run) = try await play([
      (frame, "2026-11-20T07:10:00-08:00"), (frame, "2026-11-20T07:20:00-08:00"),
      (frame, "2026-11-21T07:10:00-08:00"),
    ])
    #expect(
      run.stored.map(\.start)
        == ["2026-11-20T07:10:00-08:00", "2026-11-21T07:10:00-08:00"].map(time))
    #expect(run.completed == ["weigh-in", "weigh-in"])
    // A hub that was restarted meanwhile has the store to tell it.
    let again = try await play([(frame, "2026-11-21T07:25:00-08:00")], on: bench).run
    #expect(again.stored == [])
  }

  /// Ten past midnight by the box, ten past eleven by the scale.
  @Test func `an hour behind at midnight is today`() async throws {
    let (_, run) = try await play([
      (MiFrame(kilograms: 72.3, clock: "2026-11-19T23:10:00"), "2026-11-20T00:10:03-08:00")
    ])
    #expect(run.stored.map(\.start) == [time("2026-11-20T00:10:03-08:00")])
  }

  /// A clock that is some minutes off does not move a weighing to another day.
  @Test(arguments: [
    ("2026-11-19T23:57:00", "2026-11-20T00:01:00-08:00"),
    ("2026-11-20T00:02:00", "2026-11-19T23:59:00-08:00"),
  ])
  func `the arrival tells the day`(clock: String, arrival: String) async throws {
    let (bench, run) = try await play([(MiFrame(kilograms: 72.3, clock: clock), arrival)])
    #expect(run.stored.map(\.start) == [time(arrival)])
    // Another hub that hears it counts the same reading.
    let again = try await play([(MiFrame(kilograms: 72.3, clock: clock), arrival)], on: bench).run
    #expect(again.summary.duplicates == 1)
  }

  /// The same weight at the same digits of the clock, an hour apart.
  @Test func `the repeated hour has two weighings`() async throws {
    let frame = MiFrame(kilograms: 72.3, clock: "2026-11-01T01:30:00")
    let (_, run) = try await play([
      (frame, "2026-11-01T01:30:02-07:00"), (frame, "2026-11-01T01:30:02-08:00"),
    ])
    #expect(
      run.stored.map(\.start)
        == ["2026-11-01T01:30:00-07:00", "2026-11-01T01:30:00-08:00"].map(time))
  }

  /// A scale that is moved broadcasts its last weighing again.
  @Test func `an old frame is the same weighing`() async throws {
    let frame = MiFrame(kilograms: 72.3, clock: "2026-11-20T07:09:58")
    let (_, run) = try await play([
      (frame, "2026-11-20T07:10:00-08:00"), (frame, "2026-11-20T12:00:00-08:00"),
    ])
    #expect(run.stored.map(\.start) == [time("2026-11-20T07:09:58-08:00")])
  }

  /// A frame of the scale's memory.
  private static func fetched(_ frame: MiFrame, at arrival: String) throws -> TimedEvent {
    TimedEvent(
      time: time(arrival),
      event: .value(
        CharacteristicValue(
          address: .scale, service: BluetoothUUID(0x181B),
          characteristic: try #require(BluetoothUUID("00002a2f-0000-3512-2118-0009af100700")),
          data: frame.payload)))
  }

  /// Broadcasts of the scale a day behind are in its memory, too, with a weighing that was missed.
  @Test func `its memory is read by its wrong clock`() async throws {
    let bench = try await Bench(Plans.john(expects: "72 kg"))
    let live = MiFrame(kilograms: 72.3, clock: "2026-11-19T07:09:58")
    let missed = MiFrame(kilograms: 72.8, clock: "2026-11-18T07:05:00")
    let run = try await bench.play([
      .mi(live, at: time("2026-11-20T07:10:00-08:00")),
      try Self.fetched(missed, at: "2026-11-20T07:10:40-08:00"),
      try Self.fetched(live, at: "2026-11-20T07:10:40-08:00"),
    ])
    #expect(
      run.stored.map(\.start)
        == ["2026-11-20T07:10:00-08:00", "2026-11-19T07:05:02-08:00"].map(time))
    // A memory that is not deleted is sent again.
    let next = MiFrame(kilograms: 72.5, clock: "2026-11-20T08:59:00")
    let again = try await bench.play([
      .mi(next, at: time("2026-11-21T08:59:02-08:00")),
      try Self.fetched(missed, at: "2026-11-21T09:00:00-08:00"),
      try Self.fetched(live, at: "2026-11-21T09:00:00-08:00"),
    ])
    #expect(again.stored.map(\.value) == [72.5])
    #expect(again.summary.duplicates == 2)
  }

  /// A record from after a change of the battery, then seventy more, an hour apart.
  @Test func `a second replay is no later connection`() async throws {
    let bench = try await Bench(Plans.john(expects: "72 kg"))
    var events = [
      TimedEvent.mi(
        MiFrame(kilograms: 72, clock: "2026-06-29T07:59:58"), at: time("2026-06-29T08:00:00-07:00")),
      try Self.fetched(
        MiFrame(kilograms: 72.1, clock: "2026-06-29T08:59:00"), at: "2026-06-29T09:00:00-07:00"),
      try Self.fetched(
        MiFrame(kilograms: 72.5, clock: "2026-01-01T00:01:00"), at: "2026-06-30T08:00:00-07:00"),
    ]
    for hour in 0..<70 {
      let text = "2026-07-0\(1 + hour / 24)T\(hour % 24 < 10 ? "0" : "")\(hour % 24)"
      let frame = MiFrame(kilograms: 72 + Double(hour % 9) / 10, clock: text + ":29:00")
      events.append(try Self.fetched(frame, at: text + ":30:00-07:00"))
    }
    let first = try await bench.play(events)
    #expect(first.stored.count == 73)
    #expect(first.stored.filter { !$0.isClockTrusted }.map(\.value) == [72.5])
    let second = try await bench.play(events)
    #expect(second.stored == [])
    #expect(second.summary.duplicates == 73)
  }

  /// A record that a device never deletes is one measurement, however long it sends it.
  @Test func `a wrongly dated record is known for ever`() async throws {
    let wrong = MiFrame(kilograms: 72.5, clock: "2026-01-01T00:01:00")
    let bench = try await Bench(Plans.john(expects: "72 kg"))
    let run = try await bench.play([
      .mi(
        MiFrame(kilograms: 72, clock: "2026-06-09T07:59:58"), at: time("2026-06-09T08:00:00-07:00")),
      try Self.fetched(
        MiFrame(kilograms: 72.1, clock: "2026-06-10T07:59:00"), at: "2026-06-10T08:00:00-07:00"),
      try Self.fetched(wrong, at: "2026-06-12T08:00:00-07:00"),
      try Self.fetched(wrong, at: "2026-07-02T08:00:00-07:00"),
      try Self.fetched(wrong, at: "2026-08-20T08:00:00-07:00"),
    ])
    #expect(run.stored.map(\.value) == [72, 72.1, 72.5])
    #expect(run.summary.duplicates == 2)
  }

  // MARK: - The machine's clock

  @Test(
    arguments: [
      ("2026-11-20T07:10:00Z", true, "2100-01-01T00:00:00Z", MachineClockState.set),
      ("2026-11-20T07:10:00Z", nil, "2026-11-20T08:00:00Z", .set),
      ("2026-11-20T07:10:00Z", nil, "2026-11-21T07:10:00Z", .set),
      ("2026-11-20T07:10:00Z", nil, "2026-11-21T07:10:01Z", .behind),
      ("2026-11-20T07:10:00Z", nil, nil, .set),
      ("2026-11-20T07:10:00Z", false, nil, .unsynchronized),
      ("2026-11-20T07:10:00Z", false, "2026-11-21T07:10:01Z", .behind),
      ("1970-01-01T00:02:00Z", nil, nil, .behind),
    ] as [(String, Bool?, String?, MachineClockState)])
  func `the machine's clock is set, unsynchronized or behind`(
    now: String, isSynchronized: Bool?, latest: String?, expected: MachineClockState
  ) {
    #expect(
      MachineClockState(
        at: time(now), isSynchronized: isSynchronized, latest: latest.map { time($0) })
        == expected)
  }

  @Test func `streams are marked only if the clock is behind`() {
    let beat = Reading(
      quantity: .heartRate, value: 72, arrival: Self.arrival,
      device: DeviceIdentity(address: "strap"), isStreamed: true)
    let trusted = [MachineClockState.set, .unsynchronized, .behind].map { machine in
      DeviceClock(timeZone: .gmt, machine: machine).verdict(on: beat).isTrusted
    }
    #expect(trusted == [true, true, false])
  }

  /// A machine that starts in 1970 and is set while it runs; the scale sends its weighing again.
  @Test func `before the machine's clock is set, the later clock of a scale is right`()
    async throws
  {
    let bench = try await Bench(Plans.john(expects: "72 kg"))
    let frame = MiFrame(kilograms: 72.3, clock: "2026-11-20T07:09:58")
    let reset = MiFrame(kilograms: 72.5, clock: "1970-01-04T00:00:10")
    var answers: [Bool?] = [nil, nil, true]
    let run = try await bench.play(
      [
        .mi(frame, at: time("1970-01-01T00:02:00Z")),
        .mi(reset, at: time("1970-01-01T01:02:00Z")),
        .mi(frame, at: time("2026-11-20T07:30:00-08:00")),
      ], isClockSynchronized: { answers.isEmpty ? true : answers.removeFirst() })
    #expect(
      run.stored.map(\.start) == ["2026-11-20T07:09:58-08:00", "1970-01-01T01:02:00Z"].map(time))
    #expect(run.stored.map(\.isClockTrusted) == [false, false])
    #expect(run.summary.duplicates == 1)
    #expect(run.notes.isEmpty)
    // It says nothing of the scale's clock.
    let next = try await bench.play([
      .mi(
        MiFrame(kilograms: 72.4, clock: "2026-11-21T07:09:58"),
        at: time("2026-11-21T07:10:00-08:00"))
    ])
    #expect(next.stored.map(\.isClockTrusted) == [true])
  }

  /// A machine without a battery clock goes on from its last shutdown.
  @Test func `a machine behind the store is noticed, a recording is not questioned`() async throws {
    let bench = try await Bench(Plans.john(expects: "72 kg"))
    func weighing(_ day: String) -> [TimedEvent] {
      [
        .mi(
          MiFrame(kilograms: 72.3, clock: "\(day)T07:09:58"), at: time("\(day)T07:10:00-08:00"))
      ]
    }
    let latest = try await bench.play(weighing("2026-11-20"), isClockSynchronized: { nil })
    #expect(latest.stored.map(\.isClockTrusted) == [true])
    let behind = try await bench.play(weighing("2026-11-18"), isClockSynchronized: { nil })
    #expect(behind.stored.map(\.isClockTrusted) == [false])
    #expect(behind.stored.map(\.start) == [time("2026-11-18T07:09:58-08:00")])
    let unset = try await bench.play(weighing("2026-11-21"), isClockSynchronized: { false })
    #expect(unset.stored.map(\.isClockTrusted) == [false])
    let recorded = try await bench.play(weighing("2026-11-10"))
    #expect(recorded.stored.map(\.isClockTrusted) == [true])
  }
}
