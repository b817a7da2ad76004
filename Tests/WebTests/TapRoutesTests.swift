import Access
import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Outlets
import Testing
import WebTestSupport

@testable import Web

/// The links of messages, as telephones, mail scanners and strangers use them.
@Suite struct TapRoutesTests {
  private static let form = "application/x-www-form-urlencoded"

  /// A household behind a proxy with TLS, unless `isPlain`, and a link by which Nora says that Anna's
  /// weighing of two days ago was not done.
  private final class World: Sendable {
    let access: TestAccess
    let token: String

    init(
      isPlain: Bool = false, answer: TapAnswer = .notDone, isOld: Bool = false,
      store: SQLStore? = nil
    ) async throws {
      access = try await TestAccess(isBehindProxy: !isPlain, store: store)
      let now = TestSite.noon
      let start = try #require(Date("2026-11-18", in: TestSite.zone))
      let key = Occasion.Key(
        .missed, patient: "anna", task: "weigh-anna", subject: "0", occurrence: start)
      let recipient = Recipient(contact: "nora")
      var item = OutboxItem(
        id: ItemID(of: ["1"]), occasion: key.id, key: key, recipient: recipient, happened: now,
        due: now)
      (item.state, item.way, item.finished) = (.sent, 0, now)
      var random = SystemRandomNumberGenerator()
      let token = TapToken(using: &random)
      self.token = token.text.revealed
      let content = String(decoding: try JSONEncoder().encode(item), as: UTF8.self)
      let link = StoredLink(
        digest: token.digest, message: item.id.text, recipient: "nora", patient: "anna",
        channel: "email", answer: answer.rawValue, expires: isOld ? now : now + 86_400)
      try await access.site.store.writeMessages { writer in
        _ = try writer.put(
          Contact(id: "nora", name: PersonName(given: "Nora"), language: "en"), now: now)
        try writer.put(
          StoredMessage(
            id: ItemID(of: ["1"]).text, patient: "anna", recipient: "nora", state: "sent",
            isActive: false, finished: now, content: content))
        try writer.put(link)
      }
    }

    func post(
      _ body: String, _ headers: [String: String] = ["Content-Type": form]
    ) async throws -> SiteAnswer {
      var fields: HTTPFields = [:]
      for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
      return try await access.site.send(.post, "/answer", fields, body: body)
    }

    /// The outcome of the event in the store.
    var outcome: String {
      get async throws {
        let start = try #require(Date("2026-11-18", in: TestSite.zone))
        return try await access.site.store.read { reader in
          let event = try reader.event(
            EventKey(patient: "anna", task: "weigh-anna", start: start), now: TestSite.noon)
          return event?.outcome.map { "\($0.answer.state) \($0.answer.reason ?? "")" } ?? "open"
        }
      }
    }
  }

  /// A guess that waited for the writer would wait until the wait for it is over.
  @Test func `guesses of tokens keep nobody from writing`() async throws {
    // A store in memory has one connection for both.
    let path = FileManager.default.temporaryDirectory.appending(path: "taps-\(UUID()).sqlite").path
    defer {
      for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) }
    }
    let world = try await World(store: SQLStore.open(path: path, makeUUID: { UUID() }))
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let answered = DispatchSemaphore(value: 0)
    async let write = world.access.site.store.write { _ in
      begin.yield()
      return answered.wait(timeout: .now() + 60)
    }
    for await _ in begun { break }
    let guess = String(repeating: "ab", count: 16)
    #expect(try await world.post("t=\(guess)&step=answer").status == 404)
    #expect(try await world.post("t=x&step=takeBack").status == 404)
    answered.signal()
    #expect(try await write == .success)
  }

  @Test func `a tap answers once, in the reader's name, and goes to the audit log`() async throws {
    let world = try await World()
    let shown = try await world.post("t=\(world.token)")
    #expect(shown.status == 200)
    #expect(shown.text.contains("You answer as Nora."))
    #expect(shown.text.contains("it is noted as not done"))
    #expect(shown.text.components(separatedBy: "<button").count == 2)
    #expect(try await world.outcome == "open")
    let done = try await world.post("t=\(world.token)&step=answer&reason=she+was+ill")
    #expect(done.status == 200)
    #expect(try await world.outcome == "notDone she was ill")
    let again = try await world.post("t=\(world.token)&step=answer&reason=other")
    #expect(again.status == 409)
    #expect(again.text.contains("Nora answered"))
    #expect(try await world.outcome == "notDone she was ill")
    let undone = try await world.post("t=\(world.token)&step=takeBack")
    #expect(undone.status == 200)
    #expect(try await world.outcome == "open")
    let log = try await world.access.log.lastChanges(10)
    #expect(log.map(\.subject) == ["link nora", "link nora"])
    #expect(log.map(\.action) == [.answer, .undo])
    #expect(log.map(\.id) == Array(repeating: "notDone by email: weigh-anna", count: 2))
    #expect(log.map(\.patient) == ["anna", "anna"])
    #expect(!log.contains { "\($0)".contains(world.token) })
  }

  @Test(arguments: [
    // A scanner of mail asks for the address as it stands, and for what it makes of the fragment.
    "/answer", "/answer?t=TOKEN", "/answer?t=TOKEN&step=answer", "/answer?lang=de",
  ])
  func `a GET changes nothing`(path: String) async throws {
    let world = try await World()
    for method in [HTTPRequest.Method.get, .head] {
      let answer = try await world.access.site.send(
        method, path.replacing("TOKEN", with: world.token))
      #expect(answer.status == 200)
      for (name, value) in [
        "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
        "X-Robots-Tag": "noindex, nofollow",
      ] {
        let field = try #require(HTTPField.Name(name))
        #expect(answer.headers[field] == value)
      }
      #expect(!answer.text.contains(world.token) && !answer.text.contains("<button"))
    }
    #expect(try await world.outcome == "open")
    #expect(try await world.post("t=\(world.token)").text.contains("<button"))
  }

  @Test(arguments: [
    ("an altered token", "t=ALTERED&step=answer", 404), ("none", "step=answer", 404),
    ("a shortened one", "t=SHORT&step=answer", 404),
    ("another step", "t=TOKEN&step=delete", 400),
    ("a taking back before the answer", "t=TOKEN&step=takeBack", 409),
  ])
  func `what is no link's request is refused`(name: String, body: String, status: Int) async throws
  {
    let world = try await World()
    let altered = (world.token.hasPrefix("a") ? "b" : "a") + world.token.dropFirst()
    let text = body.replacing("ALTERED", with: altered)
      .replacing("SHORT", with: world.token.dropLast()).replacing("TOKEN", with: world.token)
    #expect(try await world.post(text).status == status)
    #expect(try await world.outcome == "open")
  }

  @Test func `a link of yesterday says so`() async throws {
    let world = try await World(isOld: true)
    for body in ["t=\(world.token)", "t=\(world.token)&step=answer"] {
      let answer = try await world.post(body)
      #expect(answer.status == 410)
      #expect(answer.text.contains("This link was for a day."))
    }
    #expect(try await world.outcome == "open")
  }

  @Test func `a link answers for its own person alone, whatever the form names`() async throws {
    let world = try await World()
    let kim = try await world.access.signIn("admin")
    let answer = try await world.access.send(
      .post, "/answer", as: kim, type: Self.form,
      body: "t=\(world.token)&step=answer&patient=kim&event=weigh-kim&recipient=anna",
      hasToken: false)
    #expect(answer.status == 200 && answer.text.contains("You answer as Nora."))
    #expect(try await world.outcome == "notDone ")
    let log = try await world.access.log.lastChanges(1)
    #expect(log.map(\.subject) == ["link nora"] && log.map(\.patient) == ["anna"])
  }

  @Test func `over plain HTTP nothing is answered, and the page says why`() async throws {
    let world = try await World(isPlain: true)
    let page = try await world.access.site.get("/answer")
    let answer = try await world.post("t=\(world.token)&step=answer")
    for refused in [page, answer] {
      #expect(refused.status == 426)
      #expect(refused.text.contains("this page came without encryption"))
      #expect(!refused.text.contains("<button"))
    }
    #expect(try await world.outcome == "open")
    // A proxy that takes plain HTTP, too, says so.
    let proxied = try await World()
    let plain = try await proxied.post(
      "t=\(proxied.token)&step=answer",
      ["Content-Type": Self.form, "X-Forwarded-Proto": "http"])
    #expect(plain.status == 426)
    #expect(try await proxied.outcome == "open")
  }

  @Test(arguments: [
    ["Origin": "https://ntfy.example", "Sec-Fetch-Site": "cross-site"], ["Origin": "null"], [:],
    ["Content-Type": "text/plain;charset=UTF-8", "Cookie": "measured=nothing"],
  ])
  func `a telephone's program answers from a page of its own`(headers: [String: String])
    async throws
  {
    let world = try await World()
    let answer = try await world.post("t=\(world.token)&step=answer", headers)
    #expect(answer.status == 200)
    let field = try #require(HTTPField.Name("Access-Control-Allow-Origin"))
    #expect(answer.headers[field] == "*")
    #expect(answer.headers[.setCookie] == nil)
    #expect(try await world.outcome == "notDone ")
  }

  @Test func `without the address of the page there is no such route`() async throws {
    let site = try TestSite(takesTaps: false)
    #expect(try await site.get("/answer").status == 404)
    #expect(try await site.form("/answer", "t=1").status == 404)
  }
}

extension SQLStore {
  /// Makes an outlet of a contact, which nothing has left by.
  func noteOutlet(_ contact: String) async throws {
    try await writeMessages { writer in
      var outbox = Outbox()
      outbox.pause(WayID(Recipient(contact: contact), 0), false)
      try outbox.keep(in: writer)
    }
  }
}
