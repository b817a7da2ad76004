import Care
import Foundation
import Outlets
import StrictYAML
import Testing

@testable import Terminal

@Suite struct OutletSettingsTests {
  private func outlets(_ text: String) throws -> [OutletSettings] {
    try ServiceSettings(parsing: "outlets: {\(text)}", file: "measured.yaml").outlets
  }

  @Test func `reads every key`() throws {
    let found = try outlets(
      """
      clinic: {kind: fhir, address: "https://clinic.example/fhir/", people: [john, anna], quantities: [bodyMass],
        since: 2026-01-01, secretFile: /etc/clinic.key, mapping: /etc/m.yaml, client: box-17},
      hook: {kind: webhook, address: "https://example.org/in", people: all, secretFile: /etc/hook},
      graphs: {kind: influxDB, address: "http://127.0.0.1:8086", people: all, database: health, policy: year},
      cloud: {kind: influxDB, address: "https://influx.example", people: all, organisation: home, bucket: b}
      """)
    #expect(found.map(\.name) == ["clinic", "hook", "graphs", "cloud"])
    #expect(found.map(\.kind) == [.fhir, .webhook, .influxDB, .influxDB])
    #expect(found[0].people == ["john", "anna"] && found[1].people == nil)
    #expect(found[0].quantities == [.bodyMass] && found[0].client == "box-17")
    #expect(found[0].since == Date(rfc3339: "2026-01-01T00:00:00Z"))
    #expect(found[2].database == .v1(database: "health", policy: "year"))
    #expect(found[3].database == .v2(organisation: "home", bucket: "b"))
  }

  @Test(arguments: [
    (
      "Clinic: {kind: webhook, address: 'https://a.example', people: all}",
      "is no name of an outlet"
    ),
    ("a: {address: 'https://a.example', people: all}", "kind"),
    ("a: {kind: fax, address: 'https://a.example', people: all}", "fax"),
    ("a: {kind: webhook, people: all}", "address"),
    ("a: {kind: webhook, address: 'https://a.example'}", "people"),
    ("a: {kind: webhook, address: 'https://a.example', people: some}", "some"),
    ("a: {kind: webhook, address: 'http://a.example', people: all}", "it is no address"),
    ("a: {kind: webhook, address: 'https://u:p@a.example', people: all}", "it is no address"),
    ("a: {kind: webhook, address: 'mqtt://a.lan', people: all}", "it is no address"),
    ("a: {kind: mqtt, address: 'https://a.example', people: all}", "it is no address"),
    (
      "a: {kind: webhook, address: 'https://a.example', people: all, quantities: [bodymass]}",
      "‘bodymass’"
    ),
    (
      "a: {kind: webhook, address: 'https://a.example', people: all, since: soon}",
      "‘since’ is a day"
    ),
    ("a: {kind: webhook, address: 'https://a.example', people: all, secret: x}", "secretFile"),
    ("a: {kind: influxDB, address: 'https://a.example', people: all}", "database"),
    ("a: {kind: influxDB, address: 'https://a.example', people: all, organisation: o}", "bucket"),
    (
      "a: {kind: fhir, address: 'https://a.example', people: all, client: c}",
      "‘client’ needs ‘secretFile’"
    ),
    ("a: {kind: webhook, address: 'https://a.example', people: all, client: c}", "client"),
    ("a: {kind: fhir, address: 'https://a.example', people: all}, a: {}", "a"),
  ])
  func `what it cannot be is refused where it stands`(text: String, reason: String) {
    do {
      _ = try outlets(text)
      Issue.record("it was taken")
    } catch {
      let message = Message.of(error)
      #expect(message.contains("measured.yaml") && message.contains(reason), "\(message)")
    }
  }
}
