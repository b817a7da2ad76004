import Actions
package import Care
package import CareStore
package import Foundation
package import Interchange
package import Localization
package import Outlets
import PrivateFiles
package import StrictYAML
import Web

/// A receiver to which measurements go by themselves: one entry of the key `outlets` of the settings, or one
/// that was set up on the page or by a command, which the store keeps.
///
/// The secret of the settings is in a file of its own, which only the service may read: others may read
/// the settings. That of the store is kept with the other secrets of the service.
package struct OutletSettings: Hashable, Sendable {
  package var name: String
  /// The kind and the values of its keys.
  package var definition: OutletDefinition
  /// Of MQTT: what Home Assistant is told.
  package var homeAssistant: HomeAssistantSettings?

  package var kind: OutletKind { definition.kind }
  /// Whose; `nil` for everyone's.
  package var people: Set<String>? { definition.people }
  /// The file with the other side's codes and ids.
  package var mapping: String? { definition["mapping"] }
  /// The name of this box at a FHIR server, which makes the secret a key; `nil` for a token.
  var client: String? { definition["client"] }
  var secretFile: String? { definition["secretFile"] }
  var quantities: Set<Quantity>? { definition.scope.quantities }
  var since: Date? { definition.scope.since }

  var database: InfluxOutlet.Database? {
    if let organisation = definition["organisation"], let bucket = definition["bucket"] {
      return .v2(organisation: organisation, bucket: bucket)
    }
    return definition["database"].map { .v1(database: $0, policy: definition["policy"]) }
  }

  /// The longest secret, in bytes.
  private static let longest = OutletSecret.longest

  /// Takes a definition that was checked; `nil` if it was not.
  package init?(_ name: String, _ definition: OutletDefinition) {
    self.name = name
    self.definition = definition
    guard definition.kind == .mqtt else { return }
    guard let home = HomeAssistantSettings(definition, name: name) else { return nil }
    homeAssistant = home
  }

  /// Reads `{NAME: {kind, address, people, …}}`.
  package static func all(_ node: YAMLNode) throws(YAMLError) -> [OutletSettings] {
    var outlets: [OutletSettings] = []
    for pair in try node.pairs() {
      guard OutletDefinition.isName(pair.key) else {
        throw pair.location.error(words(OutletFlaw("name", .name(pair.key))))
      }
      outlets.append(try OutletSettings(pair.key, pair.value))
    }
    return outlets
  }

  private init(_ name: String, _ node: YAMLNode) throws(YAMLError) {
    var keys = try node.mapping()
    var definition = OutletDefinition(try keys.required("kind").choice())
    var nodes: [String: YAMLNode] = [:]
    for key in definition.kind.keys {
      let found = try key.isRequired ? keys.required(key.name) : keys.optional(key.name)
      guard let found else { continue }
      nodes[key.name] = found
      let isPath = key.form == .secret || key.form == .path
      definition.values[key.name] = isPath ? [try found.path()] : try found.texts(of: key)
    }
    try keys.finish(meant: ["secret": "secretFile", "token": "secretFile", "patients": "people"])
    do throws(OutletFlaw) {
      try definition.check()
    } catch {
      throw (nodes[error.key] ?? node).location.error(Self.words(error))
    }
    guard let settings = OutletSettings(name, definition) else {
      throw node.location.error(Self.words(OutletFlaw("address", .address(isBroker: true))))
    }
    self = settings
  }

  /// The sentence of a flaw in a file, whose reader is English.
  private static func words(_ flaw: OutletFlaw) -> String {
    LanguageCatalogue.embedded.english.text(of: flaw)
  }

  /// The measurements that may leave.
  package var scope: OutletScope { definition.scope }

  /// A text that tells the receiver and its mapping from another one.
  package var receiver: String {
    let content = mapping.flatMap { try? TextFile.read($0) } ?? ""
    let place = definition.place ?? ""
    guard homeAssistant == nil else {
      return "\(kind.rawValue) \(OutletDefinition.broker(place)?.text ?? place)"
    }
    return "\(kind.rawValue) \(place) \(String(describing: database)) \(content)"
      + definition.records.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
  }

  /// Makes the receiver, with its secret.
  ///
  /// - Parameters:
  ///   - store: The store, which keeps the secrets of its own outlets, and has the days of files.
  ///   - folder: Where folders without a path are.
  ///   - zone: The zone of the plan.
  ///   - now: The current time.
  ///   - send: The transport.
  /// - Returns: `nil` for a broker and for mails, which have runs of their own.
  /// - Throws: ``OutletSecretMissing``, `PrivateFileError`, ``CommandFailure`` for the mapping.
  package func outlet(
    of store: SQLStore?, folder: String, zone: TimeZone, now: @escaping @Sendable () -> Date,
    send: @escaping @Sendable (HTTPRequest) async -> TransferResult
  ) throws -> (any DataOutlet)? {
    switch kind {
    case .webhook:
      guard let address, let key = try secret(in: store).flatMap({ WebhookSecret($0.revealed) })
      else { throw secretMissing }
      return WebhookOutlet(to: address, secret: key, now: now, send: send)
    case .influxDB:
      return try address.map { address in
        InfluxOutlet(
          to: address, database: database ?? .v1(database: name, policy: nil),
          secret: try secret(in: store), send: send)
      }
    case .fhir:
      var coder = FHIRCoder(.r4, timeZone: zone)
      coder.mapping = try names()
      return FHIROutlet(
        to: try server(for: .sending, in: store, now: now, send: send), coder: coder)
    case .mqtt: return nil
    case .file:
      guard definition.mailbox == nil else { return nil }
      let days = DayFolder(
        path: definition["folder"] ?? folder + "/outlets/" + name, files: files(in: zone))
      return FileOutlet(
        in: zone, write: { await days.write($0, on: $1, from: store) },
        probe: { days.probe() })
    }
  }

  /// The other side's codes, names and ids: of its file, or of another one, with the ids that it has
  /// itself.
  ///
  /// - Throws: ``CommandFailure`` for the file.
  package func names(in file: String? = nil) throws -> FHIRMapping {
    var names = try (file ?? mapping).map { try FHIRMapping(file: $0) } ?? FHIRMapping()
    names.patients.merge(definition.records) { _, own in own }
    return names
  }

  /// The files of days in its format.
  func files(in zone: TimeZone) -> DayFiles {
    DayFiles(
      format: definition["format"].flatMap(DayFiles.Format.init) ?? .csv, scope: scope, zone: zone)
  }

  private var address: WebAddress? { definition["address"].flatMap(WebAddress.init) }

  private var secretMissing: OutletSecretMissing {
    OutletSecretMissing(file: secretFile ?? "secretFile")
  }

  /// The FHIR server of this outlet, with its secret.
  ///
  /// - Throws: ``OutletSecretMissing``, `PrivateFileError`.
  package func server(
    for purpose: BackendServices.Purpose, in store: SQLStore?,
    now: @escaping @Sendable () -> Date,
    send: @escaping @Sendable (HTTPRequest) async -> TransferResult
  ) throws -> FHIRServer {
    let secret = try secret(in: store)
    guard let address else { throw secretMissing }
    guard let client else {
      return FHIRServer(
        address, admission: secret.map(FHIRServer.Admission.bearer) ?? .open, send: send)
    }
    guard let key = secret.flatMap(ClientKey.init) else { throw secretMissing }
    let services = BackendServices(
      of: address, for: .init(id: client, key: key), purpose: purpose, now: now,
      name: UUID.random, send: send)
    return FHIRServer(address, admission: .key(services), send: send)
  }

  /// The secret that opens the receiver; `nil` where nothing has to.
  package func secret(in store: SQLStore?) throws -> Secret<String>? {
    try secret("secretFile", in: store)
  }

  /// The secret of a key: of the file that the settings name, or of those that the store keeps.
  package func secret(_ key: String, in store: SQLStore?) throws -> Secret<String>? {
    guard let value = definition[key] else { return nil }
    guard value == OutletDefinition.kept else {
      guard let secret = try Self.secret(in: value) else { throw OutletSecretMissing(file: value) }
      return secret
    }
    guard let address = definition.address(ofSecret: key),
      let secret = store?.secret(ofOutlet: name, at: address)
    else { throw OutletSecretMissing(file: name, isKept: true) }
    return secret
  }

  /// The secret in a file; `nil` if there is none.
  private static func secret(in file: String) throws -> Secret<String>? {
    try PrivateFile(path: file).read(limit: longest).map {
      Secret(String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
    }
  }
}

/// There is no secret of an outlet where it should be, or it does not have the form of one.
package struct OutletSecretMissing: Error, Hashable, Localizable {
  /// The file, or the outlet of which the service keeps it.
  package var file: String
  package var isKept = false

  package init(file: String, isKept: Bool = false) {
    (self.file, self.isKept) = (file, isKept)
  }

  package var localized: LocalizedText {
    isKept
      ? LocalizedText("command.outlet.noKeptSecret", ["name": .verbatim(file)])
      : LocalizedText("command.outlet.noSecret", ["file": .verbatim(file)])
  }
}
