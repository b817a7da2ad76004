/// `User Control Point` (2A9F): selects a user of a scale and grants access to that user's data.
///
/// A ``Request`` is written and a ``Response`` indicated. A scale sends a user's measurements only
/// after that user's consent. Source: User Data Service 1.1 §3.6.
public enum UserControlPoint {
  /// A client's request.
  public enum Request: Hashable, Sendable {
    /// Create a user with this consent code, 0…9999.
    case registerNewUser(consentCode: UInt16)
    /// Select a user by the code that was registered or that the scale displays.
    case consent(userIndex: UInt8, consentCode: UInt16)
    /// Delete the data of the selected user.
    case deleteUserData
    /// List all users.
    case listAllUsers
    /// Delete a user; 0xFF deletes all.
    case deleteUser(userIndex: UInt8)
  }

  /// The scale's response.
  public struct Response: Hashable, Sendable {
    /// The opcode of the request.
    public var requestOpcode: UInt8
    /// The result of the request.
    public var result: Result
    /// The response's parameter; its layout depends on the request.
    public var parameter: [UInt8]

    /// Makes a response.
    public init(requestOpcode: UInt8, result: Result, parameter: [UInt8] = []) {
      self.requestOpcode = requestOpcode
      self.result = result
      self.parameter = parameter
    }

    /// The index of the user who was registered; `nil` for every other response.
    public var registeredUserIndex: UInt8? {
      guard requestOpcode == Opcode.registerNewUser, result == .success else { return nil }
      return parameter.first
    }

    /// Whether this is the response to `request` and not a late one to an earlier request.
    public func answers(_ request: Request) -> Bool {
      requestOpcode == request.opcode
    }
  }

  /// The result of a request.
  public enum Result: UInt8, Hashable, Sendable, CaseIterable {
    /// The request succeeded.
    case success = 1
    /// The scale does not support the opcode.
    case opcodeNotSupported = 2
    /// A parameter of the request is invalid.
    case invalidParameter = 3
    /// The operation failed for another reason.
    case operationFailed = 4
    /// The consent code is wrong or missing.
    case userNotAuthorized = 5
  }

  /// The first byte of a request or a response.
  enum Opcode {
    static let registerNewUser: UInt8 = 1
    static let consent: UInt8 = 2
    static let deleteUserData: UInt8 = 3
    static let listAllUsers: UInt8 = 4
    static let deleteUser: UInt8 = 5
    static let response: UInt8 = 0x20
  }
}

// MARK: - Coding

// Requests are also decoded and responses also encoded, so that a test can simulate a scale.
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
      throw .invalid(field: "response value", reason: "\(code) is not known")
    }
    self.result = result
    parameter = reader.remainder()
  }

  public func encode(into writer: inout ByteWriter) {
    writer.append([UserControlPoint.Opcode.response, requestOpcode, result.rawValue])
    writer.append(parameter)
  }
}

// MARK: - User index

// Weight, body composition and blood pressure measurements share this byte.
extension ByteReader {
  /// Reads the index of a user on the device, if it is announced; `nil` also for 0xFF, an unknown user.
  mutating func userIndex(_ isAnnounced: Bool) throws(GATTError) -> UInt8? {
    try announced(isAnnounced) { reader throws(GATTError) in
      let index = try reader.u8("user ID")
      return index == 0xFF ? nil : index
    } ?? nil
  }
}
