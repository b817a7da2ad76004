import GATT
import Radio
import TestSupport
import Testing

@testable import BlueZ

@Suite struct KernelLinksTests {
  let controller = PeerAddress(SampleKeys.controller, .public)

  @Test func connectsThroughTheControllerThatHearsTheDeviceBest() async throws {
    let bench = try Bench(controllers: [0, 1])
    try await bench.start()
    _ = await bench.notice("listens")
    bench.advertise(Bench.scale, rssi: -80, on: 0)
    bench.advertise(Bench.scale, rssi: -40, on: 1)
    for _ in 0..<2 { _ = await bench.event() }
    try await bench.radio.send(.connect(Bench.scale))
    #expect(
      await bench.peers.call()
        == LinkTarget(
          peer: PeerAddress(Bench.scale, .random),
          controller: PeerAddress(SampleKeys.stick, .public)))
    #expect(await bench.event() == .connected(Bench.scale))
    bench.peers.hangUp(Bench.scale)
    #expect(await bench.event() == .disconnected(Bench.scale))
    await bench.end()
  }

  @Test func connectsOneDeviceAfterTheOther() async throws {
    let bench = try Bench()
    try await bench.start()
    for device in [Bench.scale, Bench.strap] {
      bench.advertise(device)
      _ = await bench.event()
    }
    try await bench.radio.send(.connect(Bench.scale))
    try await bench.radio.send(.connect(Bench.strap))
    #expect(await bench.peers.call()?.address == Bench.scale)
    #expect(await bench.event() == .connected(Bench.scale))
    #expect(await bench.peers.call()?.address == Bench.strap)
    #expect(await bench.event() == .connected(Bench.strap))
    await bench.end()
  }

  @Test func letsADeviceThatDoesNotAnswerKeepOthersWaitingForATurnOnly() async throws {
    var times = KernelTimes.forever
    times.turn = .milliseconds(1)
    let bench = try Bench(times: times)
    try await bench.start()
    bench.peers.silence(Bench.scale)
    for device in [Bench.scale, Bench.strap] {
      bench.advertise(device)
      _ = await bench.event()
    }
    try await bench.radio.send(.connect(Bench.scale))
    #expect(await bench.peers.call()?.address == Bench.scale)
    try await bench.radio.send(.connect(Bench.strap))
    #expect(
      await bench.event()
        == .failed(
          Bench.scale, kind: .transient,
          reason: "\(Bench.scale) was not connected: it does not answer, and others wait for the "
            + "controller."))
    #expect(await bench.event() == .connected(Bench.strap))
    await bench.end()
  }

  @Test func takesAConnectBackThatWaits() async throws {
    let bench = try Bench()
    try await bench.start()
    bench.peers.silence(Bench.scale)
    for device in [Bench.scale, Bench.strap] {
      bench.advertise(device)
      _ = await bench.event()
    }
    try await bench.radio.send(.connect(Bench.scale))
    try await bench.radio.send(.connect(Bench.strap))
    try await bench.radio.send(.disconnect(Bench.strap))
    try await bench.radio.send(.disconnect(Bench.scale))
    #expect(await bench.event() == .disconnected(Bench.scale))
    try await bench.radio.send(.connect(Bench.strap))
    #expect(await bench.event() == .connected(Bench.strap))
    await bench.end()
  }

  @Test func failsADeviceThatWasNotHeard() async throws {
    let bench = try Bench()
    try await bench.start()
    try await bench.radio.send(.connect(Bench.scale))
    #expect(
      await bench.event()
        == .failed(
          Bench.scale, kind: .gone,
          reason: "\(Bench.scale) has not been heard. Wake it up, and bring it near."))
    await bench.end()
  }

  @Test func failsWhereNoControllerIsReady() async throws {
    let bench = try Bench(controllers: [])
    try await bench.radio.start()
    try await bench.radio.send(.connect(Bench.scale))
    #expect(
      await bench.event()
        == .failed(
          Bench.scale, kind: .gone,
          reason: "\(Bench.scale) cannot be connected: no Bluetooth controller is ready."))
    await #expect(throws: RadioError("\(Bench.scale) is not connected.")) {
      try await bench.radio.send(.read(Bench.scale, characteristic: BluetoothUUID(0x2A19)))
    }
    await bench.end()
  }

  /// A bonded device answers its own controller only, and may be called without having been heard.
  @Test func callsABondedDeviceThroughItsOwnController() async throws {
    var ring = KeyRing()
    let key = try SampleKeys.longTermKey(of: Bench.scale.rawValue)
    _ = ring.store(key, of: SampleKeys.stick)
    let bench = try Bench(ring, controllers: [0, 1])
    try await bench.start()
    _ = await bench.notice("listens")
    bench.advertise(Bench.scale, rssi: -30, on: 0)
    try await bench.radio.send(.connect(Bench.scale, bonded: true))
    #expect(
      await bench.peers.call()
        == LinkTarget(
          peer: key.peer, controller: PeerAddress(SampleKeys.stick, .public), isBonded: true))
    await bench.end()
  }

  @Test func endsTheLinksOfAControllerThatIsGone() async throws {
    let bench = try Bench()
    try await bench.start()
    for device in [Bench.scale, Bench.strap] {
      bench.advertise(device)
      _ = await bench.event()
    }
    try await bench.radio.send(.connect(Bench.scale))
    #expect(await bench.event() == .connected(Bench.scale))
    bench.kernel.tell(0x0005)
    _ = await bench.notice("hci0 was removed.")
    #expect(await bench.event() == .disconnected(Bench.scale))
    await bench.end()
  }
}
