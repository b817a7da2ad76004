import Foundation
import GATT
import Radio
import RadioTestSupport
import SystemBus
import TestSupport
import Testing

@testable import BluetoothdRadio

@Suite(.enabled(if: PrivateBus.isAvailable, "needs dbus-daemon"))
final class BluetoothdRadioLinkTests: Sendable {
  let bus: PrivateBus
  let bench: BluetoothdBench
  let scale = BluetoothdBench.scale
  var daemon: FakeBluetoothd { bench.daemon }

  init() throws {
    bus = try PrivateBus()
    bench = try BluetoothdBench(bus)
  }

  static let services = [
    GATTService(
      uuid: BluetoothUUID(0x181D),
      characteristics: [
        GATTCharacteristic(uuid: BluetoothUUID(0x2A9D), properties: [.indicate]),
        GATTCharacteristic(uuid: BluetoothUUID(0x2A9E), properties: [.read]),
        GATTCharacteristic(uuid: BluetoothUUID(0x2A18), properties: [.notify]),
      ]),
    GATTService(
      uuid: BluetoothUUID(0x180D),
      characteristics: [
        GATTCharacteristic(uuid: BluetoothUUID(0x2A37), properties: [.notify])
      ]),
  ]

  @Test func `reports services and the end of a link`() async throws {
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    try await bench.radio.send(.disconnect(scale))
    #expect(await bench.next() == .disconnected(scale))
    #expect(await daemon.calls.contains("Disconnect"))
    await bench.stop()
  }

  @Test func `pauses discovery before it connects`() async throws {
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    let calls = await daemon.calls
    let stop = try #require(calls.firstIndex(of: "StopDiscovery"))
    let connect = try #require(calls.firstIndex(of: "Connect"))
    #expect(stop < connect)
    // Discovery continues once the services are known.
    await bench.until {
      await daemon.calls.lastIndex(of: "StartDiscovery").map { $0 > connect } ?? false
    }
    await bench.stop()
  }

  @Test func `receives indications as signals`() async throws {
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    try await bench.radio.send(.subscribe(scale, characteristic: BluetoothUUID(0x2A9D)))
    await bench.until { await daemon.calls.contains("StartNotify") }
    #expect(await !daemon.calls.contains("AcquireNotify"))
    for byte: UInt8 in 1...3 {
      await daemon.change(
        FakeBluetoothd.weight, BlueZInterface.characteristic, ["Value": .bytes([0, byte])])
    }
    for byte: UInt8 in 1...3 {
      #expect(await bench.next() == .scaleValue(0x181D, 0x2A9D, [0, byte]))
    }
    await bench.stop()
  }

  /// bluetoothd restores a subscription by itself when a device returns, before a session can.
  @Test func `stores indications that precede the subscription`() async throws {
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    // The device may be faster than bluetoothd's word that it has subscribed.
    await daemon.change(
      FakeBluetoothd.weight, BlueZInterface.characteristic, ["Value": .bytes([0])])
    await daemon.change(
      FakeBluetoothd.weight, BlueZInterface.characteristic, ["Notifying": .boolean(true)])
    for byte: UInt8 in 1...2 {
      await daemon.change(
        FakeBluetoothd.weight, BlueZInterface.characteristic, ["Value": .bytes([byte])])
    }
    await bench.until {
      await self.bench.radio.tree.characteristic(FakeBluetoothd.weight)?.isNotifying == true
    }
    try await bench.radio.send(.subscribe(scale, characteristic: BluetoothUUID(0x2A9D)))
    for byte: UInt8 in 0...2 {
      #expect(await bench.next() == .scaleValue(0x181D, 0x2A9D, [byte]))
    }
    await bench.stop()
  }

  /// The session that ends the link may never subscribe; the device has deleted what was confirmed.
  @Test(arguments: [true, false])
  func `reports confirmed values of a link that ends before the subscription`(isStop: Bool)
    async throws
  {
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    await daemon.change(
      FakeBluetoothd.weight, BlueZInterface.characteristic, ["Value": .bytes([1])])
    await daemon.react(to: "Disconnect") { daemon, _ in
      await daemon.change(
        FakeBluetoothd.weight, BlueZInterface.characteristic, ["Value": .bytes([2])])
      await daemon.hangUp()
    }
    if isStop {
      await bench.radio.stop()
    } else {
      try await bench.radio.send(.disconnect(scale))
    }
    for byte: UInt8 in 1...2 {
      #expect(await bench.next() == .scaleValue(0x181D, 0x2A9D, [byte]))
    }
    #expect(await bench.next() == .disconnected(scale))
    await bench.stop()
  }

  @Test func `reports confirmed values of a link that the device ends`() async throws {
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    await daemon.change(
      FakeBluetoothd.weight, BlueZInterface.characteristic, ["Value": .bytes([1])])
    await daemon.hangUp()
    #expect(await bench.next() == .scaleValue(0x181D, 0x2A9D, [1]))
    #expect(await bench.next() == .disconnected(scale))
    await bench.stop()
  }

  /// More than are stored: the session is told how many are missing.
  @Test func `counts the confirmed values that are not stored`() async throws {
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    for byte in (0..<1030).map(UInt8.init(truncatingIfNeeded:)) {
      await daemon.change(
        FakeBluetoothd.weight, BlueZInterface.characteristic, ["Value": .bytes([byte])])
    }
    await daemon.change(
      FakeBluetoothd.weight, BlueZInterface.characteristic, ["Notifying": .boolean(true)])
    await bench.until {
      await self.bench.radio.tree.characteristic(FakeBluetoothd.weight)?.isNotifying == true
    }
    try await bench.radio.send(.subscribe(scale, characteristic: BluetoothUUID(0x2A9D)))
    for byte in (0..<1024).map(UInt8.init(truncatingIfNeeded:)) {
      #expect(await bench.next() == .scaleValue(0x181D, 0x2A9D, [byte]))
    }
    await daemon.hangUp()
    #expect(await bench.next() == .lost(scale, count: 6))
    #expect(await bench.next() == .disconnected(scale))
    await bench.stop()
  }

  /// How a link without a session ends.
  enum End: CaseIterable { case device, object, adapter, bluetoothd }

  /// bluetoothd has linked the device by itself while its session pauses.
  @Test(arguments: End.allCases)
  func `reports indications of a link without a session`(end: End) async throws {
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    await daemon.hangUp()
    #expect(await bench.next() == .disconnected(scale))
    await daemon.change(
      FakeBluetoothd.device, BlueZInterface.device, ["Connected": .boolean(true)])
    // Beats are another program's.
    for path in [FakeBluetoothd.weight, FakeBluetoothd.heartRate] {
      await daemon.change(path, BlueZInterface.characteristic, ["Value": .bytes([1])])
    }
    await bench.until {
      await self.bench.radio.subscriptions.earlySources
        == [FakeBluetoothd.weight, FakeBluetoothd.heartRate]
    }
    switch end {
    case .device: await daemon.hangUp()
    case .object:
      for path in [FakeBluetoothd.weight, FakeBluetoothd.device] { await daemon.remove(path) }
    case .adapter: await daemon.remove(FakeBluetoothd.adapter)
    case .bluetoothd: await daemon.die()
    }
    #expect(await bench.next() == .scaleValue(0x181D, 0x2A9D, [1]))
    #expect(await bench.next() == .disconnected(scale))
    // The beats are not the next link's either.
    #expect(await bench.radio.subscriptions.earlySources == [])
    await bench.stop()
  }

  /// The device ends its link while bluetoothd still connects; its values precede the failure.
  @Test func `reports confirmed values of a link that was never up`() async throws {
    await daemon.react(to: "Connect") { daemon, _ in
      await daemon.change(
        FakeBluetoothd.device, BlueZInterface.device, ["Connected": .boolean(true)])
      await daemon.addServices()
      await daemon.change(
        FakeBluetoothd.weight, BlueZInterface.characteristic, ["Value": .bytes([1])])
      await daemon.hangUp()
      daemon.answer("Connect", .error("org.bluez.Error.Failed", "le-connection-refused"))
    }
    await daemon.placeAdapter()
    await daemon.place(FakeBluetoothd.device, FakeBluetoothd.scale())
    try await daemon.start()
    try await bench.radio.start()
    await bench.until { await self.daemon.calls.contains("StartDiscovery") }
    try await bench.radio.send(.connect(scale))
    // One value for each attempt to connect.
    var events: [RadioEvent] = []
    while let event = await bench.next(), event.failure == nil { events.append(event) }
    let attempts = await daemon.calls.count { $0 == "Connect" }
    #expect(attempts > 0)
    #expect(await bench.next() == .disconnected(scale))
    #expect(events == Array(repeating: .scaleValue(0x181D, 0x2A9D, [1]), count: attempts))
    await bench.stop()
  }

  @Test func `reports a device that does not answer`() async throws {
    await daemon.placeAdapter()
    await daemon.place(FakeBluetoothd.device, FakeBluetoothd.scale())
    await daemon.react(to: "Connect") { daemon, _ in
      await daemon.change(
        FakeBluetoothd.device, BlueZInterface.device, ["Connected": .boolean(true)])
    }
    try await daemon.start()
    try await bench.radio.start()
    await bench.until { await self.daemon.calls.contains("StartDiscovery") }
    try await bench.radio.send(.connect(scale))
    #expect(await bench.next() == .connected(scale))
    await bench.until { await self.bench.radio.link(to: self.scale)?.phase == .up }
    // bluetoothd reports a missing response this way: services resolved, but none listed.
    await daemon.change(
      FakeBluetoothd.device, BlueZInterface.device, ["ServicesResolved": .boolean(true)])
    await daemon.hangUp()
    #expect(
      await bench.next()
        == .failed(scale, LinkError(.gone, .noServices)))
    #expect(await bench.next() == .disconnected(scale))
    await bench.stop()
  }

  /// Links the scale, whose notifications arrive by a file.
  ///
  /// - Returns: bluetoothd's end of the file.
  private func linkWithFile() async throws -> BusFile {
    var ends: [CInt] = [0, 0]
    #expect(unsafe socketpair(AF_UNIX, CInt(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    let ours = BusFile(owning: ends[0])
    await daemon.answer(
      "AcquireNotify", .values([.file(BusFile(owning: ends[1])), .uint16(517)]))
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    return ours
  }

  @Test func `receives notifications as packets`() async throws {
    let ours = try await linkWithFile()
    try await bench.radio.send(
      .subscribe(scale, characteristic: BluetoothUUID(0x2A37), isMotion: true))
    await bench.until { await daemon.calls.contains("AcquireNotify") }
    #expect(await !daemon.calls.contains("StartNotify"))
    for byte: UInt8 in 0..<200 {
      #expect(unsafe send(ours.descriptor, [0, byte], 2, 0) == 2)
      #expect(await bench.next() == .scaleValue(0x180D, 0x2A37, [0, byte]))
    }
    // Values that were sent before the end are reported before the end.
    let last: [UInt8] = [0, 7]
    await daemon.hangUp(after: { #expect(unsafe send(ours.descriptor, last, 2, 0) == 2) })
    #expect(await bench.next() == .scaleValue(0x180D, 0x2A37, last))
    #expect(await bench.next() == .disconnected(scale))
    await bench.stop()
  }

  @Test func `receives the values of one service in order`() async throws {
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    for uuid: UInt16 in [0x2A18, 0x2A9D] {
      try await bench.radio.send(.subscribe(scale, characteristic: BluetoothUUID(uuid)))
    }
    await bench.until { await self.daemon.calls.filter { $0 == "StartNotify" }.count == 2 }
    #expect(await !daemon.calls.contains("AcquireNotify"))
    for byte: UInt8 in 0..<20 {
      for path in [FakeBluetoothd.record, FakeBluetoothd.weight] {
        await daemon.change(path, BlueZInterface.characteristic, ["Value": .bytes([byte])])
      }
    }
    for byte: UInt8 in 0..<20 {
      #expect(await bench.next() == .scaleValue(0x181D, 0x2A18, [byte]))
      #expect(await bench.next() == .scaleValue(0x181D, 0x2A9D, [byte]))
    }
    await bench.stop()
  }

  /// Values of several services arrive on different paths, but are reported in order.
  @Test func `reads packets before a later signal`() async throws {
    let ours = try await linkWithFile()
    for uuid: UInt16 in [0x2A37, 0x2A9D] {
      try await bench.radio.send(
        .subscribe(scale, characteristic: BluetoothUUID(uuid), isMotion: uuid == 0x2A37))
    }
    await bench.until { await self.daemon.calls.contains("StartNotify") }
    for byte: UInt8 in 0..<20 {
      let packet = [byte]
      #expect(unsafe send(ours.descriptor, packet, 1, 0) == 1)
      await daemon.change(
        FakeBluetoothd.weight, BlueZInterface.characteristic, ["Value": .bytes(packet)])
      #expect(await bench.next() == .scaleValue(0x180D, 0x2A37, packet))
      #expect(await bench.next() == .scaleValue(0x181D, 0x2A9D, packet))
    }
    await bench.stop()
  }

  @Test func `receives notifications as signals without packets`() async throws {
    await daemon.answer("AcquireNotify", .error("org.bluez.Error.NotSupported"))
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    try await bench.radio.send(
      .subscribe(scale, characteristic: BluetoothUUID(0x2A37), isMotion: true))
    await bench.until { await self.daemon.calls.contains("StartNotify") }
    await daemon.change(
      FakeBluetoothd.heartRate, BlueZInterface.characteristic, ["Value": .bytes([0, 61])])
    #expect(await bench.next() == .scaleValue(0x180D, 0x2A37, [0, 61]))
    await bench.stop()
  }

  /// bluetoothd signals only the end of a link whose channel it took before the kernel's report.
  @Test func `notices the end of a link whose start was not signalled`() async throws {
    await daemon.placeAdapter()
    await daemon.place(FakeBluetoothd.device, FakeBluetoothd.scale())
    await daemon.makeScaleLink()
    await daemon.react(to: "Connect") { daemon, _ in
      await daemon.addServices()
      await daemon.change(
        FakeBluetoothd.device, BlueZInterface.device, ["ServicesResolved": .boolean(true)])
    }
    try await daemon.start()
    try await bench.radio.start()
    await bench.until { await self.daemon.calls.contains("StartDiscovery") }
    try await bench.radio.send(.connect(scale))
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    await daemon.hangUp()
    #expect(await bench.next() == .disconnected(scale))
    try await bench.radio.send(.connect(scale))
    #expect(await bench.next() == .connected(scale))
    await bench.stop()
  }

  /// A refusal of a file would cost the characteristic until bluetoothd starts again.
  @Test func `receives notifications as signals and ends them with the link`() async throws {
    await daemon.answer(
      "StartNotify",
      .error("org.bluez.Error.Failed", "Operation failed with ATT error: 0x0e"), .values())
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    let subscribe = RadioCommand.subscribe(scale, characteristic: BluetoothUUID(0x2A37))
    try await bench.radio.send(subscribe)
    #expect(await bench.next()?.failure == .other)
    try await bench.radio.send(subscribe)
    await bench.until { await self.daemon.calls.filter { $0 == "StartNotify" }.count == 2 }
    await daemon.change(
      FakeBluetoothd.heartRate, BlueZInterface.characteristic, ["Value": .bytes([0, 61])])
    #expect(await bench.next() == .scaleValue(0x180D, 0x2A37, [0, 61]))
    #expect(await !daemon.calls.contains("Disconnect"))
    await daemon.hangUp()
    #expect(await bench.next() == .disconnected(scale))
    await bench.until { await daemon.calls.contains("StopNotify") }
    #expect(await !daemon.calls.contains("AcquireNotify"))
    await bench.stop()
  }

  @Test func `reads and writes`() async throws {
    await daemon.answer("ReadValue", .values([.bytes([1, 2])]), .error("org.bluez.Error.Failed"))
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    let feature = BluetoothUUID(0x2A9E)
    try await bench.radio.send(.read(scale, characteristic: feature))
    #expect(await bench.next() == .scaleValue(0x181D, 0x2A9E, [1, 2]))
    try await bench.radio.send(.read(scale, characteristic: feature))
    #expect(await bench.next()?.failure == .other)
    await daemon.react(to: "WriteValue") { daemon, message in
      let sent = message.argument(1)?.properties?["type"]?.text ?? ""
      daemon.answer(
        "WriteValue", sent == "request" ? .values() : .error("org.bluez.Error.NotSupported"))
    }
    try await bench.radio.send(
      .write(scale, characteristic: feature, data: [3], withResponse: true))
    #expect(await bench.next() == .written(scale, characteristic: feature))
    try await bench.radio.send(
      .write(scale, characteristic: feature, data: [3], withResponse: false))
    #expect(await bench.next()?.failure == .other)
    try await bench.radio.send(.read(scale, characteristic: BluetoothUUID(0xFFF1)))
    #expect(
      await bench.next()
        == .failed(scale, LinkError(.other, .noCharacteristic(BluetoothUUID(0xFFF1)))))
    await bench.stop()
  }

  @Test func `reports the battery level that bluetoothd reads`() async throws {
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    await daemon.add(
      FakeBluetoothd.device, [BlueZInterface.battery: ["Percentage": .byte(80)]])
    await bench.until { await bench.radio.tree.batteryLevel(of: FakeBluetoothd.device) == 80 }
    try await bench.radio.send(.subscribe(scale, characteristic: BatteryLevel.uuid))
    #expect(await bench.next() == .scaleValue(0x180F, 0x2A19, [80]))
    await daemon.change(FakeBluetoothd.device, BlueZInterface.battery, ["Percentage": .byte(79)])
    #expect(await bench.next() == .scaleValue(0x180F, 0x2A19, [79]))
    await bench.stop()
  }

  @Test func `retries temporary failures`() async throws {
    await daemon.answer(
      "Connect", .error("org.bluez.Error.Failed", "le-connection-abort-by-local"), .values())
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await daemon.calls.filter { $0 == "Connect" }.count == 2)
    await bench.stop()
  }

  @Test func `reports why a device cannot be linked`() async throws {
    await daemon.answer("Connect", .error("org.freedesktop.DBus.Error.UnknownObject", "gone"))
    try await bench.linkScale()
    #expect(
      await bench.next()
        == .failed(
          scale,
          LinkError(.gone, .broken(.bus("gone (org.freedesktop.DBus.Error.UnknownObject)")))))
    let unknown = DeviceAddress(rawValue: 1)
    try await bench.radio.send(.connect(unknown))
    #expect(await bench.next()?.failure == .gone)
    try await bench.radio.send(.read(unknown, characteristic: BluetoothUUID(0x2A19)))
    #expect(await bench.next()?.failure == .transient)
    await bench.stop()
  }

  @Test func `ends the link of a removed device`() async throws {
    await daemon.answer("Connect", .silence)
    try await bench.linkScale()
    await bench.until { await daemon.calls.contains("Connect") }
    await daemon.remove(FakeBluetoothd.device)
    #expect(await bench.next() == .disconnected(scale))
    await bench.stop()
  }

  /// bluetoothd holds notifications of our own link for a file that is lost: the link is renewed.
  @Test func `renews a link whose file is lost`() async throws {
    let refusal = FakeBluetoothd.Answer.error("org.bluez.Error.NotPermitted", "Notify acquired")
    await daemon.answer("StartNotify", refusal)
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    try await bench.radio.send(.subscribe(scale, characteristic: BluetoothUUID(0x2A37)))
    let event = await bench.next()
    guard case .failed(_, let error) = event,
      case .refused(.subscribe, BluetoothUUID(0x2A37), _) = error.cause
    else {
      Issue.record("the refusal is not reported: \(String(describing: event))")
      return
    }
    #expect(await bench.next() == .disconnected(scale))
    #expect(await daemon.calls.contains("Disconnect"))
    await bench.stop()
  }

  /// Signals of a flood delay bluetoothd's answers about every other device.
  @Test func `ends the link of a device that floods`() async throws {
    try await bench.linkScale()
    #expect(await bench.next() == .connected(scale))
    #expect(await bench.next() == .services(scale, Self.services))
    try await bench.radio.send(.subscribe(scale, characteristic: BluetoothUUID(0x2A37)))
    await bench.until { await daemon.calls.contains("StartNotify") }
    let room = EventBuffer.Limits().valuesOfOneDevice
    for number in 0...room {
      await daemon.change(
        FakeBluetoothd.heartRate, BlueZInterface.characteristic,
        ["Value": .bytes([0, UInt8(number % 200)])])
    }
    await bench.until { await daemon.calls.contains("Disconnect") }
    var (values, failures): (Int, [LinkError]) = (0, [])
    while let event = await bench.next(), event != .disconnected(scale) {
      switch event {
      case .value: values += 1
      case .failed(_, let error): failures.append(error)
      default: break
      }
    }
    #expect(values == room)
    #expect(failures == [LinkError(.other, .flooded)])
    await bench.stop()
  }

  /// bluetoothd confirms what arrives until the link has ended, also where the session had begun to
  /// end it before the stop.
  @Test(arguments: [false, true])
  func `reports what arrives until the end at a stop`(isEnding: Bool) async throws {
    let ours = try await linkWithFile()
    try await bench.radio.send(
      .subscribe(scale, characteristic: BluetoothUUID(0x2A37), isMotion: true))
    await bench.until { await daemon.calls.contains("AcquireNotify") }
    let (first, last): ([UInt8], [UInt8]) = ([0, 70], [0, 71])
    #expect(unsafe send(ours.descriptor, first, 2, 0) == 2)
    #expect(await bench.next() == .scaleValue(0x180D, 0x2A37, first))
    await daemon.react(to: "Disconnect") { daemon, _ in
      if isEnding { try? await Task.sleep(for: .milliseconds(300)) }
      let count = unsafe send(ours.descriptor, last, 2, CInt(MSG_NOSIGNAL))
      #expect(count == 2, "the file is closed before the link has ended")
      await daemon.hangUp()
    }
    if isEnding {
      try await bench.radio.send(.disconnect(scale))
      await bench.until { await daemon.calls.contains("Disconnect") }
    }
    await bench.radio.stop()
    #expect(await bench.next() == .scaleValue(0x180D, 0x2A37, last))
    #expect(await bench.next() == .disconnected(scale))
    await bench.stop()
  }
}
