import GATT
import Radio
import SystemBus

// Links: bringing them up and taking them down.
extension BluetoothdRadio {
  /// How long bluetoothd may take to link with a device that advertises: one that is known, and
  /// one that may take no connection at all.
  private static let connectTimes = (known: Duration.seconds(25), stranger: Duration.seconds(12))
  /// How long services may take: bluetoothd itself gives a device 30 s for an answer.
  private static let serviceTime = Duration.seconds(40)

  // MARK: What sessions ask

  func connect(_ address: DeviceAddress, bonded: Bool) {
    guard link(to: address) == nil else { return }
    guard daemon != nil else {
      return fail(address, .transient, Self.absence)
    }
    guard let device = tree.device(at: address), let adapter = device.adapter else {
      return fail(address, .gone, "\(address) was not heard lately.")
    }
    guard links[device.path] == nil else { return }
    linkCount &+= 1
    let number = linkCount
    links[device.path] = DeviceLink(
      number: number, address: address, path: device.path, adapter: adapter, wantsBond: bonded)
    Task { await bringUp(device.path, number) }
  }

  func disconnect(_ address: DeviceAddress) {
    guard let link = link(to: address), link.phase != .falling else { return }
    links[link.path]?.phase = .falling
    Task { await takeDown(link.path, link.number) }
  }

  /// The link that a session has with a device, by the address that it began with or by the one
  /// that a bond told since.
  func link(to address: DeviceAddress) -> DeviceLink? {
    links.values.first { $0.address == address }
      ?? tree.device(at: address).flatMap { links[$0.path] }
  }

  /// The same link, if it still is.
  func link(_ path: String, _ number: UInt64) -> DeviceLink? {
    links[path].flatMap { $0.number == number ? $0 : nil }
  }

  // MARK: Up

  private func bringUp(_ path: String, _ number: UInt64) async {
    guard let adapter = link(path, number)?.adapter else { return }
    guard await takeTurn(adapter, isKnown: isKnown(path)) else {
      return giveUp(path, number, .outOfSlots, "Too many devices wait to be linked.")
    }
    let isUp = await tryToConnect(path, number, over: adapter)
    giveTurn(adapter)
    guard isUp, link(path, number)?.phase == .rising else { return }
    await bond(path, number)
    guard let link = link(path, number), link.phase == .rising else { return }
    guard !link.didDrop else {
      tellMute(link)
      return drop(path)
    }
    links[path]?.phase = .up
    if tree.device(path)?.hasServices == true { servicesResolved(path) }
    guard self.link(path, number)?.hasToldServices == false else { return }
    links[path]?.deadline = later(Self.serviceTime) { radio in
      guard let link = radio.link(path, number), !link.hasToldServices else { return }
      radio.fail(
        link.address, .transient,
        "\(radio.name(of: link)) is linked but does not tell its services.")
      radio.disconnect(link.address)
    }
  }

  /// Connects, again after what passes.
  ///
  /// - Returns: Whether the link is up.
  private func tryToConnect(
    _ path: String, _ number: UInt64, over adapter: String
  ) async -> Bool {
    var attempts = ConnectAttempts()
    while link(path, number)?.phase == .rising {
      await quiet(adapter, for: path, number)
      guard link(path, number)?.phase == .rising else { return false }
      links[path]?.didDrop = false
      let began = ContinuousClock.now
      let error = await connectOnce(path)
      guard let link = link(path, number), link.phase == .rising else { return false }
      guard let error else {
        events.push(.connected(link.address))
        // Services are found sooner while nothing else is on the air, but others wait as well.
        _ = later(.seconds(3)) { radio in
          if radio.link(path, number) != nil { radio.release(path) }
        }
        return true
      }
      let isLong = ContinuousClock.now - began >= ConnectAttempts.longest
      let kind = isLong ? .gone : kind(of: error, with: path)
      guard let pause = attempts.pause(after: kind) else {
        giveUp(path, number, kind, "\(name(of: link)) cannot be linked: \(error).")
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
        timeout: isKnown(path) ? Self.connectTimes.known : Self.connectTimes.stranger)
    } catch {
      switch error {
      case .refused("org.bluez.Error.AlreadyConnected", _): return nil
      case .timedOut:
        // bluetoothd goes on trying until it is told not to.
        _ = try? await call(
          path, BlueZInterface.device, "Disconnect", timeout: .seconds(5))
        return error
      default: return error
      }
    }
    guard links[path]?.didDrop != true else {
      return .refused(name: "org.bluez.Error.Failed", text: "the link was aborted at once")
    }
    return nil
  }

  /// Whether a device was linked before, or is bonded.
  private func isKnown(_ path: String) -> Bool {
    tree.device(path)?.isBonded == true || links[path].map { proven.contains($0.address) } == true
  }

  /// Tells the services to the session, once the link is bonded where it has to be.
  func servicesResolved(_ path: String) {
    guard let link = links[path], link.phase == .up, !link.hasToldServices else { return }
    let services = tree.services(of: path)
    guard !services.isEmpty else {
      // So bluetoothd says that the device did not answer; the link's end or its deadline follows.
      return
    }
    links[path]?.hasToldServices = true
    if proven.count < 256 { proven.insert(link.address) }
    if let deadline = link.deadline { loop.cancel(deadline) }
    release(path)
    events.push(.services(link.address, services))
  }

  // MARK: Down

  private func takeDown(_ path: String, _ number: UInt64) async {
    _ = try? await call(path, BlueZInterface.device, "Disconnect", timeout: .seconds(10))
    // Where the device was not linked yet, no signal follows.
    if link(path, number) != nil { drop(path) }
  }

  /// bluetoothd says why a link ended, as it does from version 5.82 on.
  func linkEnded(_ path: String, reason: String) {
    if reason == "org.bluez.Reason.Authentication" { _ = doubt(.refused, path) }
  }

  /// bluetoothd says that a device hung up.
  func linkEnded(_ path: String) {
    guard let link = links[path] else { return }
    if link.phase == .rising {
      // Whoever brings it up is told so by the answer to its call.
      links[path]?.didDrop = true
    } else {
      if link.phase == .up, !link.hasToldServices { tellMute(link) }
      drop(path)
    }
  }

  /// A link ended before its services were known: the device never answered, or wants no one to ask.
  private func tellMute(_ link: DeviceLink) {
    fail(
      link.address, doubt(.aborted, link.path) == true ? .staleBond : .gone,
      "\(name(of: link)) was linked, but the link ended before it had told its services.")
  }

  /// Forgets a link and tells its session.
  func drop(_ path: String) {
    guard let link = links[path] else { return }
    takeLastPackets(of: link)
    remove(link)
    events.push(.disconnected(link.address))
  }

  private func remove(_ link: DeviceLink) {
    let path = link.path
    release(path)
    endSubscriptions(of: path)
    links[path] = nil
    if let deadline = link.deadline { loop.cancel(deadline) }
  }

  /// Takes no more values; files of packets are closed.
  func endSubscriptions(of path: String) {
    for subscription in links[path]?.subscriptions.values.map(\.self) ?? [] {
      if let watch = subscription.watch { loop.cancel(watch) }
    }
    links[path]?.subscriptions = [:]
  }

  private func giveUp(
    _ path: String, _ number: UInt64, _ kind: LinkFailure, _ text: String
  ) {
    guard let link = link(path, number) else { return }
    remove(link)
    fail(link.address, kind, text)
  }

  // MARK: Discovery

  private func quiet(_ adapter: String, for path: String, _ number: UInt64) async {
    guard link(path, number)?.holdsDiscovery == false else { return }
    links[path]?.holdsDiscovery = true
    await quiet(adapter)
  }

  func release(_ path: String) {
    guard let link = links[path], link.holdsDiscovery else { return }
    links[path]?.holdsDiscovery = false
    endQuiet(link.adapter)
  }

  // MARK: Failures

  /// The kind of a failure, with what is known of the bond.
  func kind(of error: BusError, with path: String) -> LinkFailure {
    let kind = LinkFailure(error)
    switch kind {
    case .unauthorized: return doubt(.refused, path).map { $0 ? .staleBond : .transient } ?? kind
    case .transient where error.isAbortedLink:
      return doubt(.aborted, path) == true ? .staleBond : kind
    default: return kind
    }
  }

  /// Doubts a device's bond.
  ///
  /// - Returns: Whether it is to be called stale; `nil` where there is none.
  private func doubt(_ sign: BondDoubts.Sign, _ path: String) -> Bool? {
    guard let device = tree.device(path), device.isBonded, let address = device.address else {
      return nil
    }
    return doubts.add(sign, of: address)
  }

  func fail(_ address: DeviceAddress, _ kind: LinkFailure, _ text: String) {
    let reason = [text, kind.advice(for: address)].compactMap(\.self).joined(separator: " ")
    events.push(.failed(address, kind: kind, reason: reason))
  }

  /// What people call a device: its name and its address.
  func name(of link: DeviceLink) -> String {
    tree.device(link.path)?.name.map { "\($0) (\(link.address))" } ?? "\(link.address)"
  }
}
