import Foundation
import GATT
package import KernelRadio
package import Radio
import Synchronization
package import SystemBus
import TestSupport

@testable package import KernelRadio

/// A kernel radio between a scripted kernel, scripted devices and a consumer.
package struct KernelBench: Sendable {
  package static let scale = DeviceAddress(rawValue: 0xC412_3456_789A)
  package static let strap = DeviceAddress(rawValue: 0xC412_3456_789B)

  package let loop: EventLoop
  package let kernel: ScriptedKernel
  package let events: EventBuffer
  package let peers = ScriptedPeers()
  package let bluetoothd = Flag()
  /// Whether the kernel has Bluetooth.
  package let hasBluetooth = Flag()
  package let keyFile: KeyFile
  package let radio: KernelRadio
  private let notices: AsyncStream<RadioNotice>

  /// A flag.
  package final class Flag: Sendable {
    private let state = Mutex(false)
    package var isRaised: Bool { state.withLock(\.self) }
    package func raise() { state.withLock { $0 = true } }
    package func lower() { state.withLock { $0 = false } }
  }

  /// Makes a bench whose radio is not started.
  ///
  /// - Parameters:
  ///   - ring: The contents of the key file.
  ///   - times: The delays; by default no timer fires.
  ///   - refusals: The statuses of refused commands, by command.
  ///   - controllers: The kernel's controllers.
  ///   - hasBluetooth: Whether the kernel has Bluetooth at first.
  /// - Throws: If the system has no resources left.
  package init(
    _ ring: KeyRing = KeyRing(), times: KernelTimes = .forever,
    refusals: [UInt16: MgmtStatus] = [:], controllers: [UInt16] = [0], hasBluetooth: Bool = true
  ) throws {
    loop = try EventLoop(name: "test")
    events = EventBuffer(loop)
    kernel = ScriptedKernel(loop: loop, answer: Self.answers(refusals, controllers))
    keyFile = KeyFile(
      path: FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID())").path)
    try keyFile.write(ring)
    let (notices, notice) = AsyncStream<RadioNotice>.makeStream()
    self.notices = notices
    if hasBluetooth { self.hasBluetooth.raise() }
    let (kernel, peers, bluetoothd, bluetooth) = (kernel, peers, bluetoothd, self.hasBluetooth)
    let parts = KernelParts(
      openChannel: { () throws(SystemError) in
        guard bluetooth.isRaised else { throw SystemError("No Bluetooth", EAFNOSUPPORT) }
        return kernel.connect()
      },
      openDirectory: { _ throws(SystemError) in throw SystemError("No udev", ENOENT) },
      connect: { target throws(SystemError) in peers.connect(to: target) }, times: times)
    radio = KernelRadio(
      loop: loop, events: events, keys: keyFile.path, parts: parts,
      isBluetoothdThere: { bluetoothd.isRaised }, notice: { notice.yield($0) })
  }

  /// Makes a bench whose radio has bonds with devices, over its controller.
  package init(bonded devices: [DeviceAddress]) throws {
    var ring = KeyRing()
    for device in devices {
      _ = ring.store(
        try SampleKeys.longTermKey(of: device.rawValue), of: SampleKeys.controller)
    }
    try self.init(ring)
  }

  /// Starts the radio and waits until a controller receives.
  package func start() async throws {
    try await radio.start()
    _ = await listening()
  }

  package func end() async {
    await radio.stop()
    loop.stop()
    for suffix in ["", ".lock", ".attributes"] {
      try? FileManager.default.removeItem(atPath: keyFile.path + suffix)
    }
  }

  /// The answers of a kernel with `controllers` that refuses some commands.
  package static func answers(
    _ refusals: [UInt16: MgmtStatus], _ controllers: [UInt16] = [0]
  ) -> ScriptedKernel.Answer {
    { packet in
      if let status = refusals[packet.code] { return (status, []) }
      switch packet.code {
      case 0x0003:
        let count = UInt8(controllers.count)
        return (.success, [count, 0] + controllers.flatMap { [UInt8($0), 0] })
      case 0x0004:
        // 00:1B:DC:00:00:01 is hci0; low energy, bonding, secure connections; all off.
        return (
          .success,
          [UInt8(packet.controller) + 1] + bytes("0000DC1B00 0A F105 FFBE0100 80000000")
        )
      case 0x0052: return (.success, [1, 0])
      default: return (.success, [])
      }
    }
  }

  // MARK: - Observations

  /// The next command of a kind; earlier ones are skipped.
  package func command(_ code: UInt16) async -> MgmtPacket? {
    await kernel.commands.first { $0.code == code }
  }

  /// The next notice that equals `wanted`; earlier ones are skipped.
  package func notice(_ wanted: RadioNotice) async -> RadioNotice? {
    await notices.first { $0 == wanted }
  }

  /// The next notice.
  package func notice() async -> RadioNotice? { await notices.first { _ in true } }

  /// Waits until a controller receives continuously.
  package func listening(_ controller: String? = nil) async -> RadioNotice? {
    await notices.first { notice in
      guard case .controller(let name, .listening(isContinuous: true)) = notice else {
        return false
      }
      return controller.map { $0 == name } ?? true
    }
  }

  /// The next event.
  package func event() async -> RadioEvent? {
    guard case .event(let event) = await events.next(until: nil) else { return nil }
    return event.event
  }

  // MARK: - The kernel's events

  /// A device advertises a name, or no name.
  package func advertise(
    _ device: DeviceAddress, rssi: Int8 = -50, name: String = "", on controller: UInt16 = 0
  ) {
    let data = name.isEmpty ? [] : [UInt8(name.utf8.count + 1), 0x09] + Array(name.utf8)
    kernel.emit(
      0x002F, of: controller,
      [0, 0] + Self.peer(device) + [UInt8(bitPattern: rssi), 0, 0, 0, 0, UInt8(data.count), 0]
        + data)
  }

  /// The kernel's encoding of a random address.
  package static func peer(_ device: DeviceAddress) -> [UInt8] {
    var writer = ByteWriter()
    PeerAddress(device, .random).write(to: &writer)
    return writer.bytes
  }
}

extension KernelTimes {
  /// No timer fires during a test.
  package static let forever = KernelTimes(
    turn: .seconds(3600), discoveryPause: .seconds(3600), nameScanDelay: .seconds(3600),
    nameScan: .seconds(3600),
    nameScanPause: .seconds(3600), retry: .seconds(3600), kernelRetry: .seconds(3600),
    resumption: .seconds(3600), look: .seconds(3600), switchEventDelay: .zero, removal: .zero,
    pairingAdvertisement: .seconds(3600))

  /// Timers fire at once.
  package static let none = KernelTimes(
    turn: .milliseconds(1), discoveryPause: .zero, nameScanDelay: .zero, nameScan: .zero,
    nameScanPause: .zero,
    retry: .zero, kernelRetry: .zero, resumption: .zero, look: .seconds(3600),
    switchEventDelay: .zero, removal: .zero,
    pairingAdvertisement: .zero)
}

/// The devices at the other ends of links.
package final class ScriptedPeers: Sendable {
  /// The connected devices, in order.
  package let calls: AsyncStream<LinkTarget>
  private let called: AsyncStream<LinkTarget>.Continuation
  private let files = Mutex<[DeviceAddress: CInt]>([:])
  private let silent = Mutex<Set<DeviceAddress>>([])

  package init() {
    (calls, called) = AsyncStream.makeStream()
  }

  package func connect(to target: LinkTarget) -> LinkSocket {
    var ends: [CInt] = [-1, -1]
    let kind = CInt(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    _ = unsafe socketpair(AF_UNIX, kind, 0, &ends)
    files.withLock { [file = ends[1]] in $0[target.address] = file }
    if silent.withLock({ $0.contains(target.address) }) { fill(ends[0]) }
    called.yield(target)
    return LinkSocket(owning: ends[0])
  }

  /// A device stops answering.
  package func silence(_ device: DeviceAddress) {
    silent.withLock { _ = $0.insert(device) }
  }

  /// A socket with a full buffer looks like one that is not connected yet: it is not writable.
  private func fill(_ file: CInt) {
    let bytes = [UInt8](repeating: 0, count: 4096)
    while unsafe bytes.withUnsafeBytes({ unsafe write(file, $0.baseAddress, $0.count) }) > 0 {}
  }

  package func hangUp(_ device: DeviceAddress) {
    guard let file = files.withLock({ $0.removeValue(forKey: device) }) else { return }
    close(file)
  }

  /// The next connected device.
  package func call() async -> LinkTarget? { await calls.first { _ in true } }
}
