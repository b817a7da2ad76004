package import Controllers
package import Radio
package import SystemBus

/// The radio through bluetoothd, over the system's message bus.
///
/// bluetoothd stores the bonds, confirms indications itself and shares the controllers with other
/// programs. It may be absent, restart or be killed at any time: then the end of every link is
/// reported, and everything is set up again when it returns.
///
/// The actor executes the decisions of its parts: ``Adapters``, ``Links``, ``Subscriptions`` and
/// ``Pairings`` are values with private state.
package actor BluetoothdRadio: RadioBackend {
  let loop: EventLoop
  let events: EventBuffer
  let busAddress: BusAddress
  let directory: ControllerDirectory?
  let notice: @Sendable (RadioNotice) -> Void

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// The connection to the bus, if connected.
  var bus: BusConnection?
  var busAttempts = 0
  /// Counts the connections to the bus; events of an earlier one mean nothing.
  var busNumber: UInt64 = 0
  /// bluetoothd's unique name on the bus, if it runs.
  var daemon: String?
  /// Counts the set-ups with bluetoothd; tasks of an earlier one stop.
  var era: UInt64 = 0
  var isStopped = false

  var tree = ObjectTree()
  /// How the controllers are attached, by name.
  var attached: [String: AttachedController] = [:]
  var adapters = Adapters()
  var links = Links()
  var subscriptions = Subscriptions()
  var pairings = Pairings()
  var doubts = BondDoubts()
  /// The devices whose services were known on a link, by their sessions' addresses.
  var linkedBefore = KnownDevices<Void>()

  /// Makes a radio that is not started yet.
  ///
  /// - Parameters:
  ///   - loop: The event loop that it runs on.
  ///   - events: Receives its events.
  ///   - bus: The bus of bluetoothd.
  ///   - directory: The controllers' attachment, if available.
  ///   - notice: Called on the loop with changes of the radio's state.
  package init(
    loop: EventLoop, events: EventBuffer, bus: BusAddress = .system,
    directory: ControllerDirectory? = nil, notice: @escaping @Sendable (RadioNotice) -> Void
  ) {
    self.loop = loop
    self.events = events
    self.directory = directory
    busAddress = bus
    self.notice = notice
  }

  package func start() async throws(RadioError) {
    guard bus == nil, !isStopped else { return }
    await directory?.watch { [weak self] controllers in
      self?.assumeIsolated { $0.take(controllers) }
    }
    await openBus()
  }

  package func send(_ command: RadioCommand) async throws(RadioError) {
    switch command {
    case .connect(let address, let bonded): connect(address, bonded: bonded)
    case .disconnect(let address): disconnect(address)
    case .subscribe(let address, let characteristic, let isMotion):
      try enqueue(.subscribe(characteristic, isMotion: isMotion), for: address)
    case .read(let address, let characteristic): try enqueue(.read(characteristic), for: address)
    case .write(let address, let characteristic, let data, let withResponse):
      try enqueue(
        .write(characteristic, data: data, withResponse: withResponse), for: address)
    case .confirm: break  // bluetoothd has done so already.
    }
  }

  package func controllers() async -> [Controller] {
    tree.adapters.map { adapter in
      Controller(
        name: adapter.name, address: adapter.address, isPowered: adapter.isPowered,
        bus: attached[adapter.name]?.bus, block: attached[adapter.name]?.block)
    }
  }

  package func bonds() async throws(RadioError) -> [BondedDevice] {
    guard daemon != nil else { throw .noBluetoothd }
    var named: [DeviceAddress: BondedDevice] = [:]
    for device in tree.devices where device.isBonded {
      guard let address = device.address else { continue }
      named[address] = BondedDevice(
        address: address, name: named[address]?.name ?? device.name)
    }
    return named.values.sorted { $0.address < $1.address }
  }

  /// Disconnects and stops discovery, as far as bluetoothd answers.
  ///
  /// bluetoothd confirms what arrives until a link has ended, so its files are read until then. They
  /// are closed after the link and before the connection to the bus, as at the end of any link:
  /// bluetoothd 5.66 crashes otherwise.
  package func stop() async {
    guard !isStopped else { return }
    let ending = links.paths.filter { links.beginDisconnecting($0) != nil }
    // Two seconds for one link, or for all at the same time.
    await withTaskGroup(of: Void.self) { group in
      for path in ending {
        group.addTask {
          _ = try? await self.call(
            path, BlueZInterface.device, "Disconnect", timeout: .seconds(5))
        }
      }
    }
    for path in ending { drop(path) }
    // Links that a session has begun to end; their own tasks drop them.
    let deadline = ContinuousClock.now + .seconds(5)
    while !links.paths.isEmpty, .now < deadline { await pause(.milliseconds(50)) }
    for path in adapters.paths {
      _ = try? await call(path, BlueZInterface.adapter, "StopDiscovery", timeout: .seconds(5))
    }
    isStopped = true
    era &+= 1
    daemon = nil
    for path in links.paths { drop(path) }
    for path in adapters.paths { adapterVanished(path) }
    await directory?.stop()
    // bluetoothd removes the agent with the connection.
    await bus?.close()
    bus = nil
  }

  // MARK: - Time

  /// Schedules work, unless the radio is deallocated by then.
  func later(
    _ delay: Duration, _ work: @escaping @Sendable (isolated BluetoothdRadio) -> Void
  ) -> EventLoop.Watch {
    loop.schedule(after: delay) { [weak self] in self?.assumeIsolated { work($0) } }
  }

  func pause(_ duration: Duration) async {
    await withCheckedContinuation { continuation in
      _ = loop.schedule(after: duration) { continuation.resume() }
    }
  }
}
