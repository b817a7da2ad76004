import GATT
import Radio
import SystemBus

// Links: connecting and disconnecting.
extension BluetoothdRadio {
  /// How long bluetoothd may take to connect to a device that advertises: a known device, and an
  /// unknown one that may not accept connections.
  private static let connectTimes = (known: Duration.seconds(25), unknown: Duration.seconds(12))
  /// How long a bond and the services may take, from the link's start.
  ///
  /// A link that is up is not mute for longer than a minute. bluetoothd itself allows a device 30 s
  /// for a response.
  private static let serviceTime = Duration.seconds(55)

  // MARK: - Commands

  func connect(_ address: DeviceAddress, bonded: Bool) {
    guard link(to: address) == nil else { return }
    guard daemon != nil else {
      return fail(address, LinkError(.transient, .noBluetoothd))
    }
    guard let device = tree.device(at: address), let adapter = device.adapter else {
      return fail(address, LinkError(.gone, .notHeard))
    }
    let link = links.begin(address, path: device.path, adapter: adapter, wantsBond: bonded)
    if let link { Task { await bringUp(device.path, link.number) } }
  }

  func disconnect(_ address: DeviceAddress) {
    guard let path = link(to: address)?.path, let link = links.beginDisconnecting(path) else {
      return
    }
    Task { await takeDown(path, link.number) }
  }

  /// A session's link with a device, by the address at its start or by the identity address that a
  /// bond has revealed since.
  func link(to address: DeviceAddress) -> DeviceLink? {
    links.link(to: address) ?? tree.device(at: address).flatMap { links[$0.path] }
  }

  // MARK: - Connecting

  private func bringUp(_ path: String, _ number: UInt64) async {
    guard let adapter = links[path, number]?.adapter else { return }
    guard await takeTurn(adapter, number, isKnown: isKnown(path)) else {
      return giveUp(path, number, LinkError(.transient, .displaced))
    }
    let isUp = await tryToConnect(path, number, over: adapter)
    adapters.endTurn(number, on: adapter)
    guard isUp, links[path, number]?.phase == .connecting else { return }
    let deadline = later(Self.serviceTime) { radio in
      guard let link = radio.links[path, number], !link.hasReportedServices else { return }
      radio.fail(link.address, LinkError(.transient, .noServices))
      radio.disconnect(link.address)
    }
    links.setDeadline(deadline, of: path)
    await bond(path, number)
    guard let link = links[path, number], link.phase == .connecting else { return }
    guard !link.disconnectedEarly else {
      reportNoServices(link)
      return drop(path)
    }
    links.connected(path)
    if tree.device(path)?.hasServices == true { servicesResolved(path) }
  }

  /// Connects, with retries after temporary failures.
  ///
  /// - Returns: Whether the link is up.
  private func tryToConnect(
    _ path: String, _ number: UInt64, over adapter: String
  ) async -> Bool {
    var attempts = ConnectAttempts()
    while links[path, number]?.phase == .connecting {
      await quiet(adapter, for: path, number)
      guard links[path, number]?.phase == .connecting else { return false }
      links.attempted(path, isOwn: tree.device(path)?.isConnected != true)
      let began = ContinuousClock.now
      let error = await connectOnce(path)
      guard let link = links[path, number], link.phase == .connecting else { return false }
      guard let error else {
        events.push(.connected(link.address))
        // Services are found sooner while discovery is paused, but other devices wait as well.
        _ = later(.seconds(3)) { radio in
          if radio.links[path, number] != nil { radio.release(path) }
        }
        return true
      }
      let isLong = ContinuousClock.now - began >= ConnectAttempts.longest
      let kind = isLong ? .gone : kind(of: error, with: path)
      guard let pause = attempts.pause(after: kind) else {
        giveUp(path, number, LinkError(kind, .broken(error.reason)))
        return false
      }
      await self.pause(pause)
    }
    return false
  }

  private func connectOnce(_ path: String) async -> BusError? {
    do throws(BusError) {
      _ = try await call(
        path, BlueZInterface.device, "Connect",
        timeout: isKnown(path) ? Self.connectTimes.known : Self.connectTimes.unknown)
    } catch {
      switch error {
      case .refused("org.bluez.Error.AlreadyConnected", _): return nil
      case .timedOut:
        // bluetoothd retries until it is stopped.
        _ = try? await call(
          path, BlueZInterface.device, "Disconnect", timeout: .seconds(5))
        return error
      default: return error
      }
    }
    guard links[path]?.disconnectedEarly != true else {
      return .refused(name: "org.bluez.Error.Failed", text: "the link was aborted at once")
    }
    return nil
  }

  /// Whether a device was linked before, or is bonded.
  private func isKnown(_ path: String) -> Bool {
    tree.device(path)?.isBonded == true
      || links[path].map { linkedBefore.contains($0.address) } == true
  }

  /// Reports the services to the session, once the link is bonded if required.
  func servicesResolved(_ path: String) {
    guard let link = links[path], link.phase == .up, !link.hasReportedServices else { return }
    let services = tree.services(of: path)
    guard !services.isEmpty else {
      // bluetoothd reports no answer this way; the link's end or its deadline follows.
      return
    }
    links.reportedServices(path)
    linkedBefore.remember(link.address)
    if let deadline = link.deadline { loop.cancel(deadline) }
    release(path)
    events.push(.services(link.address, services))
  }

  // MARK: - Disconnecting

  private func takeDown(_ path: String, _ number: UInt64) async {
    _ = try? await call(path, BlueZInterface.device, "Disconnect", timeout: .seconds(10))
    // No signal follows if the device was not linked yet.
    if links[path, number] != nil { drop(path) }
  }

  /// bluetoothd reports the reason for a link's end, from version 5.83 on.
  func linkEnded(_ path: String, reason: String) {
    if reason == "org.bluez.Reason.Authentication" { _ = doubt(.refused, path) }
  }

  /// bluetoothd reports that a device disconnected.
  func linkEnded(_ path: String) {
    reportIndications(under: path)
    guard let link = links.peerDisconnected(path) else { return }
    if link.phase == .up, !link.hasReportedServices { reportNoServices(link) }
    drop(path)
  }

  /// A link ended before its services were known: the device never answered, or refused.
  private func reportNoServices(_ link: DeviceLink) {
    let isStale = doubt(.aborted, link.path) == true
    fail(link.address, LinkError(isStale ? .staleBond : .gone, .noServices))
  }

  /// Removes a link and reports its end.
  func drop(_ path: String) {
    guard let link = links[path] else { return }
    takeLastPackets(of: link)
    reportEarlyValues(of: link)
    remove(link)
    events.push(.disconnected(link.address))
  }

  private func remove(_ link: DeviceLink) {
    let path = link.path
    release(path)
    endSubscriptions(of: path)
    links.remove(path)
    if let deadline = link.deadline { loop.cancel(deadline) }
  }

  /// Ends the subscriptions of a device; files of packets are closed.
  ///
  /// bluetoothd restores a subscription at the next link, before the session can prepare the
  /// device. That is wanted only where records are indicated: bluetoothd confirms them, so what
  /// arrives early must have a receiver.
  private func endSubscriptions(of path: String) {
    let notified = subscriptions.signalSources(of: path).filter { characteristic in
      tree.characteristic(characteristic).map { tree.canBeAcquired($0, of: path) } == true
    }
    for watch in subscriptions.removeAll(of: path) { loop.cancel(watch) }
    guard !notified.isEmpty else { return }
    Task {
      for characteristic in notified {
        _ = try? await call(
          characteristic, BlueZInterface.characteristic, "StopNotify", timeout: .seconds(5))
      }
    }
  }

  private func giveUp(_ path: String, _ number: UInt64, _ error: LinkError) {
    guard let link = links[path, number] else { return }
    let hasSent = reportEarlyValues(of: link)
    remove(link)
    fail(link.address, error)
    // The reported values belong to a link, even to one that was never used.
    if hasSent { events.push(.disconnected(link.address)) }
  }

  // MARK: - Discovery

  private func quiet(_ adapter: String, for path: String, _ number: UInt64) async {
    guard links[path, number] != nil, links.holdDiscovery(true, for: path) else { return }
    await quiet(adapter)
  }

  func release(_ path: String) {
    guard let link = links[path], links.holdDiscovery(false, for: path) else { return }
    endQuiet(link.adapter)
  }

  // MARK: - Failures

  /// The kind of a failure, considering the state of the bond.
  func kind(of error: BusError, with path: String) -> LinkFailure {
    let kind = LinkFailure(error)
    switch kind {
    case .unauthorized: return doubt(.refused, path).map { $0 ? .staleBond : .transient } ?? kind
    case .transient where error.isAbortedLink:
      return doubt(.aborted, path) == true ? .staleBond : kind
    default: return kind
    }
  }

  /// Counts a sign against a device's bond.
  ///
  /// - Returns: Whether the bond is stale; `nil` if there is none.
  private func doubt(_ sign: BondDoubts.Sign, _ path: String) -> Bool? {
    guard let device = tree.device(path), device.isBonded, let address = device.address else {
      return nil
    }
    return doubts.add(sign, of: address)
  }

  func fail(_ address: DeviceAddress, _ error: LinkError) {
    events.push(.failed(address, error))
  }
}
