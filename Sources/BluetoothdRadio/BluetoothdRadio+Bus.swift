import Radio
import SystemBus

// The connection to the bus, and bluetoothd on it.
extension BluetoothdRadio {
  static let service = "org.bluez"
  private static let objectManager = "org.freedesktop.DBus.ObjectManager"
  private static let propertiesInterface = "org.freedesktop.DBus.Properties"

  // MARK: - The bus

  func openBus() async {
    guard !isStopped else { return }
    busNumber &+= 1
    let number = busNumber
    do throws(BusError) {
      let bus = try BusConnection(loop: loop, address: busAddress) { [weak self] event in
        self?.assumeIsolated { $0.handle(event, from: number) }
      }
      self.bus = bus
      await bus.start()
      try await listen(on: bus)
      busAttempts = 0
      try await findDaemon(on: bus)
    } catch {
      await lostBus(number, error)
    }
  }

  private func listen(on bus: BusConnection) async throws(BusError) {
    try await bus.addMatch(
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
        + "member='NameOwnerChanged',arg0='\(Self.service)'")
    try await bus.addMatch(
      "type='signal',sender='\(Self.service)',interface='\(Self.objectManager)'")
    try await bus.addMatch(
      "type='signal',sender='\(Self.service)',interface='\(Self.propertiesInterface)',"
        + "member='PropertiesChanged',path_namespace='/org/bluez'")
    try await bus.addMatch(
      "type='signal',sender='\(Self.service)',interface='\(BlueZInterface.device)'")
  }

  private func findDaemon(on bus: BusConnection) async throws(BusError) {
    do throws(BusError) {
      let answer = try await bus.call(.bus("GetNameOwner", .string(Self.service)))
      if daemon == nil, let name = answer.first?.text { await attach(name) }
    } catch .refused {
      if daemon == nil {
        notice(.noBluetoothd)
        activateLater(era)
      }
    }
  }

  /// How long bluetoothd may take to start by itself, or to start again, before it is asked to.
  static let activationDelay = Duration.seconds(5)
  /// The longest pause between two requests.
  private static let longestActivationPause = Duration.seconds(300)

  /// Asks the bus to start bluetoothd while a controller is there: Debian's unit is not started
  /// again after a crash.
  private func activateLater(_ era: UInt64, after delay: Duration = activationDelay) {
    _ = later(delay) { radio in
      guard radio.era == era, radio.daemon == nil, !radio.isStopped else { return }
      Task { await radio.activate(era, after: delay) }
    }
  }

  private func activate(_ era: UInt64, after delay: Duration) async {
    if !attached.isEmpty, let bus {
      // A refusal says nothing new: the unit is masked or not installed.
      _ = try? await bus.call(
        .bus("StartServiceByName", .string(Self.service), .uint32(0)), timeout: .seconds(30))
    }
    activateLater(era, after: min(delay * 2, Self.longestActivationPause))
  }

  private func handle(_ event: BusConnection.Event, from number: UInt64) {
    guard busNumber == number, !isStopped else { return }
    switch event {
    case .message(let message) where message.kind == .signal: handle(message)
    case .message(let message): answer(message)
    case .ended: Task { await lostBus(number, .disconnected) }
    }
  }

  /// Reconnects with growing delays: every working machine has the bus.
  private func lostBus(_ number: UInt64, _ error: BusError) async {
    guard busNumber == number, !isStopped else { return }
    busNumber &+= 1
    era &+= 1
    let bus = bus
    self.bus = nil
    detach()
    await bus?.close()
    busAttempts = min(busAttempts + 1, 5)
    let next = busNumber
    if busAttempts == 1 {
      notice(.noBus(error.reason))
    }
    _ = later(.seconds(1 << busAttempts)) { radio in
      guard radio.busNumber == next else { return }
      Task { await radio.openBus() }
    }
  }

  // MARK: - bluetoothd

  /// Sets everything up with a running bluetoothd.
  private func attach(_ name: String) async {
    daemon = name
    let era = era
    registerAgent()
    do throws(BusError) {
      let objects = try await call(
        "/", Self.objectManager, "GetManagedObjects", timeout: .seconds(30))
      guard self.era == era, daemon == name else { return }
      tree.replace(with: objects.first)
    } catch {
      guard self.era == era, daemon == name else { return }
      notice(.bluetoothdSilent(error.reason))
      _ = later(.seconds(10)) { radio in
        guard radio.era == era, radio.daemon == name else { return }
        Task { await radio.attach(name) }
      }
      return
    }
    notice(.bluetoothdFound)
    for adapter in tree.adapters { adapterAppeared(adapter.path) }
    if adapters.isEmpty { notice(.noController) }
    repeatLinkedByOthers(era)
  }

  /// Reports the devices that are linked and not used, and the records that no session has come for,
  /// now and every ten seconds.
  ///
  /// A session may have been in its pause when another program linked its device.
  private func repeatLinkedByOthers(_ era: UInt64) {
    for device in tree.devices where device.isConnected { reportLinkedByOthers(device) }
    reportWaitingIndications()
    _ = later(.seconds(10)) { radio in
      if radio.era == era { radio.repeatLinkedByOthers(era) }
    }
  }

  /// Reports the end of everything that belonged to bluetoothd.
  private func detach() {
    daemon = nil
    reportIndications(under: "/org/bluez")
    tree = ObjectTree()
    for path in links.paths { drop(path) }
    for path in adapters.paths { adapterVanished(path) }
    pairings.removePrompts()
  }

  private func daemonChanged(to name: String?) {
    guard name != daemon else { return }
    if daemon != nil {
      notice(.bluetoothdLost)
      detach()
      era &+= 1
      if name == nil { activateLater(era) }
    }
    if let name { Task { await attach(name) } }
  }

  // MARK: - Calls and signals

  /// Calls a method of bluetoothd.
  func call(
    _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = [],
    timeout: Duration
  ) async throws(BusError) -> [BusValue] {
    guard let bus, daemon != nil else { throw .disconnected }
    return try await bus.call(
      BusCall(
        destination: Self.service, path: path, interface: interface, member: member,
        arguments: arguments),
      timeout: timeout)
  }

  /// Sets a property of an object of bluetoothd.
  func set(
    _ path: String, _ interface: String, _ property: String, to value: BusValue
  ) async throws(BusError) {
    _ = try await call(
      path, Self.propertiesInterface, "Set",
      [.string(interface), .string(property), .variant(value)], timeout: .seconds(15))
  }

  private func handle(_ signal: BusMessage) {
    if signal.member == "NameOwnerChanged", signal.sender == "org.freedesktop.DBus" {
      guard signal.argument(0)?.text == Self.service else { return }
      let name = signal.argument(2)?.text ?? ""
      return daemonChanged(to: name.isEmpty ? nil : name)
    }
    // A signal of an earlier bluetoothd may arrive late.
    guard signal.sender == daemon else { return }
    switch (signal.interface, signal.member) {
    case (Self.objectManager, "InterfacesAdded"):
      guard let path = signal.argument(0)?.text else { return }
      added(path, signal.argument(1))
    case (Self.objectManager, "InterfacesRemoved"):
      guard let path = signal.argument(0)?.text else { return }
      removed(path, signal.argument(1)?.texts ?? [])
    case (Self.propertiesInterface, "PropertiesChanged"):
      guard let interface = signal.argument(0)?.text else { return }
      changed(
        signal.path, interface, signal.argument(1)?.properties ?? [:],
        invalidated: signal.argument(2)?.texts ?? [])
    case (BlueZInterface.device, "Disconnected"):
      linkEnded(signal.path, reason: signal.argument(0)?.text ?? "")
    default:
      break
    }
  }
}
