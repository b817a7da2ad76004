/// `Record Access Control Point` (2A52): how a meter is asked for what it has stored.
///
/// A ``Request`` is written; measurements arrive; then a ``Response`` is indicated. Records are
/// chosen by sequence number, the one filter that every glucose meter has.
/// Source: GATT Specification Supplement, Record Access Control Point.
public enum RecordAccessControlPoint {
  /// Which records are meant.
  public enum Records: Hashable, Sendable {
    /// All that are stored.
    case all
    /// Those up to a sequence number, it included.
    case upTo(UInt16)
    /// Those from a sequence number on, it included.
    case from(UInt16)
    /// Those between two sequence numbers, both included.
    case between(UInt16, UInt16)
    /// The oldest one.
    case first
    /// The newest one.
    case last
  }

  /// What a client asks.
  public enum Request: Hashable, Sendable {
    /// Send these records.
    case report(Records)
    /// Delete these records from the device.
    case delete(Records)
    /// Stop what is going on.
    case abort
    /// Say how many of these records there are.
    case count(Records)
  }

  /// What the device answers.
  public enum Response: Hashable, Sendable {
    /// So many records match.
    case count(UInt16)
    /// The request with this opcode is done, or why it is not.
    case result(Result, of: UInt8)
  }

  /// How a request ended.
  public enum Result: UInt8, Hashable, Sendable, CaseIterable {
    /// It is done.
    case success = 1
    /// The device does not know such requests.
    case opcodeNotSupported = 2
    /// Such a request has no such choice of records.
    case invalidOperator = 3
    /// The device cannot choose records so.
    case operatorNotSupported = 4
    /// The bounds of the records make no sense.
    case invalidOperand = 5
    /// No record matches.
    case noRecordsFound = 6
    /// There was nothing to abort, or it could not be.
    case abortUnsuccessful = 7
    /// It began and could not be finished.
    case procedureNotCompleted = 8
    /// The device cannot bound records so.
    case operandNotSupported = 9
  }

  /// The first byte of a request or a response.
  enum Opcode {
    static let report: UInt8 = 1
    static let delete: UInt8 = 2
    static let abort: UInt8 = 3
    static let count: UInt8 = 4
    static let countResponse: UInt8 = 5
    static let response: UInt8 = 6
  }
}

extension RecordAccessControlPoint.Records {
  /// The one filter type that is spoken here: by sequence number.
  private static let bySequenceNumber: UInt8 = 1

  init(from reader: inout ByteReader) throws(GATTError) {
    switch try reader.u8("operator") {
    case 1: self = .all
    case 2: self = .upTo(try Self.sequenceNumber(from: &reader))
    case 3: self = .from(try Self.sequenceNumber(from: &reader))
    case 4: self = .between(try Self.sequenceNumber(from: &reader), try reader.u16("maximum"))
    case 5: self = .first
    case 6: self = .last
    case let other: throw .invalid(field: "operator", reason: "\(other) chooses no records")
    }
  }

  private static func sequenceNumber(
    from reader: inout ByteReader
  ) throws(GATTError) -> UInt16 {
    let filter = try reader.u8("filter type")
    guard filter == bySequenceNumber else {
      throw .invalid(field: "filter type", reason: "\(filter) is not the sequence number's")
    }
    return try reader.u16("sequence number")
  }

  func encode(into writer: inout ByteWriter) {
    switch self {
    case .all: writer.u8(1)
    case .upTo(let last):
      writer.append([2, Self.bySequenceNumber])
      writer.u16(last)
    case .from(let first):
      writer.append([3, Self.bySequenceNumber])
      writer.u16(first)
    case .between(let first, let last):
      writer.append([4, Self.bySequenceNumber])
      writer.u16(first)
      writer.u16(last)
    case .first: writer.u8(5)
    case .last: writer.u8(6)
    }
  }
}
