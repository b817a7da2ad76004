import GATT
import Radio

// Receiving advertisements: by a monitor if the kernel supports it, else by discovery with pauses.
extension KernelRadio {
  /// Starts receiving on a controller that is set up.
  func listen(_ index: UInt16, _ generation: UInt64) async throws(MgmtError) {
    guard let channel else { throw .closed }
    let listening: ControllerState.Listening
    do throws(MgmtError) {
      let answer = try await channel.request(.addMonitor(.nearlyEverything), of: index)
      var reader = ByteReader(answer)
      listening = (try? reader.u16("monitor")).map { .monitor(handle: $0) } ?? .discovery
    } catch .refused(let status) where status != .permissionDenied && status != .invalidIndex {
      listening = .discovery
    }
    guard isCurrent(index, generation) else { return }
    guard controllerStates[index]?.isPowered == true else { throw .refused(.notPowered) }
    let isNew = controllerStates[index]?.phase != .ready
    controllerStates[index]?.phase = .ready
    controllerStates[index]?.listening = listening
    controllerStates[index]?.listeningSince = .now
    controllerStates[index]?.failures = 0
    if isNew {
      let isContinuous = listening != .discovery
      notice(.controller(ControllerState.name(index), .listening(isContinuous: isContinuous)))
    }
    if listening == .discovery { discover(index) }
  }

  /// Another program removed the monitor: it is added again.
  func loseMonitor(_ handle: UInt16, of index: UInt16) {
    guard let state = controllerStates[index], state.listening == .monitor(handle: handle) else {
      return
    }
    // bluetoothd removes all monitors when it starts.
    guard !isBluetoothdThere() else {
      Task { await yieldToBluetoothd() }
      return
    }
    controllerStates[index]?.listening = nil
    let generation = state.generation
    Task {
      do throws(MgmtError) {
        try await listen(index, generation)
      } catch {
        if isCurrent(index, generation) { stop(index, trouble(error, of: index)) }
      }
    }
  }

  /// Starts a discovery, unless a link is to be connected or the pause lasts.
  ///
  /// In monitor mode it requests the names of devices that have not advertised them, and ends
  /// early.
  func discover(_ index: UInt16) {
    guard let state = controllerStates[index], state.phase == .ready, !state.isDiscovering,
      !state.isResting, turns[index]?.isBusy != true, pairing?.controller != index, let channel
    else { return }
    let isForNames = state.listening != .discovery
    guard !isForNames || state.wantsNames else { return }
    controllerStates[index]?.isDiscovering = true
    controllerStates[index]?.wantsNames = false
    let generation = state.generation
    Task {
      do throws(MgmtError) {
        try await channel.request(.startDiscovery, of: index)
      } catch {
        guard isCurrent(index, generation) else { return }
        // Its switch was pressed unnoticed: it is set up again.
        guard error != .refused(.notPowered) else { return stop(index, trouble(error, of: index)) }
        didNotAnswer(index, error)
        return rest(index)
      }
      guard isCurrent(index, generation) else { return }
      answered(index)
      guard isForNames else { return }
      later(parts.times.nameScan) { radio in
        if radio.isCurrent(index, generation) { radio.endDiscovery(index) }
      }
    }
  }

  /// How many discoveries in a row have to fail: a controller that is busy refuses one.
  private static let proof = 2

  /// A discovery did not begin; after silence it is tried again soon.
  private func didNotAnswer(_ index: UInt16, _ error: MgmtError) {
    guard error != .refused(.busy), let state = controllerStates[index] else { return }
    controllerStates[index]?.unanswered += 1
    controllerStates[index]?.wantsNames = true
    guard state.unanswered + 1 == Self.proof else { return }
    notice(.controller(ControllerState.name(index), .trouble(.mute(error.reason))))
  }

  /// The controller began a discovery, or received something.
  private func answered(_ index: UInt16) {
    guard let unanswered = controllerStates[index]?.unanswered, unanswered > 0 else { return }
    controllerStates[index]?.unanswered = 0
    guard unanswered >= Self.proof else { return }
    notice(.controller(ControllerState.name(index), .recovered))
  }

  /// Ends a discovery; the kernel's event follows.
  func endDiscovery(_ index: UInt16) {
    guard controllerStates[index]?.isDiscovering == true, let channel else { return }
    Task { _ = try? await channel.request(.stopDiscovery, of: index) }
  }

  /// A discovery has ended, or could not start: pauses before the next one.
  func rest(_ index: UInt16) {
    guard let state = controllerStates[index], state.isDiscovering else { return }
    controllerStates[index]?.isDiscovering = false
    controllerStates[index]?.isResting = true
    let generation = state.generation
    let isMonitoring = state.listening != .discovery
    later(isMonitoring ? parts.times.nameScanPause : parts.times.discoveryPause) { radio in
      guard radio.isCurrent(index, generation) else { return }
      radio.controllerStates[index]?.isResting = false
      radio.discover(index)
    }
  }

  /// An advertisement was received.
  func receive(_ found: FoundDevice, by index: UInt16) {
    guard let state = controllerStates[index] else { return }
    controllerStates[index]?.lastReceived = .now
    answered(index)
    let isAskedFor = received.receive(
      found, by: index, isAnswered: state.isDiscovering, at: .now)
    if isAskedFor, !state.wantsNames {
      controllerStates[index]?.wantsNames = true
      later(parts.times.nameScanDelay) { $0.discover(index) }
    }
    learnName(of: found.peer.address)
    events.push(
      .advertisement(
        Advertisement(
          address: found.peer.address, addressType: found.peer.type, rssi: found.rssi,
          data: found.data, isConnectable: found.isConnectable)))
    if let pairing, pairing.address == found.peer.address { stopWaitingForAdvertisement() }
  }
}
