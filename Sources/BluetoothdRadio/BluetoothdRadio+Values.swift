import Foundation
import GATT
import Radio
import SystemBus

// Values that arrive, however they do.
extension BluetoothdRadio {
  /// A characteristic's value was told by a signal: a notification, an indication, or the echo of
  /// somebody's reading.
  func signalled(_ value: [UInt8], by characteristic: String) {
    guard let device = Self.device(ofCharacteristic: characteristic) else { return }
    guard let subscription = links[device]?.subscriptions[characteristic] else {
      // Where nobody has subscribed it is the echo of a read, which is answered apart.
      guard tree.characteristic(characteristic)?.isNotifying == true else { return }
      return early.keep(value, of: characteristic)
    }
    // What came as packets came before.
    if let link = links[device] { takeLastPackets(of: link) }
    let told = links[device]?.subscriptions[characteristic]?.echo?.notified(value)
    for value in told ?? [] { tell(value, subscription.blank) }
  }

  /// The device that a characteristic belongs to: above its service, which is above it.
  private static func device(ofCharacteristic path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count > 2 ? parts.dropLast(2).joined(separator: "/") : nil
  }

  /// Takes the packets that wait, so many at a time that others have their turn.
  func takePackets(of characteristic: String, _ path: String, _ number: UInt64) {
    guard let subscription = link(path, number)?.subscriptions[characteristic],
      let file = subscription.file
    else { return }
    // No value is longer than 512 bytes (Vol 3 Part F §3.2.9); a packet may be.
    var buffer = [UInt8](repeating: 0, count: 1024)
    for _ in 0..<64 {
      let count = unsafe recv(file.descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      if count > 0 {
        tell(Array(buffer[..<count]), subscription.blank)
      } else if count < 0, [EAGAIN, EINTR].contains(errno) {
        return
      } else {
        return packetsEnded(of: characteristic, path, number)
      }
    }
  }

  /// Takes the packets that came before a link ended, or before a signal.
  func takeLastPackets(of link: DeviceLink) {
    for (characteristic, subscription) in link.subscriptions where subscription.file != nil {
      takePackets(of: characteristic, link.path, link.number)
    }
  }

  /// The file ended.
  ///
  /// The link has too, as a signal will say; if it has not, somebody else took the
  /// notifications away, and they are asked for again.
  private func packetsEnded(of characteristic: String, _ path: String, _ number: UInt64) {
    if let watch = links[path]?.subscriptions[characteristic]?.watch { loop.cancel(watch) }
    links[path]?.subscriptions[characteristic] = nil
    _ = later(.seconds(2)) { radio in
      guard let link = radio.link(path, number), link.phase == .up,
        let uuid = radio.tree.characteristic(characteristic)?.uuid
      else { return }
      try? radio.enqueue(.subscribe(uuid), for: link.address)
    }
  }

  func tell(_ data: [UInt8], _ blank: CharacteristicValue) {
    var value = blank
    value.data = data
    events.push(.value(value))
  }

  /// A value of a characteristic without its bytes.
  func blank(_ characteristic: CharacteristicObject, of link: DeviceLink) -> CharacteristicValue? {
    characteristic.uuid.map { uuid in
      CharacteristicValue(
        address: link.address, service: characteristic.service.flatMap(tree.service),
        characteristic: uuid, data: [])
    }
  }

  // MARK: Battery

  func batteryChanged(_ path: String) {
    if links[path]?.wantsBattery == true { tellBattery(path) }
  }

  func tellBattery(_ path: String) {
    guard let link = links[path], let level = tree.batteryLevel(of: path) else { return }
    events.push(
      .value(
        CharacteristicValue(
          address: link.address, service: .batteryService, characteristic: BatteryLevel.uuid,
          data: [level])))
  }
}
