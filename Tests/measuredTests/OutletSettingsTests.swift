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
    ("a: {kind: file, people: all, mail: nora}", "it is no mail address"),
    (
      "a: {kind: file, people: all, mail: a@b.org, folder: /days}",
      "only one of ‘mail’ and ‘folder’"
    ),
    ("a: {kind: webhook, address: 'https://a.example', people: all, mail: a@b.org}", "mail"),
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

/// The settings that the document shows.
@Suite struct DocumentedOutletsTests {
  @Test func `each outlet of the document is one`() throws {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/outlets.md")
    let text = try String(contentsOf: page, encoding: .utf8)
    let block = try #require(text.components(separatedBy: "```yaml\n").dropFirst().first)
    let yaml = try #require(block.components(separatedBy: "```").first)
    let outlets = try ServiceSettings(parsing: yaml, file: "measured.yaml").outlets
    #expect(Set(outlets.map(\.kind)) == Set(OutletKind.allCases))
    #expect(outlets.filter { $0.definition.mailbox != nil }.map(\.name) == ["practice"])
    #expect(outlets.contains { $0.definition["folder"] != nil })
  }
}

/// Outlets that are set up by the command line.
@Suite struct OutletCommandTests {
  private static let plan = """
    timeZone: Europe/Berlin
    patients: [{id: john, name: {given: John}}]
    tasks: []
    """

  @Test func `one is added, listed, stopped, tried and removed`() async throws {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Self.plan, to: "plan.yaml")
    let secret = try folder.write("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX\n", to: "hook.txt")
    let store = ["--store", folder.path("s.sqlite")]
    _ = await InProcess.run(["plan", "import", plan] + store)
    let keys = ["address=http://127.0.0.1:9/in", "people=john", "quantities=bodyMass"]
    let added = await InProcess.run(
      ["outlet", "add", "hook", "webhook"] + keys + ["--secret", secret] + store)
    #expect(added.status == 0, "\(added.error)")
    let list = await InProcess.run(["outlet", "list", "--json"] + store)
    #expect(list.output.contains(#""name":"hook","#) && list.output.contains(#""kind":"webhook""#))
    let tried = await InProcess.run(["outlet", "test", "hook"] + store)
    #expect(tried.status == 1 && tried.output.contains("127.0.0.1 does not answer"))
    #expect(await InProcess.run(["outlet", "pause", "hook"] + store).status == 0)
    let paused = await InProcess.run(["outlet", "list"] + store)
    #expect(paused.output.contains("paused"))
    let again = await InProcess.run(
      ["outlet", "add", "hook", "webhook"] + keys + ["--secret", secret] + store)
    #expect(again.status == 3 && again.error.contains("‘hook’ is taken"))
    #expect(await InProcess.run(["outlet", "remove", "hook"] + store).status == 0)
    #expect(await InProcess.run(["outlet", "remove", "hook"] + store).status == 4)
  }

  @Test func `settings that are not understood are said, in place of no outlet alone`() async throws
  {
    let folder = try TemporaryFolder()
    let settings = try folder.write(
      "outlets: {home: {kind: mqtt, adress: 'mqtt://127.0.0.1:1', people: all}}\n", to: "s.yaml")
    let tried = await InProcess.run(
      ["outlet", "test", "home", "--settings", settings, "--store", folder.path("s.sqlite")])
    #expect(tried.status == 4 && tried.error.contains("adress"))
  }

  @Test(arguments: [
    (["a", "fax", "people=all"], "‘kind’ is one of"), (["a", "file"], "‘people’ is needed"),
    (["a", "file", "people=all", "folder=/etc"], "‘folder’ is no key"),
    (["a", "file", "people=all", "people=john"], "‘people’ is no key"),
    (["a", "file", "people"], "‘people’ is no key"),
    (["a", "webhook", "address=https://a.example", "people=all"], "‘secretFile’ is needed"),
    (["a", "webhook", "address=https://a.example", "people=all", "secretFile=/etc/x"], "no key"),
  ])
  func `what it cannot be is refused with a sentence`(words: [String], reason: String) async throws
  {
    let folder = try TemporaryFolder()
    let plan = try folder.write(Self.plan, to: "plan.yaml")
    let store = ["--store", folder.path("s.sqlite")]
    _ = await InProcess.run(["plan", "import", plan] + store)
    let answer = await InProcess.run(["outlet", "add"] + words + store)
    #expect(answer.status == 3 && answer.error.contains(reason), "\(answer.error)")
  }
}
