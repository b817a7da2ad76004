package import Care
package import Foundation
package import Localization

/// The accounts and tokens of a page that other machines reach, for its administrators.
package struct AccountsPage {
  private let frame: Frame
  private let content: Content

  /// An account as the page shows it.
  package struct Person: Hashable, Sendable {
    /// The text that the person types to sign in.
    package var id: String
    package var name: String
    /// The role: a key of the language files' section `role`.
    package var role: String
    /// The patients that it concerns; `nil` for all.
    package var patients: [String]?
    /// Whether it is the reader's own.
    package var isOwn: Bool

    /// Makes a person.
    package init(id: String, name: String, role: String, patients: [String]?, isOwn: Bool) {
      (self.id, self.name, self.role) = (id, name, role)
      (self.patients, self.isOwn) = (patients, isOwn)
    }
  }

  /// A token as the page shows it.
  package struct Program: Hashable, Sendable {
    package var id: String
    package var name: String
    /// The permissions: keys of the language files' section `permission`.
    package var scopes: [String]
    /// The patients that it concerns; `nil` for all.
    package var patients: [String]?
    package var created: Date
    package var expires: Date?
    package var lastUsed: Date?

    /// Makes a program.
    package init(
      id: String, name: String, scopes: [String], patients: [String]?, created: Date,
      expires: Date?, lastUsed: Date?
    ) {
      (self.id, self.name, self.scopes) = (id, name, scopes)
      (self.patients, self.created) = (patients, created)
      (self.expires, self.lastUsed) = (expires, lastUsed)
    }
  }

  /// A secret that is shown once: a passcode or a token.
  package struct Secret: Hashable, Sendable {
    /// Whose it is.
    package var name: String
    package var text: String
    /// Whether it is a token, rather than a passcode.
    package var isToken: Bool

    /// Makes a secret.
    package init(name: String, text: String, isToken: Bool) {
      (self.name, self.text, self.isToken) = (name, text, isToken)
    }
  }

  private struct Content {
    let secret: Shown?
    let error: String?
    let people: [Row]
    let programs: [Row]
    let roles: [Choice]
    let scopes: [Choice]
    let patients: [Choice]
  }

  private struct Shown {
    let title: String
    let text: String
    let hint: String
  }

  private struct Row {
    let key: String
    let id: String
    let name: String
    let lines: [String]
    let isOther: Bool
    let roles: [Choice]
    let patients: [Choice]
    let isOfAll: Bool
  }

  private struct Choice {
    let key: String
    let value: String
    let caption: String
    let isChosen: Bool
  }

  /// Makes the page.
  ///
  /// - Parameters:
  ///   - people: The accounts.
  ///   - programs: The tokens.
  ///   - patients: The patients, for the choice of whose data an account concerns.
  ///   - roles: The roles, by key.
  ///   - scopes: The permissions that a token can have, by key.
  ///   - secret: The secret that was just made, shown this once.
  ///   - error: Why something was refused: the text of the refusal.
  ///   - viewer: The reader.
  package init(
    people: [Person], programs: [Program], patients: [Patient], roles: [String], scopes: [String],
    secret: Secret? = nil, error: LocalizedText? = nil, viewer: Viewer
  ) {
    let words = viewer.language
    func names(_ ids: [String]?) -> String {
      guard let ids else { return words.text("accounts.everyone") }
      return words.list(
        ids.map { id in patients.first { $0.id == id }.map(words.fullName(of:)) ?? id })
    }
    func choices(_ keys: [String], _ section: String, _ prefix: String, chosen: Set<String>)
      -> [Choice]
    {
      keys.map {
        Choice(
          key: "\(prefix)-\($0)", value: $0, caption: words.text("\(section).\($0)"),
          isChosen: chosen.contains($0))
      }
    }
    func patientChoices(_ prefix: String, chosen: [String]?) -> [Choice] {
      patients.enumerated().map { place, patient in
        Choice(
          key: "\(prefix)-\(place)", value: patient.id, caption: words.fullName(of: patient),
          isChosen: chosen?.contains(patient.id) == true)
      }
    }
    func day(_ date: Date) -> String {
      words.day(date, relativeTo: viewer.now, in: viewer.timeZone)
    }
    content = Content(
      secret: secret.map { secret in
        let key = secret.isToken ? "accounts.tokenMade" : "accounts.codeMade"
        return Shown(
          title: words.text(key, ["name": secret.name]), text: secret.text,
          hint: words.text(key + "Hint"))
      }, error: error.map { words.text($0) },
      people: people.enumerated().map { place, person in
        Row(
          key: "account-\(place)", id: person.id, name: person.name,
          lines: [
            words.text("accounts.signsIn", ["id": person.id]), words.text("role." + person.role),
            names(person.patients),
          ], isOther: !person.isOwn,
          roles: choices(roles, "role", "role-\(place)", chosen: [person.role]),
          patients: patientChoices("patient-\(place)", chosen: person.patients),
          isOfAll: person.patients == nil)
      },
      programs: programs.enumerated().map { place, program in
        Row(
          key: "token-\(place)", id: program.id, name: program.name,
          lines: [
            words.list(program.scopes.map { words.text("permission." + $0) }),
            names(program.patients),
            words.text("accounts.made", ["date": day(program.created)]),
            program.expires.map { words.text("accounts.ends", ["date": day($0)]) },
            program.lastUsed.map { words.text("accounts.used", ["date": day($0)]) }
              ?? words.text("accounts.unused"),
          ].compactMap(\.self), isOther: true, roles: [], patients: [],
          isOfAll: program.patients == nil)
      },
      roles: choices(roles, "role", "role-new", chosen: ["carer"]),
      scopes: choices(scopes, "permission", "scope-new", chosen: ["read"]),
      patients: patientChoices("patient-new", chosen: patients.map(\.id)))
    frame = Frame(
      viewer: viewer, title: words.text("accounts.title"),
      address: LocalAddress("setup", "accounts"))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("accounts", content, frame: frame) }
}

/// Who saw and changed what.
package struct AuditPage {
  private let frame: Frame
  private let content: Content

  /// An entry of the audit log.
  package struct Entry: Hashable, Sendable {
    package var time: Date
    /// Who: an account, a token, the machine.
    package var who: String?
    /// The action, its object and its outcome: keys of the sections `audit.*`.
    package var action, object, outcome: String
    package var patient: String?
    package var client: String?
    package var path: String?

    /// Makes an entry.
    package init(
      time: Date, who: String?, action: String, object: String, outcome: String, patient: String?,
      client: String?, path: String?
    ) {
      (self.time, self.who, self.action, self.object) = (time, who, action, object)
      (self.outcome, self.patient, self.client, self.path) = (outcome, patient, client, path)
    }
  }

  private struct Content {
    let isReads: Bool
    let rows: [Row]
    let changes: String
    let reads: String
  }

  private struct Row {
    let time: String
    let who: String
    let what: String
    let outcome: String?
    let place: String
  }

  /// Makes the page of the last changes, or of the last reads and refusals; the latest first.
  package init(_ entries: [Entry], isReads: Bool, viewer: Viewer) {
    let words = viewer.language
    content = Content(
      isReads: isReads,
      rows: entries.reversed().map { entry in
        Row(
          time: words.time(entry.time, relativeTo: viewer.now, in: viewer.timeZone),
          who: entry.who ?? words.text("audit.nobody"),
          what: words.text(
            "audit.what",
            [
              "action": words.text("audit.action." + entry.action),
              "object": words.text("audit.object." + entry.object),
            ]),
          outcome: entry.outcome == "done" ? nil : words.text("audit.outcome." + entry.outcome),
          place: [entry.patient, entry.client, entry.path].compactMap(\.self)
            .joined(separator: words.text("list.comma")))
      }, changes: LocalAddress("setup", "audit").description,
      reads: LocalAddress("setup", "audit", items: [("kind", "reads")]).description)
    frame = Frame(
      viewer: viewer, title: words.text("audit.title"),
      address: LocalAddress("setup", "audit", items: [("kind", isReads ? "reads" : nil)]))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("audit", content, frame: frame) }
}
