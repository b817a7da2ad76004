import Care
import CareStore
import DeviceCatalog
import Foundation
import GATT
import Hub
import Radio
import TestSupport
import Testing

/// The password that a scale sends while it is paired is kept with its device in the plan.
@Suite struct PairingTests {
  private static let scale = DeviceAddress(rawValue: 0x5C_CA_D3_70_D4_A2)
  private static let start = time("2026-04-27T13:30:00Z")
  private static let device = """
      - {address: "5C:CA:D3:70:D4:A2", patient: john}
    """

  private func value(_ uuid: UInt16, _ hex: String) -> RadioEvent {
    .value(
      CharacteristicValue(
        address: Self.scale, service: nil, characteristic: BluetoothUUID(uuid), data: bytes(hex)))
  }

  /// A link of the scale on which it sends `values`.
  private func link(_ values: [RadioEvent], at seconds: Double) throws -> [TimedEvent] {
    let name = try AdvertisingStructure(
      type: .completeLocalName, data: Array("0BODY CONNECT".utf8))
    let data = try AdvertisingData(structures: [name]).encoded
    let characteristics = [0x8A24, 0x8A22, 0x8A81, 0x8A82].map {
      GATTCharacteristic(uuid: BluetoothUUID($0), properties: [.indicate, .write])
    }
    let events: [RadioEvent] =
      [
        .advertisement(
          Advertisement(address: Self.scale, addressType: .public, rssi: nil, data: data)),
        .connected(Self.scale),
        .services(
          Self.scale,
          [GATTService(uuid: BluetoothUUID(0x7892), characteristics: characteristics)]),
      ] + values + [.disconnected(Self.scale)]
    return events.enumerated().map { index, event in
      TimedEvent(time: Self.start + seconds + Double(index), event: event)
    }
  }

  private func written(_ radio: PausingRadio) -> [String] {
    radio.sent.compactMap { command in
      guard case .write(_, _, let data, _) = command else { return nil }
      return data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
  }

  private func keys(_ bench: Bench) async throws -> [[UInt8]?] {
    try await bench.store.read { try $0.deviceBindings().map { $0.key?.revealed } }
  }

  @Test func `the password is kept for the next run`() async throws {
    let bench = try await Bench(Plans.john(expects: "80 kg", devices: Self.device))
    let pairing = PausingRadio(try link([value(0x8A82, "a0 f180a0cb")], at: 0))
    _ = try await bench.play(pairing)
    #expect(written(pairing) == ["2101000000"])
    let key = bytes("f180a0cb 000000000000000000000000")
    #expect(try await keys(bench) == [key])

    // Another import of the plan does not forget it.
    try await bench.importPlan(
      Plans.john(expects: "80 kg", devices: Self.device), now: Self.start + 60)
    #expect(try await keys(bench) == [key])

    let later = PausingRadio(
      try link(
        [
          value(0x8A82, "a1 010040a1"),
          value(0x8A24, "1f681f00fe652ab21e000000006a1500ff011900"),
        ], at: 3600))
    let run = try await bench.play(later)
    #expect(written(later).first == "20f080e06a")
    #expect(run.stored.map(\.value) == [80.4, 548.2])

    // Nor does one that gives the scale's users to people.
    let users = """
        - {address: "5C:CA:D3:70:D4:A2", patient: john, userIndex: 1}
        - {address: "5C:CA:D3:70:D4:A2", patient: john, userIndex: 2}
      """
    try await bench.importPlan(
      Plans.john(expects: "80 kg", devices: users), now: Self.start + 7200)
    #expect(try await keys(bench) == [key, nil])
    #expect(run.stored.map(\.start) == Array(repeating: time("2026-04-27T13:32:21Z"), count: 2))
  }

  /// The scale sends its password once.
  @Test func `the password is kept when the store can be written again`() async throws {
    let store = WatchedStore(base: try SQLStore.counted(), journal: Journal(), failing: [2])
    let bench = try await Bench(
      Plans.john(expects: "80 kg", devices: Self.device), on: store)
    let radio = PausingRadio(try link([value(0x8A82, "a0 f180a0cb")], at: 0))
    var hub = try await Hub(
      radio: radio, store: store, catalog: try Catalog.shipped(), report: { _ in })
    await #expect(throws: StoreError.failed(.diskFull, store: "test")) { try await hub.run() }
    #expect(try await keys(bench) == [nil])
    _ = try await hub.run()
    #expect(try await keys(bench) == [bytes("f180a0cb 000000000000000000000000")])
  }

  @Test func `a scale that the plan does not name is left alone`() async throws {
    let bench = try await Bench(Plans.john(expects: "80 kg", devices: ""))
    let radio = PausingRadio(try link([value(0x8A82, "a0 f180a0cb")], at: 0))
    let run = try await bench.play(radio)
    #expect(written(radio) == [])
    #expect(try await keys(bench) == [])
    #expect(
      run.reports.contains { report in
        if case .device(let note) = report { note.kind == .notPaired } else { false }
      })
  }
}
