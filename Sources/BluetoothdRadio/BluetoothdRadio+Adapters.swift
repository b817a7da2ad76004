import Controllers
import Radio
import SystemBus

// Controllers: power and discovery.
extension BluetoothdRadio {
  // MARK: - Added and removed controllers

  func adapterAppeared(_ path: String) {
    guard let adapter = tree.adapter(path),
      adapters.add(path, isPowered: adapter.isPowered, at: .now)
    else { return }
    guard adapter.isPowered else { return powerOn(path) }
    notice(.controller(adapter.name, .found))
    drive(path)
  }

  func adapterVanished(_ path: String) {
    for timer in adapters.remove(path) { loop.cancel(timer) }
  }

  func adapterChanged(from before: AdapterObject, to now: AdapterObject) {
    let path = now.path
    if before.properties["Discovering"]?.flag == true,
      now.properties["Discovering"]?.flag == false
    {
      adapters.ended(path, at: .now)
    }
    adapters.setPowered(now.isPowered, of: path)
    if !before.isPowered, now.isPowered { notice(.controller(now.name, .switchedOn)) }
    if before.isPowered, !now.isPowered {
      for device in links.paths(over: path) { drop(device) }
      // A controller that is unplugged is reported as switched off first.
      _ = later(.seconds(2)) { $0.wasSwitchedOff(path) }
    }
    drive(path)
  }

  private func wasSwitchedOff(_ path: String) {
    guard adapters.contains(path), let adapter = tree.adapter(path), !adapter.isPowered else {
      return
    }
    let block = attached[adapter.name]?.block
    report(path, block.map { .blocked($0) } ?? .switchedOff(isRetried: false))
  }

  /// Applies the controllers' attachment and rfkill switches.
  func take(_ controllers: [AttachedController]) {
    let before = attached
    attached = Dictionary(controllers.map { ($0.name, $0) }) { first, _ in first }
    for adapter in tree.adapters where !adapter.isPowered {
      if before[adapter.name]?.block != nil, attached[adapter.name]?.block == nil {
        powerOn(adapter.path)
      }
    }
  }

  // MARK: - Power

  private func powerOn(_ path: String) {
    guard let adapter = tree.adapter(path), !adapter.isPowered else { return }
    if let timer = adapters.setPowerTimer(nil, of: path) { loop.cancel(timer) }
    if let block = attached[adapter.name]?.block {
      return report(path, .blocked(block))
    }
    let era = era
    Task {
      do throws(BusError) {
        try await set(path, BlueZInterface.adapter, "Powered", to: .boolean(true))
        guard self.era == era, tree.adapter(path)?.isPowered == false else { return }
        // It was on already, and the signal that said so came before the list of objects.
        changed(path, BlueZInterface.adapter, ["Powered": .boolean(true)], invalidated: [])
      } catch {
        guard self.era == era, adapters.contains(path) else { return }
        report(path, .notPowered(error.reason))
        // An rfkill switch that udev does not report may be released meanwhile.
        _ = adapters.setPowerTimer(later(.seconds(15)) { $0.powerOn(path) }, of: path)
      }
    }
  }

  private func report(_ path: String, _ trouble: ControllerTrouble) {
    guard adapters.setTrouble(trouble, of: path) else { return }
    notice(.controller(name(of: path), .trouble(trouble)))
  }

  // MARK: - Discovery

  /// Performs the next action of a controller's discovery cycle.
  func drive(_ path: String) {
    let (action, wakeAt, expired) = adapters.next(path, at: .now)
    if let expired { loop.cancel(expired) }
    if let wakeAt { adapters.setTimer(later(wakeAt - .now) { $0.drive(path) }, of: path) }
    guard let action else { return }
    let era = era
    Task {
      switch action {
      case .start: await startDiscovery(path, era: era)
      case .stop: await stopDiscovery(path, era: era)
      }
      if self.era == era { drive(path) }
    }
  }

  private func startDiscovery(_ path: String, era: UInt64) async {
    // Without a filter bluetoothd also searches for classic devices, which takes half of the time,
    // and reports each device once.
    let filter = BusValue.properties([
      "Transport": .string("le"), "DuplicateData": .boolean(true),
    ])
    do throws(BusError) {
      _ = try await call(
        path, BlueZInterface.adapter, "SetDiscoveryFilter", [filter], timeout: .seconds(15))
      _ = try await call(path, BlueZInterface.adapter, "StartDiscovery", timeout: .seconds(15))
    } catch .refused("org.bluez.Error.InProgress", _) {
      // A call that was not answered in time took effect later. The next stop ends it.
    } catch {
      guard self.era == era else { return }
      adapters.failed(path, at: .now)
      return report(path, .notListening(error.reason))
    }
    guard self.era == era else { return }
    adapters.started(path, at: .now)
  }

  private func stopDiscovery(_ path: String, era: UInt64) async {
    do throws(BusError) {
      _ = try await call(path, BlueZInterface.adapter, "StopDiscovery", timeout: .seconds(15))
      guard self.era == era else { return }
      if adapters.acceptedStop(path) { notice(.controller(name(of: path), .recovered)) }
    } catch .refused(let name, _) where Self.provingRefusals.contains(name) {
      await cureDiscovery(path, era: era)
    } catch {
      // It is off, or bluetoothd does not answer: that is reported where it is set up again.
    }
    guard self.era == era else { return }
    let leavesRoom = tree.devices.contains { $0.adapter == path && $0.isAwaited }
    if adapters.stopped(path, at: .now, leavesRoom: leavesRoom) { report(path, .deaf) }
  }

  /// The refusals of a stop that concern discovery itself.
  private static let provingRefusals = ["InProgress", "Failed"].map { "org.bluez.Error." + $0 }

  /// Does what is due after a refused stop; discovery waits for it.
  private func cureDiscovery(_ path: String, era: UInt64) async {
    guard self.era == era, tree.adapter(path)?.isPowered == true else { return }
    let isLinked =
      !links.paths(over: path).isEmpty
      || tree.devices.contains { $0.adapter == path && $0.isConnected }
    switch adapters.refusedStop(path, at: .now, isLinked: isLinked) {
    case nil: break
    case .wait: report(path, .stuck(isHopeless: false))
    case .advice: report(path, .stuck(isHopeless: true))
    case .power:
      report(path, .stuck(isHopeless: false))
      do throws(BusError) {
        try await set(path, BlueZInterface.adapter, "Powered", to: .boolean(false))
        try await set(path, BlueZInterface.adapter, "Powered", to: .boolean(true))
      } catch {
        // If it is off now, it is switched on again until that succeeds.
        if self.era == era { powerOn(path) }
      }
    }
  }

  private func name(of path: String) -> String { tree.adapter(path)?.name ?? path }

  // MARK: - Turns

  /// Waits for a link's turn to connect over a controller.
  ///
  /// - Returns: Whether it was granted: the link may be displaced, and the controller may be
  ///   removed.
  func takeTurn(_ path: String, _ number: UInt64, isKnown: Bool) async -> Bool {
    await withCheckedContinuation {
      adapters.requestTurn(number, on: path, isKnown: isKnown, $0)
    }
  }

  /// Pauses discovery and waits until it is paused.
  func quiet(_ path: String) async {
    adapters.hold(path)
    drive(path)
    guard !adapters.isQuiet(path) else { return }
    await withCheckedContinuation { adapters.waitForQuiet(path, $0) }
  }

  /// Lets discovery continue.
  func endQuiet(_ path: String) {
    if adapters.release(path) { drive(path) }
  }
}
