import GATT
import Radio

/// The form of the key file: a heading, one key or name a line, and a last line that counts them,
/// so that a file that was cut is not taken for a short one.
///
///     measured keys 1
///     ltk 00:1B:DC:00:00:01 9A78563412C4020201100000...
///     irk 00:1B:DC:00:00:01 9A78563412C4020102030405...
///     name C4:12:34:56:78:9A Kitchen scale
///     end 3
///
/// Keys are the bytes that the kernel takes and gives, behind the address of the controller that
/// they belong to.
extension KeyRing {
  /// The longest file that can be: two keys, an identity and a name of each device.
  static let maximumFileLength = 512 * capacity

  private static let heading = "measured keys 1"

  /// The ring as a file holds it.
  var text: String {
    let records =
      longTermKeys.map { "ltk \($0.controller) " + Self.hex($0.key.write) }
      + identityKeys.map { "irk \($0.controller) " + Self.hex($0.key.write) }
      + names.sorted { $0.key < $1.key }.map { "name \($0.key) \($0.value)" }
    return ([Self.heading] + records + ["end \(records.count)"]).joined(separator: "\n") + "\n"
  }

  /// Reads a file.
  ///
  /// - Throws: ``KeyTextError`` at the first line that is not as written above.
  init(text: String) throws(KeyTextError) {
    self.init()
    // Lines end in a line feed alone; of an even file the last piece is empty.
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
    let digits = hex.unicodeScalars.map { Character($0).hexDigitValue }
    let values = digits.compactMap { $0 }
    guard values.count == digits.count, values.count.isMultiple(of: 2) else {
      throw "the key is not written in hex"
    }
    var reader = ByteReader(
      stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) })
    do throws(GATTError) {
      let key = try read(&reader)
      try reader.finish()
      return key
    } catch {
      // The error's own words may hold bytes of the key.
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
  /// Which line, from 1.
  var line: Int
  /// What is wrong with it; never the key itself.
  var reason: String

  /// A reason whose line is known further up.
  fileprivate struct Reason: Error, ExpressibleByStringInterpolation {
    var text: String

    init(stringLiteral text: String) { self.text = text }
  }
}
