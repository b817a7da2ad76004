import Access
import Foundation
import HTTPTypes
import TestSupport
import Testing
import WebTestSupport

@testable import Web

/// The page below the path of a proxy that signs people in.
@Suite struct WebIngressTests {
  private static let prefix = "/api/hassio_ingress/kq_-4"

  /// The page of a household, whose ingress connects from an address.
  private static func site(
    _ access: TestAccess, from address: String = "192.0.2.7"
  ) throws -> TestSite {
    try TestSite(
      access: WebAccess(
        control: access.control, log: access.log, isBehindProxy: false,
        ingress: WebIngress(
          address: address, accounts: ["3f2a": "anna", "77": "admin", "9": "nobody"])),
      store: access.site.store)
  }

  private static func send(
    _ site: TestSite, _ path: String, user: String?, _ others: [String: String] = [:],
    by method: HTTPRequest.Method = .get, prefix: String = prefix, body: String = ""
  ) async throws -> SiteAnswer {
    var headers: HTTPFields = [:]
    var fields = ["X-Ingress-Path": prefix, "Accept": "text/html"]
    fields["X-Remote-User-Id"] = user
    for (name, value) in fields.merging(others, uniquingKeysWith: { _, new in new }) {
      headers[try #require(HTTPField.Name(name))] = value
    }
    // Home Assistant is reached by names of its own.
    let head = HTTPRequest(
      method: method, scheme: "http", authority: "ha.example:8123", path: path,
      headerFields: headers)
    return try await site.send(head, body: body)
  }

  @Test func `its people see what their accounts may see, with the path in every address`()
    async throws
  {
    let access = try await TestAccess()
    let site = try Self.site(access)
    let admin = try await Self.send(site, "/today", user: "77")
    #expect(admin.status == 200)
    #expect(admin.text.contains("Kimberley"))
    let anna = try await Self.send(site, "/today", user: "3f2a")
    #expect(anna.status == 200 && !anna.text.contains("Kim"))
    for path in ["/today", "/measurements", "/measurements/bodyMass", "/connect", "/setup"] {
      let page = try await Self.send(site, path, user: "77")
      #expect(page.status == 200, "\(path)")
      let addresses = page.text.matches(
        of: #/ (?:href|src|action|formaction|poster|data-stream|data-page)="(/[^"]*)"/#)
      #expect(addresses.count > 4)
      for address in addresses {
        #expect(address.1.hasPrefix(Self.prefix + "/"), "\(path): \(address.1)")
        #expect(!address.1.dropFirst(Self.prefix.count).hasPrefix(Self.prefix))
      }
      #expect(page.headers[.contentSecurityPolicy]?.contains("frame-ancestors 'self'") == true)
    }
    let first = try await Self.send(site, "/", user: "77")
    #expect(first.headers[.location] == Self.prefix + "/morning")
  }

  @Test(arguments: ["4", "9", nil, "3F2A", "3f2a, 77"] as [String?])
  func `somebody else sees nothing, whatever else comes along`(user: String?) async throws {
    let access = try await TestAccess()
    let site = try Self.site(access)
    let session = try await access.signIn("admin")
    let token = try await access.token([.read], .all)
    for fields in [[:], session.fields, token.fields] {
      for path in ["/today", "/api/v1/samples", "/report"] {
        let answer = try await Self.send(site, path, user: user, fields)
        #expect(answer.status == 403, "\(path)")
        #expect(!answer.text.contains("Anna") && !answer.text.contains("81.25"))
      }
    }
  }

  @Test(arguments: [
    ("192.0.2.8", Self.prefix), ("192.0.2.7", "//evil.example"), ("192.0.2.7", "/a\"b"),
    ("192.0.2.7", "https://evil.example"), ("192.0.2.7", "/a/../b"), ("192.0.2.7", ""),
  ])
  func `from elsewhere and with no path the fields count for nothing`(
    address: String, prefix: String
  ) async throws {
    let site = try Self.site(try await TestAccess(), from: address)
    let answer = try await Self.send(site, "/today", user: "77", prefix: prefix)
    // The name is not this machine's, either.
    #expect(answer.status == 421)
  }

  @Test func `a form needs the secret of the person's pages`() async throws {
    let access = try await TestAccess()
    let site = try Self.site(access)
    let event = try await access.event("weigh-anna")
    let page = try await Self.send(site, "/account", user: "3f2a")
    let found = page.text.firstMatch(of: #/ name="token" value="([^"]+)"/#)
    let token = try #require(found.map { String($0.1) })
    let type = ["Content-Type": "application/x-www-form-urlencoded"]
    let path = "/events/\(event)/skip"
    let without = try await Self.send(
      site, path, user: "3f2a", type, by: .post, body: "back=/today")
    #expect(without.status == 403)
    let others = try await Self.send(
      site, path, user: "77", type.merging(["X-Form-Token": token]) { $1 }, by: .post,
      body: "back=/today")
    #expect(others.status == 403)
    let own = try await Self.send(
      site, path, user: "3f2a",
      type.merging(["X-Form-Token": token, "Origin": "https://ha.example:8123"]) { $1 }, by: .post,
      body: "back=/today")
    #expect(own.status == 303 && own.headers[.location]?.hasPrefix(Self.prefix + "/") == true)
  }

  @Test(arguments: Rounds.seeds(2_000))
  func `pieces come to the same as the whole`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let words = [" href=\"/", "a", "/", "\"", " src=\"/x\"", " value=\"/y\"", " action=\"", "=\"/"]
    let text = (0..<12).map { _ in words.randomElement(using: &random) ?? "" }.joined()
    var rest = Array(text.utf8)[...]
    var (pieces, result) = (PrefixText("/p"), [UInt8]())
    while !rest.isEmpty {
      let part = rest.prefix(.random(in: 1...9, using: &random))
      rest = rest.dropFirst(part.count)
      result += pieces.take(part)
    }
    let expected = text.replacing(#/ (href|src|action)="//#) { " \($0.1)=\"/p/" }
    #expect(String(decoding: result, as: UTF8.self) == expected)
  }
}
