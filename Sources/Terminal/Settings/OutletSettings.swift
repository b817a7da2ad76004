package import Care
import CareStore
package import Foundation
import Interchange
package import Localization
package import Outlets
import PrivateFiles
package import StrictYAML

/// A receiver to which measurements go by themselves: one entry of the key `outlets` of the settings.
///
/// The secret is in a file of its own, which only the service may read: others may read the settings.
package struct OutletSettings: Hashable {
  /// The kinds of receivers.
  package enum Kind: String, CaseIterable {
    case webhook, influxDB, fhir, mqtt
  }

  package var name: String
  package var kind: Kind
  package var address: WebAddress
  /// Whose; `nil` for everyone's.
  package var people: Set<String>?
  /// Which quantities; `nil` for all.
  package var quantities: Set<Quantity>?
  /// The earliest start; `nil` to send what is stored from now on.
  package var since: Date?
  var secretFile: String?
  /// Of InfluxDB.
  var database: InfluxOutlet.Database?
  /// Of FHIR: the file with the other side's codes and ids.
  package var mapping: String?
  /// Of FHIR: the name of this box at the server, which makes the secret a key; `nil` for a token.
  var client: String?
  /// Of MQTT: what Home Assistant is told.
  package var homeAssistant: HomeAssistantSettings?

  /// The longest secret, in bytes.
  private static let longest = 8_000

  /// Reads `{NAME: {kind, address, people, …}}`.
  package static func all(_ node: YAMLNode) throws(YAMLError) -> [OutletSettings] {
    var outlets: [OutletSettings] = []
    for pair in try node.pairs() {
      guard pair.key.wholeMatch(of: /[a-z][A-Za-z0-9-]{0,31}/) != nil else {
        throw pair.location.error("‘\(pair.key)’ is no name of an outlet, such as clinic")
      }
      outlets.append(try OutletSettings(pair.key, pair.value))
    }
    return outlets
  }

  private init(_ name: String, _ node: YAMLNode) throws(YAMLError) {
    self.name = name
    var keys = try node.mapping()
    kind = try keys.required("kind").choice()
    let address = try keys.required("address")
    self.address = try Self.address(address, of: kind)
    let people = try keys.required("people")
    if case .sequence = people.content {
      var names: Set<String> = []
      for person in try people.sequence() { names.insert(try person.string()) }
      self.people = names
    } else {
      _ = try people.choice(of: ["all"])
    }
    if let list = keys.optional("quantities") {
      var quantities: Set<Quantity> = []
      for entry in try list.sequence() {
        let word = try entry.string()
        guard let quantity = Quantity(rawValue: word) else {
          throw entry.location.error("‘\(word)’ is no quantity; measured quantities lists them")
        }
        quantities.insert(quantity)
      }
      self.quantities = quantities
    }
    if let day = keys.optional("since") {
      let text = try day.string()
      guard let date = Date(rfc3339: text) ?? Date(rfc3339: text + "T00:00:00Z") else {
        throw day.location.error("‘since’ is a day, such as 2026-01-01")
      }
      since = date
    }
    secretFile = try keys.optional("secretFile")?.path()
    switch kind {
    case .webhook: break
    case .influxDB:
      if let organisation = keys.optional("organisation") {
        database = .v2(
          organisation: try organisation.string(), bucket: try keys.required("bucket").string())
      } else {
        database = .v1(
          database: try keys.required("database").string(),
          policy: try keys.optional("policy")?.string())
      }
    case .fhir:
      mapping = try keys.optional("mapping")?.path()
      if let client = keys.optional("client") {
        self.client = try client.string()
        guard secretFile != nil else {
          throw client.location.error("‘client’ needs ‘secretFile’: measured outlet key makes one")
        }
      }
    case .mqtt:
      homeAssistant = try HomeAssistantSettings(&keys, name: name, self.address, at: address)
    }
    try keys.finish(meant: ["secret": "secretFile", "token": "secretFile", "patients": "people"])
  }

  /// Reads an address; that of a broker begins with `mqtts` or `mqtt` in place of `https` or `http`.
  private static func address(
    _ node: YAMLNode, of kind: Kind
  ) throws(YAMLError) -> WebAddress {
    let text = try node.string()
    let isBroker = text.hasPrefix("mqtt://") || text.hasPrefix("mqtts://")
    let spelling = isBroker ? "http" + text.dropFirst(4) : text
    guard isBroker == (kind == .mqtt), let address = WebAddress(spelling) else {
      let meant = kind == .mqtt ? "mqtt" : "http"
      throw node.location.error("it is no address: \(meant)s://…, or \(meant)://… within the house")
    }
    return address
  }

  /// The measurements that may leave.
  package var scope: OutletScope {
    OutletScope(people: people, quantities: quantities, since: since)
  }

  /// A text that tells the receiver and its mapping from another one.
  package var receiver: String {
    let content = mapping.flatMap { try? TextFile.read($0) } ?? ""
    guard homeAssistant == nil else { return "\(kind.rawValue) \(address.text)" }
    return "\(kind.rawValue) \(address.text) \(String(describing: database)) \(content)"
  }

  /// The receiver, with its secret; `nil` for a broker, which has a run of its own.
  ///
  /// - Throws: ``OutletSecretMissing``, `PrivateFileError`, ``CommandFailure`` for the mapping.
  package func outlet(
    zone: TimeZone, now: @escaping @Sendable () -> Date,
    send: @escaping @Sendable (HTTPRequest) async -> TransferResult
  ) throws -> (any DataOutlet)? {
    let secret = try secret()
    switch kind {
    case .webhook:
      guard let key = secret.flatMap({ WebhookSecret($0.revealed) }) else {
        throw OutletSecretMissing(file: secretFile ?? "secretFile")
      }
      return WebhookOutlet(to: address, secret: key, now: now, send: send)
    case .influxDB:
      return InfluxOutlet(
        to: address, database: database ?? .v1(database: name, policy: nil), secret: secret,
        send: send)
    case .fhir:
      var coder = FHIRCoder(.r4, timeZone: zone)
      if let mapping { coder.mapping = try FHIRMapping(file: mapping) }
      return FHIROutlet(to: try server(for: .sending, now: now, send: send), coder: coder)
    case .mqtt: return nil
    }
  }

  /// The FHIR server of this outlet, with its secret.
  ///
  /// - Throws: ``OutletSecretMissing``, `PrivateFileError`.
  package func server(
    for purpose: BackendServices.Purpose, now: @escaping @Sendable () -> Date,
    send: @escaping @Sendable (HTTPRequest) async -> TransferResult
  ) throws -> FHIRServer {
    let secret = try secret()
    guard let client else {
      return FHIRServer(
        address, admission: secret.map(FHIRServer.Admission.bearer) ?? .open, send: send)
    }
    guard let key = secret.flatMap(ClientKey.init) else {
      throw OutletSecretMissing(file: secretFile ?? "secretFile")
    }
    let services = BackendServices(
      of: address, for: .init(id: client, key: key), purpose: purpose, now: now,
      name: UUID.random, send: send)
    return FHIRServer(address, admission: .key(services), send: send)
  }

  package func secret() throws -> Secret<String>? {
    guard let secretFile else { return nil }
    guard let secret = try Self.secret(in: secretFile) else {
      throw OutletSecretMissing(file: secretFile)
    }
    return secret
  }

  /// The secret in a file; `nil` if there is none.
  static func secret(in file: String) throws -> Secret<String>? {
    try PrivateFile(path: file).read(limit: longest).map {
      Secret(String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }
}

/// There is no file with the secret of an outlet, or it does not have one.
package struct OutletSecretMissing: Error, Hashable, Localizable {
  package var file: String

  package init(file: String) {
    self.file = file
  }

  package var localized: LocalizedText {
    LocalizedText("command.outlet.noSecret", ["file": .verbatim(file)])
  }
}
