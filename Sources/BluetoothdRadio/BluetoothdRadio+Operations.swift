import Foundation
import GATT
import Radio
import SystemBus

// Operations on linked devices, one at a time, and received values.
extension BluetoothdRadio {
  /// How long a response may take: the protocol's limit of 30 s plus a margin (Vol 3 Part F
  /// §3.3.3).
  private static let answerTime = Duration.seconds(32)

  func enqueue(
    _ operation: LinkOperation, for address: DeviceAddress
  ) throws(RadioError) {
    guard let link = link(to: address), link.phase != .disconnecting else {
      return fail(address, LinkError(.transient, .notLinked))
    }
    guard links.operations(of: link.path, { $0.add(operation) }) == true else {
      throw .overloaded(address)
    }
    operate(link.path, link.number)
  }

  private func operate(_ path: String, _ number: UInt64) {
    guard links[path, number] != nil,
      let operation = links.operations(of: path, { $0.begin() }).flatMap(\.self)
    else { return }
    Task {
      await perform(operation, path, number)
      guard links[path, number] != nil else { return }
      links.operations(of: path) { $0.end() }
      operate(path, number)
    }
  }

  /// A device was bonded because an operation required it.
  ///
  /// The operation may be lost: the kernel accepts no request during encryption, and bluetoothd
  /// does not repeat it. A new link is encrypted from the start.
  func bonded(_ path: String) {
    guard let link = links[path], link.phase == .up, let current = link.operations.current else {
      return
    }
    _ = later(.seconds(2)) { radio in
      guard let now = radio.links[path, link.number], now.phase == .up,
        now.operations.current == current
      else { return }
      radio.fail(now.address, LinkError(.transient, .lostByBonding))
      radio.disconnect(now.address)
    }
  }

  private func perform(
    _ operation: LinkOperation, _ path: String, _ number: UInt64
  ) async {
    let uuid = operation.characteristic
    if uuid == BatteryLevel.uuid, tree.batteryLevel(of: path) != nil {
      return battery(operation, path)
    }
    guard let characteristic = tree.characteristic(uuid, of: path) else {
      guard let link = links[path, number] else { return }
      return fail(link.address, LinkError(.other, .noCharacteristic(uuid)))
    }
    do throws(BusError) {
      switch operation {
      case .subscribe(_, let isMotion):
        try await subscribe(characteristic, isMotion: isMotion, path, number)
      case .read: try await read(characteristic, path, number)
      case .write(_, let data, let withResponse):
        try await write(data, to: characteristic, withResponse, path, number)
      }
      if let address = tree.device(path)?.address { doubts.clear(address) }
    } catch {
      guard let link = links[path, number] else { return }
      let cause = LinkError.Cause.refused(operation.kind, uuid, error.reason)
      fail(link.address, LinkError(kind(of: error, with: path), cause))
      // A device that does not answer in time receives no further requests on the same link.
      if error == .timedOut { disconnect(link.address) }
      // On a link of our own that means a file that nobody has: bluetoothd missed the end of an
      // earlier link. A new link may clear it.
      if error.isAcquired, link.isOwn { disconnect(link.address) }
    }
  }

  private func subscribe(
    _ characteristic: CharacteristicObject, isMotion: Bool, _ path: String, _ number: UInt64
  ) async throws(BusError) {
    guard let link = links[path, number], !subscriptions.contains(characteristic.path),
      let template = template(characteristic, at: link.address)
    else { return }
    // Files are for what sends hundreds of values a second. Where a device refuses the subscription
    // for a file, bluetoothd (5.66, and later ones) does not answer, refuses every further one, and
    // crashes when it removes the device.
    guard isMotion, tree.canBeAcquired(characteristic, of: path),
      let file = try await acquire(characteristic)
    else { return try await subscribeToSignals(characteristic, template, path, number) }
    guard links[path, number] != nil else { return }
    let watch = loop.watch(file.descriptor, for: .readable) { [weak self] _ in
      self?.assumeIsolated { $0.takePackets(of: characteristic.path, path, number) }
    }
    subscriptions.addPackets(
      of: characteristic.path, template: template, file: file, watch: watch, at: .now)
  }

  private func subscribeToSignals(
    _ characteristic: CharacteristicObject, _ template: CharacteristicValue, _ path: String,
    _ number: UInt64
  ) async throws(BusError) {
    // Added before the call: bluetoothd may have subscribed already; then values precede its reply.
    if let early = subscriptions.addSignals(
      of: characteristic.path, template: template, at: .now)
    {
      report(early, of: template.address)
    }
    do throws(BusError) {
      _ = try await call(
        characteristic.path, BlueZInterface.characteristic, "StartNotify",
        timeout: Self.answerTime)
    } catch {
      // bluetoothd has restored this program's subscription.
      if case .refused("org.bluez.Error.InProgress", _) = error { return }
      if links[path, number] != nil { _ = subscriptions.remove(characteristic.path) }
      throw error
    }
  }

  /// Requests notifications as packets from a file, which is cheaper than signals.
  ///
  /// - Returns: The file; `nil` if only signals are possible.
  private func acquire(
    _ characteristic: CharacteristicObject
  ) async throws(BusError) -> BusFile? {
    do throws(BusError) {
      return try await call(
        characteristic.path, BlueZInterface.characteristic, "AcquireNotify",
        [.properties([:])], timeout: Self.answerTime
      ).first?.openFile
    } catch {
      guard case .refused(let name, _) = error else { throw error }
      // Not possible for this characteristic, or another program uses it.
      let refusals = ["NotSupported", "NotPermitted", "InProgress"].map { "org.bluez.Error." + $0 }
      guard refusals.contains(name) else { throw error }
      return nil
    }
  }

  private func read(
    _ characteristic: CharacteristicObject, _ path: String, _ number: UInt64
  ) async throws(BusError) {
    subscriptions.beginRead(of: characteristic.path)
    var value: [UInt8]?
    defer { endRead(of: characteristic, value, path, number) }
    let answer = try await call(
      characteristic.path, BlueZInterface.characteristic, "ReadValue", [.properties([:])],
      timeout: Self.answerTime)
    guard let data = answer.first?.data else { throw .system(EBADMSG) }
    value = data
  }

  private func endRead(
    of characteristic: CharacteristicObject, _ value: [UInt8]?, _ path: String, _ number: UInt64
  ) {
    guard let link = links[path, number],
      let template = template(characteristic, at: link.address)
    else { return }
    report(subscriptions.endRead(of: characteristic.path, value, template: template))
  }

  private func write(
    _ data: [UInt8], to characteristic: CharacteristicObject, _ withResponse: Bool,
    _ path: String, _ number: UInt64
  ) async throws(BusError) {
    // Without a type, bluetoothd may choose a write that the device does not support.
    let options = BusValue.properties([
      "type": .string(withResponse ? "request" : "command")
    ])
    _ = try await call(
      characteristic.path, BlueZInterface.characteristic, "WriteValue", [.bytes(data), options],
      timeout: Self.answerTime)
    guard withResponse, let link = links[path, number], let uuid = characteristic.uuid else {
      return
    }
    events.push(.written(link.address, characteristic: uuid))
  }

  /// bluetoothd hides the battery service and publishes its level.
  private func battery(_ operation: LinkOperation, _ path: String) {
    guard let link = links[path] else { return }
    switch operation {
    case .subscribe:
      links.subscribeToBattery(path)
      batteryChanged(path)
    case .read: reportBattery(path)
    case .write:
      let reason = LinkError.Reason.att(ATTErrorCode.writeNotPermitted.rawValue)
      fail(link.address, LinkError(.other, .refused(.write, BatteryLevel.uuid, reason)))
    }
  }

  // MARK: - Values

  /// A characteristic's value arrived as a signal: a notification, an indication, or the echo of a
  /// read.
  func signalled(_ value: [UInt8], by characteristic: String) {
    // Earlier packets go first.
    let device = Self.device(ofCharacteristic: characteristic)
    let link = device.flatMap { links[$0] }
    if let link { takeLastPackets(of: link) }
    var origin: EarlyValues.Origin?
    if !subscriptions.contains(characteristic),
      let address = link?.address ?? device.flatMap({ tree.device($0)?.address }),
      let source = tree.characteristic(characteristic), source.isSentByDevice,
      let template = template(source, at: address)
    {
      origin = EarlyValues.Origin(
        template: template, isIndicated: source.allowed.contains(.indicate))
    }
    report(subscriptions.signalled(value, of: characteristic, earlyFrom: origin, at: .now))
  }

  /// Reports the values to which the session has not subscribed, before its link ends: bluetoothd
  /// has confirmed them.
  ///
  /// Dropped values are reported while the session knows no services. Later they may be of a
  /// characteristic that only another program has subscribed to.
  /// - Returns: Whether there were any.
  @discardableResult
  func reportEarlyValues(of link: DeviceLink) -> Bool {
    let taken = subscriptions.takeEarly(of: link.path, at: .now)
    for var early in taken {
      if link.hasReportedServices { early.lost = 0 }
      report(early, of: link.address)
    }
    return !taken.isEmpty
  }

  /// Reports what devices without a session's link have indicated, since their links end.
  ///
  /// bluetoothd has linked them by itself. Their notifications were for another program.
  ///
  /// - Parameter prefix: The path of a device, or of what is above several.
  func reportIndications(under prefix: String) {
    let devices = Set(subscriptions.earlySources.compactMap(Self.device(ofCharacteristic:)))
    for device in devices.sorted() where links[device] == nil {
      guard device == prefix || device.hasPrefix(prefix + "/") else { continue }
      let taken = subscriptions.takeEarly(of: device, at: .now)
      reportWithoutLink(taken.filter(\.origin.isIndicated))
    }
  }

  /// Reports what devices without a session's link have indicated where no session comes for it:
  /// its pause may be longer than this link.
  func reportWaitingIndications() {
    for path in subscriptions.waitingSources(at: .now) {
      guard let device = Self.device(ofCharacteristic: path), links[device] == nil,
        let taken = subscriptions.takeEarly(ofCharacteristic: path, at: .now)
      else { continue }
      reportWithoutLink([taken])
    }
  }

  private func reportWithoutLink(_ taken: [EarlyValues.Taken]) {
    guard let address = taken.first?.origin.template.address else { return }
    for early in taken { report(early, of: address) }
    // Unless the session has a link over another controller.
    if link(to: address) == nil { events.push(.disconnected(address)) }
  }

  private func report(_ early: EarlyValues.Taken, of address: DeviceAddress) {
    report(early.values(at: address))
    if early.lost > 0 { events.push(.lost(address, count: early.lost)) }
  }

  /// Reports values of a device; more than can be taken end its link.
  ///
  /// Signals arrive in one queue with bluetoothd's answers: those of other devices would wait
  /// behind the flood. The packets of a file wait in the file.
  private func report(_ values: [CharacteristicValue]) {
    for value in values where !events.push(.value(value)) {
      guard let link = link(to: value.address), link.phase == .up else { continue }
      fail(link.address, LinkError(.other, .flooded))
      disconnect(link.address)
    }
  }

  /// The device of a characteristic: two levels above it in the tree.
  private static func device(ofCharacteristic path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count > 2 ? parts.dropLast(2).joined(separator: "/") : nil
  }

  /// Reads waiting packets, a bounded number at a time.
  func takePackets(of characteristic: String, _ path: String, _ number: UInt64) {
    guard links[path, number] != nil, let file = subscriptions.file(of: characteristic) else {
      return
    }
    // No value is longer than 512 bytes (Vol 3 Part F §3.2.9); a packet may be.
    var buffer = [UInt8](repeating: 0, count: 1024)
    for _ in 0..<64 {
      let count = unsafe recv(file.descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      if count > 0 {
        let value = subscriptions.packet(Array(buffer[..<count]), of: characteristic)
        if let value { events.push(.value(value)) }
      } else if count < 0, [EAGAIN, EINTR].contains(errno) {
        return
      } else {
        return packetsEnded(of: characteristic, path, number)
      }
    }
  }

  /// Reads the packets that arrived before a link ended, or before a signal.
  func takeLastPackets(of link: DeviceLink) {
    for characteristic in subscriptions.packetSources(of: link.path) {
      takePackets(of: characteristic, link.path, link.number)
    }
  }

  /// The file was closed.
  ///
  /// Usually the link has ended too, which a signal will report; otherwise another program acquired
  /// the notifications, and they are requested again.
  private func packetsEnded(of characteristic: String, _ path: String, _ number: UInt64) {
    if let watch = subscriptions.remove(characteristic) { loop.cancel(watch) }
    _ = later(.seconds(2)) { radio in
      guard let link = radio.links[path, number], link.phase == .up,
        let uuid = radio.tree.characteristic(characteristic)?.uuid
      else { return }
      try? radio.enqueue(.subscribe(uuid, isMotion: true), for: link.address)
    }
  }

  /// A characteristic's value without its bytes.
  private func template(_ characteristic: CharacteristicObject, at address: DeviceAddress)
    -> CharacteristicValue?
  {
    characteristic.uuid.map { uuid in
      CharacteristicValue(
        address: address, service: characteristic.service.flatMap(tree.service),
        characteristic: uuid, data: [])
    }
  }

  // MARK: - Battery

  func batteryChanged(_ path: String) {
    if links[path]?.wantsBattery == true { reportBattery(path) }
  }

  func reportBattery(_ path: String) {
    guard let link = links[path], let level = tree.batteryLevel(of: path) else { return }
    events.push(
      .value(
        CharacteristicValue(
          address: link.address, service: .batteryService, characteristic: BatteryLevel.uuid,
          data: [level])))
  }
}
