package import Care
import Foundation

/// The kinds of receivers of measurements.
package enum OutletKind: String, CaseIterable, Hashable, Sendable, Codable {
  case webhook, influxDB, fhir, mqtt, file
}

/// A key of the settings of an outlet.
///
/// ``OutletKind/keys`` is the one description of them: the parser of the settings, the page's form and the
/// command line follow from it.
package struct OutletKey: Hashable, Sendable {
  /// The values of a key.
  package enum Form: Hashable, Sendable {
    /// `https://…`, or `http://…` within the house.
    case webAddress
    /// `mqtts://HOST`, or `mqtt://HOST` within the house.
    case brokerAddress
    /// `nora@example.org`.
    case mailAddress
    /// `all`, or ids.
    case people
    /// Names of quantities.
    case quantities
    /// `2026-01-01`, or a time.
    case day
    /// A word or name of somebody else.
    case text
    /// Letters, digits and `-`.
    case id
    /// The beginning of topics.
    case topic
    case choice([String])
    /// `true` or `false`.
    case flag
    /// The file of a secret in the settings; elsewhere it is typed once, and kept with the secrets.
    case secret
    /// A path of this machine, which the settings alone name: who may change those may read it.
    case path
    /// A topic of each person, in the settings alone.
    case topics
    /// The other side's id of people, each with ours: `4711 john`.
    case records
  }

  package let name: String
  package let form: Form
  package let isRequired: Bool

  init(_ name: String, _ form: Form, isRequired: Bool = false) {
    (self.name, self.form, self.isRequired) = (name, form, isRequired)
  }

  /// Whether only the settings may have it: what leads to a file of the machine.
  package var isOfSettings: Bool { form == .path || form == .topics }

  /// The name under which a secret is typed: `secret` for `secretFile`.
  package var typedName: String { form == .secret ? String(name.dropLast(4)) : name }

  /// The longest value, in bytes, and the most values.
  private static let longest = 2_000
  private static let most = 200

  /// Why the key cannot have these values; `nil` if it can.
  package func flaw(in texts: [String]?) -> OutletFlaw? {
    func flaw(_ reason: OutletFlaw.Reason) -> OutletFlaw { OutletFlaw(name, reason) }
    guard let texts else { return isRequired ? flaw(.missing) : nil }
    guard let first = texts.first else { return nil }
    guard texts.count <= Self.most,
      texts.allSatisfy({ (1...Self.longest).contains($0.utf8.count) && !$0.hasControl })
    else { return flaw(.tooLong) }
    switch form {
    case .webAddress: return WebAddress(first) == nil ? flaw(.address(isBroker: false)) : nil
    case .brokerAddress:
      guard let address = OutletDefinition.broker(first) else {
        return flaw(.address(isBroker: true))
      }
      let path = URLComponents(string: address.text)?.path ?? ""
      return path.isEmpty || path == "/" ? nil : flaw(.brokerPath)
    case .mailAddress: return MailAddress(first) == nil ? flaw(.mailAddress) : nil
    case .people: return nil
    case .quantities:
      return texts.first { Quantity(rawValue: $0) == nil }.map { flaw(.quantity($0)) }
    case .day: return OutletDefinition.day(first) == nil ? flaw(.day) : nil
    case .id: return first.wholeMatch(of: /[A-Za-z0-9-]{1,32}/) == nil ? flaw(.id) : nil
    case .topic:
      return first.wholeMatch(of: /[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*/) == nil ? flaw(.topic) : nil
    case .choice(let known):
      return known.contains(first) ? nil : flaw(.choice(first, known: known))
    case .flag:
      return ["true", "false"].contains(first)
        ? nil : flaw(.choice(first, known: ["true", "false"]))
    case .path: return first.hasPrefix("/") ? nil : flaw(.path(first))
    case .topics:
      var topics: Set<Substring> = []
      for text in texts {
        let topic = text.split(separator: " ", maxSplits: 1).last ?? ""
        let isTopic =
          !topic.isEmpty && topic.utf8.count <= 255
          && !topic.contains(where: { "#+\0".contains($0) })
        guard isTopic else { return flaw(.presenceTopic) }
        guard topics.insert(topic).inserted else { return flaw(.sameTopic) }
      }
      return nil
    case .records:
      let wrong = texts.first { text in
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        return parts.count != 2 || parts.contains(where: \.isEmpty)
          || parts[0].wholeMatch(of: /(Patient\/)?[A-Za-z0-9.-]{1,64}/) == nil
      }
      return wrong.map { flaw(.record($0)) }
    case .text, .secret: return nil
    }
  }
}

extension String {
  fileprivate var hasControl: Bool {
    unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
  }
}

extension OutletKind {
  /// The keys beside `kind`, in the order of a form.
  package var keys: [OutletKey] {
    let scope = [
      OutletKey("people", .people, isRequired: true), OutletKey("quantities", .quantities),
      OutletKey("since", .day),
    ]
    let address = OutletKey("address", .webAddress, isRequired: true)
    let secret = OutletKey("secretFile", .secret)
    switch self {
    case .webhook: return [address, secret] + scope
    case .influxDB:
      return [
        address, OutletKey("database", .text), OutletKey("policy", .text),
        OutletKey("organisation", .text), OutletKey("bucket", .text), secret,
      ] + scope
    case .fhir:
      return [address, secret] + scope + [
        OutletKey("records", .records), OutletKey("plan", .choice(["daily"])),
        OutletKey("mapping", .path), OutletKey("client", .text),
      ]
    case .mqtt:
      return [
        OutletKey("address", .brokerAddress, isRequired: true), OutletKey("user", .text), secret,
      ] + scope + [
        OutletKey("language", .text), OutletKey("answers", .flag), OutletKey("account", .text),
        OutletKey("server", .webAddress), OutletKey("tokenFile", .secret), OutletKey("id", .id),
        OutletKey("discovery", .topic), OutletKey("protocol", .choice(["5", "3.1.1"])),
        OutletKey("authorities", .path), OutletKey("certificate", .path), OutletKey("key", .path),
        OutletKey("presence", .topics),
      ]
    case .file:
      return [
        OutletKey("format", .choice(OutletKind.formats)), OutletKey("mail", .mailAddress),
      ] + scope + [OutletKey("folder", .path)]
    }
  }

  /// Whether nothing goes there without a secret.
  package var needsSecret: Bool { self == .webhook }

  /// The formats of a file of a day; the first one unless another is said.
  package static let formats = ["csv", "fit", "omh"]

  /// The keys that somebody types who does not write the settings.
  package var typedKeys: [OutletKey] {
    // The private key of a client is made on the machine, in a file: measured outlet key.
    keys.filter { !$0.isOfSettings && $0.name != "client" }
  }
}

/// Where measurements go by themselves, as somebody said it: the kind, and the values of its keys.
///
/// Secrets are not in it: a key of the form ``OutletKey/Form/secret`` has the path of a file, or
/// ``kept`` for one that the store keeps.
package struct OutletDefinition: Hashable, Sendable, Codable {
  package var kind: OutletKind
  package var values: [String: [String]]
  /// Whether it is on its way out: what a broker has is taken back first.
  package var isLeaving = false

  /// The value of a secret that is kept with the store's.
  package static let kept = "kept"
  /// The most outlets that a store has.
  package static let most = 20

  /// Makes a definition.
  package init(_ kind: OutletKind, _ values: [String: [String]] = [:]) {
    (self.kind, self.values) = (kind, values)
  }

  /// Whether a text can be the name of an outlet.
  package static func isName(_ text: String) -> Bool {
    text.wholeMatch(of: /[a-z][A-Za-z0-9-]{0,31}/) != nil
  }

  /// The only value of a key.
  package subscript(key: String) -> String? { values[key]?.first }

  /// Whose measurements; `nil` for everyone's.
  package var people: Set<String>? {
    let people = values["people"] ?? []
    return people == ["all"] ? nil : Set(people)
  }

  /// The measurements that may leave; none while it is on its way out.
  package var scope: OutletScope {
    OutletScope(
      people: isLeaving ? [] : people,
      quantities: values["quantities"].map { Set($0.compactMap { Quantity(rawValue: $0) }) },
      since: self["since"].flatMap(Self.day))
  }

  /// Where it goes, for people: an address, or a folder; `nil` for the folder beside the store.
  package var place: String? { self["address"] ?? self["mail"] ?? self["folder"] }

  /// Who gets the files of days by mail; `nil` for a folder, and of other kinds.
  package var mailbox: MailAddress? { self["mail"].flatMap { MailAddress($0) } }

  /// Our ids of the people of a FHIR server, by their references there.
  package var records: [String: String] {
    let pairs = (values["records"] ?? []).map { text in
      let parts = text.split(separator: " ").map(String.init)
      let id = parts.first ?? ""
      return (id.hasPrefix("Patient/") ? id : "Patient/" + id, parts.last ?? "")
    }
    return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
  }

  /// Whether the plan of its people is asked for once a day.
  package var asksForPlan: Bool { self["plan"] == "daily" }

  static func day(_ text: String) -> Date? {
    Date(rfc3339: text) ?? Date(rfc3339: text + "T00:00:00Z")
  }

  /// The address of a broker, with `http` for `mqtt`; `nil` for a text that is none.
  package static func broker(_ text: String) -> WebAddress? {
    guard text.hasPrefix("mqtt://") || text.hasPrefix("mqtts://") else { return nil }
    return WebAddress("http" + text.dropFirst(4))
  }

  /// Checks the values, and that they belong together.
  ///
  /// - Throws: ``OutletFlaw``: the first one.
  package func check() throws(OutletFlaw) {
    let keys = kind.keys
    for name in values.keys.sorted() where !keys.contains(where: { $0.name == name }) {
      throw OutletFlaw(name, .unknownKey)
    }
    for key in keys {
      if let flaw = key.flaw(in: values[key.name]) { throw flaw }
    }
    func together(_ first: String, _ second: String) throws(OutletFlaw) {
      guard (self[first] == nil) == (self[second] == nil) else {
        throw OutletFlaw(self[first] == nil ? second : first, .together(first, second))
      }
    }
    switch kind {
    case .webhook: break
    case .file:
      guard self["mail"] == nil || self["folder"] == nil else {
        throw OutletFlaw("folder", .apart("mail", "folder"))
      }
    case .influxDB:
      let needed = self["organisation"] == nil ? "database" : "bucket"
      guard self[needed] != nil else { throw OutletFlaw(needed, .missing) }
    case .fhir:
      guard self["client"] == nil || self["secretFile"] != nil else {
        throw OutletFlaw("client", .clientWithoutKey)
      }
    case .mqtt:
      try together("certificate", "key")
      try together("server", "tokenFile")
      guard self["answers"] != "false" || self["account"] == nil else {
        throw OutletFlaw("account", .noAnswers)
      }
    }
  }
}

/// Why a key of an outlet cannot be as somebody said it.
package struct OutletFlaw: Error, Hashable, Sendable {
  /// A rule that is broken.
  package enum Reason: Hashable, Sendable {
    case missing
    case tooLong
    case address(isBroker: Bool)
    case brokerPath
    case mailAddress
    case quantity(String)
    case day
    case id
    case topic
    case choice(String, known: [String])
    case path(String)
    case presenceTopic
    case sameTopic
    case record(String)
    case together(String, String)
    /// Only one of them can be said.
    case apart(String, String)
    case clientWithoutKey
    case noAnswers
    case unknownKey
    /// Nobody has this id.
    case nobody(String)
    /// The name is none, or is another one's.
    case name(String)
    case nameTaken(String)
    case tooMany
    /// It is no secret of such a receiver.
    case secret(OutletKind)
  }

  /// The key at which it stands.
  package var key: String
  package var reason: Reason

  /// Makes a flaw.
  package init(_ key: String, _ reason: Reason) { (self.key, self.reason) = (key, reason) }
}
