import Controllers
import Foundation
import GATT
import Radio
import RadioTestSupport
import Synchronization
import SystemBus
import TestSupport
import Testing

@testable import BluetoothdRadio

/// Changes of bluetoothd, controllers and devices.
@Suite(.enabled(if: PrivateBus.isAvailable, "needs dbus-daemon"))
final class BluetoothdRadioTests: Sendable {
  let bus: PrivateBus
  let bench: BluetoothdBench
  let scale = BluetoothdBench.scale
  var daemon: FakeBluetoothd { bench.daemon }

  init() throws {
    bus = try PrivateBus()
    bench = try BluetoothdBench(bus)
  }

  func startAll() async throws {
    await daemon.placeAdapter()
    try await daemon.start()
    try await bench.radio.start()
    await bench.until { await self.daemon.calls.contains("StartDiscovery") }
  }

  @Test func `discovers with its own filter`() async throws {
    await daemon.react(to: "SetDiscoveryFilter") { daemon, message in
      let filter = message.argument(0)?.properties
      if filter != ["Transport": .string("le"), "DuplicateData": .boolean(true)] {
        daemon.answer("SetDiscoveryFilter", .error("org.bluez.Error.InvalidArguments"))
      }
    }
    try await startAll()
    #expect(
      await daemon.calls.filter { $0 != "RegisterAgent" }
        == ["GetManagedObjects", "SetDiscoveryFilter", "StartDiscovery"])
    await bench.radio.stop()
    #expect(await daemon.calls.last == "StopDiscovery")
    await bench.stop()
  }

  /// A call that was not answered in time may have taken effect.
  @Test func `takes a discovery in progress for its own`() async throws {
    await daemon.place(FakeBluetoothd.device, FakeBluetoothd.scale())
    await daemon.answer("StartDiscovery", .error("org.bluez.Error.InProgress", "In progress"))
    try await startAll()
    try await bench.radio.send(.connect(BluetoothdBench.scale))
    await bench.until { await self.daemon.calls.contains("Connect") }
    let calls = await daemon.calls
    let stop = try #require(calls.firstIndex(of: "StopDiscovery"))
    #expect(try stop < #require(calls.firstIndex(of: "Connect")))
    #expect(
      !bench.notices.all.contains { notice in
        if case .controller(_, .trouble(.notListening)) = notice { true } else { false }
      })
    await bench.stop()
  }

  /// Stops discovery as for a link, and lets it go on.
  func interruptDiscovery() async {
    let stops = { @Sendable in await self.daemon.answered.filter { $0 == "StopDiscovery" }.count }
    let starts = { @Sendable in
      await self.daemon.answered.filter { $0 == "StartDiscovery" }.count
    }
    let (stopped, started) = await (stops(), starts())
    await bench.radio.quiet(FakeBluetoothd.adapter)
    #expect(await stops() == stopped + 1)
    await bench.radio.endQuiet(FakeBluetoothd.adapter)
    await bench.until { await starts() > started }
  }

  /// bluetoothd refuses to stop a discovery that it never began.
  @Test func `cures a discovery that only seems to run`() async throws {
    let powers = Mutex<[Bool?]>([])
    await daemon.react(to: "Set Powered") { _, message in
      powers.withLock { $0.append(message.argument(2)?.flag) }
    }
    await daemon.answer("StopDiscovery", .error("org.bluez.Error.InProgress", "In progress"))
    try await startAll()
    for _ in 0..<4 { await interruptDiscovery() }
    #expect(powers.withLock(\.self) == [false, true])
    #expect(bench.notices.all.filter { $0 == .stuck }.count == 1)
    await daemon.answer("StopDiscovery", .values())
    await interruptDiscovery()
    #expect(bench.notices.all.last == .controller("hci0", .recovered))
    await bench.stop()
  }

  @Test func `ends no link to cure discovery`() async throws {
    await daemon.place(
      FakeBluetoothd.device, FakeBluetoothd.scale(["Connected": .boolean(true)]))
    await daemon.answer("StopDiscovery", .error("org.bluez.Error.InProgress", "In progress"))
    try await startAll()
    for _ in 0..<3 { await interruptDiscovery() }
    #expect(bench.notices.all.last == .stuck)
    #expect(await !daemon.calls.contains("Set Powered"))
    await bench.stop()
  }

  /// It is off, or this program may not: neither says anything about discovery.
  @Test(arguments: ["NotReady", "NotAuthorized"])
  func `takes no other refusal for a sign`(name: String) async throws {
    await daemon.answer("StopDiscovery", .error("org.bluez.Error.\(name)"))
    try await startAll()
    for _ in 0..<3 { await interruptDiscovery() }
    #expect(!bench.notices.all.contains(.stuck))
    await bench.stop()
  }

  @Test func `reports received and not stored advertisements`() async throws {
    await daemon.place(FakeBluetoothd.device, FakeBluetoothd.scale())
    try await startAll()
    await daemon.change(
      FakeBluetoothd.device, BlueZInterface.device, ["Trusted": .boolean(true)])
    await daemon.change(FakeBluetoothd.device, BlueZInterface.device, [:], invalidated: ["RSSI"])
    await daemon.change(
      FakeBluetoothd.device, BlueZInterface.device,
      [
        "RSSI": .int16(-70),
        "ServiceData": .dictionary(
          of: "sv",
          [.string("0000181d-0000-1000-8000-00805f9b34fb"): .variant(.bytes([1, 2]))]),
      ])
    guard case .advertisement(let advertisement) = await bench.nextOfAny() else {
      Issue.record("No advertisement was received.")
      return
    }
    #expect(advertisement.address == scale)
    #expect(advertisement.addressType == .random)
    #expect(advertisement.rssi == -70)
    #expect(
      try AdvertisingData(advertisement.data).serviceData(for: .weightScaleService) == [1, 2])
    await daemon.remove(FakeBluetoothd.device)
    await daemon.add(FakeBluetoothd.device, FakeBluetoothd.scale(["RSSI": .int16(-50)]))
    guard case .advertisement(let again) = await bench.nextOfAny() else {
      Issue.record("No advertisement was received.")
      return
    }
    #expect(again.rssi == -50)
    await bench.stop()
  }

  @Test func `reports a device that is linked already`() async throws {
    await daemon.place(
      FakeBluetoothd.device, FakeBluetoothd.scale(["Connected": .boolean(true)]))
    try await startAll()
    guard case .advertisement(let advertisement) = await bench.nextOfAny() else {
      Issue.record("No event was reported.")
      return
    }
    #expect(advertisement.address == scale)
    #expect(advertisement.rssi == nil)
    await bench.stop()
  }

  @Test func `waits for bluetoothd`() async throws {
    try await bench.radio.start()
    await bench.until { [notices = bench.notices] in
      notices.all.contains { $0.severity == .warning && $0 == .noBluetoothd }
    }
    #expect(await bench.radio.controllers() == [])
    await #expect(throws: RadioError.self) { try await self.bench.radio.bonds() }
    try await bench.radio.send(.connect(scale))
    #expect(await bench.next()?.failure == .transient)
    await daemon.placeAdapter()
    try await daemon.start()
    await bench.until { await self.daemon.calls.contains("StartDiscovery") }
    #expect(
      await bench.radio.controllers()
        == [
          Controller(name: "hci0", address: DeviceAddress("00:1B:DC:00:00:01"), isPowered: true)
        ])
    await bench.stop()
  }

  @Test func `survives that bluetoothd is killed`() async throws {
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, BluetoothdRadioLinkTests.services))
    await daemon.die()
    #expect(await bench.next() == .disconnected(scale))
    #expect(await bench.radio.controllers() == [])
    try await daemon.start()
    await bench.until {
      let calls = await self.daemon.calls
      return calls.filter { $0 == "RegisterAgent" }.count == 2 && calls.last == "StartDiscovery"
    }
    await daemon.hangUp()
    try await bench.radio.send(.connect(scale))
    #expect(await bench.next() == .connected(scale))
    await bench.stop()
  }

  /// bluetoothd has restarted on the same connection to the bus before the bus ends.
  @Test func `goes on with a bus that came back`() async throws {
    var bus: PrivateBus? = try PrivateBus()
    let folder = try #require(bus).folder
    let bench = try BluetoothdBench(#require(bus))
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, BluetoothdRadioLinkTests.services))
    await bench.daemon.die()
    #expect(await bench.next() == .disconnected(scale))
    try await bench.daemon.start()
    let registrations = { @Sendable in
      await bench.daemon.calls.filter { $0 == "RegisterAgent" }.count
    }
    await bench.until { await registrations() == 2 }
    bus = nil
    await bench.until {
      bench.notices.all.contains { if case .noBus = $0 { true } else { false } }
    }
    let second = try PrivateBus(after: folder)
    await bench.daemon.die()
    try await bench.daemon.start()
    await bench.until { await registrations() == 3 }
    await bench.daemon.hangUp()
    try await bench.radio.send(.connect(scale))
    #expect(await bench.next() == .connected(scale))
    await bench.stop()
    withExtendedLifetime(second) {}
  }

  @Test func `switches a controller on`() async throws {
    await daemon.placeAdapter(isPowered: false)
    await daemon.react(to: "Set Powered") { daemon, message in
      guard message.argument(2)?.flag == true else { return }
      await daemon.change(
        FakeBluetoothd.adapter, BlueZInterface.adapter, ["Powered": .boolean(true)])
    }
    try await daemon.start()
    try await bench.radio.start()
    await bench.until { await self.daemon.calls.contains("StartDiscovery") }
    #expect(await bench.radio.controllers().map(\.isPowered) == [true])
    await bench.stop()
  }

  @Test func `reports why a controller stays off`() async throws {
    await daemon.placeAdapter(isPowered: false)
    await daemon.answer("Set Powered", .error("org.bluez.Error.Failed", "Failed"))
    try await daemon.start()
    await bench.radio.take([AttachedController(name: "hci0", bus: "usb", block: .soft)])
    try await bench.radio.start()
    await bench.until { [notices = bench.notices] in
      notices.all.contains(.controller("hci0", .trouble(.blocked(.soft))))
    }
    #expect(await !daemon.calls.contains("Set Powered"))
    #expect(
      await bench.radio.controllers().map { "\($0.bus ?? "") \($0.block?.rawValue ?? "")" }
        == ["usb soft"])
    await bench.radio.take([AttachedController(name: "hci0", bus: "usb")])
    await bench.until { [notices = bench.notices] in
      notices.all.contains(
        .controller("hci0", .trouble(.notPowered(.bus("Failed (org.bluez.Error.Failed)")))))
    }
    await bench.stop()
  }

  @Test func `ends the links of a removed controller`() async throws {
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, BluetoothdRadioLinkTests.services))
    await daemon.remove(FakeBluetoothd.adapter)
    #expect(await bench.next() == .disconnected(scale))
    #expect(await bench.radio.controllers() == [])
    await bench.until { [notices = bench.notices] in
      notices.all.suffix(2) == [.controller("hci0", .removed), .noController]
    }
    await bench.stop()
  }

  /// Messages that a broken or hostile bluetoothd may send; the radio continues with the next one.
  @Test(arguments: [
    [BusValue.string("no tree")], [], [.dictionary(of: "sv", [.string("/"): .variant(.byte(1))])],
    [
      .dictionary(
        of: "oa{sa{sv}}",
        [
          .path(FakeBluetoothd.adapter): .dictionary(
            of: "sa{sv}",
            [
              .string(BlueZInterface.adapter): .properties([
                "Powered": .string("yes"), "Address": .byte(1),
              ])
            ]),
          .path(FakeBluetoothd.device): .dictionary(
            of: "sa{sv}",
            [
              .string(BlueZInterface.device): .properties([
                "Address": .array(of: "y", []), "Adapter": .boolean(true),
                "UUIDs": .array(of: "u", Array(repeating: .uint32(1), count: 50_000)),
                "Connected": .boolean(true),
              ])
            ]),
        ])
    ],
    [.array(of: "u", Array(repeating: .uint32(1), count: 190_000))],
  ])
  func `survives invalid messages`(answer: [BusValue]) async throws {
    await daemon.answer("GetManagedObjects", .values(answer))
    try await daemon.start()
    try await bench.radio.start()
    await bench.until { await self.daemon.calls.contains("GetManagedObjects") }
    let signals: [(String, [BusValue])] = [
      ("PropertiesChanged", []), ("PropertiesChanged", [.byte(1)]),
      ("PropertiesChanged", [.string(BlueZInterface.device), .string("x"), .string("y")]),
    ]
    for (member, arguments) in signals {
      await daemon.emit(
        FakeBluetoothd.device, "org.freedesktop.DBus.Properties", member, arguments)
    }
    for member in ["InterfacesAdded", "InterfacesRemoved"] {
      for arguments: [BusValue] in [[], [.path("/x")], [.byte(1), .bytes([2])]] {
        await daemon.emit("/", "org.freedesktop.DBus.ObjectManager", member, arguments)
      }
    }
    await daemon.add(FakeBluetoothd.device, FakeBluetoothd.scale(["RSSI": .int16(-40)]))
    await bench.until { await self.bench.radio.tree.device(at: self.scale)?.rssi == -40 }
    await bench.stop()
  }
}

extension RadioNotice {
  fileprivate static let stuck = controller("hci0", .trouble(.stuck(isHopeless: false)))
}
