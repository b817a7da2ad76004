import Access
import Care
import CareStore
import Foundation
import Outlets
import Testing

@testable import Actions

/// Outlets that people set up and take away.
struct ReceiversTests {
  private let store: SQLStore
  private static let now = Date(timeIntervalSince1970: 1_795_003_200)
  private static let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
  private static let hook = OutletDefinition(
    .webhook, ["address": ["https://example.org/in"], "people": ["john"]])

  init() async throws {
    store = try SQLStore.inMemory(makeUUID: { UUID() })
    let plan = PlanDocument(
      timeZone: .gmt, patients: [Patient(id: "john", name: PersonName(given: "John"))], tasks: [])
    _ = try await store.write { try $0.importPlan(plan, now: Self.now) }
  }

  @discardableResult
  private func perform<A: MessageAction>(
    _ action: A, _ performer: Performer = .owner
  ) async throws -> A.Result {
    try await store.writeMessages { try action.perform(in: $0, by: performer, now: Self.now) }
  }

  private func add(
    _ name: String = "hook", _ definition: OutletDefinition = hook, secret: String? = secret
  ) async throws {
    let secrets = secret.map { ["secretFile": Care.Secret($0)] } ?? [:]
    try await perform(AddOutlet(name, definition, secrets: secrets, reserved: ["clinic"]))
  }

  private func status() async throws -> [ReceiverStatus] {
    try await store.readOutlets { try ReceiverStatus.all(in: $0, settings: [:]) }
  }

  @Test func `one that is set up is there, with its secret beside the store alone`() async throws {
    try await add()
    let found = try #require(try await status().first)
    #expect(found.name == "hook" && found.definition?.people == ["john"] && !found.isOfSettings)
    #expect(found.state == .ready && found.refused.isEmpty && found.lastSuccess == nil)
    #expect(found.definition?["secretFile"] == OutletDefinition.kept)
    let kept = store.secret(ofOutlet: "hook", at: "https://example.org/in")
    #expect(kept?.revealed == Self.secret)
    // Another address does not get it.
    #expect(store.secret(ofOutlet: "hook", at: "https://example.com/in") == nil)
    let rows = try await store.readOutlets { try $0.outletSettings().description }
    #expect(!rows.contains("whsec"))
  }

  @Test func `what is stored from then on leaves, and nothing of before`() async throws {
    try await add()
    let before = try await store.readOutlets { reader in
      (try OutletCourse("hook", in: reader).cursor, try reader.lastNumber())
    }
    #expect(before.0 == before.1)
  }

  @Test(arguments: [
    ("Hook", OutletFlaw("name", .name("Hook"))),
    ("clinic", OutletFlaw("name", .nameTaken("clinic"))),
    ("hook", OutletFlaw("name", .nameTaken("hook"))),
  ])
  func `a name that is none, or is taken, is refused`(name: String, flaw: OutletFlaw) async throws {
    try await add()
    await #expect(throws: flaw) { try await add(name) }
  }

  @Test func `who is not in the plan, a wrong secret and a path are refused`() async throws {
    var stranger = Self.hook
    stranger.values["people"] = ["eve"]
    await #expect(throws: OutletFlaw("people", .nobody("eve"))) { try await add("a", stranger) }
    await #expect(throws: OutletFlaw("secretFile", .missing)) { try await add("a", secret: nil) }
    await #expect(throws: OutletFlaw("secretFile", .secret(.webhook))) {
      try await add("a", secret: "whsec_short")
    }
    var table = OutletDefinition(
      .influxDB,
      ["address": ["http://127.0.0.1:8086"], "people": ["all"], "database": ["health"]])
    await #expect(throws: OutletFlaw("secretFile", .secret(.influxDB))) {
      try await add("a", table, secret: "token\r\nX-Other: 1")
    }
    // A path that stands in a secret's place is not read.
    table.values["secretFile"] = ["/var/lib/measured/measured.sqlite.secrets"]
    try await add("a", table, secret: nil)
    #expect(try await status().first?.definition?["secretFile"] == nil)
    let days = OutletDefinition(.file, ["people": ["all"], "folder": ["/etc"]])
    await #expect(throws: OutletFlaw("folder", .unknownKey)) {
      try await add("b", days, secret: nil)
    }
  }

  @Test(arguments: [
    #"{"kind":"file","values":{"people":["all"],"folder":["/etc/cron.d"]},"isLeaving":false}"#,
    #"{"kind":"webhook","values":{"people":["all"],"address":["https://a.example"],"#
      + #""secretFile":["/var/lib/measured/measured.sqlite.secrets"]},"isLeaving":false}"#,
    #"{"kind":"fax","values":{},"isLeaving":false}"#, #"{"kind":"webhook","values":{}}"#, "{}",
  ])
  func `what the store says and nobody may say there is no outlet`(text: String) async throws {
    try await store.writeOutlets { try $0.putOutletSettings("x", text) }
    #expect(try await store.readOutlets { try OutletDefinition.all(in: $0) } == [:])
  }

  @Test func `what is taken away is gone, with its secret`() async throws {
    try await add()
    try await perform(RemoveOutlet("hook"))
    #expect(try await status() == [])
    #expect(store.secret(ofOutlet: "hook", at: "https://example.org/in") == nil)
    await #expect(throws: UnknownOutlet(name: "hook", known: [])) {
      try await perform(RemoveOutlet("hook"))
    }
  }

  @Test func `a broker is emptied first, unless it is taken away once more`() async throws {
    let broker = OutletDefinition(.mqtt, ["address": ["mqtt://127.0.0.1"], "people": ["all"]])
    try await add("home", broker, secret: nil)
    try await store.writeOutlets { writer in
      try writer.putPublished(
        PublishedItem(
          name: "measured/home/x", isEvent: false, digest: "d", isRefused: false, date: Self.now),
        by: "home")
    }
    try await perform(PauseOutlet("home", true))
    try await perform(RemoveOutlet("home"))
    let leaving = try #require(try await status().first)
    #expect(leaving.definition?.isLeaving == true && leaving.definition?.scope.people == [])
    #expect(leaving.state == .ready)
    try await perform(RemoveOutlet("home"))
    #expect(try await status() == [])
  }

  @Test func `of an event a broker keeps nothing that would have to be taken back`() async throws {
    let broker = OutletDefinition(.mqtt, ["address": ["mqtt://127.0.0.1"], "people": ["all"]])
    try await add("home", broker, secret: nil)
    try await store.writeOutlets { writer in
      try writer.putPublished(
        PublishedItem(name: "336c", isEvent: true, digest: "336c", date: Self.now), by: "home")
    }
    try await perform(RemoveOutlet("home"))
    #expect(try await status() == [])
    #expect(try await store.readOutlets { try $0.published(by: "home") } == [])
  }

  @Test func `one is stopped, goes on, and tries again what was refused`() async throws {
    try await add()
    try await perform(PauseOutlet("hook", true))
    #expect(try await status().map(\.state) == [.paused])
    try await perform(PauseOutlet("hook", false))
    #expect(try await status().map(\.state) == [.ready])
    try await store.writeOutlets { writer in
      try writer.putRefused(
        RefusedItem(
          name: "v1", place: nil, date: Self.now, fault: #"{"gone":{}}"#, isDue: false), by: "hook")
    }
    #expect(try await status().first?.refused.map(\.fault) == [.gone])
    #expect(try await perform(RetryRefused("hook")) == 1)
  }

  @Test func `a store has so many outlets at most`() async throws {
    for number in 1...OutletDefinition.most { try await add("a\(number)") }
    await #expect(throws: OutletFlaw("name", .tooMany)) { try await add("b") }
  }

  @Test func `only who looks after the box sets one up or takes it away`() async throws {
    try await add("other")
    let rights: [Set<Permission>] = [
      [.read, .answer, .add, .correct, .plan, .devices], [.read], [],
    ]
    for permissions in rights {
      let performer = Performer(grant: Grant(permissions, .all))
      let action = AddOutlet(
        "hook", Self.hook, secrets: ["secretFile": Care.Secret(Self.secret)], reserved: [])
      await #expect(throws: AccessDenied.self) { try await perform(action, performer) }
      await #expect(throws: AccessDenied.self) {
        try await perform(RemoveOutlet("other"), performer)
      }
    }
    #expect(try await status().map(\.name) == ["other"])
  }

  /// A person's outlet is named by the person's own id, if it is one's alone.
  @Test func `an outlet of messages is found by a bare id`() {
    let one = ["anna/", "john/nora", "tom"].compactMap { Recipient($0) }
    #expect(one.named("anna")?.text == "anna/" && one.named("nora")?.text == "john/nora")
    #expect(one.named("john/nora")?.text == "john/nora" && one.named("tom")?.text == "tom")
    #expect(one.named("john") == nil && one.named("") == nil)
    let two = ["anna/nora", "john/nora"].compactMap { Recipient($0) }
    #expect(two.named("nora") == nil && two.named("anna/nora")?.text == "anna/nora")
    let exact = ["john/nora", "nora"].compactMap { Recipient($0) }
    #expect(exact.named("nora")?.text == "nora")
  }
}
