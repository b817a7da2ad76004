import GATT
import Radio

/// The bonds of this machine in kernel mode: keys and names of devices.
///
/// A device is bonded with one controller, whose address is part of the device's bond: a key is
/// useless to another controller, and is stored with its own.
struct KeyRing: Hashable, Sendable {
  /// The maximum number of bonds: far more than a home has, and few enough to load at once.
  static let capacity = 128

  /// A key with its controller.
  struct Held<Key: Hashable & Sendable>: Hashable, Sendable {
    var controller: DeviceAddress
    var key: Key
  }

  /// At most two per bond, one for each direction.
  private(set) var longTermKeys: [Held<LongTermKey>] = []
  /// At most one per bond.
  private(set) var identityKeys: [Held<IdentityKey>] = []
  /// Names by identity address.
  private(set) var names: [DeviceAddress: String] = [:]

  /// Stores a key; it replaces an earlier one of the same device and direction.
  ///
  /// - Returns: Whether it fits.
  mutating func store(_ key: LongTermKey, of controller: DeviceAddress) -> Bool {
    guard hasRoom(for: key.peer.address, controller) else { return false }
    longTermKeys.removeAll { $0.controller == controller && key.replaces($0.key) }
    longTermKeys.append(Held(controller: controller, key: key))
    return true
  }

  /// Stores a key; it replaces the device's earlier one.
  ///
  /// - Returns: Whether it fits.
  mutating func store(_ key: IdentityKey, of controller: DeviceAddress) -> Bool {
    guard hasRoom(for: key.peer.address, controller) else { return false }
    identityKeys.removeAll { $0.controller == controller && $0.key.peer == key.peer }
    identityKeys.append(Held(controller: controller, key: key))
    return true
  }

  /// Stores the name of a device whose keys are known; control characters become spaces.
  mutating func name(_ address: DeviceAddress, _ name: String) {
    guard bonded.contains(where: { $0.device == address }) else { return }
    let line = name.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }
    let text = String(String.UnicodeScalarView(line)).prefix(Self.longestName)
    names[address] = text.isEmpty ? nil : String(text)
  }

  /// Removes all keys of a device.
  ///
  /// - Returns: Whether there were any.
  mutating func forget(_ address: DeviceAddress) -> Bool {
    guard bonded.contains(where: { $0.device == address }) else { return false }
    longTermKeys.removeAll { $0.key.peer.address == address }
    identityKeys.removeAll { $0.key.peer.address == address }
    names[address] = nil
    return true
  }

  /// The keys to load into a controller.
  func longTermKeys(of controller: DeviceAddress) -> [LongTermKey] {
    longTermKeys.filter { $0.controller == controller }.map(\.key)
  }

  /// The keys to load into a controller.
  func identityKeys(of controller: DeviceAddress) -> [IdentityKey] {
    identityKeys.filter { $0.controller == controller }.map(\.key)
  }

  /// A bonded device's address as the kernel knows it, and the controller that is bonded with it.
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

  /// The longest stored name, in characters: what fits into an advertisement.
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

/// The format of the key file: a heading, one key or name a line, and a last line with their count,
/// so that a truncated file is detected.
///
///     measured keys 1
///     ltk 00:1B:DC:00:00:01 9A78563412C4020201100000...
///     irk 00:1B:DC:00:00:01 9A78563412C4020102030405...
///     name C4:12:34:56:78:9A Kitchen scale
///     end 3
///
/// Keys are the bytes of the kernel's commands and events, after the address of their controller.
extension KeyRing {
  /// The maximum length: two keys, an identity and a name for each device.
  static let maximumFileLength = 512 * capacity

  private static let heading = "measured keys 1"

  /// The contents of the key file.
  var text: String {
    let records =
      longTermKeys.map { "ltk \($0.controller) " + Self.hex($0.key.write) }
      + identityKeys.map { "irk \($0.controller) " + Self.hex($0.key.write) }
      + names.sorted { $0.key < $1.key }.map { "name \($0.key) \($0.value)" }
    return ([Self.heading] + records + ["end \(records.count)"]).joined(separator: "\n") + "\n"
  }

  /// Reads a file.
  ///
  /// - Throws: ``KeyTextError`` at the first line that does not follow the format above.
  init(text: String) throws(KeyTextError) {
    self.init()
    // Lines end in a line feed only; if the last line has one, the last piece is empty.
    let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
      .map(String.init)
    guard lines.first == Self.heading else {
      throw KeyTextError(line: 1, reason: "it does not begin with '\(Self.heading)'")
    }
    guard lines.count >= 3, lines.last == "", lines[lines.count - 2] == "end \(lines.count - 3)"
    else {
      throw KeyTextError(
        line: lines.count, reason: "it does not end with the count of its lines, so it was cut")
    }
    for (index, line) in lines.enumerated().dropFirst().dropLast(2) {
      do throws(KeyTextError.Reason) {
        try take(line)
      } catch {
        throw KeyTextError(line: index + 1, reason: error.text)
      }
    }
  }

  private mutating func take(_ line: String) throws(KeyTextError.Reason) {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    guard words.count == 3, let address = DeviceAddress(words[1]) else {
      throw "it is no key and no name"
    }
    let isNew: Bool
    switch words[0] {
    case "ltk":
      let key = try Self.key(words[2], LongTermKey.init(from:))
      isNew = !longTermKeys.contains { $0.controller == address && key.replaces($0.key) }
      guard store(key, of: address) else { throw "there are more than \(Self.capacity) bonds" }
    case "irk":
      let key = try Self.key(words[2], IdentityKey.init(from:))
      isNew = !identityKeys.contains { $0.controller == address && $0.key.peer == key.peer }
      guard store(key, of: address) else { throw "there are more than \(Self.capacity) bonds" }
    case "name":
      isNew = names[address] == nil
      name(address, words[2])
      guard names[address] == words[2] else { throw "the name cannot be a device's" }
    default:
      throw "it is no key and no name"
    }
    guard isNew else { throw "the device has another of the kind" }
  }

  private static func key<Key>(
    _ hex: String, _ read: (inout ByteReader) throws(GATTError) -> Key
  ) throws(KeyTextError.Reason) -> Key {
    let digits = Array(hex.utf8)
    let bytes = stride(from: 0, to: digits.count, by: 2).map { index in
      UInt8(String(decoding: digits[index...].prefix(2), as: UTF8.self), radix: 16)
    }
    // `Int(_:radix:)` also accepts a sign.
    guard digits.count.isMultiple(of: 2), !digits.contains(UInt8(ascii: "+")),
      !digits.contains(UInt8(ascii: "-")), bytes.allSatisfy({ $0 != nil })
    else { throw "the key is not written in hex" }
    var reader = ByteReader(bytes.compactMap(\.self))
    do throws(GATTError) {
      let key = try read(&reader)
      try reader.finish()
      return key
    } catch {
      // The original error's text may contain bytes of the key.
      throw "the key has not the bytes that a key has"
    }
  }

  private static func hex(_ write: (inout ByteWriter) -> Void) -> String {
    var writer = ByteWriter()
    write(&writer)
    return writer.bytes.map { byte in
      let digits = String(byte, radix: 16, uppercase: true)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}

/// Why the text of a key file cannot be read.
struct KeyTextError: Error, Hashable, Sendable {
  /// The line, from 1.
  var line: Int
  /// The problem with it, without the key.
  var reason: String

  /// A reason whose line the caller adds.
  fileprivate struct Reason: Error, ExpressibleByStringInterpolation {
    var text: String

    init(stringLiteral text: String) { self.text = text }
  }
}
