/// What one advertisement or scan response says: a list of AD structures.
///
/// Whoever reads the air reads garbage too, so there are two ways in: ``init(_:)`` takes an
/// advertisement whole or not at all, ``readable(in:)`` keeps the structures before a defect.
/// Source: Core Specification, Vol 3 Part C §11.
public struct AdvertisingData: Hashable, Sendable {
  /// The longest advertisement in bytes, which extended advertising allows (Vol 4 Part E §7.8.54).
  public static let maximumLength = 1650

  /// The structures in the order in which they were sent.
  public let structures: [AdvertisingStructure]

  /// Makes an advertisement.
  ///
  /// - Throws: ``GATTError/oversized(count:limit:)`` where it exceeds 1650 bytes.
  public init(structures: [AdvertisingStructure]) throws(GATTError) {
    let count = structures.reduce(0) { $0 + $1.encodedCount }
    guard count <= Self.maximumLength else {
      throw .oversized(count: count, limit: Self.maximumLength)
    }
    self.structures = structures
  }

  /// Reads an advertisement.
  ///
  /// A zero length ends it early; what follows it is padding. Cost: O(bytes).
  /// - Throws: ``GATTError`` where a structure is longer than what is left, or all of it than 1650
  ///   bytes.
  public init(_ bytes: some Collection<UInt8>) throws(GATTError) {
    let (data, defect) = Self.readable(in: bytes)
    if let defect { throw defect }
    self = data
  }

  /// Reads an advertisement as far as it can be read, and says what is wrong with the rest.
  public static func readable(
    in bytes: some Collection<UInt8>
  ) -> (data: AdvertisingData, defect: GATTError?) {
    guard bytes.count <= maximumLength else {
      return (
        AdvertisingData(read: []), .oversized(count: bytes.count, limit: maximumLength)
      )
    }
    var reader = ByteReader(bytes)
    var structures: [AdvertisingStructure] = []
    do throws(GATTError) {
      while !reader.isAtEnd {
        let length = Int(try reader.u8("length"))
        if length == 0 { break }
        try reader.require(length, "AD structure")
        let type = AdvertisingStructure.Kind(rawValue: try reader.u8("AD type"))
        structures.append(
          AdvertisingStructure(type, fitting: try reader.bytes(length - 1, "AD data")))
      }
      return (AdvertisingData(read: structures), nil)
    } catch {
      return (AdvertisingData(read: structures), error)
    }
  }

  private init(read structures: [AdvertisingStructure]) {
    self.structures = structures
  }

  /// The advertisement as it is sent, at most 1650 bytes.
  public var encoded: [UInt8] {
    var writer = ByteWriter()
    for structure in structures { structure.encode(into: &writer) }
    return writer.bytes
  }
}
