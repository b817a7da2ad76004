// Requests are also read and responses also written, so that a device can be played in a test.
extension RecordAccessControlPoint.Request: Characteristic {
  public static let uuid = BluetoothUUID(0x2A52)

  public init(from reader: inout ByteReader) throws(GATTError) {
    switch try reader.u8("opcode") {
    case Opcode.report: self = .report(try Records(from: &reader))
    case Opcode.delete: self = .delete(try Records(from: &reader))
    case Opcode.abort:
      try reader.nullOperator()
      self = .abort
    case Opcode.count: self = .count(try Records(from: &reader))
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
  private typealias Records = RecordAccessControlPoint.Records
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
        throw .invalid(field: "response code", reason: "\(code) is none that is known")
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

  /// Whether this ends `request`: a stale answer to an earlier one does not.
  public func answers(_ request: RecordAccessControlPoint.Request) -> Bool {
    switch self {
    case .count: request.opcode == Opcode.count
    case .result(_, of: let opcode): opcode == request.opcode
    }
  }

  private typealias Opcode = RecordAccessControlPoint.Opcode
}

extension ByteReader {
  /// Reads the operator of what chooses no records.
  fileprivate mutating func nullOperator() throws(GATTError) {
    let value = try u8("operator")
    guard value == 0 else { throw .invalid(field: "operator", reason: "\(value) is not 0") }
  }
}
