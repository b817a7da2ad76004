// Requests are also read and responses also written, so that a scale can be played in a test.
extension UserControlPoint.Request: Characteristic {
  public static let uuid = BluetoothUUID(0x2A9F)

  public init(from reader: inout ByteReader) throws(GATTError) {
    switch try reader.u8("opcode") {
    case Opcode.registerNewUser:
      self = .registerNewUser(consentCode: try reader.u16("consent code"))
    case Opcode.consent:
      self = .consent(
        userIndex: try reader.u8("user index"), consentCode: try reader.u16("consent code"))
    case Opcode.deleteUserData: self = .deleteUserData
    case Opcode.listAllUsers: self = .listAllUsers
    case Opcode.deleteUser: self = .deleteUser(userIndex: try reader.u8("user index"))
    case let other: throw .unknownOpcode(other)
    }
  }

  public func encode(into writer: inout ByteWriter) {
    writer.u8(opcode)
    switch self {
    case .registerNewUser(let code): writer.u16(code)
    case .consent(let index, let code):
      writer.u8(index)
      writer.u16(code)
    case .deleteUserData, .listAllUsers: break
    case .deleteUser(let index): writer.u8(index)
    }
  }

  /// The request's first byte, which the response repeats.
  public var opcode: UInt8 {
    switch self {
    case .registerNewUser: Opcode.registerNewUser
    case .consent: Opcode.consent
    case .deleteUserData: Opcode.deleteUserData
    case .listAllUsers: Opcode.listAllUsers
    case .deleteUser: Opcode.deleteUser
    }
  }

  private typealias Opcode = UserControlPoint.Opcode
}

extension UserControlPoint.Response: Characteristic {
  public static let uuid = BluetoothUUID(0x2A9F)

  public init(from reader: inout ByteReader) throws(GATTError) {
    let opcode = try reader.u8("opcode")
    guard opcode == UserControlPoint.Opcode.response else { throw .unknownOpcode(opcode) }
    requestOpcode = try reader.u8("request opcode")
    let code = try reader.u8("response value")
    guard let result = UserControlPoint.Result(rawValue: code) else {
      throw .invalid(field: "response value", reason: "\(code) is none that is known")
    }
    self.result = result
    parameter = reader.remainder()
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append([UserControlPoint.Opcode.response, requestOpcode, result.rawValue])
    writer.append(parameter)
  }
}
