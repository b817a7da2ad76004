import Access
import Foundation
import HTTPTypes
import Localization
import Testing
import WebTestSupport

@testable import Web

/// Every route, tried without, with a wrong, and with each role's credentials.
@Suite struct RouteRuleTests {
  /// Who may use a route, for Anna's data: the accounts of ``TestAccess``.
  ///
  /// It is written apart from ``RouteRule/table``, so that a change has to be made twice.
  static let everyone = "anna carer nurse doctor clinic admin"
  static let answering = "anna carer nurse admin"
  static let correcting = "carer nurse admin"
  static let planning = "nurse admin"
  static let administering = "admin"
  /// Those who may read of all patients.
  static let readingAll = "nurse clinic admin"
  static let table: [String: String] = [
    "GET /signin": "open", "POST /signin": "open", "GET /claim": "open", "POST /claim": "open",
    "GET /assets/{name}": "open", "GET /api/v1/health": "open", "GET /api/v1/ready": "open",

    "GET /": everyone, "GET /favicon.ico": everyone, "GET /api/v1/openapi.json": everyone,
    "GET /reference": everyone,
    "POST /language": everyone, "GET /account": everyone, "POST /account/passcode": everyone,
    "POST /signout": everyone, "GET /metrics": readingAll,

    "GET /changes": everyone, "GET /today": everyone, "GET /events/{event}": everyone,
    "GET /measurements": everyone, "GET /measurements/{quantity}": everyone,
    "GET /insights": everyone, "GET /report": everyone, "GET /connect": everyone,
    "GET /devices": everyone, "GET /setup": correcting,

    "POST /events/{event}/answer": answering,
    "POST /api/v1/events/{event}/attachments": answering,
    "GET /api/v1/attachments/{sha256}": everyone,
    "POST /events/{event}/done": answering, "POST /events/{event}/not-done": answering,
    "POST /events/{event}/skip": answering,
    "POST /events/{event}/add": answering, "POST /events/{event}/undo": answering,
    "POST /events/{event}/remove": answering,
    "GET /events/{event}/measure": everyone, "POST /events/{event}/measure/start": answering,
    "POST /events/{event}/measure/done": answering,
    "POST /events/{event}/measure/again": answering,
    "POST /events/{event}/measure/keep": answering,
    "POST /events/{event}/measure/cancel": answering,
    "POST /events/{event}/perform": answering, "GET /events/{event}/perform": answering,
    "POST /samples/{sample}/assign": correcting, "POST /samples/{sample}/unassign": correcting,
    "POST /samples/{sample}/delete": correcting, "POST /samples/{sample}/restore": correcting,
    "POST /samples/{sample}/correct": correcting, "POST /messages": answering,
    "POST /setup/plan": planning, "POST /firings/{firing}/undo": correcting,
    "POST /setup/plan/take": planning, "POST /setup/backup": administering,
    "GET /devices/add": correcting, "POST /devices/bind": correcting,
    "POST /devices/unbind": correcting,
    "GET /devices/pair": correcting, "POST /devices/pair": correcting,
    "POST /devices/pair/answer": correcting, "POST /devices/pair/cancel": correcting,
    "GET /setup/task": correcting, "POST /setup/task": correcting,
    // Without a person it is a new one's, which is the whole plan's.
    "GET /setup/person": planning, "POST /setup/person": planning,
    "GET /setup/accounts": administering,
    "POST /setup/accounts/add": administering,
    "POST /setup/accounts/change": administering,
    "POST /setup/accounts/code": administering,
    "POST /setup/accounts/remove": administering,
    "POST /setup/tokens/add": administering,
    "POST /setup/tokens/revoke": administering,
    "GET /setup/audit": administering,
    "POST /setup/end": correcting, "POST /setup/delete": correcting,
    "POST /setup/revive": correcting, "POST /setup/undo": correcting,

    "GET /api/v1/events": everyone, "GET /api/v1/events/{event}": everyone,
    "PUT /api/v1/events/{event}/outcome": answering,
    "POST /api/v1/events/{event}/outcome/values": answering,
    "DELETE /api/v1/events/{event}/outcome/values": answering,
    "DELETE /api/v1/events/{event}/outcome": answering,
    "GET /api/v1/sessions": everyone, "POST /api/v1/sessions": answering,
    "GET /api/v1/sessions/{session}": everyone, "POST /api/v1/sessions/{session}/start": answering,
    "POST /api/v1/sessions/{session}/done": answering,
    "POST /api/v1/sessions/{session}/again": answering,
    "POST /api/v1/sessions/{session}/keep": answering,
    "POST /api/v1/sessions/{session}/cancel": answering,
    "POST /api/v1/events/{event}/performance": answering,
    "GET /api/v1/samples": everyone, "GET /api/v1/samples/{sample}": everyone,
    "GET /api/v1/samples/{sample}/changes": everyone,
    "PUT /api/v1/samples/{sample}/assignment": correcting,
    "DELETE /api/v1/samples/{sample}/assignment": correcting,
    "POST /api/v1/samples/{sample}/correction": correcting,
    "DELETE /api/v1/samples/{sample}": correcting,
    "POST /api/v1/samples/{sample}/restoration": correcting,
    "GET /api/v1/patients": everyone, "GET /api/v1/contacts": everyone,
    "GET /api/v1/messages": everyone, "POST /api/v1/messages": answering,
    "GET /api/v1/firings": everyone, "POST /api/v1/firings/{firing}/undo": correcting,
    "GET /api/v1/devices": everyone, "GET /api/v1/adherence": everyone,
    "GET /api/v1/plan": planning, "PUT /api/v1/plan": planning,
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
      .replacing("{sha256}", with: "x")
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
    for (route, permitted) in Self.table {
      let answer = try await answer(
        route, access, event, as: TestAccess.Credentials(fields: fields))
      guard permitted != "open" else {
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
    for (route, permitted) in Self.table where route != "POST /signout" {
      let isStream = route == "GET /changes"
      guard !isStream else { continue }
      let answer = try await answer(route, access, event, as: credentials)
      let isPermitted =
        permitted == "open" || permitted.split(separator: " ").contains { $0 == account }
      #expect(
        isPermitted == ![401, 403].contains(answer.status), "\(route): \(answer.status)")
    }
    #expect(
      try await answer("POST /signout", access, event, as: credentials).status == 303)
    #expect(try await access.get("/api/v1/patients", as: credentials).status == 401)
  }

  @Test(arguments: Permission.allCases)
  func `a token may do what its scopes say`(scope: Permission) async throws {
    let access = try await TestAccess()
    let event = try await access.event("weigh-anna")
    let credentials = try await access.token([scope], .all)
    for (route, permitted) in Self.table where permitted != "open" {
      let needed: Permission? =
        switch permitted {
        case Self.answering: .answer
        case Self.correcting:
          route.contains("/devices/")
            ? .devices : route.contains("/setup") || route.contains("/firings/") ? .plan : .correct
        case Self.planning: .plan
        case Self.administering: .administer
        case _
        where [
          "GET /", "GET /favicon.ico", "GET /api/v1/openapi.json", "GET /reference",
          "POST /language", "GET /account", "POST /account/passcode", "POST /signout",
        ].contains(route): nil
        default: .read
        }
      guard let needed else { continue }
      let answer = try await answer(route, access, event, as: credentials)
      #expect((needed == scope) == (answer.status != 403), "\(route): \(answer.status)")
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
