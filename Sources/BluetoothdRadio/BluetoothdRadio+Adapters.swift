import Controllers
import Radio
import SystemBus

// Controllers: switching them on, and listening with them.
extension BluetoothdRadio {
  static let noController =
    "There is no Bluetooth controller; listening begins by itself when one is plugged in."

  // MARK: Coming and going

  func adapterAppeared(_ path: String) {
    guard adapters[path] == nil, let adapter = tree.adapter(path) else { return }
    var state = AdapterState(at: .now)
    state.cycle.pace = pace
    state.cycle.isPowered = adapter.isPowered
    adapters[path] = state
    guard adapter.isPowered else { return powerOn(path) }
    tell(RadioNotice(.info, "The controller \(adapter.name) is there."))
    drive(path)
  }

  func adapterVanished(_ path: String) {
    guard var state = adapters.removeValue(forKey: path) else { return }
    if let timer = state.timer { loop.cancel(timer) }
    if let timer = state.powerTimer { loop.cancel(timer) }
    for continuation in state.waitingForQuiet { continuation.resume() }
    while let waiting = state.turns.give() { waiting.resume(returning: false) }
  }

  func adapterChanged(from before: AdapterObject, to now: AdapterObject) {
    let path = now.path
    if before.properties["Discovering"]?.flag == true,
      now.properties["Discovering"]?.flag == false
    {
      adapters[path]?.cycle.ended(at: .now)
    }
    adapters[path]?.cycle.isPowered = now.isPowered
    if !before.isPowered, now.isPowered {
      adapters[path]?.trouble = nil
      tell(RadioNotice(.info, "The controller \(now.name) is on."))
    }
    if before.isPowered, !now.isPowered {
      for (device, link) in links where link.adapter == path { drop(device) }
      // One that is pulled out is switched off first.
      _ = later(.seconds(2)) { $0.wasSwitchedOff(path) }
    }
    drive(path)
  }

  private func wasSwitchedOff(_ path: String) {
    guard adapters[path] != nil, let adapter = tree.adapter(path), !adapter.isPowered else {
      return
    }
    let explanation = attached[adapter.name]?.block?.explanation(of: adapter.name)
    report(
      path,
      explanation
        ?? "The controller \(adapter.name) was switched off; `bluetoothctl power on` switches it on."
    )
  }

  /// How the controllers are attached, and whether switches keep them off.
  func took(_ controllers: [AttachedController]) {
    let before = attached
    attached = Dictionary(controllers.map { ($0.name, $0) }) { first, _ in first }
    for adapter in tree.adapters where !adapter.isPowered {
      if before[adapter.name]?.block != nil, attached[adapter.name]?.block == nil {
        powerOn(adapter.path)
      }
    }
  }

  // MARK: Power

  private func powerOn(_ path: String) {
    guard let adapter = tree.adapter(path), !adapter.isPowered else { return }
    if let timer = adapters[path]?.powerTimer { loop.cancel(timer) }
    adapters[path]?.powerTimer = nil
    if let block = attached[adapter.name]?.block {
      return report(path, block.explanation(of: adapter.name))
    }
    let era = era
    Task {
      do throws(BusError) {
        try await set(path, BlueZInterface.adapter, "Powered", to: .boolean(true))
      } catch {
        guard self.era == era, adapters[path] != nil else { return }
        report(path, "The controller \(adapter.name) cannot be switched on: \(error).")
        // A switch that nobody tells of may be turned meanwhile.
        adapters[path]?.powerTimer = later(.seconds(15)) { $0.powerOn(path) }
      }
    }
  }

  private func report(_ path: String, _ text: String) {
    guard adapters[path]?.trouble != text else { return }
    adapters[path]?.trouble = text
    tell(RadioNotice(.warning, text))
  }

  // MARK: Listening

  /// Does what the controller's cycle wants now, and asks it again when it wants that.
  func drive(_ path: String) {
    guard var state = adapters[path] else { return }
    if let timer = state.timer { loop.cancel(timer) }
    state.timer = nil
    let action = state.cycle.next(at: .now)
    if state.cycle.isQuiet {
      for continuation in state.waitingForQuiet { continuation.resume() }
      state.waitingForQuiet = []
    }
    if let wakeAt = state.cycle.wakeAt {
      state.timer = later(wakeAt - .now) { $0.drive(path) }
    }
    adapters[path] = state
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
    // A filter of our own: without it bluetoothd looks for classic devices too, which takes half of
    // the time, and tells each device once.
    let filter = BusValue.properties([
      "Transport": .string("le"), "DuplicateData": .boolean(true),
    ])
    do throws(BusError) {
      _ = try await call(
        path, BlueZInterface.adapter, "SetDiscoveryFilter", [filter], timeout: .seconds(15))
      _ = try await call(path, BlueZInterface.adapter, "StartDiscovery", timeout: .seconds(15))
    } catch {
      guard self.era == era else { return }
      adapters[path]?.cycle.failed(at: .now)
      let name = tree.adapter(path)?.name ?? path
      return report(path, "The controller \(name) cannot listen: \(error). It is tried again.")
    }
    guard self.era == era else { return }
    adapters[path]?.cycle.started(at: .now)
    adapters[path]?.trouble = nil
  }

  private func stopDiscovery(_ path: String, era: UInt64) async {
    // It is refused where somebody else has stopped it, which is as good.
    _ = try? await call(path, BlueZInterface.adapter, "StopDiscovery", timeout: .seconds(15))
    guard self.era == era else { return }
    adapters[path]?.cycle.stopped(at: .now)
    guard adapters[path]?.silence.isDeaf(at: .now) == true else { return }
    let name = tree.adapter(path)?.name ?? path
    report(
      path,
      "The controller \(name) hears nothing any more, though it did. If sensors are near and "
        + "awake, switch it off and on: `bluetoothctl power off`, `bluetoothctl power on`.")
  }

  // MARK: Turns

  /// Waits for the turn to bring a link up on a controller.
  ///
  /// - Returns: Whether it came; too many may wait, and the controller may vanish.
  func takeTurn(_ path: String, isKnown: Bool) async -> Bool {
    guard adapters[path] != nil else { return false }
    if adapters[path]?.turns.take() == true { return true }
    guard adapters[path]?.turns.hasRoom == true else { return false }
    return await withCheckedContinuation { continuation in
      adapters[path]?.turns.wait(continuation, isKnown: isKnown)
    }
  }

  /// Gives the turn to who waits for it.
  func giveTurn(_ path: String) {
    adapters[path]?.turns.give()?.resume(returning: true)
  }

  /// Makes discovery rest, and waits until it does.
  func quiet(_ path: String) async {
    adapters[path]?.cycle.holds += 1
    drive(path)
    guard adapters[path]?.cycle.isQuiet == false else { return }
    await withCheckedContinuation { adapters[path]?.waitingForQuiet.append($0) }
  }

  /// Lets discovery go on.
  func endQuiet(_ path: String) {
    guard let holds = adapters[path]?.cycle.holds, holds > 0 else { return }
    adapters[path]?.cycle.holds = holds - 1
    drive(path)
  }
}

extension Controller.Block {
  /// What keeps a controller off, and what to do about it, for people.
  fileprivate func explanation(of name: String) -> String {
    switch self {
    case .soft:
      "The controller \(name) is blocked by software: `rfkill unblock bluetooth` frees it."
    case .hard:
      "The controller \(name) is blocked by a switch of the machine, or its settings at start."
    }
  }
}
