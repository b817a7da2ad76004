import Foundation
import GATT
import Radio
import SystemBus

// What sessions ask of linked devices, one thing after another.
extension BluetoothdRadio {
  /// How long an answer may take: the protocol's own limit, and a little (Vol 3 Part F §3.3.3).
  private static let answerTime = Duration.seconds(32)

  func enqueue(
    _ operation: DeviceLink.Operation, for address: DeviceAddress
  ) throws(RadioError) {
    guard let link = link(to: address) else {
      return fail(address, .transient, "\(address) is not linked.")
    }
    guard link.operations.count < DeviceLink.maximumOperations else {
      throw RadioError("\(name(of: link)) does not keep up with what is asked of it.")
    }
    links[link.path]?.operations.append(operation)
    operate(link.path, link.number)
  }

  private func operate(_ path: String, _ number: UInt64) {
    guard let link = link(path, number), !link.isOperating, !link.operations.isEmpty else {
      return
    }
    let operation = link.operations[0]
    links[path]?.operations.removeFirst()
    links[path]?.isOperating = true
    links[path]?.operationCount &+= 1
    Task {
      await perform(operation, path, number)
      guard self.link(path, number) != nil else { return }
      links[path]?.isOperating = false
      operate(path, number)
    }
  }

  /// A device was bonded because an operation needed it.
  ///
  /// The operation may be lost thereby: the kernel takes no request while it encrypts, and bluetoothd does not repeat it. Linked anew, the
  /// device is encrypted from the beginning.
  func bonded(_ path: String) {
    guard let link = links[path], link.phase == .up, link.isOperating else { return }
    _ = later(.seconds(2)) { radio in
      guard let now = radio.link(path, link.number), now.phase == .up, now.isOperating,
        now.operationCount == link.operationCount
      else { return }
      radio.fail(
        now.address, .transient,
        "\(radio.name(of: now)) was bonded, and what was asked of it meanwhile is lost; it is to be "
          + "linked anew.")
      radio.disconnect(now.address)
    }
  }

  private func perform(
    _ operation: DeviceLink.Operation, _ path: String, _ number: UInt64
  ) async {
    let uuid = operation.characteristic
    if uuid == BatteryLevel.uuid, tree.batteryLevel(of: path) != nil {
      return battery(operation, path)
    }
    guard let characteristic = tree.characteristic(uuid, of: path) else {
      guard let link = link(path, number) else { return }
      return fail(link.address, .other, "\(name(of: link)) has no characteristic \(uuid).")
    }
    do throws(BusError) {
      switch operation {
      case .subscribe: try await subscribe(characteristic, path, number)
      case .read: try await read(characteristic, path, number)
      case .write(_, let data, let withResponse):
        try await write(data, to: characteristic, withResponse, path, number)
      }
      if let address = tree.device(path)?.address { doubts.clear(address) }
    } catch {
      guard let link = link(path, number) else { return }
      fail(
        link.address, kind(of: error, with: path),
        "\(name(of: link)) refuses to \(operation.verb) \(uuid): \(error).")
      // A device that does not answer in time is not asked again on the same link.
      if error == .timedOut { disconnect(link.address) }
    }
  }

  private func subscribe(
    _ characteristic: CharacteristicObject, _ path: String, _ number: UInt64
  ) async throws(BusError) {
    guard let link = link(path, number), link.subscriptions[characteristic.path] == nil,
      let blank = blank(characteristic, of: link)
    else { return }
    if tree.canBeAcquired(characteristic, of: path), let file = try await acquire(characteristic) {
      guard self.link(path, number) != nil else { return }
      links[path]?.subscriptions[characteristic.path] = .init(
        blank: blank, file: file,
        watch: loop.watch(file.descriptor, for: .readable) { [weak self] _ in
          self?.assumeIsolated { $0.takePackets(of: characteristic.path, path, number) }
        })
      return
    }
    // Known before it is asked for: bluetoothd may have asked the device already, and then values
    // come before the answer.
    links[path]?.subscriptions[characteristic.path] = .init(blank: blank, echo: ReadEcho())
    for value in early.take(of: characteristic.path) { tell(value, blank) }
    do throws(BusError) {
      _ = try await call(
        characteristic.path, BlueZInterface.characteristic, "StartNotify",
        timeout: Self.answerTime)
    } catch {
      // bluetoothd has subscribed again by itself, on this program's account.
      if case .refused("org.bluez.Error.InProgress", _) = error { return }
      if self.link(path, number) != nil { links[path]?.subscriptions[characteristic.path] = nil }
      throw error
    }
  }

  /// Asks for notifications as packets of a file, which is cheaper than signals.
  ///
  /// - Returns: The file; `nil` where signals have to do.
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
      // Not for this characteristic, or somebody else has them.
      let refusals = ["NotSupported", "NotPermitted", "InProgress"].map { "org.bluez.Error." + $0 }
      guard refusals.contains(name) else { throw error }
      return nil
    }
  }

  private func read(
    _ characteristic: CharacteristicObject, _ path: String, _ number: UInt64
  ) async throws(BusError) {
    links[path]?.subscriptions[characteristic.path]?.echo?.begin()
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
    guard let link = link(path, number), let blank = blank(characteristic, of: link) else {
      return
    }
    let echo = links[path]?.subscriptions[characteristic.path]?.echo?.end(value) ?? []
    for value in echo + [value].compactMap(\.self) { tell(value, blank) }
  }

  private func write(
    _ data: [UInt8], to characteristic: CharacteristicObject, _ withResponse: Bool,
    _ path: String, _ number: UInt64
  ) async throws(BusError) {
    // Left to itself, bluetoothd may choose a way that the device does not know.
    let options = BusValue.properties([
      "type": .string(withResponse ? "request" : "command")
    ])
    _ = try await call(
      characteristic.path, BlueZInterface.characteristic, "WriteValue", [.bytes(data), options],
      timeout: Self.answerTime)
    guard withResponse, let link = link(path, number), let uuid = characteristic.uuid else {
      return
    }
    events.push(.written(link.address, characteristic: uuid))
  }

  /// bluetoothd keeps the battery's service to itself and tells its level.
  private func battery(_ operation: DeviceLink.Operation, _ path: String) {
    guard let link = links[path] else { return }
    switch operation {
    case .subscribe:
      links[path]?.wantsBattery = true
      batteryChanged(path)
    case .read: tellBattery(path)
    case .write:
      fail(link.address, .other, "\(name(of: link)): a battery's level cannot be written.")
    }
  }
}

extension DeviceLink.Operation {
  fileprivate var characteristic: BluetoothUUID {
    switch self {
    case .subscribe(let uuid), .read(let uuid), .write(let uuid, _, _): uuid
    }
  }

  fileprivate var verb: String {
    switch self {
    case .subscribe: "notify"
    case .read: "tell"
    case .write: "take a value for"
    }
  }
}
