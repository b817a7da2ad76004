package import Care
package import CareStore

/// The devices that a box is to read, which its centre names: those of its kit, or of the box in whose place it stands.
///
/// They have no keys. A box binds each once, when it has the person and unless it is bound there: what its own
/// people bound or unbound stays. The centre names them until the box says that it has them.
package enum DeviceKit {
  /// At the centre, by the box.
  private static let given = "kit"
  /// At the box, by the centre.
  private static let waiting = "kit-of"
  /// At the box, by the centre: the devices that were named and bound once.
  private static let had = "kit-had"
  /// The most devices of a box.
  package static let most = 64
  private static let longest = 64

  /// The part that the other side keeps.
  static func bounded(_ devices: [DeviceBinding]) -> [DeviceBinding] {
    func isShort(_ text: String?) -> Bool {
      (text ?? "").utf8.count <= longest && !(text ?? "").unicodeScalars.contains { $0.value < 32 }
    }
    return Array(
      devices.lazy.filter { device in
        isShort(device.address.text) && isShort(device.definition) && isShort(device.patient)
          && (0...255).contains(device.userIndex ?? 0)
      }.prefix(most))
  }

  // MARK: At the centre

  /// Adds devices to those that a box is to read.
  package static func give(
    _ devices: [DeviceBinding], to box: String, in exchange: any RowExchange
  ) throws {
    let before = try kit(of: box, in: exchange)
    let slots = Set(before.map(Slot.init))
    let all = bounded(before + devices.filter { !slots.contains(Slot($0)) })
    try keep(all, given, box, in: exchange)
  }

  /// The devices that a box is to read, and has not said that it has.
  package static func kit(of box: String, in exchange: any RowExchange) throws -> [DeviceBinding] {
    try exchange.value(given, box) ?? []
  }

  /// Takes those off that a box has.
  static func settle(
    _ bound: [DeviceBinding], of box: String, in exchange: any RowExchange
  ) throws {
    let before = try kit(of: box, in: exchange)
    let after = before.filter { device in !bound.contains { $0.address == device.address } }
    guard after.count < before.count else { return }
    try keep(after, given, box, in: exchange)
  }

  // MARK: At the box

  /// Keeps what a centre names, of people whom it gives to the box.
  static func take(
    _ devices: [DeviceBinding], from centre: String, people: Set<String>,
    in exchange: any RowExchange
  ) throws {
    let named = bounded(devices).filter { $0.isOf(people) }
    guard try named != exchange.value(waiting, centre) ?? [] else { return }
    try keep(named, waiting, centre, in: exchange)
  }

  /// Binds what a centre has named, and can be bound by now.
  ///
  /// - Parameters:
  ///   - centre: The centre's own name.
  ///   - exchange: The box's store.
  ///   - bind: Binds a device.
  /// - Throws: The errors of `bind`; `StoreError`.
  package static func bind(
    from centre: String, in exchange: any RowExchange, _ bind: (DeviceBinding) throws -> Void
  ) throws {
    let named: [DeviceBinding] = try exchange.value(waiting, centre) ?? []
    guard !named.isEmpty else { return }
    let before: Set<DeviceID> = try exchange.value(had, centre) ?? []
    guard before.count < 4 * most else { return }
    let known = before.union(try exchange.deviceBindings().map(\.address))
    let people = Set(try exchange.patients().map(\.id))
    let rest = named.filter { !known.contains($0.address) }
    let waits = rest.filter { !$0.isOf(people) }
    for device in rest where !waits.contains(device) { try bind(device) }
    try keep(waits, waiting, centre, in: exchange)
    let all = Set(named.map(\.address)).subtracting(waits.map(\.address))
    try exchange.keep(value: before.union(all), had, centre)
  }

  /// Forgets what a centre has named.
  static func leave(_ centre: String, in exchange: any RowExchange) throws {
    try exchange.keep(nil, waiting, centre)
    try exchange.keep(nil, had, centre)
  }

  private static func keep(
    _ devices: [DeviceBinding], _ scope: String, _ name: String, in exchange: any RowExchange
  ) throws {
    guard !devices.isEmpty else { return try exchange.keep(nil, scope, name) }
    try exchange.keep(value: devices, scope, name)
  }

  private struct Slot: Hashable {
    var address: DeviceID
    var userIndex: Int?

    init(_ device: DeviceBinding) {
      (address, userIndex) = (device.address, device.userIndex)
    }
  }
}

extension DeviceBinding {
  /// Whether it is of one of these people, or of nobody.
  package func isOf(_ people: Set<String>) -> Bool { patient.map(people.contains) ?? true }
}
