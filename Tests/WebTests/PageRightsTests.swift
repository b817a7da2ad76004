import Access
import Foundation
import HTTPTypes
import Localization
import Testing
import WebTestSupport

@testable import Web

/// Every page as each role sees it, compared with the rules of its forms and links.
struct PageRightsTests {
  /// The pages of a household, with what its forms led to.
  static func pages(_ access: TestAccess) async throws -> [String] {
    let event = try await access.event("weigh-anna")
    let pages = [
      "/today", "/today?date=2026-11-19", "/events/\(event)", "/measurements",
      "/measurements/bodyMass", "/measurements/bodyMass?deleted=1", "/insights", "/report",
      "/connect", "/connect/calendar", "/morning", "/weighings", "/devices", "/setup", "/account",
      "/setup/task", "/setup/tasks",
      "/setup/task?patient=anna&task=weigh-anna", "/setup/person", "/setup/person?patient=anna",
      "/setup/contact", "/setup/history",
      "/setup/accounts", "/setup/audit", "/setup/boxes", "/setup/outlets",
      "/setup/outlets?kind=mqtt",
      "/devices/add?device=A0:9E:1A:00:00:09", "/devices/add?device=A0:9E:1A:00:00:09&owner=anna",
    ]
    _ = try await access.localSite.form("/connect/calendar/add", "patient=anna")
    _ = try await access.localSite.form(
      "/setup/outlets", "kind=file&name=days&people=anna")
    // A device to change and remove, and a task that has ended.
    _ = try await access.localSite.form(
      "/devices/bind", "device=A0:9E:1A:00:00:09&patient=anna&place=")
    _ = try await access.localSite.form("/setup/end", "kind=task&patient=kim&id=weigh-kim")
    // A notice offers to undo what it says.
    let notices = [
      "notice=answered&event=\(event)", "notice=added&event=\(event)", "notice=planEdited&edit=2",
      "notice=deleted&sample=1",
      "notice=assigned&sample=1", "notice=corrected&sample=1",
    ]
    return pages + notices.map { "/today?" + $0 }
  }

  /// The requests of a page: `POST /events/…/done` for a form or button, `GET /setup` for a link.
  static func offers(of html: String) -> Set<String> {
    func values(_ attribute: String) -> [String] {
      html.components(separatedBy: " \(attribute)=\"").dropFirst().compactMap {
        $0.components(separatedBy: "\"").first
      }
    }
    // A form without a method only asks for another page.
    let forms = html.components(separatedBy: "<form ").dropFirst().compactMap { form in
      form.components(separatedBy: ">").first
    }.filter { $0.contains("method=\"post\"") }
    let actions = forms.compactMap { form in
      form.components(separatedBy: "action=\"").dropFirst().first?.components(separatedBy: "\"")
        .first
    }
    let posts = (actions + values("formaction")).map { "POST " + $0 }
    let links = values("href").filter { $0.hasPrefix("/") }.map { "GET " + $0 }
    return Set(
      (posts + links).map { $0.components(separatedBy: ["?", "#"]).first ?? "" })
  }

  /// The route of an offer: `POST /events/{event}/done`.
  static func route(of offer: String) -> String? {
    let parts = offer.components(separatedBy: "/")
    return RouteRule.table.keys.first { route in
      let names = route.components(separatedBy: "/")
      return names.count == parts.count
        && zip(names, parts).allSatisfy { $0 == $1 || $0.hasPrefix("{") && !$1.isEmpty }
    }
  }

  private static func permits(_ route: String, _ grant: Grant) -> Bool {
    guard let demand = RouteRule.table[route]?.demand else { return false }
    return switch demand {
    case .open, .signedIn: true
    case .some(let permission): grant.permissions.contains(permission)
    case .box(let permissions): permissions.allSatisfy { grant.permits($0, on: .box) }
    }
  }

  @Test(
    arguments: TestAccess.accounts.map(\.id))
  func `a page offers nothing that its reader may not do`(account: String) async throws {
    let access = try await TestAccess()
    let credentials = try await access.signIn(account)
    let grant = try #require(await access.control.accounts.first { $0.id == account }?.grant)
    for page in try await Self.pages(access) {
      let answer = try await access.get(page, as: credentials)
      guard answer.status == 200 else { continue }
      for offer in Self.offers(of: answer.text) {
        let route = try #require(Self.route(of: offer), "\(page): \(offer)")
        #expect(Self.permits(route, grant), "\(account), \(page): \(offer)")
      }
    }
  }

  @Test
  func `the administrator is offered every form`() async throws {
    let access = try await TestAccess()
    let credentials = try await access.signIn("admin")
    _ = try await access.token([.read], .all)
    let channels = #"[{"channel":"email:a@example.org"},{"channel":"email:b@example.org"}]"#
    _ = try await access.localSite.json(
      .put, "/api/v1/channels", #"{"patient":"anna","channels":\#(channels)}"#)
    try await access.site.store.noteOutlet("nora")
    var offered: Set<String> = []
    for page in try await Self.pages(access) {
      let html = try await access.get(page, as: credentials).text
      offered.formUnion(Self.offers(of: html).compactMap(Self.route))
    }
    let forms = RouteRule.table.keys.filter { $0.hasPrefix("POST /") && !$0.contains("/api/") }
    // Shown before signing in, or without a script of the page's own.
    let elsewhere: Set = [
      "POST /signin", "POST /claim", "POST /language", "POST /setup/plan/take",
      "POST /setup/history/take",
      // Tasks of other kinds than the household's.
      "POST /events/{event}/add", "POST /events/{event}/remove", "POST /events/{event}/perform",
      "POST /events/{event}/answer",
      // Of an answer that was just taken back, and of a reminder that is due.
      "POST /events/{event}/put-back", "POST /events/{event}/snooze",
      // Of a session with a sensor, and of a rule that fired.
      "POST /events/{event}/measure/start", "POST /events/{event}/measure/done",
      "POST /events/{event}/measure/again", "POST /events/{event}/measure/keep",
      "POST /events/{event}/measure/cancel", "POST /firings/{firing}/undo",
      // Of the plan that an outlet's server has.
      "POST /setup/outlets/plan/take", "POST /setup/outlets/plan/decline",
      // Of a centre that was joined.
      "POST /setup/centre/leave",
      // Of an alert that nobody has seen.
      "POST /morning/seen",
      // Of a care plan that asks for consent.
      "POST /consent/agree", "POST /consent/withdraw",
      // Of a device that the plan does not name.
      "POST /devices/disown",
      // Of the link of a message, and of messages that were stopped or refused.
      "POST /answer", "POST /setup/outlets/resume", "POST /setup/outlets/retry",
      // Of two who use one scale, and of the answer which is the patient.
      "POST /weighings/weigher", "POST /weighings/unassign",
      // Of a radio.
      "POST /devices/pair", "POST /devices/pair/answer", "POST /devices/pair/cancel",
    ]
    #expect(Set(forms).subtracting(offered).subtracting(elsewhere).isEmpty)
  }

  @Test
  func `a person who reads sees no form at all but those of their account`() async throws {
    let access = try await TestAccess()
    let credentials = try await access.signIn("doctor")
    for page in try await Self.pages(access) where page != "/account" {
      let answer = try await access.get(page, as: credentials)
      // One leads out, at the foot of every page.
      let forms = answer.text.components(separatedBy: "method=\"post\"").dropFirst()
      #expect(forms.allSatisfy { $0.hasPrefix(" action=\"/signout\"") }, "\(page)")
    }
  }
}
