import Radio

/// The bonds of this machine in kernel mode: keys of devices, and what the devices call themselves.
///
/// A device is bonded with one controller, whose address is part of what the device remembers: a
/// key is of no use to another controller of the machine, and is kept with the one it belongs to.
struct KeyRing: Hashable, Sendable {
  /// How many bonds there can be: far more than a home has, and few enough to load at once.
  static let capacity = 128

  /// A key and whose controller's it is.
  struct Held<Key: Hashable & Sendable>: Hashable, Sendable {
    var controller: DeviceAddress
    var key: Key
  }

  /// At most two of a bond, one for each direction.
  private(set) var longTermKeys: [Held<LongTermKey>] = []
  /// At most one of a bond.
  private(set) var identityKeys: [Held<IdentityKey>] = []
  /// Names by identity address.
  private(set) var names: [DeviceAddress: String] = [:]

  /// Keeps a key in the place of the one it replaces.
  ///
  /// - Returns: Whether there was room for it.
  mutating func store(_ key: LongTermKey, of controller: DeviceAddress) -> Bool {
    guard hasRoom(for: key.peer.address, controller) else { return false }
    longTermKeys.removeAll { $0.controller == controller && key.replaces($0.key) }
    longTermKeys.append(Held(controller: controller, key: key))
    return true
  }

  /// Keeps a key in the place of the device's older one.
  ///
  /// - Returns: Whether there was room for it.
  mutating func store(_ key: IdentityKey, of controller: DeviceAddress) -> Bool {
    guard hasRoom(for: key.peer.address, controller) else { return false }
    identityKeys.removeAll { $0.controller == controller && $0.key.peer == key.peer }
    identityKeys.append(Held(controller: controller, key: key))
    return true
  }

  /// Keeps the name of a device whose keys are known; control characters become spaces.
  mutating func name(_ address: DeviceAddress, _ name: String) {
    guard bonded.contains(where: { $0.device == address }) else { return }
    let line = name.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
    let text = String(String.UnicodeScalarView(line)).prefix(Self.longestName)
    names[address] = text.isEmpty ? nil : String(text)
  }

  /// Forgets all keys of a device.
  ///
  /// - Returns: Whether there were any.
  mutating func forget(_ address: DeviceAddress) -> Bool {
    guard bonded.contains(where: { $0.device == address }) else { return false }
    longTermKeys.removeAll { $0.key.peer.address == address }
    identityKeys.removeAll { $0.key.peer.address == address }
    names[address] = nil
    return true
  }

  /// What a controller is to load.
  func longTermKeys(of controller: DeviceAddress) -> [LongTermKey] {
    longTermKeys.filter { $0.controller == controller }.map(\.key)
  }

  /// What a controller is to load.
  func identityKeys(of controller: DeviceAddress) -> [IdentityKey] {
    identityKeys.filter { $0.controller == controller }.map(\.key)
  }

  /// A bonded device as the kernel knows it, and the controller that is bonded with it.
  struct Bond: Hashable, Sendable {
    var controller: DeviceAddress
    var peer: PeerAddress
  }

  /// The bonds with a device: one for each controller that it was paired with.
  func bonds(with address: DeviceAddress) -> Set<Bond> {
    Set(
      longTermKeys.filter { $0.key.peer.address == address }
        .map { Bond(controller: $0.controller, peer: $0.key.peer) })
  }

  /// The devices that a link can be encrypted with, by address.
  var bonds: [BondedDevice] {
    Set(longTermKeys.map(\.key.peer.address)).sorted().map {
      BondedDevice(address: $0, name: names[$0])
    }
  }

  /// The longest name that is kept, in characters: what an advertisement can hold.
  private static let longestName = 248

  private struct Pair: Hashable {
    var controller: DeviceAddress
    var device: DeviceAddress
  }

  private var bonded: Set<Pair> {
    Set(longTermKeys.map { Pair(controller: $0.controller, device: $0.key.peer.address) })
      .union(identityKeys.map { Pair(controller: $0.controller, device: $0.key.peer.address) })
  }

  private func hasRoom(for device: DeviceAddress, _ controller: DeviceAddress) -> Bool {
    let bonded = self.bonded
    return bonded.count < Self.capacity
      || bonded.contains(Pair(controller: controller, device: device))
  }
}
