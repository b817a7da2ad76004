import Access
import Foundation
import HTTPTypes
import Localization
import Testing
import WebTestSupport

@testable import Web

/// Every route, tried without, with a wrong, and with each role's credentials.
@Suite struct RouteRuleTests {
  /// Who may use a route, for Anna's data: which of the accounts of ``TestAccess``, and which scopes
  /// of a token.
  struct Demand {
    var accounts: String
    /// The scopes that a token needs, all of them; `nil` for a route before signing in.
    var scopes: Set<Permission>?
    /// Whether a token for one person is refused.
    var isWhole = false

    static let open = Demand(accounts: "", scopes: nil)
    static let signedIn = Demand(accounts: everyone, scopes: [])
    static let reading = Demand(accounts: everyone, scopes: [.read])
    static let readingAll = Demand(accounts: "nurse clinic admin", scopes: [.read], isWhole: true)
    static let answering = Demand(accounts: "anna carer nurse admin", scopes: [.answer])
    static let adding = Demand(accounts: caring, scopes: [.add])
    static let addingAll = Demand(accounts: "nurse admin", scopes: [.add], isWhole: true)
    static let correcting = Demand(accounts: caring, scopes: [.correct])
    static let planning = Demand(accounts: caring, scopes: [.plan])
    static let planningAll = Demand(accounts: "nurse admin", scopes: [.plan], isWhole: true)
    static let binding = Demand(accounts: caring, scopes: [.devices])
    static let administering = Demand(accounts: "admin", scopes: [.administer], isWhole: true)
    static let copying = Demand(accounts: "admin", scopes: [.administer, .read], isWhole: true)

    private static let everyone = "anna carer nurse doctor clinic admin"
    private static let caring = "carer nurse admin"

    func permits(account: String) -> Bool {
      scopes == nil || accounts.split(separator: " ").contains { $0 == account }
    }

    func permits(_ scopes: Set<Permission>, isForAll: Bool) -> Bool {
      self.scopes?.isSubset(of: scopes) ?? true && (isForAll || !isWhole)
    }
  }

  /// It is written apart from ``RouteRule/table``, so that a change has to be made twice.
  static let table: [String: Demand] = [
    "GET /signin": .open, "POST /signin": .open, "GET /claim": .open, "POST /claim": .open,
    "GET /answer": .open, "POST /answer": .open,
    "POST /api/v1/exchange": .open, "POST /api/v1/exchange/boxes": .open,
    "GET /assets/{name}": .open, "GET /api/v1/health": .open, "GET /api/v1/ready": .open,

    "GET /": .signedIn, "GET /favicon.ico": .signedIn, "GET /api/v1/openapi.json": .signedIn,
    "GET /reference": .signedIn,
    "POST /language": .signedIn, "GET /account": .signedIn, "POST /account/passcode": .signedIn,
    "POST /signout": .signedIn, "GET /metrics": .readingAll,

    "GET /morning": .reading, "GET /morning.csv": .reading, "GET /api/v1/morning": .reading,
    "GET /changes": .reading, "GET /today": .reading, "GET /events/{event}": .reading,
    "GET /measurements.csv": .reading, "POST /samples": .answering,
    "POST /api/v1/samples": .answering, "GET /measurements": .reading,
    "GET /measurements/{quantity}": .reading,
    "GET /weighings": .readingAll, "POST /weighings/weigher": .correcting,
    "POST /weighings/unassign": .correcting, "GET /api/v1/weighings": .readingAll,
    "PUT /api/v1/patients/{patient}/weigher": .correcting,
    "GET /insights": .reading, "GET /report": .reading, "GET /connect": .reading,
    "GET /consent": .reading, "POST /consent/agree": .answering,
    "POST /consent/withdraw": .answering,
    "GET /devices": .reading, "GET /setup": .planning,

    "POST /events/{event}/answer": .answering,
    "POST /api/v1/events/{event}/attachments": .answering,
    "GET /api/v1/attachments/{sha256}": .reading,
    "POST /events/{event}/done": .answering, "POST /events/{event}/not-done": .answering,
    "POST /events/{event}/add": .answering, "POST /events/{event}/undo": .answering,
    "POST /events/{event}/put-back": .answering, "POST /events/{event}/snooze": .answering,
    "POST /events/{event}/remove": .answering,
    "GET /events/{event}/measure": .reading, "POST /events/{event}/measure/start": .answering,
    "POST /events/{event}/measure/done": .answering,
    "POST /events/{event}/measure/again": .answering,
    "POST /events/{event}/measure/keep": .answering,
    "POST /events/{event}/measure/cancel": .answering,
    "POST /events/{event}/perform": .answering, "GET /events/{event}/perform": .answering,
    "POST /samples/{sample}/assign": .correcting, "POST /samples/{sample}/unassign": .correcting,
    "POST /samples/{sample}/delete": .correcting, "POST /samples/{sample}/restore": .correcting,
    "POST /morning/seen": .correcting, "POST /samples/{sample}/correct": .correcting,
    "POST /messages": .answering,
    "POST /setup/plan": .planningAll, "POST /firings/{firing}/undo": .planning,
    "POST /setup/plan/take": .planningAll, "POST /setup/backup": .copying,
    "GET /setup/history": .addingAll, "POST /setup/history": .addingAll,
    "POST /setup/history/take": .addingAll,
    "GET /devices/add": .binding, "POST /devices/bind": .binding,
    "POST /devices/unbind": .binding,
    "GET /devices/pair": .binding, "POST /devices/pair": .binding,
    "POST /devices/pair/answer": .binding, "POST /devices/pair/cancel": .binding,
    "GET /setup/task": .planning, "POST /setup/task": .planning,
    "POST /setup/video": .planning,
    "PUT /api/v1/tasks/{task}/video": .planning, "DELETE /api/v1/tasks/{task}/video": .planning,
    "GET /setup/tasks": .planning, "POST /setup/tasks": .planning,
    "POST /devices/disown": .binding,
    "POST /events/{event}/skip": .answering,
    // Without a person it is a new one's, which is the whole plan's.
    "GET /setup/person": .planningAll, "POST /setup/person": .planningAll,
    "GET /setup/accounts": .administering,
    "POST /setup/centre/join": .administering, "POST /setup/centre/leave": .administering,
    "GET /setup/boxes": .administering, "POST /setup/boxes/invite": .administering,
    "POST /setup/accounts/add": .administering,
    "POST /setup/accounts/change": .administering,
    "POST /setup/accounts/code": .administering,
    "POST /setup/accounts/remove": .administering,
    "POST /setup/tokens/add": .administering,
    "POST /setup/tokens/revoke": .administering,
    "GET /setup/audit": .administering,
    "GET /setup/contact": .planning, "POST /setup/contact": .planning,
    "POST /setup/zone": .planningAll,
    "POST /setup/end": .planning, "POST /setup/delete": .planning,
    "POST /setup/revive": .planning, "POST /setup/undo": .planning,

    "GET /api/v1/events": .reading, "GET /api/v1/events/{event}": .reading,
    "PUT /api/v1/events/{event}/outcome": .answering,
    "POST /api/v1/events/{event}/outcome/values": .answering,
    "DELETE /api/v1/events/{event}/outcome": .answering,
    "GET /api/v1/sessions": .reading, "POST /api/v1/sessions": .answering,
    "GET /api/v1/sessions/{session}": .reading, "POST /api/v1/sessions/{session}/start": .answering,
    "POST /api/v1/sessions/{session}/done": .answering,
    "POST /api/v1/sessions/{session}/again": .answering,
    "POST /api/v1/sessions/{session}/keep": .answering,
    "POST /api/v1/sessions/{session}/cancel": .answering,
    "POST /api/v1/events/{event}/performance": .answering,
    "GET /api/v1/samples": .reading, "GET /api/v1/samples/{sample}": .reading,
    "GET /api/v1/samples/{sample}/changes": .reading,
    "PUT /api/v1/samples/{sample}/assignment": .correcting,
    "DELETE /api/v1/samples/{sample}/assignment": .correcting,
    "POST /api/v1/samples/{sample}/correction": .correcting,
    "DELETE /api/v1/samples/{sample}": .correcting,
    "POST /api/v1/samples/{sample}/restoration": .correcting,
    "GET /api/v1/patients": .reading, "GET /api/v1/contacts": .reading,
    "GET /api/v1/consents": .reading, "POST /api/v1/consents": .answering,
    "GET /api/v1/messages": .reading, "POST /api/v1/messages": .answering,
    "GET /api/v1/firings": .reading, "POST /api/v1/firings/{firing}/undo": .planning,
    "GET /api/v1/devices": .reading, "GET /api/v1/adherence": .reading,
    "GET /api/v1/plan": .planningAll, "PUT /api/v1/plan": .planningAll,
    "DELETE /api/v1/events/{event}/outcome/values": .answering,
    "POST /api/v1/events/{event}/outcome/restoration": .answering,
    "POST /api/v1/events/{event}/snooze": .answering,
    "PUT /api/v1/contacts/{contact}": .planning, "DELETE /api/v1/contacts/{contact}": .planning,
    "PUT /api/v1/plan/zone": .planningAll,
    "GET /api/v1/phones/noop": .adding, "POST /api/v1/phones/noop": .adding,
    "POST /api/v1/phones/openscale": .adding, "POST /api/v1/phones/health-auto-export": .adding,
    "PUT /api/v1/patients/{patient}/presence": .answering,
    "GET /api/v1/channels": .planning, "PUT /api/v1/channels": .planning,
    "POST /api/v1/channels/test": .planning, "GET /api/v1/outlets": .planningAll,
    "POST /api/v1/outlets/pause": .planningAll, "POST /api/v1/outlets/resume": .planningAll,
    "POST /api/v1/outlets/retry": .planningAll, "POST /api/v1/outlets": .administering,
    "POST /api/v1/outlets/remove": .administering, "POST /api/v1/outlets/test": .planningAll,
    "POST /connect/channels/add": .planning, "POST /connect/channels/remove": .planning,
    "POST /connect/channels/move": .planning, "POST /connect/channels/test": .planning,
    "GET /setup/outlets": .planningAll, "POST /setup/outlets": .administering,
    "POST /setup/outlets/remove": .administering, "POST /setup/outlets/test": .planningAll,
    "GET /setup/outlets/plan": .planningAll, "POST /setup/outlets/plan/take": .planningAll,
    "POST /setup/outlets/plan/decline": .planningAll,
    "GET /connect/calendar": .planning, "POST /connect/calendar/add": .planning,
    "POST /connect/calendar/remove": .planning, "GET /calendar/{token}": .open,
    "POST /setup/outlets/pause": .planningAll, "POST /setup/outlets/resume": .planningAll,
    "POST /setup/outlets/retry": .planningAll,
  ]

  /// A request to a route about Anna's event and sample.
  private func answer(
    _ route: String, _ access: TestAccess, _ event: String,
    as credentials: TestAccess.Credentials, sample: String = "1", patient: String = "anna"
  ) async throws -> SiteAnswer {
    let parts = route.split(separator: " ").map(String.init)
    let path = parts[1].replacing("{event}", with: event).replacing("{sample}", with: sample)
      .replacing("{quantity}", with: "bodyMass").replacing("{name}", with: "style.css")
      .replacing("{session}", with: "1").replacing("{firing}", with: "x")
      .replacing("{sha256}", with: "x").replacing("{contact}", with: "x?patient=anna")
      .replacing("{patient}", with: patient)
    let method = try #require(HTTPRequest.Method(parts[0]))
    if path.hasPrefix("/api/") {
      return try await access.send(
        method, path, as: credentials, type: "application/json",
        body: method == .get ? "" : #"{"patient":"\#(patient)","text":"Hello","value":70}"#)
    }
    guard method == .post else { return try await access.get(path, as: credentials) }
    return try await access.form(path, "patient=\(patient)&text=Hello&value=70", as: credentials)
  }

  @Test
  func `every route has a rule, and every rule a route`() async throws {
    let access = try await TestAccess()
    #expect(Set(access.site.routes) == Set(Self.table.keys))
    #expect(Set(RouteRule.table.keys) == Set(Self.table.keys))
  }

  @Test(
    arguments: [
      [:], ["Authorization": "Bearer mt_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
      ["Authorization": "Basic YWRtaW46YWRtaW4="], ["Authorization": "Bearer "],
      ["Cookie": "measured=ms_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
      ["Cookie": "measured="], ["Cookie": "measured=admin; lang=en"],
    ])
  func `without proof, or with a wrong one, only the open routes answer`(fields: [String: String])
    async throws
  {
    let access = try await TestAccess()
    let event = try await access.event("weigh-anna")
    for (route, demand) in Self.table {
      let answer = try await answer(
        route, access, event, as: TestAccess.Credentials(fields: fields))
      guard demand.scopes != nil else {
        #expect(![401, 403].contains(answer.status), "\(route): \(answer.status)")
        continue
      }
      #expect(answer.status == 401, "\(route): \(answer.status)")
      #expect(answer.headers[.wwwAuthenticate]?.hasPrefix("Bearer") == true)
      #expect(!answer.text.contains("Anna"))
    }
    #expect(try await access.get("/nothing", as: .init(fields: fields)).status == 401)
  }

  @Test(arguments: TestAccess.accounts.map(\.id))
  func `each role may do what the table says`(account: String) async throws {
    let access = try await TestAccess()
    let event = try await access.event("weigh-anna")
    let credentials = try await access.signIn(account)
    // A session ends with its sign-out.
    for (route, demand) in Self.table where route != "POST /signout" {
      let answer = try await answer(route, access, event, as: credentials)
      #expect(
        demand.permits(account: account) == ![401, 403].contains(answer.status),
        "\(route): \(answer.status)")
    }
    #expect(
      try await answer("POST /signout", access, event, as: credentials).status == 303)
    #expect(try await access.get("/api/v1/patients", as: credentials).status == 401)
  }

  /// Each scope alone, and all but one, for all and for Anna alone.
  private static let tokens: [(scopes: Set<Permission>, isForAll: Bool)] =
    Permission.allCases.flatMap { scope in
      [[scope], Set(Permission.allCases).subtracting([scope])].flatMap { scopes in
        [(scopes, true)] + (scopes.contains(.administer) ? [] : [(scopes, false)])
      }
    }

  @Test(arguments: tokens.indices)
  func `a token may do what its scopes say, for whom it is`(index: Int) async throws {
    let (scopes, isForAll) = Self.tokens[index]
    let access = try await TestAccess()
    let event = try await access.event("weigh-anna")
    let credentials = try await access.token(scopes, isForAll ? .all : .only(["anna"]))
    // No program has a session or a passcode.
    let ofPeople = ["POST /account/passcode", "POST /setup/accounts/code"]
    for (route, demand) in Self.table where !ofPeople.contains(route) {
      let answer = try await answer(route, access, event, as: credentials)
      #expect(
        demand.permits(scopes, isForAll: isForAll) == (answer.status != 403),
        "\(route): \(answer.status)")
    }
  }

  /// Tokens that were made before the rule.
  @Test func `a token that administers for one person administers nothing`() async throws {
    let grant = Grant([.administer, .read], .only(["anna"]))
    #expect(!grant.permits(.administer, on: .box))
    let access = try await TestAccess()
    await #expect(throws: AccessError.token(.patients)) {
      try await access.token([.administer], .only(["anna"]))
    }
  }

  @Test(
    arguments: ["anna", "carer", "doctor", "clinic"])
  func `what is another person's is changed by nobody who may not`(account: String) async throws {
    let access = try await TestAccess()
    let event = try await access.event("weigh-kim")
    let before = try await access.localSite.get("/api/v1/samples").text
    let events = try await access.localSite.get("/api/v1/events").text
    let messages = try await access.localSite.get("/api/v1/messages").text
    let credentials = try await access.signIn(account)
    for route in Self.table.keys where !route.hasPrefix("GET") && route != "POST /signout" {
      _ = try await answer(
        route, access, event, as: credentials, sample: "2", patient: "kim")
    }
    // Nor may what is Anna's become Kim's.
    _ = try await access.send(
      .put, "/api/v1/samples/1/assignment", as: credentials, type: "application/json",
      body: #"{"patient":"kim"}"#)
    _ = try await access.form("/samples/1/assign", "patient=kim", as: credentials)
    #expect(try await access.localSite.get("/api/v1/samples").text == before)
    #expect(try await access.localSite.get("/api/v1/events").text == events)
    #expect(try await access.localSite.get("/api/v1/messages").text == messages)
  }
}
