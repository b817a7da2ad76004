package import Foundation

/// A person who may sign in.
package struct Account: Hashable, Sendable, Identifiable {
  /// The name to sign in with: 1...32 of `a-z 0-9 . _ -`, the first a letter or digit.
  package let id: String
  /// The person's name as the page shows it, 1...80 characters.
  package internal(set) var name: String
  /// The person's relation to the patients.
  package internal(set) var role: Role
  /// The patients that the account concerns: one for a patient, all for an administrator.
  package internal(set) var patients: PatientScope
  /// When the account was made, whole seconds.
  package let created: Date
  var passcode: PasscodeHash

  /// The rights of the account.
  package var grant: Grant { Grant(role.permissions, patients) }

  /// A person as another person enters them.
  package struct Draft: Hashable, Sendable {
    package var id: String
    package var name: String
    package var role: Role
    package var patients: PatientScope

    /// Makes a draft; the id is read as ``Account/id(typed:)`` reads it.
    package init(id: String, name: String, role: Role, patients: PatientScope) {
      self.id = Account.id(typed: id)
      self.name = name.trimmingCharacters(in: .whitespacesAndNewlines)
      self.role = role
      self.patients = role == .administrator ? .all : patients
    }

    /// Reasons to refuse a draft.
    package enum Flaw: Error, Hashable, Sendable {
      /// The id is empty, longer than 32, or has other characters than ``Account/id`` allows.
      case id
      /// The name is empty, longer than 80 characters, or has control characters.
      case name
      /// A patient's account concerns other than one patient, another's none.
      case patients
    }

    func check() throws(Flaw) {
      guard id.utf8.count <= 32, id.wholeMatch(of: /[a-z0-9][a-z0-9._-]*/) != nil else {
        throw .id
      }
      guard Account.isName(name) else { throw .name }
      switch (role, patients) {
      case (.administrator, .all), (.carer, .all), (.provider, .all): break
      case (.patient, .only(let patients)) where patients.count == 1: break
      case (.carer, .only(let patients)), (.provider, .only(let patients)):
        guard !patients.isEmpty else { throw .patients }
      default: throw .patients
      }
    }
  }

  /// The id that a typed text stands for: without spaces around it, in lower case, as phones
  /// capitalise the first letter.
  package static func id(typed text: String) -> String {
    text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
  }

  /// Whether a text can name an account or a token.
  static func isName(_ text: String) -> Bool {
    (1...80).contains(text.count) && text.utf8.count <= 320
      && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }

  init(_ draft: Draft, created: Date, passcode: PasscodeHash) {
    id = draft.id
    name = draft.name
    role = draft.role
    patients = draft.patients
    self.created = created
    self.passcode = passcode
  }
}

extension Account: StrictlyCodable {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case id, name, role, patients, created, passcode
  }

  /// Whether the account could have been made as it is.
  var isValid: Bool {
    let draft = Draft(id: id, name: name, role: role, patients: patients)
    guard draft.id == id, draft.name == name, draft.patients == patients else { return false }
    return (try? draft.check()) != nil
  }
}
