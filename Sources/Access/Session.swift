package import Foundation

/// A browser in which a person is signed in.
package struct Session: Hashable, Sendable, Identifiable {
  /// A short name for lists: 12 characters of base64url; no secret.
  package let id: String
  /// The account that signed in.
  package let account: Account.ID
  /// When it began, whole seconds.
  package let created: Date
  /// The address from which the person signed in.
  package let client: String
  /// The age at which it began.
  let start: TimeInterval
  /// The age at which it was last used.
  var lastUse: TimeInterval
  let secret: SecretDigest

  /// How long a session lasts, in seconds of age.
  package struct Limits: Hashable, Sendable {
    /// Without use.
    package let idle: TimeInterval
    /// At most.
    package let absolute: TimeInterval

    /// Makes limits.
    package init(idle: TimeInterval, absolute: TimeInterval) {
      self.idle = idle
      self.absolute = absolute
    }

    /// The limits of a role: a patient's tablet beside the scale stays signed in for weeks, and
    /// what reads several people or changes the box does not.
    package static func standard(for role: Role) -> Limits {
      let day: TimeInterval = 86_400
      return switch role {
      case .patient, .carer: Limits(idle: 30 * day, absolute: 180 * day)
      case .provider: Limits(idle: day / 2, absolute: 7 * day)
      case .administrator: Limits(idle: day / 2, absolute: 7 * day)
      }
    }
  }

  /// Whether it has ended at an age.
  func isExpired(at age: TimeInterval, _ limits: Limits) -> Bool {
    age - start >= limits.absolute || age - lastUse >= limits.idle
  }

  /// The most sessions of one account; the one that was used least recently ends first.
  ///
  /// A person has a handful of browsers; the bound limits the file.
  static let maximumPerAccount = 16
}

extension Session: StrictlyCodable {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case id, account, created, client, start, lastUse, secret
  }

  /// Whether the session could have been made as it is.
  var isValid: Bool {
    !id.isEmpty && id.utf8.count <= 32 && client.utf8.count <= 64 && start <= lastUse
  }
}
