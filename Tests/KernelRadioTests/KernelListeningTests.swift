import Radio
import RadioTestSupport
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct KernelListeningTests {
  @Test(arguments: [MgmtStatus.unknownCommand, .notSupported, .noResources, .failed])
  func `discovers with pauses without a monitor`(status: MgmtStatus) async throws {
    let bench = try KernelBench(times: .none, refusals: [0x0052: status])
    try await bench.radio.start()
    #expect(
      await bench.notice(.controller("hci0", .listening(isContinuous: false)))?.severity == .info)
    #expect(await bench.command(0x23)?.parameters == [6])
    // The kernel ends a discovery by itself; after a pause the next one starts.
    bench.kernel.emit(0x0013, bytes("06 00"))
    #expect(await bench.command(0x23)?.parameters == [6])
    await bench.end()
  }

  @Test func `repeats a refused discovery`() async throws {
    let bench = try KernelBench(times: .none, refusals: [0x0052: .notSupported, 0x0023: .busy])
    try await bench.radio.start()
    #expect(await bench.command(0x23) != nil)
    #expect(await bench.command(0x23) != nil)
    await bench.end()
  }

  /// Its firmware hangs: a monitor sends it nothing that it could leave unanswered.
  @Test func `asks a controller that fell silent whether it answers`() async throws {
    var times = KernelTimes.forever
    (times.look, times.question, times.nameScanPause) = (.milliseconds(10), .zero, .zero)
    let bench = try KernelBench(times: times)
    let answer = { @Sendable (status: MgmtStatus) -> ScriptedKernel.Answer in
      { packet in
        // As there, but switched on.
        packet.code == 0x0004
          ? (.success, [1] + bytes("0000DC1B00 0A F105 FFBE0100 81000000"))
          : KernelBench.answers(status == .success ? [:] : [0x0023: status])(packet)
      }
    }
    bench.kernel.answer(answer(.timeout))
    try await bench.start()
    let reason = LinkError.Reason.kernel("the device did not answer in time")
    #expect(await bench.notice() == .controller("hci0", .trouble(.mute(reason))))
    bench.kernel.answer(answer(.success))
    #expect(await bench.notice() == .controller("hci0", .recovered))
    await bench.end()
  }

  @Test func `restores a removed monitor`() async throws {
    let bench = try KernelBench()
    try await bench.start()
    let first = await bench.command(0x52)
    bench.kernel.emit(0x002C, bytes("0100"))
    #expect(await bench.command(0x52) == first)
    await bench.end()
  }

  @Test func `does not restore a monitor that bluetoothd removed`() async throws {
    let bench = try KernelBench()
    try await bench.start()
    bench.bluetoothd.raise()
    bench.kernel.emit(0x002C, bytes("0100"))
    #expect(await bench.notice(.yielded) != nil)
    await bench.end()
  }

  @Test func `requests a missing name`() async throws {
    var times = KernelTimes.forever
    times.nameScanDelay = .zero
    times.nameScan = .zero
    let bench = try KernelBench(times: times)
    try await bench.start()
    bench.advertise(KernelBench.strap, name: "Strap")
    bench.advertise(KernelBench.scale)
    #expect(await bench.command(0x23)?.parameters == [6])
    #expect(await bench.command(0x24)?.parameters == [6])
    await bench.end()
  }

  /// Discovery runs while a device to pair is awaited, and continues afterwards.
  @Test func `discovers while and after a device is paired`() async throws {
    let bench = try KernelBench(times: .none, refusals: [0x0052: .notSupported, 0x0019: .timeout])
    try await bench.radio.start()
    _ = await bench.command(0x23)
    bench.advertise(KernelBench.scale)
    _ = await bench.event()
    let paired = Task {
      try await bench.radio.pair(KernelBench.scale, prompt: KernelPairingTests.Person())
    }
    #expect(await bench.command(0x24) != nil)
    _ = await bench.command(0x19)
    bench.kernel.emit(0x0013, bytes("06 00"))
    await #expect(throws: RadioError.self) { try await paired.value }
    #expect(await bench.command(0x23) != nil)
    await bench.end()
  }

  @Test func `ends a discovery before it connects`() async throws {
    let bench = try KernelBench(refusals: [0x0052: .notSupported])
    try await bench.radio.start()
    _ = await bench.command(0x23)
    bench.advertise(KernelBench.scale)
    _ = await bench.event()
    try await bench.radio.send(.connect(KernelBench.scale))
    #expect(await bench.command(0x24)?.parameters == [6])
    await bench.end()
  }

  /// Garbage from a device or a newer kernel is harmless.
  @Test func `survives hostile events`() async throws {
    let bench = try KernelBench()
    try await bench.start()
    var generator = SeededGenerator(seed: 5)
    for round in 0..<2000 {
      let code = UInt16.random(in: 3...0x30, using: &generator)
      // Events that end the channel's work on this controller are tested separately, below.
      guard ![0x0005, 0x0006, 0x002C].contains(code) else { continue }
      bench.kernel.emit(
        code, of: UInt16.random(in: 0...2, using: &generator),
        generator.bytes(Int.random(in: 0...60, using: &generator)))
      // The loop reads between two calls of its actor; the socket's buffer has room for about 200
      // packets.
      if round.isMultiple(of: 25) { for _ in 0..<3 { _ = await bench.radio.controllers() } }
    }
    bench.kernel.emit(0x0005, of: 0)
    #expect(await bench.notice(.controller("hci0", .removed)) != nil)
    await bench.end()
  }
}
