public import Care
import GATT

/// The credentials that a device requires: a key, a password, or the consent of its users.
public struct DeviceCredentials: Hashable, Sendable {
  /// A user who has agreed that this machine reads their data on the device.
  public struct User: Hashable, Sendable {
    /// The user's index on the device.
    public var index: UInt8
    /// The user's consent code, 0...9999.
    public var consentCode: Secret<UInt16>

    /// Makes a user.
    public init(index: UInt8, consentCode: Secret<UInt16>) {
      self.index = index
      self.consentCode = consentCode
    }
  }

  /// The bind key of encrypted advertisements, or the password of a pairing and zeros after it: 16
  /// bytes; `nil` if unknown.
  public var key: Secret<[UInt8]>?
  /// The users by index.
  public var users: [User]
  /// Whether the plan names the device, so that it may be paired with.
  public var isPlanned: Bool

  /// Makes credentials, by default empty ones.
  public init(key: Secret<[UInt8]>? = nil, users: [User] = [], isPlanned: Bool = false) {
    self.key = key
    self.users = users
    self.isPlanned = isPlanned
  }

  /// The credentials of one device in all its bindings of a plan.
  public init(_ bindings: some Sequence<DeviceBinding>) {
    let bindings = Array(bindings)
    let users = bindings.compactMap { binding -> User? in
      guard let index = binding.userIndex.flatMap(UInt8.init(exactly:)),
        let code = binding.consentCode
      else { return nil }
      return User(index: index, consentCode: code)
    }
    self.init(
      key: bindings.lazy.compactMap(\.key).first, users: users.sorted { $0.index < $1.index },
      isPlanned: !bindings.isEmpty)
  }
}

extension DeviceCredentials.User {
  /// The consent request for the user control point.
  var consent: UserControlPoint.Request {
    .consent(userIndex: index, consentCode: consentCode.revealed)
  }
}
