import Access
import Foundation
import HTTPTypes
import Testing
import WebTestSupport

@testable import Web

/// Every page says an address at which it can be asked for: its script asks there after a change, also
/// when the page is the answer to a form.
struct OwnAddressTests {
  /// The address that a page says; `nil` for what is no page.
  private static func own(_ answer: SiteAnswer) -> String? {
    guard answer.headers[.contentType]?.hasPrefix("text/html") == true else { return nil }
    return answer.text.firstMatch(of: #/ data-page="(/[^"]*)"/#).map { String($0.1) }
  }

  private static func path(_ address: String) -> String {
    String(address.prefix { $0 != "?" })
  }

  @Test func `a page that was asked for says its own address`() async throws {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    for page in try await PageRightsTests.pages(access) {
      let answer = try await access.get(page, as: admin)
      try #require(answer.status == 200, "\(page)")
      #expect(Self.own(answer).map(Self.path) == Self.path(page), "\(page)")
    }
  }

  /// Forms that are answered by a page, by route, with the status of the answer.
  private static let answered: [String: [(form: String, status: Int)]] = [
    "POST /setup/outlets/test": [("name=clinic", 200), ("name=nobody", 404)],
    "POST /connect/channels/test": [("channel=email:a@example.org", 200)],
    "POST /connect/calendar/add": [("patient=anna", 200)],
    "POST /setup/accounts/add": [
      ("name=Mary&id=mary&role=carer&everyone=1", 200),
      ("name=Mary&id=No%20Id&role=carer&everyone=1", 422),
    ],
    "POST /setup/accounts/code": [("id=doctor", 200)],
    "POST /setup/tokens/add": [("name=backup&days=30&scope=read&everyone=1", 200)],
    "POST /setup/boxes/invite": [("boxes=2&people=1&days=7&cohort=x", 200)],
  ]

  @Test func `a page that answers a form can be asked for where it says`() async throws {
    let access = try await TestAccess()
    let admin = try await access.signIn("admin")
    let event = try await access.event("weigh-anna")
    let page = ["Accept": "text/html"]
    let forms = RouteRule.table.keys.filter {
      $0.hasPrefix("POST /") && !$0.contains("/api/") && $0 != "POST /signout"
        && RouteRule.table["GET" + $0.dropFirst(4)] == nil
    }
    try #require(Set(Self.answered.keys).isSubset(of: forms))
    for route in forms.sorted() {
      let path = String(route.dropFirst(5)).replacing("{event}", with: event)
        .replacing("{sample}", with: "1").replacing("{firing}", with: "x")
      let known = Self.answered[route] ?? []
      for (form, status) in [("", nil), ("patient=anna", nil)] + known.map({ ($0, Optional($1)) }) {
        let answer = try await access.form(path, form, as: admin, page)
        if let status { #expect(answer.status == status, "\(route): \(form)") }
        guard let own = Self.own(answer) else {
          #expect(status == nil || answer.status == 303, "\(route): no page")
          continue
        }
        let asked = try await access.send(.get, own, as: admin, page)
        #expect(asked.status == 200, "\(route): \(own) gives \(asked.status)")
        #expect(Self.own(asked).map(Self.path) == Self.path(own), "\(route): \(own)")
      }
    }
  }
}
