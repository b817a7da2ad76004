import Access
import Care
import CareStore
import Digests
import Foundation
import HTTPTypes
import Testing
import WebTestSupport

@testable import Web

/// A page for the network over a household of Anna and Kim, with accounts for every role.
///
/// Sample 1 is Anna's, sample 2 is Kim's, sample 3 is nobody's.
final class TestAccess: Sendable {
  let directory: String
  let control: AccessControl
  let log: AuditLog
  let site: TestSite
  /// The page of the same store for the machine's own user.
  let localSite: TestSite
  static let passcode = "correct horse battery"
  static let local = Identity.local(user: 1000)

  /// The accounts, by id: a patient, and each role for Anna alone and for all.
  static let accounts: [(id: String, role: Role, patients: PatientScope)] = [
    ("anna", .patient, .only(["anna"])), ("carer", .carer, .only(["anna"])),
    ("nurse", .carer, .all), ("doctor", .provider, .only(["anna"])), ("clinic", .provider, .all),
    ("admin", .administrator, .all),
  ]

  init(
    isBehindProxy: Bool = false, isClaimed: Bool = true, store: SQLStore? = nil
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "web-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    directory = folder.path
    control = try AccessControl(
      path: directory + "/access.json",
      now: { Moment(time: TestSite.noon, uptime: 100) },
      random: { count in (0..<count).map { _ in UInt8.random(in: .min ... .max) } },
      scrypt: Scrypt(logarithmOfCost: 4, blockSize: 1, passes: 1) ?? .standard)
    log = try AuditLog(path: directory + "/audit.jsonl")
    localSite = try TestSite(store: store)
    site = try TestSite(
      access: WebAccess(control: control, log: log, isBehindProxy: isBehindProxy),
      store: localSite.store)
    try await importHousehold()
    guard isClaimed else { return }
    for account in Self.accounts.reversed() {
      try await control.add(
        Account.Draft(
          id: account.id, name: "\(account.id)-name", role: account.role,
          patients: account.patients), passcode: Self.passcode, by: Self.local)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: directory) }

  private func importHousehold() async throws {
    let zone = TestSite.zone
    let start = try #require(Date("2026-11-01", in: zone))
    let daily = try Schedule([
      try ScheduleElement(
        start: start, interval: Interval(days: 1), duration: .allDay, timeZone: zone)
    ])
    let tasks = ["anna", "kim"].map { person in
      PlannedTask(
        id: "weigh-\(person)", patient: person, title: "Weight of \(person)", schedule: daily,
        linkage: Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram))
    }
    let plan = PlanDocument(
      timeZone: zone,
      patients: [
        Patient(id: "anna", name: PersonName(given: "Anna")),
        Patient(id: "kim", name: PersonName(given: "Kimberley")),
      ], tasks: tasks)
    let now = TestSite.noon - 15 * 86_400
    _ = try await localSite.store.write { try $0.importPlan(plan, now: now) }
    try await answer("weigh-anna", "2026-11-20", 63.5)
    try await answer("weigh-kim", "2026-11-20", 81.25)
    try await answer("weigh-kim", "2026-11-19", 77.75)
    let freed = try await localSite.send(.delete, "/api/v1/samples/3/assignment")
    try #require(freed.status == 200, "\(freed.text)")
  }

  private func answer(_ task: String, _ day: String, _ value: Double) async throws {
    let answer = try await localSite.json(
      .put, "/api/v1/events/\(try await event(task, day))/outcome",
      #"{"values":[{"value":\#(value)}]}"#)
    try #require(answer.status == 200, "\(answer.text)")
  }

  /// The id of a task's event.
  func event(_ task: String, _ day: String = "2026-11-20") async throws -> String {
    let events = try await localSite.get("/api/v1/events?date=\(day)").list("events")
    return try #require(events.first { $0["task"] as? String == task }?["id"] as? String)
  }

  // MARK: Requests

  /// A browser's session, or a program's token.
  struct Credentials: Sendable {
    var fields: [String: String]
    /// The session's form token.
    var token: String?

    static let none = Credentials(fields: [:])
  }

  func signIn(_ account: String, client: String = "192.0.2.7") async throws -> Credentials {
    let signedIn = try await control.signIn(
      account: account, passcode: Self.passcode, client: client)
    return Credentials(
      fields: ["Cookie": "measured=\(signedIn.cookie.text)"], token: signedIn.identity.formToken)
  }

  func token(_ scopes: Set<Permission>, _ patients: PatientScope) async throws -> Credentials {
    let (_, secret) = try await control.makeToken(
      Token.Draft(name: "program", scopes: scopes, patients: patients), by: Self.local)
    return Credentials(fields: ["Authorization": "Bearer \(secret.text)"])
  }

  /// Sends a request with credentials; `hasToken` says whether with the session's form token.
  func send(
    _ method: HTTPRequest.Method, _ path: String, as credentials: Credentials,
    type: String? = nil, body: String = "", hasToken: Bool = true, _ others: [String: String] = [:]
  ) async throws -> SiteAnswer {
    var headers: HTTPFields = [:]
    var fields = credentials.fields.merging(others) { _, new in new }
    if let type { fields["Content-Type"] = type }
    if hasToken, let token = credentials.token { fields["X-Form-Token"] = token }
    for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
    return try await site.send(method, path, headers, body: body)
  }

  func get(_ path: String, as credentials: Credentials) async throws -> SiteAnswer {
    try await send(.get, path, as: credentials)
  }

  func form(
    _ path: String, _ body: String, as credentials: Credentials, hasToken: Bool = true,
    _ others: [String: String] = [:]
  ) async throws -> SiteAnswer {
    try await send(
      .post, path, as: credentials, type: "application/x-www-form-urlencoded", body: body,
      hasToken: hasToken, others)
  }
}
