import Controllers
import PrivateFiles
package import Radio
package import SystemBus

/// The radio of this machine through the kernel's own sockets, for machines without a running
/// bluetoothd.
///
/// It owns the controllers: it switches them on, loads the keys of bonded devices into them,
/// receives continuously, and connects links. All of it runs on the thread of its loop.
package actor KernelRadio: RadioBackend {
  /// The radio's state.
  enum Phase: Hashable, Sendable {
    case idle
    case working
    /// bluetoothd appeared, and uses the controllers.
    case yielded
    case stopped
  }

  let loop: EventLoop
  let events: EventBuffer
  let parts: KernelParts
  let keyFile: KeyFile
  let attributeFile: AttributeFile
  let isBluetoothdThere: @Sendable () -> Bool
  let notice: @Sendable (RadioNotice) -> Void

  var phase = Phase.idle
  var lock: FileLock?
  var channel: MgmtChannel?
  /// Whether a missing kernel Bluetooth was reported.
  var isKernelMissing = false
  var directory: ControllerDirectory?
  /// The controllers' attachment from udev, by name.
  var attached: [String: AttachedController] = [:]
  var controllerStates: [UInt16: ControllerState] = [:]
  /// How many set-ups have started.
  var generations: UInt64 = 0
  var keys = KeyRing()
  /// Why the keys could not be read; if set, none are written either.
  var keyFault: BondFileError?
  var received = ReceivedDevices()
  var links: [DeviceAddress: KernelLinkState] = [:]
  /// The attributes of devices that were linked recently.
  var attributes = KnownDevices<CachedAttributes>()
  /// The order in which devices are linked, by controller.
  var turns: [UInt16: LinkTurns<DeviceAddress>] = [:]
  var pairing: Pairing?
  var pairingWaiter: CheckedContinuation<Void, Never>?
  /// The timer of ``resumeLater()``.
  private var resumption: EventLoop.Watch?

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// Makes a radio that is not started yet.
  ///
  /// - Parameters:
  ///   - loop: The event loop that it runs on.
  ///   - events: Receives its events.
  ///   - keys: The path of the file of bonds; beside it are the lock against a second process, with
  ///     the suffix `.lock`, and the attributes of devices, with the suffix `.attributes`.
  ///   - isBluetoothdThere: Whether `org.bluez` has an owner now.
  ///   - notice: Called on the loop's thread with changes of the radio's state.
  package init(
    loop: EventLoop, events: EventBuffer, keys: String,
    isBluetoothdThere: @escaping @Sendable () -> Bool = { false },
    notice: @escaping @Sendable (RadioNotice) -> Void
  ) {
    self.init(
      loop: loop, events: events, keys: keys, parts: KernelParts(),
      isBluetoothdThere: isBluetoothdThere, notice: notice)
  }

  init(
    loop: EventLoop, events: EventBuffer, keys: String, parts: KernelParts,
    isBluetoothdThere: @escaping @Sendable () -> Bool = { false },
    notice: @escaping @Sendable (RadioNotice) -> Void
  ) {
    self.loop = loop
    self.events = events
    self.parts = parts
    keyFile = KeyFile(path: keys)
    attributeFile = AttributeFile(path: keys + ".attributes")
    self.isBluetoothdThere = isBluetoothdThere
    self.notice = notice
  }

  /// Starts, with exclusive use of the controllers.
  ///
  /// - Throws: ``RadioError`` if another process uses the controllers, or bluetoothd runs.
  package func start() async throws(RadioError) {
    guard phase != .working else { return }
    guard !isBluetoothdThere() else { throw .bluetoothdRuns }
    if lock == nil { lock = try FileLock(besideKeys: keyFile.path + ".lock") }
    phase = .working
    readKeys()
    attributes = attributeFile.read()
    await watchControllers()
    await openChannel()
  }

  package func send(_ command: RadioCommand) async throws(RadioError) {
    guard phase == .working else { throw phase == .yielded ? .yielded : .stopped }
    switch command {
    case .connect(let address, _): connect(address)
    case .disconnect(let address): disconnect(address)
    case .subscribe(let address, _, _), .read(let address, _), .write(let address, _, _, _):
      guard forward(command, to: address) else {
        throw .notLinked(address)
      }
    case .confirm(let confirmation):
      // If the link has ended, the device sends its record again.
      _ = forward(command, to: confirmation.address)
    }
  }

  package func controllers() async -> [Controller] {
    let known = controllerStates.map { index, state in
      let name = ControllerState.name(index)
      return Controller(
        name: name, address: state.address, isPowered: state.isPowered, bus: attached[name]?.bus,
        block: attached[name]?.block)
    }
    let names = Set(known.map(\.name))
    let others = attached.values.filter { !names.contains($0.name) }
      .map { Controller(name: $0.name, bus: $0.bus, block: $0.block) }
    return (known + others).sorted { ($0.name.count, $0.name) < ($1.name.count, $1.name) }
  }

  package func stop() async {
    guard phase == .working || phase == .yielded else { return }
    let isWorking = phase == .working
    phase = .stopped
    closeLinks()
    if isWorking, let channel {
      for (index, state) in controllerStates where state.phase == .ready {
        if state.isDiscovering { _ = try? await channel.request(.stopDiscovery, of: index) }
        _ = try? await channel.request(.removeMonitors, of: index)
      }
    }
    await release()
    lock = nil
  }

  /// Releases the controllers to bluetoothd, which runs now, at once and without cleaning up.
  ///
  /// No more keys are loaded, and links are lost.
  package func yieldToBluetoothd() async {
    if let resumption { loop.cancel(resumption) }
    guard phase == .working else { return }
    phase = .yielded
    closeLinks()
    await release()
    notice(.yielded)
    if !isBluetoothdThere() { resumeLater() }
  }

  /// Takes the controllers again, bluetoothd having stopped, unless it is back soon.
  package func resumeLater() {
    if let resumption { loop.cancel(resumption) }
    resumption = loop.schedule(after: parts.times.resumption) { [weak self] in
      self?.assumeIsolated { radio in
        guard radio.phase == .yielded else { return }
        // It fails only if bluetoothd is back: the lock is held still.
        Task { try? await radio.start() }
      }
    }
  }

  /// Closes everything but the lock.
  private func release() async {
    await channel?.close()
    channel = nil
    await directory?.stop()
    directory = nil
    controllerStates = [:]
    attached = [:]
    turns = [:]
    stopWaitingForAdvertisement()
  }
}
