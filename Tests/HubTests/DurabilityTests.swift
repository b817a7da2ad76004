import Care
import CareStore
import Foundation
import GATT
import Hub
import Radio
import Testing
import Traces

/// A reading is acknowledged only after it is durable.
@Suite struct DurabilityTests {
  private static let morning = time("2026-11-20T07:10:00-08:00")

  /// Three stored records of a scale, each an indication that waits to be confirmed.
  private static let records = (0..<3).map { index in
    TimedEvent.weight(
      kilograms: 80 + Double(index), clock: "2026-11-20T07:0\(index):00",
      at: morning + Double(index), confirmation: UInt64(index))
  }

  /// Also while further events wait, when several readings may share a transaction.
  @Test(arguments: [false, true])
  func `a reading is written before it is confirmed`(hasNext: Bool) async throws {
    let journal = Journal()
    let store = WatchedStore(base: try SQLStore.counted(), journal: journal)
    let bench = try await Bench(Plans.john(expects: "80 kg"), on: store)
    try await bench.play(PausingRadio(Self.records, hasNext: hasNext, journal: journal))
    #expect(
      journal.lines == [
        "written []",
        "written [80.0]", "confirmed 0",
        "written [80.0, 81.0]", "confirmed 1",
        "written [80.0, 81.0, 82.0]", "confirmed 2",
      ])
  }

  @Test func `a known record is confirmed again`() async throws {
    let journal = Journal()
    let bench = try await Bench(Plans.john(expects: "80 kg"))
    try await bench.play(Self.records)
    let run = try await bench.play(PausingRadio(Self.records, journal: journal))
    #expect(run.summary.duplicates == 3)
    #expect(journal.lines == ["confirmed 0", "confirmed 1", "confirmed 2"])
  }

  @Test func `a record without a measurement is confirmed`() async throws {
    let journal = Journal()
    let bench = try await Bench(Plans.john())
    try await bench.play(
      PausingRadio(
        [
          .value(
            0x2A9D, of: 0x181D, "00ffff", from: .scale, at: Self.morning, confirmation: 7),
          .value(0x2A9D, of: 0x181D, "0e", from: .scale, at: Self.morning, confirmation: 8),
        ], journal: journal))
    #expect(journal.lines == ["confirmed 7", "confirmed 8"])
  }

  @Test func `a failed write confirms nothing and is reported`() async throws {
    let journal = Journal()
    let base = try SQLStore.counted()
    let store = WatchedStore(base: base, journal: journal, failing: [3])
    let bench = try await Bench(Plans.john(expects: "80 kg"), on: store)
    await #expect(throws: StoreError.failed(.diskFull, store: "test")) {
      try await bench.play(PausingRadio(Self.records, journal: journal))
    }
    #expect(
      journal.lines == ["written []", "written [80.0]", "confirmed 0", "write 3 failed"])
    // The scale sends the record again, and none is missing.
    let again = try await Bench(on: base)
    let run = try await again.play(Self.records)
    #expect(run.summary.duplicates == 1)
    #expect(try await again.samples().map(\.value) == [80, 81, 82])
  }

  @Test func `an unreadable plan is reported`() async throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "measured-hub-\(ProcessInfo.processInfo.processIdentifier)-closed")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try SQLStore.counted(at: folder.appending(path: "store.db").path)
    try store.close()
    let bench = try await Bench(on: store)
    await #expect(throws: StoreError.self) { try await bench.play([]) }
  }

  /// The end of a recording, or a radio's failure, loses no pending reading.
  @Test(arguments: [false, true])
  func `a failing radio loses no received data`(hasNext: Bool) async throws {
    let bench = try await Bench(Plans.john(expects: "80 kg"))
    let waiting = TimedEvent.mi(
      MiFrame(kilograms: 80, clock: "2026-11-20T07:10:00"), at: Self.morning)
    let walk = motion(of: "chest", GaitModel().samples(seconds: 30), at: Self.morning + 1)
    let failure = RadioError.recording("the adapter is gone")
    await #expect(throws: failure) {
      try await bench.play(FailingRadio([waiting] + walk, hasNext: hasNext, failure: failure))
    }
    #expect(try await bench.samples(.bodyMass).map(\.value) == [80])
    #expect(
      try await bench.samples(.stepCount).map(\.value).reduce(0, +)
        == Double(steps(in: GaitModel().samples(seconds: 30))))
  }

  /// Nothing else makes the hub store what waits: no command, and no motion that ends.
  @Test func `a radio that fails while events wait loses no reading`() async throws {
    let bench = try await Bench(Plans.john(expects: "80 kg"))
    let waiting = TimedEvent.mi(
      MiFrame(kilograms: 80, clock: "2026-11-20T07:10:00"), at: Self.morning)
    let failure = RadioError.recording("the adapter is gone")
    await #expect(throws: failure) {
      try await bench.play(FailingRadio([waiting], hasNext: true, failure: failure))
    }
    #expect(try await bench.samples(.bodyMass).map(\.value) == [80])
  }

  @Test func `a failed command is reported`() async throws {
    let bench = try await Bench(Plans.john(expects: "80 kg"))
    let run = try await bench.play(DeafRadio(Self.records))
    #expect(
      run.reports.filter { if case .radioRefused = $0 { true } else { false } }
        == Array(repeating: .radioRefused(.recording("the device is gone")), count: 3))
    #expect(run.summary.stored == 3)
  }

  /// The services of a scale of the standard profile.
  private static let services = RadioEvent.services(
    .scale,
    [
      GATTService(
        uuid: BluetoothUUID(0x181D),
        characteristics: [
          GATTCharacteristic(uuid: BluetoothUUID(0x2A9D), properties: [.indicate])
        ])
    ])

  /// A store that could not be written: nothing is confirmed, the links end, and the next run stores
  /// first what was received.
  @Test func `goes on when the store can be written again`() async throws {
    let journal = Journal()
    let bench = try await Bench(Plans.john())
    let start = time("2026-11-20T07:10:00-08:00")
    let radio = ScriptedRadio([
      .event(TimedEvent(time: start, event: .connected(.scale))),
      .event(TimedEvent(time: start, event: Self.services)),
      .event(
        .weight(kilograms: 82, clock: "2026-11-20T07:10:00", at: start + 1, confirmation: 1)),
      .event(TimedEvent(time: start + 3, event: .disconnected(.scale))),
    ])
    var hub = try await Hub(
      radio: radio, store: WatchedStore(base: bench.store, journal: journal, failing: [1]),
      catalog: try Catalog.shipped()
    ) { _ in }
    let confirmation = RadioCommand.confirm(Confirmation(address: .scale, number: 1))
    await #expect(throws: StoreError.failed(.diskFull, store: "test")) { try await hub.run() }
    #expect(!radio.sent.contains(confirmation))
    await hub.hangUp()
    #expect(radio.sent.last == .disconnect(.scale))
    _ = try await hub.run()
    #expect(try await bench.samples(.bodyMass).map(\.value) == [82])
    #expect(!radio.sent.contains(confirmation))
  }

  /// A value that a device sends before its link is down is stored, also after a request to end.
  ///
  /// bluetoothd confirms the value.
  @Test func `stores what arrives until the links are down`() async throws {
    let bench = try await Bench(Plans.john())
    let start = time("2026-11-20T07:10:00-08:00")
    func weight(_ kilograms: Double, _ second: Int) -> RadioStep {
      .event(
        .weight(
          kilograms: kilograms, clock: "2026-11-20T07:10:0\(second)",
          at: start + Double(second), confirmation: UInt64(second)))
    }
    let advertisement = RadioEvent.advertisement(
      Advertisement(
        address: .strap, addressType: .public, rssi: -60, data: [3, 3, 0x0D, 0x18]))
    let radio = ScriptedRadio([
      .event(TimedEvent(time: start, event: .connected(.scale))),
      .event(TimedEvent(time: start, event: Self.services)), weight(82, 1), .end(nil),
      weight(82.5, 2),
      .event(TimedEvent(time: start + 2, event: advertisement)), weight(83, 3),
      .event(TimedEvent(time: start + 4, event: .disconnected(.scale))), weight(84, 5),
    ])
    try await bench.play(radio)
    #expect(try await bench.samples(.bodyMass).map(\.value) == [82, 82.5, 83])
    let end = radio.sent.firstIndex(of: .disconnect(.scale)) ?? 0
    #expect(
      Array(radio.sent[end...])
        == [.disconnect(.scale)]
        + [2, 3].map { .confirm(Confirmation(address: .scale, number: $0)) })
  }

  /// bluetoothd may have restored the subscription of a device whose link has just been asked for.
  @Test func `stores what arrives over a link that is being connected`() async throws {
    let bench = try await Bench(Plans.john())
    let start = time("2026-11-20T07:10:00-08:00")
    let advertisement = RadioEvent.advertisement(
      Advertisement(
        address: .scale, addressType: .public, rssi: -60, data: [3, 3, 0x1D, 0x18]))
    let radio = ScriptedRadio([
      .event(TimedEvent(time: start, event: advertisement)), .end(nil),
      .event(TimedEvent(time: start + 1, event: .connected(.scale))),
      .event(
        .weight(kilograms: 82, clock: "2026-11-20T07:10:00", at: start + 2, confirmation: 1)),
      .event(TimedEvent(time: start + 3, event: .disconnected(.scale))),
    ])
    try await bench.play(radio)
    #expect(try await bench.samples(.bodyMass).map(\.value) == [82])
    #expect(
      radio.sent == [
        .connect(.scale), .disconnect(.scale), .confirm(Confirmation(address: .scale, number: 1)),
      ])
  }

  /// A stop right after a reload: the links that the reload ends still have their time.
  @Test func `a second interruption does not shorten the end of links`() async throws {
    let bench = try await Bench(Plans.john())
    let start = time("2026-11-20T07:10:00-08:00")
    let events: [RadioStep] = [
      .event(TimedEvent(time: start, event: .connected(.scale))),
      .event(TimedEvent(time: start, event: Self.services)), .end(nil), .end(nil),
      .event(
        .weight(kilograms: 82, clock: "2026-11-20T07:10:00", at: start + 2, confirmation: 1)),
      .event(TimedEvent(time: start + 3, event: .disconnected(.scale))),
    ]
    try await bench.play(ScriptedRadio(events))
    #expect(try await bench.samples(.bodyMass).map(\.value) == [82])
    // A recording ends as often as it is asked.
    let ended = ScriptedRadio(Array(events.prefix(2)))
    try await bench.play(ended)
    #expect(ended.deadlines.count == 5)
  }

  /// A run whose end could not be stored ends when it goes on, and listens no longer.
  @Test func `ends after a store that failed at the end`() async throws {
    let journal = Journal()
    let bench = try await Bench(Plans.john(expects: "80 kg"))
    let waiting = TimedEvent.mi(
      MiFrame(kilograms: 80, clock: "2026-11-20T07:10:00"), at: Self.morning)
    let radio = ScriptedRadio([.event(waiting), .end(nil), .event(waiting)])
    var hub = try await Hub(
      radio: radio, store: WatchedStore(base: bench.store, journal: journal, failing: [1]),
      catalog: try Catalog.shipped()
    ) { _ in }
    await #expect(throws: StoreError.failed(.diskFull, store: "test")) { try await hub.run() }
    let summary = try await hub.run()
    #expect(summary.events == 1)
    #expect(try await bench.samples(.bodyMass).map(\.value) == [80])
  }

  /// A device whose link does not end keeps nobody waiting for longer than bluetoothd takes.
  @Test func `waits for the end of links for a limited time`() async throws {
    let bench = try await Bench(Plans.john())
    let start = time("2026-11-20T07:10:00-08:00")
    let services = RadioEvent.services(
      .scale, [GATTService(uuid: BluetoothUUID(0x181D), characteristics: [])])
    let radio = ScriptedRadio([
      .event(TimedEvent(time: start, event: .connected(.scale))),
      .event(TimedEvent(time: start, event: services)),
      .end(nil), .deadline(start + 8),
    ])
    try await bench.play(radio)
    #expect(radio.sent.last == .disconnect(.scale))
    #expect(radio.deadlines.last == start + 8)
  }
}
