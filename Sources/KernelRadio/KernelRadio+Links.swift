import Radio

// Links: each controller connects one at a time.
extension KernelRadio {
  /// Connects, encrypted from the start if there is a bond; otherwise the device requests
  /// encryption when it needs it.
  func connect(_ address: DeviceAddress) {
    guard links[address] == nil else { return }
    guard let (controller, peer, hasBond) = route(to: address) else {
      let isReady = controllerStates.values.contains { $0.phase == .ready }
      events.push(.failed(address, LinkError(.gone, isReady ? .notHeard : .noController)))
      return
    }
    generations += 1
    links[address] = KernelLinkState(
      id: generations, controller: controller, peer: peer, isBonded: hasBond)
    let isKnown = hasBond || attributes[address] != nil
    switch turns[controller, default: LinkTurns()].request(address, isKnown: isKnown) {
    case .begins: open(address)
    case .waits(let displaced):
      if let displaced { fail(displaced, LinkError(.transient, .displaced)) }
    }
  }

  /// Forwards a command to the link of a device.
  ///
  /// - Returns: Whether there is a link.
  func forward(_ command: RadioCommand, to address: DeviceAddress) -> Bool {
    guard let link = links[address]?.link else { return false }
    link.assumeIsolated { $0.send(command) }
    return true
  }

  func disconnect(_ address: DeviceAddress) {
    guard let state = links[address] else { return }
    guard let link = state.link else {
      // It waits for its turn.
      events.push(.disconnected(address))
      return end(address, state)
    }
    link.assumeIsolated { $0.send(.disconnect(address)) }
  }

  /// Ends all links at once, and reports that to their sessions.
  func closeLinks() {
    for (address, state) in links {
      state.link?.assumeIsolated { $0.close() }
      // The link's own report would arrive after its removal.
      events.push(.disconnected(address))
    }
    links = [:]
  }

  /// A link could not be connected.
  func fail(_ address: DeviceAddress, _ error: LinkError) {
    guard let state = links[address] else { return }
    events.push(.failed(address, error))
    end(address, state)
  }

  /// The kernel reports that a device refused authentication.
  func authenticationFailed(_ peer: PeerAddress) {
    links[peer.address]?.link?.assumeIsolated { $0.authenticationFailed() }
  }

  /// The controller for a device: the one it is bonded with, else the one that receives it best.
  private func route(
    to address: DeviceAddress
  ) -> (controller: UInt16, peer: PeerAddress, hasBond: Bool)? {
    let ready = controllerStates.filter { $0.value.phase == .ready }
    for bond in keys.bonds(with: address) {
      let own = ready.first { $0.value.address == bond.controller }
      if let own { return (own.key, bond.peer, true) }
    }
    guard let device = received[address],
      let controller = received.controller(for: address, among: Set(ready.keys))
    else { return nil }
    return (controller, PeerAddress(address, device.type), false)
  }

  /// It is a link's turn to connect.
  private func open(_ address: DeviceAddress) {
    guard let state = links[address] else { return }
    guard let source = controllerStates[state.controller]?.address else {
      return fail(address, LinkError(.other, .noController))
    }
    // Some controllers cannot discover and connect at the same time.
    endDiscovery(state.controller)
    let id = state.id
    let target = LinkTarget(
      peer: state.peer, controller: PeerAddress(source, .public), isBonded: state.isBonded)
    // Its number distinguishes this link's confirmations.
    let link = KernelLink(
      target, on: loop, cached: attributes[address], firstIndication: id << 32,
      connect: parts.connect
    ) { [weak self] report in
      self?.assumeIsolated { $0.take(report, of: address, id) }
    }
    links[address]?.link = link
    link.assumeIsolated { $0.open() }
    limitTurn(of: address, id)
  }

  /// Ends an attempt that delays others for too long.
  private func limitTurn(of address: DeviceAddress, _ id: UInt64) {
    later(parts.times.turn) { radio in
      guard let state = radio.links[address], state.id == id, !state.isUp else { return }
      guard radio.turns[state.controller]?.isContested == true else {
        return radio.limitTurn(of: address, id)
      }
      radio.fail(address, LinkError(.transient, .gaveWay))
      state.link?.assumeIsolated { $0.close() }
    }
  }

  private func take(_ report: LinkUpdate, of address: DeviceAddress, _ id: UInt64) {
    guard let state = links[address], state.id == id else { return }
    switch report {
    case .event(let event):
      events.push(event)
      if case .connected = event {
        links[address]?.isUp = true
        if let known = attributes[address] { attributes.remember(address, known) }
        proceed(after: address, on: state.controller)
      }
    case .learnt(let attributes):
      let isNew = self.attributes[address] != attributes
      self.attributes.remember(address, attributes)
      if isNew { attributeFile.write(self.attributes) }
    case .ended:
      end(address, state)
    }
  }

  private func end(_ address: DeviceAddress, _ state: KernelLinkState) {
    links[address] = nil
    proceed(after: address, on: state.controller)
  }

  /// Begins the next link's turn, or returns the controller to discovery.
  private func proceed(after address: DeviceAddress, on controller: UInt16) {
    if let next = turns[controller]?.end(address) { return open(next) }
    // With a delay: a link that is just connected needs the most time.
    later(parts.times.nameScanDelay) { $0.discover(controller) }
  }
}

/// A link of kernel mode: waiting for its turn, connecting, or up.
struct KernelLinkState: Sendable {
  /// Distinguishes its reports from late reports of an earlier link.
  var id: UInt64
  /// Its controller.
  var controller: UInt16
  /// The device's address as the kernel knows it.
  var peer: PeerAddress
  /// Whether it is encrypted by a bond.
  var isBonded: Bool
  /// The link itself; `nil` while it waits for its turn.
  var link: KernelLink?
  /// Whether it is up.
  var isUp = false
}
