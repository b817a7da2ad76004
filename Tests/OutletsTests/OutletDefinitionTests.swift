import Care
import Foundation
import Testing

@testable import Outlets

/// The one description of the keys of outlets.
struct OutletDefinitionTests {
  private static let whole: [OutletKind: [String: [String]]] = [
    .webhook: ["address": ["https://example.org/in"], "people": ["all"], "secretFile": ["kept"]],
    .influxDB: [
      "address": ["http://127.0.0.1:8086"], "people": ["john"], "database": ["health"],
      "policy": ["year"], "quantities": ["bodyMass", "heartRate"], "since": ["2026-01-01"],
    ],
    .fhir: ["address": ["https://clinic.example/fhir"], "people": ["john", "anna"]],
    .mqtt: [
      "address": ["mqtt://192.168.1.5"], "people": ["all"], "user": ["home"], "answers": ["true"],
      "protocol": ["3.1.1"], "id": ["box-1"], "discovery": ["home/assistant"],
      "server": ["http://homeassistant.local:8123"], "tokenFile": ["kept"],
      "presence": ["john states/person/john/state"],
    ],
    .file: ["people": ["all"], "format": ["fit"]],
  ]

  @Test(arguments: OutletKind.allCases)
  func `a whole definition holds, also when it was written and read again`(
    kind: OutletKind
  ) throws {
    let definition = OutletDefinition(kind, try #require(Self.whole[kind]))
    try definition.check()
    let text = try JSONEncoder().encode(definition)
    #expect(try JSONDecoder().decode(OutletDefinition.self, from: text) == definition)
    #expect(definition.scope.people == (definition["people"] == "all" ? nil : definition.people))
  }

  @Test(arguments: OutletKind.allCases)
  func `a key that is needed is missed, and one that nobody knows is refused`(
    kind: OutletKind
  ) throws {
    let whole = try #require(Self.whole[kind])
    for key in kind.keys where key.isRequired {
      var values = whole
      values[key.name] = nil
      #expect(throws: OutletFlaw(key.name, .missing)) { try OutletDefinition(kind, values).check() }
    }
    #expect(throws: OutletFlaw("colour", .unknownKey)) {
      try OutletDefinition(kind, whole.merging(["colour": ["red"]]) { $1 }).check()
    }
    // No key leads to a file of the machine, but by the settings.
    #expect(kind.typedKeys.allSatisfy { $0.form != .path && $0.form != .topics })
    #expect(Set(kind.keys.map(\.name)).count == kind.keys.count)
  }

  @Test(arguments: [
    (
      OutletKind.webhook, "address", "http://example.org",
      OutletFlaw.Reason.address(isBroker: false)
    ),
    (.webhook, "address", "https://u:p@example.org", .address(isBroker: false)),
    (.webhook, "quantities", "bodymass", .quantity("bodymass")),
    (.webhook, "since", "soon", .day), (.webhook, "people", "a\nb", .tooLong),
    (.influxDB, "organisation", "home", .missing), (.fhir, "mapping", "m.yaml", .path("m.yaml")),
    (.fhir, "client", "box", .clientWithoutKey),
    (.mqtt, "address", "https://a.example", .address(isBroker: true)),
    (.mqtt, "address", "mqtt://192.168.1.5/x", .brokerPath),
    (.mqtt, "protocol", "4", .choice("4", known: ["5", "3.1.1"])), (.mqtt, "id", "a b", .id),
    (.mqtt, "discovery", "#", .topic), (.mqtt, "presence", "john a/+/b", .presenceTopic),
    (.mqtt, "certificate", "/c.pem", .together("certificate", "key")),
    (.file, "format", "xlsx", .choice("xlsx", known: OutletKind.formats)),
    (.file, "mail", "nora", .mailAddress), (.file, "mail", "a@b.org\r\nBcc: c@d.org", .tooLong),
    (.webhook, "mail", "nora@example.org", .unknownKey),
    (.file, "people", String(repeating: "x", count: 2_001), .tooLong),
  ])
  func `what a key cannot have is refused at it`(
    kind: OutletKind, key: String, value: String, reason: OutletFlaw.Reason
  ) throws {
    var values = try #require(Self.whole[kind])
    values[key] = [value]
    do {
      try OutletDefinition(kind, values).check()
      Issue.record("\(key): \(value) was taken")
    } catch {
      #expect(error.reason == reason)
    }
  }

  @Test func `files go into a folder or by mail`() throws {
    var values = ["people": ["john"], "mail": ["nora@example.org"]]
    let definition = OutletDefinition(.file, values)
    try definition.check()
    #expect(definition.place == "nora@example.org")
    #expect(definition.mailbox == MailAddress("nora@example.org"))
    values["folder"] = ["/days"]
    #expect(throws: OutletFlaw("folder", .apart("mail", "folder"))) {
      try OutletDefinition(.file, values).check()
    }
  }

  @Test func `no answer is taken that an account could give`() throws {
    var values = try #require(Self.whole[.mqtt])
    values["answers"] = ["false"]
    try OutletDefinition(.mqtt, values).check()
    values["account"] = ["nora"]
    #expect(throws: OutletFlaw("account", .noAnswers)) {
      try OutletDefinition(.mqtt, values).check()
    }
  }

  @Test func `an outlet on its way out sends nothing`() {
    var definition = OutletDefinition(.mqtt, Self.whole[.mqtt] ?? [:])
    definition.isLeaving = true
    #expect(definition.scope.people == [])
  }
}
