import GATT
import StrictYAML

/// How the records of a device are read that gives access to its memory.
///
/// The codec knows how the memory is unlocked, read and closed; the rule says where the records of
/// this model are.
struct MemoryRule: Hashable, Sendable {
  var codec: MemoryCodec
  /// The proof that the memory asks for before it is opened.
  var unlock = Unlock.key
  var index: Index
  /// The records of each of the device's users, from user 1.
  var users: [Region]
  /// The bytes of a record.
  var length: Int
  var origin: YAMLLocation

  /// The proof that a memory asks for before it is opened.
  enum Unlock: String, Hashable, Sendable, CaseIterable {
    /// A key, which was programmed while the device was paired. Its frames are cut into pieces.
    case key
    /// Nothing but the bond.
    case bond
    /// Four bytes, whichever, which the device repeats.
    case token
  }

  /// Where the device notes which of its records is the next one to be written.
  struct Index: Hashable, Sendable {
    /// The address of the first user's number.
    var at: Int
    /// u8, u16le or u16be.
    var type: FieldType
    /// Whether it also counts the records that were not fetched.
    var countsUnread: Bool
  }

  /// The records of one user, which are written one after the other, and over the oldest at the end.
  struct Region: Hashable, Sendable {
    /// The address of the first.
    var at: Int
    /// How many there are.
    var records: Int
  }
}

/// The codecs of memories by their name in a definition.
enum MemoryCodec: String, Hashable, Sendable, CaseIterable {
  case omronMemory = "omron-memory"

  /// The characteristic whose records are those of the memory.
  var source: BluetoothUUID {
    switch self {
    case .omronMemory: OmronFrame.replies[0]
    }
  }
}

extension MemoryRule {
  /// Some of the memory, by user.
  struct Part: Hashable, Sendable {
    /// The user, from 1; `nil` for a device of one.
    var user: Int?
    /// The records, the first one first.
    var records: [[UInt8]]
  }

  /// The whole records in bytes that were read from an address; `nil` for another part of the memory.
  func part(of bytes: [UInt8], at address: Int) -> Part? {
    for (user, region) in users.enumerated() {
      let offset = address - region.at
      guard offset >= 0, offset + bytes.count <= region.records * length,
        offset.isMultiple(of: length), !bytes.isEmpty, bytes.count.isMultiple(of: length)
      else { continue }
      let records = stride(from: 0, to: bytes.count, by: length).map {
        Array(bytes[$0..<$0 + length])
      }
      return Part(user: users.count > 1 ? user + 1 : nil, records: records)
    }
    return nil
  }

  /// Whether nothing was written to the place of a record: all its bits are alike.
  static func isEmpty(_ record: [UInt8]) -> Bool {
    record.allSatisfy { $0 == 0xFF } || record.allSatisfy { $0 == 0 }
  }
}

extension MemoryRule.Index {
  /// The length of the index: four numbers of the next record, and four of those not fetched, or two
  /// of each where a number has two bytes.
  static let count = 8

  /// The place of the next record of a user, from 0; `nil` if the user has none, or the index is
  /// not one of this model.
  func next(of user: Int, in index: [UInt8]) -> Int? {
    guard let number = number(at: user * type.width, in: index), number != empty else { return nil }
    return Int(number & mask)
  }

  /// How many records of a user were not fetched.
  func unread(of user: Int, in index: [UInt8]) -> Int? {
    guard countsUnread else { return nil }
    return number(at: 4 + user * type.width, in: index).map { Int($0 & mask) }
  }

  /// The highest bit alone says that there is nothing.
  private var empty: Int64 { 1 << Int64(8 * type.width - 1) }
  /// The higher bits are flags.
  private var mask: Int64 { type == .u8 ? 0x3F : 0xFF }

  private func number(at place: Int, in index: [UInt8]) -> Int64? {
    guard place + type.width <= index.count else { return nil }
    return type.integer(index[place..<place + type.width])
  }
}

// MARK: - Reading

extension MemoryRule {
  /// The longest record: a reply has 64 bytes, eight of which are not the memory's.
  static let maximumLength = 56
  /// The last address: the two highest bits of an address have another meaning.
  static let maximumAddress = 0x3FFF

  init(_ node: YAMLNode) throws(YAMLError) {
    origin = node.location
    var rule = try node.mapping()
    codec = try rule.required("codec").choice()
    unlock = try rule.optional("unlock")?.choice() ?? .key
    index = try Index(try rule.required("index"))
    let regions = try rule.required("users")
    users = try regions.elements(atMost: 4, Region.init(_:))
    length = try rule.required("length").integer(in: 1...Self.maximumLength)
    try rule.finish()
    guard !users.isEmpty else { throw regions.error("a memory has records of one user at least") }
    guard index.type == .u8 || users.count <= 2 else {
      throw regions.error("an index of two bytes a number has room for two users")
    }
    let ordered = users.sorted { $0.at < $1.at }
    for (region, next) in zip(ordered, ordered.dropFirst())
    where region.at + region.records * length > next.at {
      throw regions.error("the records of two users overlap")
    }
    guard users.allSatisfy({ $0.at + $0.records * length <= Self.maximumAddress + 1 }) else {
      throw regions.error("the records go beyond the last address, 0x3FFF")
    }
  }
}

extension MemoryRule.Index {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var index = try node.mapping()
    at = try index.required("at").integer(in: 0...MemoryRule.maximumAddress - Self.count)
    let typeNode = try index.required("type")
    type = try typeNode.choice()
    guard type == .u8 || type == .u16le || type == .u16be else {
      throw typeNode.error("the numbers of an index are u8, u16le or u16be")
    }
    countsUnread = try index.optional("unread")?.boolean() ?? true
    try index.finish()
  }
}

extension MemoryRule.Region {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var region = try node.mapping()
    at = try region.required("at").integer(in: 0...MemoryRule.maximumAddress)
    records = try region.required("records").integer(in: 1...255)
    try region.finish()
  }
}
