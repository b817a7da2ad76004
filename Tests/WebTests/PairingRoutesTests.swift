import Care
import HTTPTypes
import Testing
import WebTestSupport

@testable import Web

/// Pairing on the page, with a radio that asks as the test says.
struct PairingRoutesTests {
  private static let device = "A0:9E:1A:00:00:02"
  private static let page = "/devices/pair?device=A0%3A9E%3A1A%3A00%3A00%3A02"

  private static let refresh = HTTPField.Name("Refresh") ?? .location

  private struct Refused: Error {}

  private func site(_ pair: @escaping PairingDesk.Pair) throws -> TestSite {
    try TestSite(pairing: PairingDesk(words: { _ in "It refused." }, pair: pair))
  }

  private func form(_ site: TestSite, _ path: String, _ fields: String = "") async throws
    -> SiteAnswer
  {
    try await site.send(
      .post, path,
      [.contentType: "application/x-www-form-urlencoded", .origin: "http://localhost"],
      body: "device=\(Self.device)" + fields)
  }

  /// The page once it has this text.
  private func page(_ site: TestSite, with text: String) async throws -> SiteAnswer {
    for _ in 0..<2_000 {
      let answer = try await site.get(Self.page)
      if answer.text.contains(text) { return answer }
      await Task.yield()
    }
    return try await site.get(Self.page)
  }

  @Test
  func `a person types the passkey that the device shows`() async throws {
    let site = try site { _, desk in
      guard await desk.passkey() == 7_421 else { throw Refused() }
    }
    #expect(try await site.get(Self.page).text.contains("Pair it now"))
    let started = try await form(site, "/devices/pair")
    #expect(started.status == 303 && started.headers[.location] == Self.page)
    let asking = try await page(site, with: "The six digits")
    #expect(
      asking.text.contains("name=\"passkey\"")
        && asking.headers[Self.refresh] == nil)
    for text in ["", "12345", "1234567", "12a456", "%EF%BC%9123456"] {
      let answer = try await form(site, "/devices/pair/answer", "&passkey=\(text)")
      #expect(answer.headers[.location] == Self.page + "&refused=1", "\(text)")
    }
    _ = try await form(site, "/devices/pair/answer", "&passkey=007+421")
    #expect(try await page(site, with: "is paired").text.contains("The device is paired"))
  }

  @Test(arguments: [("yes", "is paired"), ("no", "It refused.")])
  func `a person compares the number`(answer: String, end: String) async throws {
    let site = try site { _, desk in
      guard await desk.confirm(passkey: 42) else { throw Refused() }
    }
    _ = try await form(site, "/devices/pair")
    #expect(try await page(site, with: "000042").text.contains("They differ"))
    // An answer that was not asked for is none.
    _ = try await form(site, "/devices/pair/answer", "&passkey=000042")
    _ = try await form(site, "/devices/pair/answer", "&equal=\(answer)")
    #expect(try await page(site, with: end).text.contains(end))
  }

  @Test
  func `a cancelled pairing ends, and another may begin`() async throws {
    let site = try site { _, desk in
      guard await desk.passkey() != nil else { throw Refused() }
    }
    _ = try await form(site, "/devices/pair")
    _ = try await page(site, with: "The six digits")
    let other = "device=A0:9E:1A:00:00:03"
    let refused = try await site.send(
      .post, "/devices/pair",
      [.contentType: "application/x-www-form-urlencoded", .origin: "http://localhost"],
      body: other)
    #expect(refused.status == 303)
    #expect(try await site.get("/devices/pair?" + other).text.contains("Pair it now"))
    _ = try await form(site, "/devices/pair/cancel")
    #expect(try await page(site, with: "It refused.").text.contains("Try again"))
    _ = try await form(site, "/devices/pair")
    #expect(try await page(site, with: "The six digits").text.contains("passkey"))
    _ = try await form(site, "/devices/pair/cancel")
    _ = try await page(site, with: "It refused.")
  }

  @Test
  func `the number to enter on the device is shown until it is entered`() async throws {
    let (entered, enter) = AsyncStream.makeStream(of: Void.self)
    let site = try site { _, desk in
      desk.display(passkey: 654_321)
      for await _ in entered { break }
    }
    _ = try await form(site, "/devices/pair")
    let shown = try await page(site, with: "654321")
    #expect(shown.text.contains("Enter this number on the device"))
    #expect(shown.headers[Self.refresh] == "2")
    enter.yield()
    #expect(try await page(site, with: "is paired").text.contains("The device is paired"))
  }

  @Test
  func `without a radio, and for what is no address, nothing is paired`() async throws {
    #expect(try await TestSite().get(Self.page).status == 404)
    let site = try site { _, _ in }
    for query in ["", "?device=left-thigh", "?device="] {
      #expect(try await site.get("/devices/pair" + query).status == 400, "\(query)")
    }
  }
}
