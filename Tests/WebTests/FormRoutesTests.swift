import Care
import CareStore
import Foundation
import HTTPTypes
import Testing
import WebTestSupport

@testable import Web

/// The forms of the pages, as a browser without scripts sends them.
@Suite struct FormRoutesTests {
  let site: TestSite

  init() async throws {
    site = try TestSite()
    try await site.store.importHousehold()
  }

  private func event(_ task: String) async throws -> [String: Any] {
    let events = try await site.get("/api/v1/events?date=2026-11-20").list("events")
    return try #require(events.first { $0["task"] as? String == task })
  }

  private func send(_ task: String, _ name: String, _ body: String) async throws -> String {
    let id = try #require(try await event(task)["id"] as? String)
    let answer = try await site.form("/events/\(id)/\(name)", body)
    #expect(answer.status == 303)
    return answer.headers[.location] ?? ""
  }

  private func values(_ task: String) async throws -> [Double] {
    let values = try #require(try await event(task)["values"] as? [[String: Any]])
    return values.compactMap { $0["value"] as? Double }
  }

  @Test
  func `entries are added one by one, and taken back one by one`() async throws {
    for entry in ["1", "2", "3"] {
      #expect(try await send("water", "add", "value=\(entry)").contains("notice=added"))
      site.set(TestSite.noon + (Double(entry) ?? 0) * 60)
    }
    #expect(try await values("water") == [1, 2, 3])
    #expect(try await send("water", "remove", "").contains("notice=removed"))
    #expect(try await values("water") == [1, 2])
    _ = try await send("water", "remove", "")
    #expect(try await send("water", "remove", "").contains("notice=undone"))
    #expect(try await event("water")["completed"] as? Bool == false)
  }

  @Test
  func `done is one entry more of a log`() async throws {
    _ = try await send("water", "add", "value=1")
    _ = try await send("water", "add", "value=2")
    #expect(try await send("water", "done", "").contains("notice=added"))
    #expect(try await values("water") == [1, 2, 1])
  }

  @Test
  func `a form for a value that is empty is no answer`() async throws {
    #expect(try await send("weigh-in", "done", "value=&unit=kg").contains("code=missing"))
    #expect(try await event("weigh-in")["completed"] as? Bool == false)
  }

  @Test(arguments: ["63,9", "63.9"])
  func `a number may have a decimal comma`(text: String) async throws {
    _ = try await send("weigh-in", "done", "value=\(text)&unit=kg")
    #expect(try await values("weigh-in") == [63.9])
  }

  @Test(arguments: ["63,9 kg", "140.875 lb", "10st 0.875lb"])
  func `a measured value may have its unit`(text: String) async throws {
    _ = try await send("weigh-in", "done", "value=\(text.replacing(" ", with: "+"))&unit=kg")
    let value = try #require(try await values("weigh-in").first)
    #expect(abs(value - 63.9) < 0.01)
  }

  @Test(
    arguments: [
      ("/today?date=2026-11-20", "/today?date=2026-11-20&"), ("//evil.example", "/today?"),
      ("http://evil.example/", "/today?"), ("/\\evil.example", "/today?"), ("today", "/today?"),
      ("/today%0D%0ASet-Cookie:a", "/today?"), ("", "/today?"),
    ])
  func `nothing but a path of this page is returned to`(path: String, start: String) async throws {
    let place = path.replacing("?", with: "%3F").replacing("=", with: "%3D")
    #expect(try await send("pills", "done", "return=\(place)").hasPrefix(start))
  }

  @Test
  func `a plan is taken from a form of a browser, and a wrong one says why`() async throws {
    let body =
      "--b\r\nContent-Disposition: form-data; name=\"plan\"; filename=\"p\"\r\n\r\nwrong\r\n--b--\r\n"
    let answer = try await site.send(
      .post, "/setup/plan", [.contentType: "multipart/form-data; boundary=b"], body: body)
    #expect(answer.status == 409)
    #expect(answer.text.contains("wrong"))
    // The way back leads to where the corrected file is uploaded.
    let page = try await site.send(
      .post, "/setup/plan",
      [.contentType: "multipart/form-data; boundary=b", .accept: "text/html"], body: body)
    #expect(page.text.contains("href=\"/setup#upload\">Upload another file"))
    #expect(!page.text.contains("Back to today"))
    #expect(try await site.get("/setup").text.contains("id=\"upload\""))
    let empty = try await site.send(
      .post, "/setup/plan",
      [.contentType: "multipart/form-data; boundary=b", .accept: "text/html"],
      body: body.replacing("wrong", with: ""))
    #expect(empty.text.contains("href=\"/setup#upload\">Upload another file"))
    for cut in [1, 20, 60, body.count - 5] {
      let broken = try await site.send(
        .post, "/setup/plan", [.contentType: "multipart/form-data; boundary=b"],
        body: String(body.prefix(cut)))
      #expect([400, 409].contains(broken.status))
    }
  }
}
