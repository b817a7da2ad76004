import Controllers
import Foundation
import Radio
import RadioTestSupport
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct KernelRadioTests {
  @Test func `sets a controller up and receives`() async throws {
    let bench = try KernelBench()
    try await bench.start()
    var codes: [UInt16] = []
    for await command in bench.kernel.commands {
      codes.append(command.code)
      if command.code == 0x52 { break }
    }
    #expect(
      codes == [
        0x03, 0x04, 0x0D, 0x0B, 0x2D, 0x09, 0x18, 0x30, 0x13, 0x05, 0x53, 0x4C, 0x52,
      ])
    let controllers = await bench.radio.controllers()
    #expect(
      controllers == [
        Controller(
          name: "hci0", address: DeviceAddress(rawValue: 0x001B_DC00_0001), isPowered: true)
      ])
    await bench.end()
  }

  @Test func `reports advertisements of every controller`() async throws {
    let bench = try KernelBench(controllers: [0, 1])
    try await bench.start()
    _ = await bench.listening()
    bench.advertise(KernelBench.scale, rssi: -50, name: "Scale", on: 0)
    bench.advertise(KernelBench.strap, rssi: -70, name: "Strap", on: 1)
    #expect(
      await bench.event()
        == .advertisement(
          Advertisement(
            address: KernelBench.scale, addressType: .random, rssi: -50,
            data: bytes("06 09 5363616C65"))))
    #expect(await bench.event()?.address == KernelBench.strap)
    await bench.end()
  }

  @Test func `reports a missing controller and uses a later one`() async throws {
    let bench = try KernelBench(controllers: [])
    try await bench.radio.start()
    let notice = await bench.notice(.noController)
    #expect(notice?.severity == .warning)
    bench.kernel.emit(0x0004, of: 2)
    #expect(await bench.listening("hci2")?.severity == .info)
    await bench.end()
  }

  @Test func `waits for a kernel with bluetooth`() async throws {
    let bench = try KernelBench(times: .none, hasBluetooth: false)
    try await bench.radio.start()
    let notice = await bench.notice(.noKernel(.system(EAFNOSUPPORT)))
    #expect(notice?.severity == .warning)
    #expect(await bench.radio.controllers().isEmpty)
    bench.hasBluetooth.raise()
    #expect(await bench.listening("hci0") != nil)
    await bench.end()
  }

  /// After the channel broke, its controllers are removed until it is reopened.
  @Test func `reopens a broken channel`() async throws {
    let bench = try KernelBench(times: .none)
    try await bench.start()
    bench.kernel.disconnect()
    #expect(await bench.notice(.controller("hci0", .removed)) != nil)
    #expect(await bench.listening("hci0") != nil)
    await bench.end()
  }

  @Test func `reloads the keys into a reattached controller`() async throws {
    let bench = try KernelBench(try SampleKeys.ring())
    try await bench.start()
    let first = await bench.command(0x13)
    #expect(first?.parameters.prefix(2) == [3, 0])
    bench.kernel.emit(0x0005)
    _ = await bench.notice(.controller("hci0", .removed))
    #expect(await bench.radio.controllers().isEmpty)
    bench.kernel.emit(0x0004)
    #expect(await bench.command(0x13) == first)
    #expect(await bench.command(0x52)?.controller == 0)
    await bench.end()
  }

  @Test(arguments: [
    (MgmtStatus.permissionDenied, ControllerTrouble.notPermitted), (.blocked, .blocked(.soft)),
  ])
  func `reports why a controller cannot be used`(status: MgmtStatus, trouble: ControllerTrouble)
    async throws
  {
    let bench = try KernelBench(refusals: [0x0005: status])
    try await bench.radio.start()
    #expect(await bench.notice(.controller("hci0", .trouble(trouble)))?.severity == .warning)
    await bench.end()
  }

  @Test func `reports the hardware switch`() async throws {
    let bench = try KernelBench(refusals: [0x0005: .blocked])
    await bench.radio.take([AttachedController(name: "hci0", bus: "usb", block: .hard)])
    try await bench.radio.start()
    #expect(await bench.notice(.controller("hci0", .trouble(.blocked(.hard)))) != nil)
    #expect(await bench.radio.controllers().map(\.block) == [.hard])
    await bench.end()
  }

  @Test func `uses a controller as soon as it is unblocked`() async throws {
    let bench = try KernelBench(refusals: [0x0005: .blocked])
    await bench.radio.take([AttachedController(name: "hci0", block: .soft)])
    try await bench.radio.start()
    _ = await bench.notice(.controller("hci0", .trouble(.blocked(.soft))))
    bench.kernel.answer(KernelBench.answers([:]))
    await bench.radio.take([AttachedController(name: "hci0")])
    #expect(await bench.listening("hci0") != nil)
    await bench.end()
  }

  /// A refusal while a controller was blocked does not hide that it fails afterwards.
  @Test func `reports a failure after a block`() async throws {
    let bench = try KernelBench(times: .none, refusals: [0x0005: .blocked])
    await bench.radio.take([AttachedController(name: "hci0", block: .soft)])
    try await bench.radio.start()
    _ = await bench.notice(.controller("hci0", .trouble(.blocked(.soft))))
    while await bench.radio.controllerStates[0]?.failures ?? 0 < 3 {
      try await Task.sleep(for: .milliseconds(5))
    }
    bench.kernel.answer(KernelBench.answers([0x0005: .failed]))
    await bench.radio.take([AttachedController(name: "hci0")])
    let trouble = ControllerTrouble.failed(.kernel("the controller failed"))
    #expect(await bench.notice(.controller("hci0", .trouble(trouble))) != nil)
    await bench.end()
  }

  @Test func `retries a failed controller`() async throws {
    let bench = try KernelBench(times: .none, refusals: [0x0005: .failed])
    try await bench.radio.start()
    let trouble = ControllerTrouble.failed(.kernel("the controller failed"))
    #expect(await bench.notice(.controller("hci0", .trouble(trouble))) != nil)
    bench.kernel.answer(KernelBench.answers([:]))
    #expect(await bench.listening("hci0") != nil)
    await bench.end()
  }

  @Test func `ignores a controller of classic bluetooth`() async throws {
    let bench = try KernelBench()
    bench.kernel.answer { packet in
      packet.code == 4
        ? (.success, bytes("010000DC1B00 02 F105 FF000000 80000000"))
        : KernelBench.answers([:])(packet)
    }
    try await bench.radio.start()
    #expect(await bench.notice(.controller("hci0", .trouble(.notLowEnergy))) != nil)
    await bench.end()
  }

  @Test func `restores a controller that was switched off`() async throws {
    let bench = try KernelBench(times: .none)
    try await bench.start()
    bench.kernel.emit(0x0006, bytes("80020000"))
    #expect(await bench.notice(.controller("hci0", .trouble(.switchedOff(isRetried: true)))) != nil)
    #expect(await bench.listening("hci0") != nil)
    await bench.end()
  }

  /// A switch that is pressed again and again: the controller goes off while it is set up.
  @Test(arguments: [true, false])
  func `sets up again what is switched off during the set up`(hasMonitor: Bool) async throws {
    let bench = try KernelBench(times: .none)
    let usual = KernelBench.answers([:])
    bench.kernel.answer { [kernel = bench.kernel] packet in
      guard packet.code == 0x52 else { return usual(packet) }
      kernel.answer(usual)
      kernel.emit(0x0006, bytes("80020000"))
      return hasMonitor ? usual(packet) : (.failed, [])
    }
    try await bench.radio.start()
    #expect(await bench.notice(.controller("hci0", .trouble(.switchedOff(isRetried: true)))) != nil)
    #expect(await bench.listening("hci0") != nil)
    await bench.end()
  }

  @Test func `sets up again what refuses to discover without power`() async throws {
    let bench = try KernelBench(
      times: .none, refusals: [0x0052: .notSupported, 0x0023: .notPowered])
    try await bench.radio.start()
    #expect(await bench.notice(.controller("hci0", .trouble(.switchedOff(isRetried: true)))) != nil)
    bench.kernel.answer(KernelBench.answers([0x0052: .notSupported]))
    #expect(await bench.notice(.controller("hci0", .listening(isContinuous: false))) != nil)
    await bench.end()
  }

  @Test func `reports an rfkill switch`() async throws {
    let bench = try KernelBench()
    try await bench.start()
    await bench.radio.take([AttachedController(name: "hci0", block: .soft)])
    bench.kernel.emit(0x0006, bytes("80020000"))
    #expect(await bench.notice(.controller("hci0", .trouble(.blocked(.soft)))) != nil)
    await bench.radio.take([AttachedController(name: "hci0")])
    #expect(await bench.listening("hci0") != nil)
    await bench.end()
  }

  @Test func `releases the controllers to bluetoothd`() async throws {
    let bench = try KernelBench()
    try await bench.start()
    bench.advertise(KernelBench.scale, name: "Scale")
    _ = await bench.event()
    try await bench.radio.send(.connect(KernelBench.scale))
    #expect(await bench.event() == .connected(KernelBench.scale))
    await bench.radio.yieldToBluetoothd()
    #expect(await bench.event() == .disconnected(KernelBench.scale))
    #expect(await bench.notice(.yielded)?.severity == .warning)
    // The kernel's end sees the socket closed, without any command before.
    var codes: [UInt16] = []
    for await command in bench.kernel.commands { codes.append(command.code) }
    #expect(codes.last == 0x52)
    await #expect(throws: RadioError.yielded) {
      try await bench.radio.send(.connect(KernelBench.scale))
    }
    await bench.end()
  }

  /// The kernel's events of a controller that was added, and of one that was switched off, were lost.
  @Test func `looks at the controllers again`() async throws {
    var times = KernelTimes.forever
    (times.look, times.retry) = (.milliseconds(10), .zero)
    let bench = try KernelBench(times: times)
    try await bench.start()
    bench.kernel.answer(KernelBench.answers([:], [0, 1]))
    #expect(
      await bench.notice(.controller("hci0", .trouble(.switchedOff(isRetried: true)))) != nil)
    #expect(await bench.listening("hci1") != nil)
    await bench.end()
  }

  /// One that is unplugged is reported as switched off first.
  @Test func `takes a removed controller for no other program's`() async throws {
    var times = KernelTimes.forever
    times.removal = .seconds(3600)
    let bench = try KernelBench(times: times)
    try await bench.start()
    bench.kernel.emit(0x0006, of: 0, bytes("80000000"))
    while await bench.radio.controllerStates[0]?.isPowered != false {
      try await Task.sleep(for: .milliseconds(5))
    }
    try await Task.sleep(for: .milliseconds(50))
    bench.kernel.emit(0x0005, of: 0)
    #expect(await bench.notice() == .controller("hci0", .removed))
    await bench.end()
  }

  /// Its firmware hangs, or the kernel has not switched the scan on again.
  @Test func `switches a controller that fell silent off and on`() async throws {
    var times = KernelTimes.forever
    (times.look, times.silence) = (.milliseconds(10), .zero)
    let bench = try KernelBench(times: times)
    // Before the start: the first look may come at any time.
    bench.kernel.answer { packet in
      guard packet.code == 0x0004 else { return KernelBench.answers([:])(packet) }
      // As there, but switched on.
      return (.success, [1] + bytes("0000DC1B00 0A F105 FFBE0100 81000000"))
    }
    try await bench.start()
    // The end of the first set-up.
    _ = await bench.command(0x52)
    bench.advertise(KernelBench.scale)
    #expect(await bench.command(0x05)?.parameters == [0])
    // It is set up again.
    #expect(await bench.command(0x52) != nil)
    await bench.end()
  }

  @Test func `takes the controllers again after bluetoothd`() async throws {
    let bench = try KernelBench(times: .none)
    try await bench.start()
    bench.bluetoothd.raise()
    await bench.radio.yieldToBluetoothd()
    #expect(await bench.notice(.yielded) != nil)
    bench.bluetoothd.lower()
    await bench.radio.resumeLater()
    #expect(await bench.listening("hci0") != nil)
    bench.advertise(KernelBench.scale, name: "Scale")
    #expect(await bench.event()?.address == KernelBench.scale)
    await bench.end()
  }

  /// bluetoothd was only restarted, or this program ends.
  @Test(arguments: [false, true])
  func `does not take the controllers from bluetoothd`(isStopped: Bool) async throws {
    var times = KernelTimes.forever
    times.resumption = .milliseconds(10)
    let bench = try KernelBench(times: times)
    try await bench.start()
    bench.bluetoothd.raise()
    await bench.radio.yieldToBluetoothd()
    if isStopped {
      bench.bluetoothd.lower()
      await bench.radio.resumeLater()
      await bench.radio.stop()
    } else {
      await bench.radio.resumeLater()
    }
    try await Task.sleep(for: .milliseconds(100))
    #expect(await bench.radio.phase == (isStopped ? .stopped : .yielded))
    await bench.end()
  }

  @Test func `does not start beside bluetoothd`() async throws {
    let bench = try KernelBench()
    bench.bluetoothd.raise()
    await #expect(throws: RadioError.bluetoothdRuns) { try await bench.radio.start() }
    await bench.end()
  }

  @Test func `does not start twice`() async throws {
    let bench = try KernelBench()
    try await bench.start()
    let other = KernelRadio(
      loop: bench.loop, events: bench.events, keys: bench.keyFile.path, parts: KernelParts(),
      notice: { _ in })
    await #expect(throws: RadioError.self) { try await other.start() }
    await bench.end()
  }

  @Test func `removes its monitor when it stops`() async throws {
    let bench = try KernelBench()
    try await bench.start()
    _ = await bench.command(0x52)
    await bench.radio.stop()
    #expect(await bench.command(0x53)?.controller == 0)
    await bench.end()
  }
}
