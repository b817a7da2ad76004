/// `Record Access Control Point` (2A52): requests the stored records of a meter.
///
/// A ``Request`` is written; measurements arrive; then a ``Response`` is indicated. Records are
/// selected by sequence number, the filter that every glucose meter has.
/// Source: GATT Specification Supplement, Record Access Control Point.
public enum RecordAccessControlPoint {
  /// A selection of records.
  public enum Records: Hashable, Sendable {
    /// All stored records.
    case all
    /// Records up to and including a sequence number.
    case upTo(UInt16)
    /// Records from a sequence number on, inclusive.
    case from(UInt16)
    /// Records between two sequence numbers, both included.
    case between(UInt16, UInt16)
    /// The oldest record.
    case first
    /// The newest record.
    case last
  }

  /// A client's request.
  public enum Request: Hashable, Sendable {
    /// Send these records.
    case report(Records)
    /// Delete these records from the device.
    case delete(Records)
    /// Stop the current procedure.
    case abort
    /// Send the number of these records.
    case count(Records)
  }

  /// The device's response.
  public enum Response: Hashable, Sendable {
    /// The number of records that match.
    case count(UInt16)
    /// The result of the request with this opcode.
    case result(Result, of: UInt8)
  }

  /// The result of a request.
  public enum Result: UInt8, Hashable, Sendable, CaseIterable {
    /// The request succeeded.
    case success = 1
    /// The device does not support the opcode.
    case opcodeNotSupported = 2
    /// The operator is not valid for this opcode.
    case invalidOperator = 3
    /// The device does not support the operator.
    case operatorNotSupported = 4
    /// The operand is invalid.
    case invalidOperand = 5
    /// No record matches.
    case noRecordsFound = 6
    /// There was no procedure to abort, or it could not be aborted.
    case abortUnsuccessful = 7
    /// The procedure began and was not completed.
    case procedureNotCompleted = 8
    /// The device does not support the operand.
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
  /// The only supported filter type: the sequence number.
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

// MARK: - Coding

// Requests are also decoded and responses also encoded, so that a test can simulate a device.
extension RecordAccessControlPoint.Request: Characteristic {
  public static let uuid = BluetoothUUID(0x2A52)

  public init(from reader: inout ByteReader) throws(GATTError) {
    switch try reader.u8("opcode") {
    case Opcode.report: self = .report(try RecordAccessControlPoint.Records(from: &reader))
    case Opcode.delete: self = .delete(try RecordAccessControlPoint.Records(from: &reader))
    case Opcode.abort:
      try reader.nullOperator()
      self = .abort
    case Opcode.count: self = .count(try RecordAccessControlPoint.Records(from: &reader))
    case let other: throw .unknownOpcode(other)
    }
  }

  public func encode(into writer: inout ByteWriter) {
    writer.u8(opcode)
    switch self {
    case .report(let records), .delete(let records), .count(let records):
      records.encode(into: &writer)
    case .abort: writer.u8(0)
    }
  }

  /// The request's first byte, which the response repeats.
  public var opcode: UInt8 {
    switch self {
    case .report: Opcode.report
    case .delete: Opcode.delete
    case .abort: Opcode.abort
    case .count: Opcode.count
    }
  }

  private typealias Opcode = RecordAccessControlPoint.Opcode
}

extension RecordAccessControlPoint.Response: Characteristic {
  public static let uuid = BluetoothUUID(0x2A52)

  public init(from reader: inout ByteReader) throws(GATTError) {
    switch try reader.u8("opcode") {
    case Opcode.countResponse:
      try reader.nullOperator()
      self = .count(try reader.u16("number of records"))
    case Opcode.response:
      try reader.nullOperator()
      let request = try reader.u8("request opcode")
      let code = try reader.u8("response code")
      guard let result = RecordAccessControlPoint.Result(rawValue: code) else {
        throw .invalid(field: "response code", reason: "\(code) is not known")
      }
      self = .result(result, of: request)
    case let other: throw .unknownOpcode(other)
    }
  }

  public func encode(into writer: inout ByteWriter) {
    switch self {
    case .count(let count):
      writer.append([Opcode.countResponse, 0])
      writer.u16(count)
    case .result(let result, let request):
      writer.append([Opcode.response, 0, request, result.rawValue])
    }
  }

  /// Whether this is the response to `request` and not a late one to an earlier request.
  public func answers(_ request: RecordAccessControlPoint.Request) -> Bool {
    switch self {
    case .count: request.opcode == Opcode.count
    case .result(_, of: let opcode): opcode == request.opcode
    }
  }

  private typealias Opcode = RecordAccessControlPoint.Opcode
}

extension ByteReader {
  /// Reads the null operator of a request or response without a selection.
  fileprivate mutating func nullOperator() throws(GATTError) {
    let value = try u8("operator")
    guard value == 0 else { throw .invalid(field: "operator", reason: "\(value) is not 0") }
  }
}
