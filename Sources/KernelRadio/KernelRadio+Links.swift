import Radio

// Links: one coming up at a time on each controller.
extension KernelRadio {
  /// Brings up a link, encrypted from the start if there is a bond; else the device says when it
  /// wants one.
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

  /// Ends all links at once, and reports that to their sessions.
  func closeLinks() {
    for (address, state) in links {
      state.link?.assumeIsolated { $0.close() }
      // The link's own report would come after its removal.
      events.push(.disconnected(address))
    }
    links = [:]
  }

  /// A link does not come up.
  func fail(_ address: DeviceAddress, _ error: LinkError) {
    guard let state = links[address] else { return }
    events.push(.failed(address, error))
    end(address, state)
  }

  /// The kernel says that a device refused to prove who it is.
  func authenticationFailed(_ peer: PeerAddress) {
    links[peer.address]?.link?.assumeIsolated { $0.authenticationFailed() }
  }

  /// Through which controller a device is reached: the one it is bonded with, else the one that
  /// receives it best.
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
      return fail(address, LinkError(.other, .noController))
    }
    // Some controllers cannot look for devices and connect at the same time.
    endDiscovery(state.controller)
    let id = state.id
    let target = LinkTarget(
      peer: state.peer, controller: PeerAddress(source, .public), isBonded: state.isBonded)
    // Its number makes the confirmations of this link its own.
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
    case .learnt(let attributes): self.attributes.remember(address, attributes)
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
    if let next = turns[controller]?.end(address) { return open(next) }
    // Not at once: a link that has just come up has the most to do.
    later(parts.times.nameScanDelay) { $0.discover(controller) }
  }
}

/// A link of kernel mode: waiting for its turn, coming up, or up.
struct KernelLinkState: Sendable {
  /// Distinguishes its reports from late ones of an earlier link.
  var id: UInt64
  /// Through which controller it goes.
  var controller: UInt16
  /// How the device is known to the kernel.
  var peer: PeerAddress
  /// Whether it is to be encrypted by a bond.
  var isBonded: Bool
  /// The link itself; `nil` while others have their turn.
  var link: KernelLink?
  /// Whether it is up.
  var isUp = false
}
