package import Foundation

/// A credential that lets a program use the API.
package struct Token: Hashable, Sendable, Identifiable {
  /// A short name for lists and the audit log: 12 characters of base64url; no secret.
  package let id: String
  /// The purpose of the token, 1...80 characters.
  package let name: String
  /// The permissions of the token.
  package let scopes: Set<Permission>
  /// Whose data it concerns.
  package let patients: PatientScope
  /// The account that made it; `nil` for one made over the Unix socket.
  ///
  /// A token permits no more than its account permits now, and ends with it.
  package let creator: Account.ID?
  /// When it was made, whole seconds.
  package let created: Date
  /// When it ends, whole seconds; `nil` if it does not.
  package let expires: Date?
  /// When it was last used, to the hour; `nil` if it was not.
  package internal(set) var lastUsed: Date?
  /// The age at which it ends.
  let deadline: TimeInterval?
  let secret: SecretDigest

  /// The rights of the token, regardless of its creator's.
  package var grant: Grant { Grant(scopes, patients) }

  /// A token as a person requests it.
  package struct Draft: Hashable, Sendable {
    package var name: String
    package var scopes: Set<Permission>
    package var patients: PatientScope
    package var expires: Date?

    /// Makes a draft.
    package init(
      name: String, scopes: Set<Permission>, patients: PatientScope, expires: Date? = nil
    ) {
      self.name = name.trimmingCharacters(in: .whitespacesAndNewlines)
      self.scopes = scopes
      self.patients = patients
      self.expires = expires
    }

    /// Reasons to refuse a draft.
    package enum Flaw: Error, Hashable, Sendable {
      /// The name is empty, longer than 80 characters, or has control characters.
      case name
      /// There is no scope.
      case scopes
      /// There is no patient, or `administer`, which concerns all of them, is for some.
      case patients
      /// It ends in the past.
      case expires
    }

    func check(now: Date) throws(Flaw) {
      guard Account.isName(name) else { throw .name }
      guard !scopes.isEmpty else { throw .scopes }
      guard patients != .only([]), patients == .all || !scopes.contains(.administer) else {
        throw .patients
      }
      if let expires, expires <= now { throw .expires }
    }
  }
}

extension Token: StrictlyCodable {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case id, name, scopes, patients, creator, created, expires, lastUsed, deadline, secret
  }

  /// Writes the scopes in their order, so that the same token is the same text.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(id, forKey: .id)
    try container.encode(name, forKey: .name)
    try container.encode(Permission.allCases.filter(scopes.contains), forKey: .scopes)
    try container.encode(patients, forKey: .patients)
    try container.encodeIfPresent(creator, forKey: .creator)
    try container.encode(created, forKey: .created)
    try container.encodeIfPresent(expires, forKey: .expires)
    try container.encodeIfPresent(lastUsed, forKey: .lastUsed)
    try container.encodeIfPresent(deadline, forKey: .deadline)
    try container.encode(secret, forKey: .secret)
  }

  /// Whether the token could have been made as it is.
  var isValid: Bool {
    Account.isName(name) && !id.isEmpty && id.utf8.count <= 32 && !scopes.isEmpty
      && (expires == nil) == (deadline == nil)
  }
}
