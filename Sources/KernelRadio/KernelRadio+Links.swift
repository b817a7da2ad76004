import Radio

// Links: one coming up at a time on each controller.
extension KernelRadio {
  /// How many devices' attributes are remembered.
  private static let mostCaches = 256

  /// Brings up a link, encrypted from the start where a bond is kept; where none is, the device says
  /// when it wants one.
  func connect(_ address: DeviceAddress) {
    guard links[address] == nil else { return }
    guard let (controller, peer, hasBond) = route(to: address) else {
      let reason =
        controllerStates.values.contains { $0.phase == .ready }
        ? "\(address) has not been heard. Wake it up, and bring it near."
        : "\(address) cannot be connected: no Bluetooth controller is ready."
      events.push(.failed(address, kind: .gone, reason: reason))
      return
    }
    generations += 1
    links[address] = KernelLinkState(
      id: generations, controller: controller, peer: peer, isBonded: hasBond)
    let admission = connects.add(
      address, to: controller, isKnown: hasBond || caches[address] != nil)
    if let dropped = admission.dropped {
      fail(
        dropped, .transient,
        "\(dropped) was not connected: too many devices wait for the controller.")
    }
    if admission.begins { open(address) }
  }

  /// Hands a command to the link of a device.
  ///
  /// - Returns: Whether there is one.
  func forward(_ command: RadioCommand, to address: DeviceAddress) -> Bool {
    guard let link = links[address]?.link else { return false }
    link.assumeIsolated { $0.send(command) }
    return true
  }

  func disconnect(_ address: DeviceAddress) {
    guard let state = links[address] else { return }
    guard let link = state.link else { return end(address, state) }
    link.assumeIsolated { $0.send(.disconnect(address)) }
  }

  /// Ends all links at once; their sessions are told.
  func closeLinks() {
    for (address, state) in links {
      state.link?.assumeIsolated { $0.close() }
      // The link's own news would come when nobody knows it any more.
      events.push(.disconnected(address))
    }
    links = [:]
  }

  /// A link does not come up.
  func fail(_ address: DeviceAddress, _ kind: LinkFailure, _ reason: String) {
    guard let state = links[address] else { return }
    events.push(.failed(address, kind: kind, reason: reason))
    end(address, state)
  }

  /// The kernel says that a device refused to prove who it is.
  func authenticationFailed(_ peer: PeerAddress) {
    links[peer.address]?.link?.assumeIsolated { $0.authenticationFailed() }
  }

  /// Through which controller a device is reached: the one it is bonded with, else the one that
  /// hears it best.
  private func route(
    to address: DeviceAddress
  ) -> (controller: UInt16, peer: PeerAddress, hasBond: Bool)? {
    let ready = controllerStates.filter { $0.value.phase == .ready }
    for bond in keys.bonds(with: address) {
      let own = ready.first { $0.value.address == bond.controller }
      if let own { return (own.key, bond.peer, true) }
    }
    guard let device = heard[address],
      let controller = heard.controller(for: address, among: Set(ready.keys))
    else { return nil }
    return (controller, PeerAddress(address, device.type), false)
  }

  /// It is a link's turn to come up.
  private func open(_ address: DeviceAddress) {
    guard let state = links[address] else { return }
    guard let source = controllerStates[state.controller]?.address else {
      return fail(address, .other, "\(address) cannot be connected: the controller has no address.")
    }
    // Some controllers cannot look for devices and connect at the same time.
    endDiscovery(state.controller)
    let id = state.id
    let target = LinkTarget(
      peer: state.peer, controller: PeerAddress(source, .public), isBonded: state.isBonded)
    // Its number makes the confirmations of this link its own.
    let link = KernelLink(
      target, on: loop, cached: caches[address], firstIndication: id << 32, connect: parts.connect
    ) { [weak self] news in
      self?.assumeIsolated { $0.take(news, of: address, id) }
    }
    links[address]?.link = link
    link.assumeIsolated { $0.open() }
    limitTurn(of: address, id)
  }

  /// Ends a connect that keeps others waiting for too long.
  private func limitTurn(of address: DeviceAddress, _ id: UInt64) {
    later(parts.times.turn) { radio in
      guard let state = radio.links[address], state.id == id, !state.isUp else { return }
      guard radio.connects.isAwaited(state.controller) else {
        return radio.limitTurn(of: address, id)
      }
      radio.fail(
        address, .transient,
        "\(address) was not connected: it does not answer, and others wait for the controller.")
      state.link?.assumeIsolated { $0.close() }
    }
  }

  private func take(_ news: LinkNews, of address: DeviceAddress, _ id: UInt64) {
    guard let state = links[address], state.id == id else { return }
    switch news {
    case .event(let event):
      events.push(event)
      if case .connected = event {
        links[address]?.isUp = true
        proceed(after: address, on: state.controller)
      }
    case .learnt(let attributes):
      if caches.count >= Self.mostCaches, caches[address] == nil {
        // Which one goes does not matter: it costs that device a few more requests once.
        caches.keys.first.map { caches[$0] = nil }
      }
      caches[address] = attributes
    case .ended:
      end(address, state)
    }
  }

  private func end(_ address: DeviceAddress, _ state: KernelLinkState) {
    links[address] = nil
    proceed(after: address, on: state.controller)
  }

  /// Gives the next link its turn, or the controller back to discovery.
  private func proceed(after address: DeviceAddress, on controller: UInt16) {
    if let next = connects.remove(address, from: controller) { return open(next) }
    // Not at once: a link that has just come up has the most to do.
    later(parts.times.nameScanDelay) { $0.discover(controller) }
  }
}
