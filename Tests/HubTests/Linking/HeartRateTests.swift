import Care
import CareStore
import DeviceCatalog
import Foundation
import Hub
import Radio
import TestSupport
import Testing

/// A chest strap's stream: intervals, energy, and missing contact.
@Suite struct HeartRateTests {
  private static let start = time("2026-11-20T17:30:00-08:00")
  private static let pulse = """
      - id: pulse
        patient: john
        title: Heart rate
        schedule:
          - {start: 2026-11-01, interval: {days: 1}, duration: allDay}
        linkage: {quantity: heartRate, type: discrete, unit: bpm}
    """

  private static func notifications(_ frames: [String]) -> [TimedEvent] {
    frames.enumerated().map { index, frame in
      .value(0x2A37, of: 0x180D, frame, from: .strap, at: start + Double(index))
    }
  }

  @Test func `reads intervals and energy of every notification`() async throws {
    let bench = try await Bench(Plans.john(tasks: Self.pulse))
    let run = try await bench.play(
      Self.notifications(["1f4800640000040003 5503", "10480004 0004"]))
    #expect(
      run.stored.map { "\($0.quantity.rawValue) \($0.value)" } == [
        "heartRate 72.0", "energyExpended 100.0", "rrInterval 1.0", "rrInterval 0.75",
        "rrInterval 0.8330078125", "heartRate 72.0", "rrInterval 1.0", "rrInterval 1.0",
      ])
    #expect(run.stored.allSatisfy { $0.isClockTrusted && $0.provenance == .passive })
    #expect(run.completed == ["pulse"])
  }

  @Test func `without contact no zero is stored`() async throws {
    let bench = try await Bench(Plans.john(tasks: Self.pulse))
    let run = try await bench.play(Self.notifications(["0400", "0600", "0000"]))
    #expect(run.stored.isEmpty)
    #expect(run.unassigned.isEmpty)
    #expect(run.completed.isEmpty)
    // Two have the same reason, which is reported once a minute.
    #expect(run.deviceNotes.map(\.kind) == [.frame(.noSkinContact), .frame(.noHeartBeat)])
  }

  /// Two notifications at one instant are two beats, and both are recognised in a replay.
  @Test func `stores all values of one instant`() async throws {
    let bench = try await Bench(Plans.john(tasks: Self.pulse))
    let events = ["16480003", "164a0004"].map {
      TimedEvent.value(0x2A37, of: 0x180D, $0, from: .strap, at: Self.start)
    }
    let run = try await bench.play(events)
    #expect(run.stored.filter { $0.quantity == .heartRate }.map(\.value) == [72, 74])
    #expect(run.stored.filter { $0.quantity == .rrInterval }.count == 2)
    let again = try await bench.play(events)
    #expect(again.stored.isEmpty && again.summary.duplicates == 4)
  }

  /// A name that is more specific than the first advertisement changes the session's definition.
  @Test func `a late name improves recognition`() async throws {
    let bench = try await Bench(Plans.john(tasks: Self.pulse))
    let advertisements = ["0303 0d18", "0a09 506f6c617220483130"].enumerated().map { index, data in
      TimedEvent(
        time: Self.start + Double(index),
        event: .advertisement(
          Advertisement(address: .strap, addressType: .random, rssi: nil, data: bytes(data))))
    }
    let run = try await bench.play(
      advertisements + [
        .value(0x2A37, of: 0x180D, "0648", from: .strap, at: Self.start + 2)
      ])
    #expect(run.stored.map(\.device.definition) == ["polar-h10"])
  }

  /// Equal bytes every second are a steady heart rate; in a replay they are duplicates.
  @Test func `a streams identity is its arrival`() async throws {
    let store = try SQLStore.counted()
    let bench = try await Bench(Plans.john(tasks: Self.pulse), on: store)
    let events = Self.notifications(Array(repeating: "10480004", count: 20))
    let run = try await bench.play(events)
    #expect(run.summary.stored == 40)
    #expect(run.completed == ["pulse"])
    let contents = try await store.contents()
    let again = try await bench.play(events)
    #expect(again.summary.duplicates == 40)
    #expect(again.reports.count == 40)
    #expect(try await store.contents() == contents)
  }

  /// An all-day event lasts until midnight, its last half second included.
  @Test func `the last moment of a day belongs to that day`() async throws {
    let bench = try await Bench(Plans.john(tasks: Self.pulse))
    let run = try await bench.play(
      [-0.5, 0].map { offset in
        .value(
          0x2A37, of: 0x180D, "0048", from: .strap,
          at: time("2026-11-21T00:00:00-08:00") + offset)
      })
    #expect(
      run.reports.compactMap { report -> Date? in
        if case .completed(let event, _, _) = report { event.occurrence.start } else { nil }
      } == [time("2026-11-20T00:00:00-08:00"), time("2026-11-21T00:00:00-08:00")])
  }

  @Test func `every rate is a value of the event`() async throws {
    let bench = try await Bench(Plans.john(tasks: Self.pulse))
    try await bench.play(Self.notifications(["0046", "0050"]))
    let event = try await bench.events(
      "pulse", from: "2026-11-20T12:00:00-08:00", to: "2026-11-20T13:00:00-08:00"
    ).first
    #expect(event?.outcome?.values.map(\.value) == [.double(70), .double(80)])
    #expect(event?.outcome?.values.map(\.time) == [Self.start, Self.start + 1])
  }
}
