import Care
import DeviceCatalog
import Foundation
import GATT
import Measurement
import Motion
import Radio
import Testing

@testable import Hub
@testable import TestSupport

/// Limits on the cost of many devices, or of a broken one.
@Suite struct BoundsTests {
  private static let start = time("2026-11-20T07:10:00-08:00")

  @Test func `tables stay within their bounds`() throws {
    var random = SeededGenerator(seed: 1)
    var table = SessionTable(catalog: try Catalog.shipped())
    for index in 0..<10_000 {
      let address = DeviceAddress(rawValue: random.next())
      let payload = random.bytes(index.isMultiple(of: 3) ? 13 : 7)
      let service: UInt16 = index.isMultiple(of: 3) ? 0x181B : 0xFFF0
      let event = TimedEvent.serviceData(
        service, payload, from: address, at: Self.start + Double(index) / 100)
      _ = table.handle(event.event, at: EventTime(event.time))
      _ = table.handle(.disconnected(address), at: EventTime(event.time))
    }
    #expect(table.sessionCount == SessionTable.mostSessions)
    #expect(table.strangerCount == SessionTable.mostStrangers)
  }

  /// A crowd of strangers makes no event dearer: the time for a new address does not depend on how
  /// many are in range.
  @Test func `the cost of an event does not grow with the strangers`() throws {
    let catalog = try Catalog.shipped()
    func seconds(strangers: Int, seed: UInt64) throws -> Double {
      var random = SeededGenerator(seed: seed)
      var table = SessionTable(catalog: catalog, mostStrangers: strangers)
      func meet(_ count: Int) {
        for index in 0..<count {
          let event = TimedEvent.serviceData(
            0xFFF0, [], from: DeviceAddress(rawValue: random.next()), at: Self.start)
          _ = table.handle(event.event, at: EventTime(Self.start + Double(index)))
          _ = table.wakeAt
        }
      }
      meet(strangers)
      let before = processorTime()
      meet(1000)
      #expect(table.strangerCount == strangers)
      return processorTime() - before
    }
    // The least of several runs: the machine may be busy.
    let few = try (0..<5).map { try seconds(strangers: 16, seed: $0) }.min() ?? 0
    let many = try (0..<5).map { try seconds(strangers: 512, seed: $0) }.min() ?? 0
    #expect(many < 2 * few)
  }

  /// Of several strangers the one received longest ago makes room.
  @Test func `the stranger received longest ago is forgotten`() throws {
    var table = SessionTable(catalog: try Catalog.shipped(), mostStrangers: 2)
    func meet(_ address: UInt64) {
      let event = TimedEvent.serviceData(
        0xFFF0, [], from: DeviceAddress(rawValue: address), at: Self.start)
      _ = table.handle(event.event, at: EventTime(Self.start))
    }
    meet(1)
    meet(2)
    meet(1)
    meet(3)
    #expect(table.strangerCount == 2)
    // 1 was received after 2, and is still in the table when it is recognised.
    let weighing = TimedEvent.mi(
      MiFrame(kilograms: 82, clock: "2026-11-20T07:10:00"), from: DeviceAddress(rawValue: 1),
      at: Self.start)
    _ = table.handle(weighing.event, at: EventTime(Self.start))
    #expect(table.strangerCount == 1)
    #expect(table.sessionCount == 1)
  }

  @Test func `a removed session returns its pending values`() async throws {
    let bench = try await Bench(Plans.john(expects: "82 kg"))
    let crowd = (0..<400).map { index in
      TimedEvent.mi(
        MiFrame(kilograms: 82, clock: "2026-11-20T07:10:00", isStable: false),
        from: DeviceAddress(rawValue: UInt64(index)), at: Self.start + 1 + Double(index) / 100)
    }
    let run = try await bench.play(
      [.mi(MiFrame(kilograms: 82, clock: "2026-11-20T07:10:00"), at: Self.start)] + crowd)
    #expect(run.stored.map(\.value) == [82])
    #expect(run.completed == ["weigh-in"])
  }

  @Test func `a linked device is removed last`() throws {
    var table = SessionTable(catalog: try Catalog.shipped())
    let services = [GATTService(uuid: BluetoothUUID(0x180D), characteristics: [])]
    _ = table.handle(.services(.strap, services), at: EventTime(Self.start))
    for index in 0..<1000 {
      let event = TimedEvent.mi(
        MiFrame(kilograms: 82, clock: "2026-11-20T07:10:00"),
        from: DeviceAddress(rawValue: UInt64(index)), at: Self.start + 1)
      _ = table.handle(event.event, at: EventTime(event.time))
    }
    #expect(table.knows(.strap))
    #expect(table.sessionCount == SessionTable.mostSessions)
  }

  @Test func `excess sensors wait until one falls silent`() {
    var table = MotionTable()
    let sample = MotionSample(time: 0, acceleration: Vector3(x: 0, y: 0, z: 1_000_000))
    func batch(_ name: Int, at time: Date) -> MotionBatch {
      MotionBatch(RecordedMotion(sensor: "sensor \(name)", samples: [sample]), at: time)
    }
    for name in 0..<100 { _ = table.add(batch(name, at: Self.start), at: EventTime(Self.start)) }
    #expect(table.sensorCount == MotionTable.most)
    _ = table.wake(at: Self.start + 3)
    #expect(table.wakeAt == nil)
    _ = table.add(batch(100, at: Self.start + 4), at: EventTime(Self.start + 4))
    #expect(table.sensorCount == 1)
  }

  @Test func `an exercise that is too long stores nothing`() {
    var recording = SensorRecording(device: DeviceIdentity(address: "left-shank"))
    var second = LimbPath([0, 0]).samples()
    second.removeLast()
    for index in 0..<200 {
      recording.add(
        second.map { sample in
          var sample = sample
          sample.time += Int64(index) * 4_000_000
          return sample
        })
    }
    #expect(recording.samples.isEmpty)
    #expect(recording.span == nil)
  }

  /// The same record fifty times a second for over a minute is one reading.
  @Test func `a flood of one record is one reading`() async throws {
    let bench = try await Bench(Plans.john())
    let flood = (0..<4000).map { index in
      TimedEvent.weight(
        kilograms: 82, clock: "2026-11-20T07:10:00", at: Self.start + Double(index) / 50)
    }
    let run = try await bench.play(flood)
    #expect(run.summary.events == 4000)
    #expect(run.summary.stored == 1)
    #expect(run.summary.duplicates == 3999)
  }

  /// Random bytes of known characteristics are reported as unreadable, and give no reading.
  @Test(arguments: 0..<20)
  func `random bytes give no reading`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let bench = try await Bench(Plans.couple("80 kg", "60 kg"))
    let events = (0..<200).map { index in
      // Too short for any of these frames.
      let characteristic: (UInt16, UInt16, Int) =
        [(0x2A9D, 0x181D, 2), (0x2A9C, 0x181B, 3), (0x2A35, 0x1810, 6), (0x2A37, 0x180D, 1)][
          Int(random.next() % 4)]
      return TimedEvent.value(
        characteristic.0, of: characteristic.1, hex(random.bytes(characteristic.2)),
        from: DeviceAddress(rawValue: UInt64(characteristic.0)), at: Self.start + Double(index))
    }
    let run = try await bench.play(events)
    #expect(run.summary.rejected == 200)
    #expect(run.reports.count == 200)
    #expect(try await bench.samples().isEmpty)
  }

  /// At any length, the hub continues, and neither of two people gets a reading.
  @Test(arguments: 0..<20)
  func `survives any bytes`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let bench = try await Bench(Plans.couple("80 kg", "60 kg"))
    let sources: [(UInt16, UInt16)] = [
      (0x2A9C, 0x181B), (0x2A35, 0x1810), (0x2A37, 0x180D), (0x2A18, 0x1808), (0x2A1C, 0x1809),
    ]
    let events = (0..<300).map { index in
      let source = sources[Int(random.next() % 5)]
      return TimedEvent.value(
        source.0, of: source.1, hex(random.bytes(Int(random.next() % 24))),
        from: DeviceAddress(rawValue: UInt64(source.1)), at: Self.start + Double(index))
    }
    let run = try await bench.play(events)
    #expect(run.summary.events == 300)
    #expect(run.summary.rejected > 0)
    let given = try await bench.samples().filter { $0.patient != nil }
    #expect(given.allSatisfy { $0.quantity == .bodyMass || $0.quantity.isMeasuredWithWeight })
    #expect(try await bench.samples().allSatisfy { $0.value.isFinite })
  }
}
