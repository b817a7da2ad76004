import Foundation
import GATT
import Radio
import RadioTestSupport
import Synchronization
import SystemBus
import TestSupport
import Testing

@testable import BluetoothdRadio

@Suite(.enabled(if: PrivateBus.isAvailable, "needs dbus-daemon"))
final class BluetoothdRadioPairingTests: Sendable {
  let bus: PrivateBus
  let bench: BluetoothdBench
  let scale = BluetoothdBench.scale
  var daemon: FakeBluetoothd { bench.daemon }

  init() throws {
    bus = try PrivateBus()
    bench = try BluetoothdBench(bus)
  }

  /// A user who sees 123456 on the device, and records what was shown.
  final class Person: PairingPrompt {
    let shown = Mutex<[UInt32]>([])

    func passkey(for device: DeviceAddress) async -> UInt32? {
      device == BluetoothdBench.scale ? 123_456 : nil
    }
    func display(passkey: UInt32, for device: DeviceAddress) async {
      shown.withLock { $0.append(passkey) }
    }
    func confirm(passkey: UInt32, for device: DeviceAddress) async -> Bool { passkey == 123_456 }
  }

  func startWithScale(_ properties: [String: BusValue] = [:]) async throws {
    await daemon.placeAdapter()
    await daemon.place(FakeBluetoothd.device, FakeBluetoothd.scale(properties))
    await daemon.makeScaleLink()
    try await daemon.start()
    try await bench.radio.start()
    await bench.until { await self.daemon.calls.contains("StartDiscovery") }
  }

  /// The daemon's requests to the agent during pairing; it refuses unless the answer is as
  /// expected.
  func asks(
    _ member: String, _ arguments: [BusValue], expecting answer: Result<[BusValue], BusError>
  ) async {
    await daemon.react(to: "Pair") { daemon, _ in
      let given = await daemon.ask(member, [.path(FakeBluetoothd.device)] + arguments)
      if given != answer {
        daemon.answer("Pair", .error("org.bluez.Error.AuthenticationRejected", "\(given)"))
      }
    }
  }

  static let rejection = Result<[BusValue], BusError>.failure(
    .refused(name: "org.bluez.Error.Rejected", text: "No user can answer."))

  @Test(arguments: [
    ("RequestPasskey", [BusValue](), Result<[BusValue], BusError>.success([.uint32(123_456)])),
    ("DisplayPasskey", [.uint32(7), .uint16(0)], .success([])),
    ("RequestConfirmation", [.uint32(123_456)], .success([])),
    ("RequestConfirmation", [.uint32(1)], rejection),
    ("RequestAuthorization", [], .success([])),
    (
      "RequestPinCode", [],
      .failure(
        .refused(
          name: "org.freedesktop.DBus.Error.UnknownMethod", text: "No such method."))
    ),
  ])
  func `answers the agents requests`(
    member: String, arguments: [BusValue], answer: Result<[BusValue], BusError>
  ) async throws {
    await asks(member, arguments, expecting: answer)
    try await startWithScale()
    let person = Person()
    try await bench.radio.pair(scale, prompt: person)
    #expect(await bench.next() == .bondChanged(scale))
    #expect(person.shown.withLock { $0 } == (member == "DisplayPasskey" ? [7] : []))
    let calls = await daemon.calls
    let pair = try #require(calls.firstIndex(of: "Pair"))
    #expect(calls[..<pair].contains("StopDiscovery"))
    #expect(calls[pair...].contains("Set Trusted"))
    await bench.stop()
  }

  /// Such as bluetoothctl.
  @Test func `reports that another program has paired a device`() async throws {
    try await startWithScale()
    for isPaired in [true, false] {
      await daemon.change(
        FakeBluetoothd.device, BlueZInterface.device,
        ["Paired": .boolean(isPaired), "Bonded": .boolean(isPaired)])
      #expect(await bench.next() == .bondChanged(scale))
    }
    await bench.stop()
  }

  /// The session waits for a bond, and its link is up meanwhile.
  @Test func `reports that another program has paired a linked device`() async throws {
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, BluetoothdRadioLinkTests.services))
    await daemon.change(
      FakeBluetoothd.device, BlueZInterface.device,
      ["Paired": .boolean(true), "Bonded": .boolean(true)])
    #expect(await bench.next() == .bondChanged(scale))
    await bench.stop()
  }

  /// bluetoothd replies late to a pairing that the device's properties have reported.
  @Test func `ends no pairing with the reply to an earlier one`() async throws {
    await daemon.react(to: "Pair") { daemon, _ in
      guard daemon.calls.filter({ $0 == "Pair" }).count == 1 else {
        // The reply to the first comes before that to the second.
        for _ in 0..<1000 where !daemon.answered.contains("Pair") {
          try? await Task.sleep(for: .milliseconds(10))
        }
        return
      }
      await daemon.change(
        FakeBluetoothd.device, BlueZInterface.device,
        ["Paired": .boolean(true), "Bonded": .boolean(true)])
      for _ in 0..<1000 where daemon.calls.filter({ $0 == "Pair" }).count == 1 {
        try? await Task.sleep(for: .milliseconds(10))
      }
    }
    await daemon.answer(
      "Pair", .error("org.bluez.Error.AuthenticationTimeout", "Authentication Timeout"), .values())
    try await startWithScale()
    try await bench.radio.pair(scale, prompt: Person())
    await daemon.change(
      FakeBluetoothd.device, BlueZInterface.device,
      ["Paired": .boolean(false), "Bonded": .boolean(false)])
    try await bench.radio.pair(scale, prompt: Person())
    #expect(await daemon.calls.filter { $0 == "Pair" }.count == 2)
    #expect(await !daemon.calls.contains("CancelPairing"))
    await bench.stop()
  }

  @Test func `reports that another program has deleted a bond`() async throws {
    try await startWithScale(["Paired": .boolean(true), "Bonded": .boolean(true)])
    await bench.until { await self.bench.radio.tree.device(at: self.scale) != nil }
    await daemon.remove(FakeBluetoothd.device)
    #expect(await bench.next() == .bondChanged(scale))
    await bench.stop()
  }

  @Test func `reports why a pairing failed`() async throws {
    await daemon.answer(
      "Pair", .error("org.bluez.Error.AuthenticationFailed", "Authentication Failed"))
    try await startWithScale()
    await #expect(
      throws: RadioError.pairing(
        scale, .denied(.bus("Authentication Failed (org.bluez.Error.AuthenticationFailed)")))
    ) { try await self.bench.radio.pair(self.scale, prompt: Person()) }
    await bench.stop()
  }

  @Test func `bonds a link before its services are reported`() async throws {
    // bluetoothd 5.66 never replies, but the device is bonded.
    await daemon.answer("Pair", .silence)
    await daemon.react(to: "Pair") { daemon, _ in
      await daemon.change(
        FakeBluetoothd.device, BlueZInterface.device,
        ["Paired": .boolean(true), "Bonded": .boolean(true)])
    }
    try await bench.linkScale(bonded: true)
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, BluetoothdRadioLinkTests.services))
    #expect(await daemon.calls.filter { $0 == "Pair" || $0 == "Set Trusted" }.count == 2)
    #expect(
      try await bench.radio.bonds() == [BondedDevice(address: scale, name: "Scale")])
    await bench.stop()
  }

  @Test func `ends a link that is lost while it is bonded`() async throws {
    await daemon.react(to: "Pair") { daemon, _ in await daemon.hangUp() }
    try await bench.linkScale(bonded: true)
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next()?.failure == .gone)
    #expect(await bench.next() == .disconnected(scale))
    await bench.stop()
  }

  @Test func `rejects agent requests without a pairing`() async throws {
    await asks("RequestPasskey", [], expecting: Self.rejection)
    await daemon.answer(
      "Pair", .error("org.bluez.Error.AuthenticationFailed", "Authentication Failed"))
    try await bench.linkScale(bonded: true)
    #expect(await bench.next() == .connected(scale))
    #expect(
      await bench.next()
        == .failed(
          scale,
          LinkError(
            .unauthorized,
            .notBonded(.bus("Authentication Failed (org.bluez.Error.AuthenticationFailed)")))))
    #expect(await bench.next() == .disconnected(scale))
    await bench.stop()
  }

  @Test func `reports a stale bond without deleting it`() async throws {
    await daemon.answer(
      "Connect", .error("org.bluez.Error.AuthenticationFailed", "Authentication Failed"))
    try await bench.linkScale(bonded: true, isPaired: true)
    #expect(await bench.next()?.failure == .staleBond)
    #expect(await daemon.calls.filter { $0 == "Connect" }.count == 2)
    #expect(await !daemon.calls.contains("RemoveDevice"))
    await bench.stop()
  }

  /// From version 5.82 on, bluetoothd reports why a link ended.
  @Test func `uses bluetoothds reason for a refused bond`() async throws {
    await daemon.answer(
      "Connect", .error("org.bluez.Error.Failed", "le-connection-abort-by-local"))
    try await startWithScale(["Paired": .boolean(true)])
    for _ in 0..<2 {
      await daemon.emit(
        FakeBluetoothd.device, BlueZInterface.device, "Disconnected",
        [.string("org.bluez.Reason.Authentication"), .string("Authentication failure")])
    }
    // Earlier signals have been received once this one is.
    await daemon.change(FakeBluetoothd.device, BlueZInterface.device, ["RSSI": .int16(-33)])
    await bench.until { await self.bench.radio.tree.device(at: self.scale)?.rssi == -33 }
    try await bench.radio.send(.connect(scale, bonded: true))
    #expect(await bench.next()?.failure == .staleBond)
    #expect(await daemon.calls.filter { $0 == "Connect" }.count == 1)
    await bench.stop()
  }

  @Test func `forgets a device`() async throws {
    await daemon.react(to: "RemoveDevice") { daemon, message in
      await daemon.remove(message.argument(0)?.text ?? "")
    }
    try await startWithScale(["Paired": .boolean(true)])
    #expect(try await bench.radio.bonds().map(\.address) == [scale])
    #expect(try await bench.radio.forget(scale))
    #expect(await bench.next() == .bondChanged(scale))
    #expect(try await bench.radio.bonds() == [])
    #expect(try await !bench.radio.forget(scale))
    await bench.stop()
  }

  @Test func `answers only bluetoothd`() async throws {
    try await startWithScale()
    let unknown = try BusConnection(loop: bench.loop, address: bench.bus) { _ in }
    await unknown.start()
    let agent = try #require(await daemon.agentOwner)
    let call = BusCall(
      destination: agent, path: "/org/measured/agent", interface: BlueZInterface.agent,
      member: "RequestAuthorization", arguments: [.path(FakeBluetoothd.device)])
    await #expect(
      throws: BusError.refused(
        name: "org.freedesktop.DBus.Error.UnknownObject", text: "No such object.")
    ) { try await unknown.call(call) }
    await unknown.close()
    await bench.stop()
  }

  static let identity = DeviceAddress(rawValue: 0x0011_2233_4455)

  /// The device reveals its identity, as during bonding.
  static func revealIdentity(_ daemon: FakeBluetoothd) async {
    await daemon.change(
      FakeBluetoothd.device, BlueZInterface.device, ["Address": .string(identity.description)])
    await daemon.change(
      FakeBluetoothd.device, BlueZInterface.device, ["Paired": .boolean(true)])
  }

  @Test func `continues with the identity that a bond reveals`() async throws {
    let identity = Self.identity
    await daemon.react(to: "Pair") { daemon, _ in await Self.revealIdentity(daemon) }
    try await bench.linkScale(bonded: true)
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .disconnected(scale))
    // The session receives it like any device, and continues the link.
    guard case .advertisement(let advertisement) = await bench.nextOfAny() else {
      Issue.record("No event was reported.")
      return
    }
    #expect(advertisement.address == identity)
    try await bench.radio.send(.connect(identity, bonded: true))
    #expect(await bench.next() == .connected(identity))
    #expect(await bench.next() == .services(identity, BluetoothdRadioLinkTests.services))
    #expect(await daemon.calls.filter { $0 == "Pair" }.count == 1)
    #expect(await !daemon.calls.contains("Disconnect"))
    await bench.stop()
  }

  @Test func `preserves the address of a link in use`() async throws {
    await daemon.answer("ReadValue", .values([.bytes([1])]))
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, BluetoothdRadioLinkTests.services))
    await Self.revealIdentity(daemon)
    await bench.until { await self.bench.radio.tree.device(at: Self.identity)?.isBonded == true }
    #expect(await bench.next() == .bondChanged(scale))
    for address in [scale, Self.identity] {
      try await bench.radio.send(.read(address, characteristic: BluetoothUUID(0x2A9E)))
      #expect(await bench.next() == .scaleValue(0x181D, 0x2A9E, [1]))
    }
    #expect(try await bench.radio.bonds().map(\.address) == [Self.identity])
    try await bench.radio.send(.disconnect(Self.identity))
    #expect(await bench.next() == .disconnected(scale))
    await bench.stop()
  }
}
