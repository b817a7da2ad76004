/// A profile of integer fields whose presence a flags field says.
///
/// The running, cycling and fitness-machine profiles share this shape: flags, then groups of fields,
/// each group present if its bit is set (or, for the first of a fitness machine, clear).
public protocol FlaggedProfile: Sendable {
  /// The fields of all groups.
  associatedtype Field: RawRepresentable, Hashable, Sendable, CaseIterable
  where Field.RawValue == String

  /// The characteristic.
  static var uuid: BluetoothUUID { get }
  /// The length of the flags in bytes, 1 to 3.
  static var flagsWidth: Int { get }
  /// The groups in the order of a frame.
  static var groups: [FieldGroup<Field>] { get }

  /// The flags of the groups that a frame has, if makers are known to send others than they announce.
  ///
  /// - Parameters:
  ///   - flags: The flags as sent.
  ///   - count: The number of bytes behind the flags.
  /// - Returns: The flags as they would have to be.
  static func corrected(_ flags: UInt32, of count: Int) -> UInt32
}

extension FlaggedProfile {
  public static func corrected(_ flags: UInt32, of count: Int) -> UInt32 { flags }

  /// The length in bytes of the groups that `flags` announce.
  static func length(of flags: UInt32) -> Int {
    groups.filter { $0.isPresent(in: flags) }.flatMap(\.fields).map(\.encoding.width).reduce(0, +)
  }
}

/// Fields that are present together.
public struct FieldGroup<Field: Hashable & Sendable>: Sendable {
  /// The encoding of a field.
  public enum Encoding: Sendable {
    case u8, u16, u24, u32, s8, s16

    /// The length in bytes.
    var width: Int {
      switch self {
      case .u8, .s8: 1
      case .u16, .s16: 2
      case .u24: 3
      case .u32: 4
      }
    }

    private var isSigned: Bool {
      switch self {
      case .s8, .s16: true
      case .u8, .u16, .u24, .u32: false
      }
    }

    func read(_ field: String, from reader: inout ByteReader) throws(GATTError) -> Int64 {
      isSigned
        ? try reader.signed(field, width: width)
        : Int64(bitPattern: try reader.unsigned(field, width: width))
    }
  }

  /// The flag; `nil` for fields that every frame has.
  var bit: Int?
  /// The flag's value for which the fields are present.
  var isPresentWhenSet: Bool
  /// The fields in their order.
  var fields: [(field: Field, encoding: Encoding)]

  init(_ bit: Int?, whenSet: Bool = true, _ fields: (Field, Encoding)...) {
    self.bit = bit
    isPresentWhenSet = whenSet
    self.fields = fields.map { (field: $0.0, encoding: $0.1) }
  }

  func isPresent(in flags: UInt32) -> Bool {
    bit.map { (flags >> UInt32($0) & 1 == 1) == isPresentWhenSet } ?? true
  }
}

/// A frame of a ``FlaggedProfile``.
public struct FlaggedMeasurement<Profile: FlaggedProfile>: Characteristic {
  public static var uuid: BluetoothUUID { Profile.uuid }

  /// The flags of the frame's groups, with the bits that mean something else than presence.
  public let flags: UInt32
  private var counts: [Profile.Field: Int64] = [:]

  /// The integer of a field as sent; `nil` if the frame does not have it.
  public subscript(field: Profile.Field) -> Int64? { counts[field] }

  /// Whether a flag is set.
  public func isSet(_ bit: Int) -> Bool { flags >> UInt32(bit) & 1 == 1 }

  /// Makes a frame of a profile's fields.
  ///
  /// - Parameters:
  ///   - flags: The flags; a field is present if they say so.
  ///   - counts: The integers; a present field without one is 0.
  public init(flags: UInt32, _ counts: [Profile.Field: Int64]) {
    self.flags = flags
    for group in Profile.groups where group.isPresent(in: flags) {
      for (field, _) in group.fields { self.counts[field] = counts[field] ?? 0 }
    }
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    let sent = try reader.unsigned("flags", width: Profile.flagsWidth)
    flags = Profile.corrected(UInt32(truncatingIfNeeded: sent), of: reader.remaining)
    for group in Profile.groups where group.isPresent(in: flags) {
      for (field, encoding) in group.fields {
        guard group.bit != nil else {
          counts[field] = try encoding.read(field.rawValue, from: &reader)
          continue
        }
        counts[field] = try reader.announced(true) { reader throws(GATTError) in
          try encoding.read(field.rawValue, from: &reader)
        }
      }
    }
  }

  public func encode(into writer: inout ByteWriter) {
    writer.unsigned(UInt64(flags), width: Profile.flagsWidth)
    for group in Profile.groups where group.isPresent(in: flags) {
      for (field, encoding) in group.fields {
        writer.unsigned(UInt64(bitPattern: counts[field] ?? 0), width: encoding.width)
      }
    }
  }
}
