import Foundation
import GATT
import Radio
import RadioTestSupport
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct KernelPairingTests {
  /// A user who knows the answers, and records what was shown.
  actor Person: PairingPrompt {
    var shown: [UInt32] = []
    private let digits: UInt32?

    init(digits: UInt32? = 123_456) { self.digits = digits }

    func passkey(for device: DeviceAddress) -> UInt32? { digits }
    func display(passkey: UInt32, for device: DeviceAddress) { shown.append(passkey) }
    func confirm(passkey: UInt32, for device: DeviceAddress) -> Bool { passkey == digits }
  }

  let peer = KernelBench.peer(KernelBench.scale)

  /// The bytes of a new key of the scale, to be stored or not.
  func newKey(isStored: Bool = true) throws -> [UInt8] {
    var writer = ByteWriter()
    writer.u8(isStored ? 1 : 0)
    try SampleKeys.longTermKey(of: KernelBench.scale.rawValue).write(to: &writer)
    return writer.bytes
  }

  /// A bench that has received the scale, and whose pairing ends when the test ends it.
  func begin() async throws -> KernelBench {
    let bench = try KernelBench()
    bench.kernel.answer { packet in
      packet.code == 0x19 ? nil : KernelBench.answers([:])(packet)
    }
    try await bench.start()
    bench.advertise(KernelBench.scale, name: "Scale")
    _ = await bench.event()
    return bench
  }

  func finish(_ bench: KernelBench, _ status: MgmtStatus) {
    bench.kernel.emit(0x0001, [0x19, 0, status.rawValue] + peer)
  }

  @Test func `prompts for the passkey and stores the key`() async throws {
    let bench = try await begin()
    let paired = Task { try await bench.radio.pair(KernelBench.scale, prompt: Person()) }
    #expect(await bench.command(0x19)?.parameters == peer + [4])
    bench.kernel.emit(0x0010, peer)
    #expect(await bench.command(0x1E)?.parameters == peer + bytes("40E20100"))
    bench.kernel.emit(0x000A, try newKey())
    finish(bench, .success)
    try await paired.value
    #expect(await bench.event() == .bondChanged(KernelBench.scale))
    // No user can answer any more.
    #expect(await bench.command(0x18)?.parameters == [3])
    let bonded = [BondedDevice(address: KernelBench.scale, name: "Scale")]
    #expect(try await bench.radio.bonds() == bonded)
    #expect(try bench.keyFile.read().bonds == bonded)
    await #expect(throws: RadioError.self) {
      try await bench.radio.pair(KernelBench.scale, prompt: Person())
    }
    await bench.end()
  }

  @Test func `shows digits and compares them`() async throws {
    let bench = try await begin()
    let person = Person()
    let paired = Task { try await bench.radio.pair(KernelBench.scale, prompt: person) }
    _ = await bench.command(0x19)
    bench.kernel.emit(0x0017, peer + bytes("40E20100 00"))
    bench.kernel.emit(0x000F, peer + bytes("00 40E20100"))
    #expect(await bench.command(0x1C)?.parameters == peer)
    bench.kernel.emit(0x000F, peer + bytes("00 41E20100"))
    #expect(await bench.command(0x1D)?.parameters == peer)
    #expect(await person.shown == [123_456])
    finish(bench, .authenticationFailed)
    await #expect(
      throws: RadioError.pairing(
        KernelBench.scale, .denied(.kernel("the device refused to prove who it is")))
    ) { try await paired.value }
    #expect(try bench.keyFile.read() == KeyRing())
    await bench.end()
  }

  @Test func `refuses a passkey that the user does not know`() async throws {
    let bench = try await begin()
    let paired = Task { try await bench.radio.pair(KernelBench.scale, prompt: Person(digits: nil)) }
    _ = await bench.command(0x19)
    bench.kernel.emit(0x0010, peer)
    #expect(await bench.command(0x1F)?.parameters == peer)
    finish(bench, .rejected)
    await #expect(
      throws: RadioError.pairing(KernelBench.scale, .cancelled(.kernel("the kernel rejected it")))
    ) { try await paired.value }
    await bench.end()
  }

  @Test func `reports a device without a bond`() async throws {
    let bench = try await begin()
    let paired = Task { try await bench.radio.pair(KernelBench.scale, prompt: Person()) }
    _ = await bench.command(0x19)
    bench.kernel.emit(0x000A, try newKey(isStored: false))
    finish(bench, .success)
    await #expect(
      throws: RadioError.pairing(KernelBench.scale, .noBond)
    ) { try await paired.value }
    #expect(try bench.keyFile.read() == KeyRing())
    await bench.end()
  }

  @Test func `identifies a device by its private address`() async throws {
    let bench = try await begin()
    let paired = Task { try await bench.radio.pair(KernelBench.scale, prompt: Person()) }
    _ = await bench.command(0x19)
    var writer = ByteWriter()
    writer.u8(1)
    writer.unsigned(KernelBench.scale.rawValue, width: 6)
    try SampleKeys.identityKey(of: KernelBench.strap.rawValue).write(to: &writer)
    bench.kernel.emit(0x0018, writer.bytes)
    writer = ByteWriter()
    writer.u8(1)
    try SampleKeys.longTermKey(of: KernelBench.strap.rawValue).write(to: &writer)
    bench.kernel.emit(0x000A, writer.bytes)
    finish(bench, .success)
    try await paired.value
    #expect(await bench.event() == .bondChanged(KernelBench.strap))
    #expect(await bench.notice(.identity(KernelBench.strap, of: KernelBench.scale)) != nil)
    #expect(try await bench.radio.bonds().map(\.address) == [KernelBench.strap])
    await bench.end()
  }

  @Test func `does not pair a device that is not received`() async throws {
    let bench = try KernelBench(times: .none)
    try await bench.start()
    await #expect(
      throws: RadioError.pairing(KernelBench.scale, .notHeard)
    ) { try await bench.radio.pair(KernelBench.scale, prompt: Person()) }
    await bench.end()
  }

  /// A link of a session pairs by itself if no user is needed; other pairings are refused.
  @Test func `consents only for requested links`() async throws {
    let bench = try await begin()
    bench.kernel.emit(0x000F, peer + bytes("01 00000000"))
    #expect(await bench.command(0x1D)?.parameters == peer)
    try await bench.radio.send(.connect(KernelBench.scale))
    #expect(await bench.event() == .connected(KernelBench.scale))
    bench.kernel.emit(0x000F, peer + bytes("01 00000000"))
    #expect(await bench.command(0x1C)?.parameters == peer)
    bench.kernel.emit(0x000F, peer + bytes("00 40E20100"))
    #expect(await bench.command(0x1D)?.parameters == peer)
    bench.kernel.emit(0x0010, peer)
    #expect(await bench.command(0x1F)?.parameters == peer)
    await bench.end()
  }

  @Test func `forgets a device in the file and the kernel`() async throws {
    var ring = KeyRing()
    _ = ring.store(
      try SampleKeys.longTermKey(of: KernelBench.scale.rawValue), of: SampleKeys.controller)
    let bench = try KernelBench(ring)
    try await bench.start()
    #expect(try await bench.radio.forget(KernelBench.scale))
    #expect(await bench.event() == .bondChanged(KernelBench.scale))
    #expect(await bench.command(0x1B)?.parameters == peer + [1])
    #expect(try bench.keyFile.read() == KeyRing())
    #expect(try await !bench.radio.forget(KernelBench.scale))
    await bench.end()
  }

  @Test func `neither loads nor overwrites unreadable keys`() async throws {
    let bench = try KernelBench()
    let text = "measured keys 1\nltk 00\nend 1\n"
    try text.write(toFile: bench.keyFile.path, atomically: false, encoding: .utf8)
    try await bench.radio.start()
    let fault = BondFileError(bench.keyFile.path, "line 2: it is no key and no name")
    #expect(await bench.notice(.bondsUnreadable(fault)) != nil)
    _ = await bench.listening()
    await #expect(throws: RadioError.self) { try await bench.radio.bonds() }
    await #expect(throws: RadioError.self) { try await bench.radio.forget(KernelBench.scale) }
    bench.kernel.emit(0x000A, try newKey())
    #expect(await bench.notice(.bondNotStored(fault)) != nil)
    #expect(try String(contentsOfFile: bench.keyFile.path, encoding: .utf8) == text)
    await bench.end()
  }
}
