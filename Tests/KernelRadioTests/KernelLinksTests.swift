import GATT
import Radio
import RadioTestSupport
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct KernelLinksTests {
  let controller = PeerAddress(SampleKeys.controller, .public)

  @Test func `connects through the controller with the strongest signal`() async throws {
    let bench = try KernelBench(controllers: [0, 1])
    try await bench.start()
    _ = await bench.listening()
    bench.advertise(KernelBench.scale, rssi: -80, on: 0)
    bench.advertise(KernelBench.scale, rssi: -40, on: 1)
    for _ in 0..<2 { _ = await bench.event() }
    try await bench.radio.send(.connect(KernelBench.scale))
    #expect(
      await bench.peers.call()
        == LinkTarget(
          peer: PeerAddress(KernelBench.scale, .random),
          controller: PeerAddress(SampleKeys.stick, .public)))
    #expect(await bench.event() == .connected(KernelBench.scale))
    bench.peers.hangUp(KernelBench.scale)
    #expect(await bench.event() == .disconnected(KernelBench.scale))
    await bench.end()
  }

  @Test func `connects one device after the other`() async throws {
    let bench = try KernelBench()
    try await bench.start()
    for device in [KernelBench.scale, KernelBench.strap] {
      bench.advertise(device)
      _ = await bench.event()
    }
    try await bench.radio.send(.connect(KernelBench.scale))
    try await bench.radio.send(.connect(KernelBench.strap))
    #expect(await bench.peers.call()?.address == KernelBench.scale)
    #expect(await bench.event() == .connected(KernelBench.scale))
    #expect(await bench.peers.call()?.address == KernelBench.strap)
    #expect(await bench.event() == .connected(KernelBench.strap))
    await bench.end()
  }

  @Test func `bounds the delay by a device that does not answer`() async throws {
    var times = KernelTimes.forever
    times.turn = .milliseconds(1)
    let bench = try KernelBench(times: times)
    try await bench.start()
    bench.peers.silence(KernelBench.scale)
    for device in [KernelBench.scale, KernelBench.strap] {
      bench.advertise(device)
      _ = await bench.event()
    }
    try await bench.radio.send(.connect(KernelBench.scale))
    #expect(await bench.peers.call()?.address == KernelBench.scale)
    try await bench.radio.send(.connect(KernelBench.strap))
    #expect(
      await bench.event()
        == .failed(
          KernelBench.scale, LinkError(.transient, .gaveWay)))
    #expect(await bench.event() == .connected(KernelBench.strap))
    await bench.end()
  }

  @Test func `cancels a waiting connect`() async throws {
    let bench = try KernelBench()
    try await bench.start()
    bench.peers.silence(KernelBench.scale)
    for device in [KernelBench.scale, KernelBench.strap] {
      bench.advertise(device)
      _ = await bench.event()
    }
    try await bench.radio.send(.connect(KernelBench.scale))
    try await bench.radio.send(.connect(KernelBench.strap))
    try await bench.radio.send(.disconnect(KernelBench.strap))
    #expect(await bench.event() == .disconnected(KernelBench.strap))
    try await bench.radio.send(.disconnect(KernelBench.scale))
    #expect(await bench.event() == .disconnected(KernelBench.scale))
    try await bench.radio.send(.connect(KernelBench.strap))
    #expect(await bench.event() == .connected(KernelBench.strap))
    await bench.end()
  }

  @Test func `fails a device that was not received`() async throws {
    let bench = try KernelBench()
    try await bench.start()
    try await bench.radio.send(.connect(KernelBench.scale))
    #expect(
      await bench.event()
        == .failed(
          KernelBench.scale, LinkError(.gone, .notHeard)))
    await bench.end()
  }

  @Test func `fails where no controller is ready`() async throws {
    let bench = try KernelBench(controllers: [])
    try await bench.radio.start()
    try await bench.radio.send(.connect(KernelBench.scale))
    #expect(
      await bench.event()
        == .failed(
          KernelBench.scale, LinkError(.gone, .noController)))
    await #expect(throws: RadioError.notLinked(KernelBench.scale)) {
      try await bench.radio.send(.read(KernelBench.scale, characteristic: BluetoothUUID(0x2A19)))
    }
    await bench.end()
  }

  /// A bonded device answers only its own controller, and may be connected without an
  /// advertisement.
  @Test func `connects a bonded device through its own controller`() async throws {
    var ring = KeyRing()
    let key = try SampleKeys.longTermKey(of: KernelBench.scale.rawValue)
    _ = ring.store(key, of: SampleKeys.stick)
    let bench = try KernelBench(ring, controllers: [0, 1])
    try await bench.start()
    _ = await bench.listening()
    bench.advertise(KernelBench.scale, rssi: -30, on: 0)
    try await bench.radio.send(.connect(KernelBench.scale, bonded: true))
    #expect(
      await bench.peers.call()
        == LinkTarget(
          peer: key.peer, controller: PeerAddress(SampleKeys.stick, .public), isBonded: true))
    await bench.end()
  }

  @Test func `ends the links of a removed controller`() async throws {
    let bench = try KernelBench()
    try await bench.start()
    for device in [KernelBench.scale, KernelBench.strap] {
      bench.advertise(device)
      _ = await bench.event()
    }
    try await bench.radio.send(.connect(KernelBench.scale))
    #expect(await bench.event() == .connected(KernelBench.scale))
    bench.kernel.emit(0x0005)
    _ = await bench.notice(.controller("hci0", .removed))
    #expect(await bench.event() == .disconnected(KernelBench.scale))
    await bench.end()
  }
}
