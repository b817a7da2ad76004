import Controllers
import GATT
import Radio
import SystemBus

// Controllers: set-up, retries and removal.
extension KernelRadio {
  /// Opens the list of attached controllers; it is optional.
  func watchControllers() async {
    do throws(SystemError) {
      let directory = try parts.openDirectory(loop)
      self.directory = directory
      await directory.watch { [weak self] attached in
        self?.assumeIsolated { $0.take(attached) }
      }
    } catch {
      notice(.noDirectory(.system(error.code)))
    }
  }

  /// Opens the management channel and sets up the controllers that are present; tries again later
  /// if the kernel has no Bluetooth yet.
  func openChannel() async {
    guard phase == .working, channel == nil else { return }
    do throws(SystemError) {
      let channel = MgmtChannel(
        loop: loop, socket: try parts.openChannel(),
        events: { [weak self] event, index in
          self?.assumeIsolated { $0.take(event, from: index) }
        },
        ended: { [weak self] error in
          self?.assumeIsolated { $0.lose(error) }
        })
      self.channel = channel
      isKernelMissing = false
      await channel.open()
      await setUpAll(channel)
      lookLater(channel)
    } catch {
      lose(error)
    }
  }

  private func setUpAll(_ channel: MgmtChannel) async {
    guard let present = await controllers(of: channel) else { return }
    if present.isEmpty { notice(.noController) }
    for index in present { begin(index) }
  }

  /// The controllers that the kernel has; `nil` if it does not say.
  private func controllers(of channel: MgmtChannel) async -> [UInt16]? {
    guard let answer = try? await channel.request(.readControllers) else { return nil }
    var reader = ByteReader(answer)
    guard let count = try? reader.u16("count") else { return nil }
    return (0..<count).compactMap { _ in try? reader.u16("controller") }
  }

  /// Looks at the controllers again and again, as long as the channel is open.
  private func lookLater(_ channel: MgmtChannel) {
    later(parts.times.look) { radio in
      guard radio.channel === channel else { return }
      Task {
        await radio.look(channel)
        radio.lookLater(channel)
      }
    }
  }

  /// Sets up the controllers of which an event was lost, and those that have fallen silent, after a
  /// question: the firmware may hang, or the kernel may not have switched the scan on again.
  private func look(_ channel: MgmtChannel) async {
    for index in await controllers(of: channel) ?? [] {
      guard let state = controllerStates[index] else {
        begin(index)
        continue
      }
      guard state.phase == .ready, let information = try? await information(of: index),
        isCurrent(index, state.generation)
      else { continue }
      guard information.current.contains(.powered) else {
        stop(index, trouble(.refused(.notPowered), of: index))
        continue
      }
      if let since = state.lastReceived ?? state.listeningSince,
        .now - since >= parts.times.question
      {
        controllerStates[index]?.wantsNames = true
        discover(index)
      }
      guard let last = state.lastReceived, .now - last >= parts.times.silence,
        pairing == nil, turns[index]?.isBusy != true,
        !links.values.contains(where: { $0.controller == index })
      else { continue }
      _ = try? await channel.request(.setPowered(false), of: index)
      if isCurrent(index, state.generation) { begin(index) }
    }
  }

  /// The channel failed, or could not be opened.
  private func lose(_ error: SystemError) {
    channel = nil
    for index in controllerStates.keys { remove(index) }
    guard phase == .working else { return }
    if !isKernelMissing { notice(.noKernel(.system(error.code))) }
    isKernelMissing = true
    later(parts.times.kernelRetry) { radio in Task { await radio.openChannel() } }
  }

  /// Sets a controller up from the beginning.
  func begin(_ index: UInt16) {
    guard phase == .working else { return }
    generations += 1
    var state = ControllerState(generation: generations)
    state.failures = controllerStates[index]?.failures ?? 0
    controllerStates[index] = state
    let generation = generations
    Task { await setUp(index, generation) }
  }

  private func setUp(_ index: UInt16, _ generation: UInt64) async {
    guard let channel else { return }
    do throws(MgmtError) {
      let information = try await information(of: index)
      guard isCurrent(index, generation) else { return }
      guard information.supported.contains(.lowEnergy) else {
        return stop(index, .notLowEnergy)
      }
      controllerStates[index]?.address = information.address
      controllerStates[index]?.isPowered = information.current.contains(.powered)
      for step in ControllerSetup(information, keys: keys).steps {
        // Before the answer: rfkill may switch it off at once, which the kernel reports.
        if step.command == .setPowered(true) { controllerStates[index]?.isPowered = true }
        do throws(MgmtError) {
          try await channel.request(step.command, of: index)
        } catch {
          guard step.isOptional, case .refused = error else { throw error }
        }
        guard isCurrent(index, generation) else { return }
      }
      try await listen(index, generation)
    } catch {
      guard isCurrent(index, generation) else { return }
      stop(index, trouble(error, of: index))
    }
  }

  private func information(of index: UInt16) async throws(MgmtError) -> ControllerInformation {
    guard let channel else { throw .closed }
    let answer = try await channel.request(.readInformation, of: index)
    do throws(GATTError) {
      return try ControllerInformation(answer)
    } catch {
      throw .malformed(error)
    }
  }

  /// A controller is temporarily unusable: reports it once and tries again later.
  func stop(_ index: UInt16, _ trouble: ControllerTrouble) {
    guard var state = controllerStates[index] else { return }
    let name = ControllerState.name(index)
    // A controller that was just plugged in or unblocked often refuses once.
    let isNew =
      if case .failed = trouble { state.failures == 1 } else { state.phase != .stopped(trouble) }
    if isNew {
      notice(.controller(name, .trouble(trouble)))
    }
    state.phase = .stopped(trouble)
    state.listening = nil
    let delay = state.retryDelay(parts.times.retry)
    state.failures += 1
    controllerStates[index] = state
    guard trouble != .notLowEnergy else { return }
    let generation = state.generation
    later(delay) { radio in
      guard radio.isCurrent(index, generation) else { return }
      radio.retry(index)
    }
  }

  /// Sets a controller up again; its trouble is preserved, so that it is not reported twice.
  private func retry(_ index: UInt16) {
    guard let phase = controllerStates[index]?.phase else { return }
    begin(index)
    controllerStates[index]?.phase = phase
  }

  /// A controller was unplugged.
  func remove(_ index: UInt16) {
    guard controllerStates.removeValue(forKey: index) != nil else { return }
    received.forget(controller: index)
    for (address, state) in links where state.controller == index {
      guard let link = state.link else {
        fail(address, LinkError(.other, .controllerRemoved))
        continue
      }
      link.assumeIsolated { $0.close() }
    }
    notice(.controller(ControllerState.name(index), .removed))
  }

  /// Changes of the attached controllers and their switches.
  func take(_ controllers: [AttachedController]) {
    let before = attached
    attached = Dictionary(controllers.map { ($0.name, $0) }) { first, _ in first }
    for (index, state) in controllerStates {
      let name = ControllerState.name(index)
      let block = attached[name]?.block
      guard block != before[name]?.block else { continue }
      if let block {
        if state.phase == .ready || state.phase == .starting { continue }
        notice(.controller(name, .trouble(.blocked(block))))
      } else if case .stopped = state.phase {
        // Failures from before the unblock do not count.
        controllerStates[index]?.failures = 0
        begin(index)
      }
    }
  }

  /// Whether a set-up of a controller is still the current one.
  func isCurrent(_ index: UInt16, _ generation: UInt64) -> Bool {
    phase == .working && controllerStates[index]?.generation == generation
  }

  /// Runs work on the loop after a delay.
  func later(_ delay: Duration, _ work: @escaping @Sendable (isolated KernelRadio) -> Void) {
    _ = loop.schedule(after: delay) { [weak self] in
      self?.assumeIsolated { work($0) }
    }
  }

  func trouble(_ error: MgmtError, of index: UInt16) -> ControllerTrouble {
    switch error {
    // A block that udev has not reported is assumed to be by software.
    case .refused(.blocked): .blocked(attached[ControllerState.name(index)]?.block ?? .soft)
    case .refused(.notPowered):
      attached[ControllerState.name(index)]?.block.map { .blocked($0) }
        ?? .switchedOff(isRetried: true)
    case .refused(.permissionDenied): .notPermitted
    case .refused, .timedOut, .closed, .notSent, .malformed: .failed(error.reason)
    }
  }
}

// Events of the kernel.
extension KernelRadio {
  func take(_ event: MgmtEvent, from index: UInt16) {
    guard phase == .working else { return }
    switch event {
    case .controllerAdded: begin(index)
    case .controllerRemoved: remove(index)
    case .newSettings(let settings): take(settings, of: index)
    case .deviceFound(let found): receive(found, by: index)
    case .monitorRemoved(let handle): loseMonitor(handle, of: index)
    case .discovering(let isDiscovering): if !isDiscovering { rest(index) }
    case .newLongTermKey(let key, let isStored): if isStored { store(key, of: index) }
    case .newIdentityKey(let key, let address, let isStored):
      if isStored { store(key, behind: address, of: index) }
    case .confirmationRequest(let peer, let passkey, let needsPerson):
      answer(peer, on: index, passkey: passkey, needsPerson: needsPerson)
    case .passkeyRequest(let peer): askPasskey(peer, on: index)
    case .passkeyNotice(let peer, let passkey, let entered):
      // The event is repeated with every digit that is entered.
      if entered == 0 { show(passkey, for: peer) }
    case .authenticationFailed(let peer): authenticationFailed(peer)
    case .answer, .other: break
    }
  }

  private func take(_ settings: MgmtSettings, of index: UInt16) {
    guard let state = controllerStates[index] else { return }
    let isPowered = settings.contains(.powered)
    controllerStates[index]?.isPowered = isPowered
    guard state.isPowered, !isPowered, state.phase == .ready else { return }
    // Links end by themselves. udev's event of an rfkill switch may come later.
    later(parts.times.switchEventDelay) { radio in
      guard radio.isOff(index, state.generation) else { return }
      let trouble = radio.trouble(.refused(.notPowered), of: index)
      guard case .switchedOff = trouble else { return radio.stop(index, trouble) }
      radio.later(radio.parts.times.removal) { radio in
        guard radio.isOff(index, state.generation) else { return }
        radio.stop(index, radio.trouble(.refused(.notPowered), of: index))
      }
    }
  }

  /// Whether a controller that was set up has been switched off since.
  private func isOff(_ index: UInt16, _ generation: UInt64) -> Bool {
    isCurrent(index, generation) && controllerStates[index]?.isPowered == false
  }
}
