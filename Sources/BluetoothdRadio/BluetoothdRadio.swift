package import Controllers
package import Radio
package import SystemBus

/// The radio through bluetoothd, over the system's message bus.
///
/// bluetoothd keeps the bonds, confirms indications by itself and shares the controllers with
/// whatever else uses them. It may be absent, restart or be killed at any time: what it holds is
/// then told as gone, and all is set up again when it is back.
package actor BluetoothdRadio: RadioBackend {
  let loop: EventLoop
  let events: EventBuffer
  let busAddress: BusAddress
  let directory: ControllerDirectory?
  let tell: @Sendable (RadioNotice) -> Void

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// The connection to the bus, while there is one.
  var bus: BusConnection?
  var busAttempts = 0
  /// bluetoothd's own name on the bus, while it is there.
  var daemon: String?
  /// Counts the times that all was set up; what belongs to an earlier time is not gone on with.
  var era: UInt64 = 0
  var isStopped = false

  var tree = ObjectTree()
  var adapters: [String: AdapterState] = [:]
  /// How the controllers are attached, by their names.
  var attached: [String: AttachedController] = [:]
  var pace = DiscoveryCycle.Pace.attentive
  /// The links that sessions asked for, by the devices' objects.
  var links: [String: DeviceLink] = [:]
  var linkCount: UInt64 = 0
  var doubts = BondDoubts()
  /// The devices that told their services once, by what their sessions called them.
  var proven: Set<DeviceAddress> = []
  var early = EarlyValues()
  /// The people who pair right now, by the devices' objects.
  var prompts: [String: any PairingPrompt] = [:]
  /// Who waits for a pairing to end, by the devices' objects.
  var pairings: [String: CheckedContinuation<Result<[BusValue], BusError>, Never>] = [:]

  /// Makes a radio that does nothing before it is started.
  ///
  /// - Parameters:
  ///   - loop: The loop that it lives on.
  ///   - events: Where it tells what it hears.
  ///   - bus: The bus where bluetoothd is.
  ///   - directory: What tells how the controllers are attached, where that can be known.
  ///   - notices: What is told what happens to the radio itself, on the loop.
  package init(
    loop: EventLoop, events: EventBuffer, bus: BusAddress = .system,
    directory: ControllerDirectory? = nil, notices: @escaping @Sendable (RadioNotice) -> Void
  ) {
    self.loop = loop
    self.events = events
    self.directory = directory
    busAddress = bus
    tell = notices
  }

  package func start() async throws(RadioError) {
    guard bus == nil, !isStopped else { return }
    await directory?.watch { [weak self] controllers in
      self?.assumeIsolated { $0.took(controllers) }
    }
    await openBus()
  }

  package func send(_ command: RadioCommand) async throws(RadioError) {
    switch command {
    case .connect(let address, let bonded): connect(address, bonded: bonded)
    case .disconnect(let address): disconnect(address)
    case .subscribe(let address, let characteristic):
      try enqueue(.subscribe(characteristic), for: address)
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
    guard daemon != nil else { throw RadioError(Self.absence) }
    var named: [DeviceAddress: BondedDevice] = [:]
    for device in tree.devices where device.isBonded {
      guard let address = device.address else { continue }
      named[address] = BondedDevice(
        address: address, name: named[address]?.name ?? device.name)
    }
    return named.values.sorted { $0.address < $1.address }
  }

  /// Listens less where no sensor needs it: all that are known advertise for long.
  package func setAttentive(_ isAttentive: Bool) {
    pace = isAttentive ? .attentive : .relaxed
    for path in adapters.keys { adapters[path]?.cycle.pace = pace }
  }

  static let absence =
    "bluetoothd is not running, so there is no Bluetooth; it starts when a controller is there "
    + "(`systemctl status bluetooth`)."

  // MARK: Time

  /// Does something later, unless the radio is gone by then.
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
