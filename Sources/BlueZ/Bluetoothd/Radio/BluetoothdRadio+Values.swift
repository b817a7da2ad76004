import Foundation
import GATT
import Radio

// Values that arrive, however they do.
extension BluetoothdRadio {
  /// A characteristic's value was told by a signal: a notification, an indication, or the echo of
  /// somebody's reading.
  func signalled(_ value: [UInt8], by characteristic: String) {
    guard let object = tree.characteristic(characteristic),
      let device = object.service.flatMap(Self.device(ofService:))
    else { return }
    guard let subscription = links[device]?.subscriptions[characteristic] else {
      // Where nobody has subscribed it is the echo of a read, which is answered apart.
      if object.isNotifying { early.keep(value, of: characteristic) }
      return
    }
    guard subscription.file == nil,
      let told = links[device]?.subscriptions[characteristic]?.echo?.notified(value)
    else { return }
    for value in told { tellValue(value, of: characteristic, device) }
  }

  /// The device that a service belongs to, which is the object above it.
  private static func device(ofService path: String) -> String? {
    path.lastIndex(of: "/").map { String(path[..<$0]) }
  }

  /// Takes the packets that wait, so many at a time that others have their turn.
  func takePackets(of characteristic: String, _ path: String, _ number: UInt64) {
    guard let file = link(path, number)?.subscriptions[characteristic]?.file else { return }
    // No value is longer than 512 bytes (Vol 3 Part F §3.2.9); a packet may be.
    var buffer = [UInt8](repeating: 0, count: 1024)
    for _ in 0..<64 {
      let count = unsafe recv(file.descriptor, &buffer, buffer.count, CInt(MSG_DONTWAIT))
      if count > 0 {
        tellValue(Array(buffer[..<count]), of: characteristic, path)
      } else if count < 0, [EAGAIN, EINTR].contains(errno) {
        return
      } else {
        return packetsEnded(of: characteristic, path, number)
      }
    }
  }

  /// Takes the packets that came before a link ended.
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

  func tellValue(_ value: [UInt8], of characteristic: String, _ path: String) {
    guard let link = links[path], let object = tree.characteristic(characteristic),
      let uuid = object.uuid
    else { return }
    events.push(
      .value(
        CharacteristicValue(
          address: link.address, service: object.service.flatMap(tree.service),
          characteristic: uuid, data: value)))
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
