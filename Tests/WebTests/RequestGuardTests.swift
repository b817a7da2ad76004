import Care
import CareStore
import Foundation
import HTTPTypes
import Testing
import WebTestSupport

@testable import Web

/// Requests that other sites and names of this machine may not make.
@Suite struct RequestGuardTests {
  let site: TestSite

  init() async throws {
    site = try TestSite(hosts: ["localhost", "127.0.0.1", "::1"])
    try await site.store.importHousehold()
  }

  private func send(
    _ method: HTTPRequest.Method, host: String?, _ fields: [String: String] = [:]
  ) async throws -> SiteAnswer {
    var headers: HTTPFields = [:]
    for (name, value) in fields { headers[try #require(HTTPField.Name(name))] = value }
    return try await site.send(
      HTTPRequest(
        method: method, scheme: "http", authority: host, path: "/api/v1/messages",
        headerFields: headers), body: "{}")
  }

  @Test(
    arguments: [
      ("localhost", 200), ("localhost:8473", 200), ("LOCALHOST", 200), ("127.0.0.1:1", 200),
      ("[::1]:8473", 200), ("evil.example", 421), ("localhost.evil.example", 421),
      ("127.0.0.1.evil.example:80", 421), ("", 421), ("[::1", 421), ("localhost:80:80", 421),
      ("localhost:8481@evil.com", 421), ("[::1].evil.com", 421), ("[::1]evil.com", 421),
      ("evil.com@localhost", 421), ("localhost:", 421), ("localhost:8x", 421), ("::1", 421),
      ("[127.0.0.1]", 421), (":80", 421), ("localhost/", 421),
    ])
  func `only this machine's own names are served`(host: String, status: Int) async throws {
    #expect(try await send(.get, host: host).status == status)
  }

  @Test
  func `a request without a name is not served`() async throws {
    #expect(try await send(.get, host: nil).status == 421)
  }

  @Test(
    arguments: [
      ["Origin": "http://evil.example"], ["Origin": "null"], ["Origin": "http://localhost:9999"],
      ["Origin": "https://localhost:8473"], ["Origin": "ws://localhost:8473"],
      ["Origin": "localhost:8473"], ["Origin": "http://localhost.evil.example"],
      ["Origin": "http://evil.example/localhost"],
      ["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "same-site"],
      ["Origin": "http://evil.example", "Sec-Fetch-Site": "same-origin"],
    ])
  func `another site changes nothing`(headers: [String: String]) async throws {
    for method in [HTTPRequest.Method.post, .put, .delete, .patch] {
      #expect(try await send(method, host: "localhost:8473", headers).status == 403)
    }
  }

  @Test(
    arguments: [
      (["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"], 403),
      (["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "image"], 403),
      (["Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"], 403),
      (["Origin": "http://evil.example"], 403), (["Origin": "null"], 403),
      (
        [
          "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe",
        ], 403
      ),
      (
        [
          "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate",
          "Sec-Fetch-Dest": "document",
        ], 200
      ),
      (["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"], 200),
      (["Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"], 200),
      (["Origin": "http://localhost:8473"], 200), ([:], 200),
    ])
  func `another site leads to a page, and makes nothing else work`(
    headers: [String: String], status: Int
  ) async throws {
    #expect(try await send(.get, host: "localhost:8473", headers).status == status)
    #expect(try await send(.head, host: "localhost:8473", headers).status == status)
  }

  @Test(
    arguments: [
      [:], ["Origin": "http://localhost:8473"], ["Sec-Fetch-Site": "same-origin"],
      ["Sec-Fetch-Site": "none"],
    ])
  func `the page itself, and programs, may`(headers: [String: String]) async throws {
    // The body has no media type.
    #expect(try await send(.post, host: "localhost:8473", headers).status == 415)
  }

  @Test(
    arguments: [
      (HTTPRequest.Method.delete, "/api/v1/messages", "GET, HEAD, POST"),
      (.put, "/api/v1/events/17/outcome/values", "DELETE, POST"),
      (.trace, "/today", "GET, HEAD"),
      (.options, "/events/17/done", "POST"), (.get, "/events/17/done", "POST"),
    ])
  func `a method that a path does not take is 405, with those that it takes`(
    method: HTTPRequest.Method, path: String, allowed: String
  ) async throws {
    let answer = try await site.send(method, path)
    #expect(answer.status == 405)
    #expect(answer.headers[.allow] == allowed)
  }

  @Test
  func `every answer forbids scripts and frames of others`() async throws {
    for path in ["/api/v1/health", "/api/v1/nothing", "/nothing", "/api/v1/events?x"] {
      let answer = try await site.get(path)
      let policy = try #require(answer.headers[.contentSecurityPolicy])
      #expect(policy.contains("default-src 'none'"))
      #expect(policy.contains("frame-ancestors 'none'"))
      #expect(!policy.contains("unsafe"))
      #expect(answer.headers[.xContentTypeOptions] == "nosniff")
    }
  }

  @Test
  func `a body that is too long is refused`() async throws {
    let text = #"{"patient":"anna","text":"\#(String(repeating: "a", count: 70_000))"}"#
    #expect(try await site.json(.post, "/api/v1/messages", text).status == 413)
  }
}
