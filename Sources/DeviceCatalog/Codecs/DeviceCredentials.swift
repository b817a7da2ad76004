public import Care
import GATT

/// What a device wants to be told before it tells anything: a key, or the consent of its users.
public struct DeviceCredentials: Hashable, Sendable {
  /// A user who has agreed that this machine reads what the device keeps for them.
  public struct User: Hashable, Sendable {
    /// The slot on the device.
    public var index: UInt8
    /// The code that opens the slot, 0...9999.
    public var consentCode: Secret<UInt16>

    /// Makes a user.
    public init(index: UInt8, consentCode: Secret<UInt16>) {
      self.index = index
      self.consentCode = consentCode
    }
  }

  /// The bind key of encrypted advertisements, 16 bytes; `nil` where there is none.
  public var key: Secret<[UInt8]>?
  /// The users, by slot.
  public var users: [User]

  /// Makes credentials; by default there are none.
  public init(key: Secret<[UInt8]>? = nil, users: [User] = []) {
    self.key = key
    self.users = users
  }

  /// What a plan says of one device in all its bindings.
  public init(_ bindings: some Sequence<DeviceBinding>) {
    let bindings = Array(bindings)
    let users = bindings.compactMap { binding -> User? in
      guard let index = binding.userIndex.flatMap(UInt8.init(exactly:)),
        let code = binding.consentCode
      else { return nil }
      return User(index: index, consentCode: code)
    }
    self.init(
      key: bindings.lazy.compactMap(\.key).first, users: users.sorted { $0.index < $1.index })
  }
}

extension DeviceCredentials.User {
  /// What is written to the user control point to open the user's slot.
  var consent: UserControlPoint.Request {
    .consent(userIndex: index, consentCode: consentCode.revealed)
  }
}
