/// `User Control Point` (2A9F): how a scale is told who is speaking, and agrees.
///
/// A ``Request`` is written and a ``Response`` indicated. Without the consent of a user the scale
/// sends that user's measurements to nobody. Source: User Data Service 1.1 §3.6.
public enum UserControlPoint {
  /// What a client asks.
  public enum Request: Hashable, Sendable {
    /// Make a new user who will be opened by this code, 0…9999.
    case registerNewUser(consentCode: UInt16)
    /// Open a user by the code that was registered or that the scale shows.
    case consent(userIndex: UInt8, consentCode: UInt16)
    /// Delete the data of the user who is open.
    case deleteUserData
    /// List all users.
    case listAllUsers
    /// Delete a user; 0xFF deletes all.
    case deleteUser(userIndex: UInt8)
  }

  /// What the scale answers.
  public struct Response: Hashable, Sendable {
    /// The opcode of the request that is answered.
    public var requestOpcode: UInt8
    /// How it ended.
    public var result: Result
    /// What comes with the answer; its shape depends on the request.
    public var parameter: [UInt8]

    /// Makes an answer.
    public init(requestOpcode: UInt8, result: Result, parameter: [UInt8] = []) {
      self.requestOpcode = requestOpcode
      self.result = result
      self.parameter = parameter
    }

    /// The slot of the user who has just been registered.
    public var registeredUserIndex: UInt8? {
      guard requestOpcode == Opcode.registerNewUser, result == .success, parameter.count == 1
      else { return nil }
      return parameter.first
    }

    /// Whether this ends `request`: a stale answer to an earlier one does not.
    public func answers(_ request: Request) -> Bool {
      requestOpcode == request.opcode
    }
  }

  /// How a request ended.
  public enum Result: UInt8, Hashable, Sendable, CaseIterable {
    /// It is done.
    case success = 1
    /// The scale does not know such requests.
    case opcodeNotSupported = 2
    /// The request's parameters make no sense to the scale.
    case invalidParameter = 3
    /// Something else went wrong.
    case operationFailed = 4
    /// The consent code is wrong, or none was given.
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
