import Care
import Foundation
import Synchronization
import Testing
import TestSupport

@testable import Outlets

private let message = OutgoingMessage(
  id: ItemID(of: ["a"]), title: "Bitte prüfen", body: "Seit Montag keine Messung.",
  urgency: .urgent)

/// A courier that trusts what it asks of this machine's rules to `isBlocked`.
private func courier(
  account: Courier.MailAccount? = nil, limits: Transport.Limits = .init(),
  isBlocked: @escaping @Sendable (String?) -> Bool = { _ in false }
) -> Courier {
  Courier(
    transport: Transport(limits: limits, isBlocked: isBlocked), account: account,
    now: { Date(timeIntervalSince1970: 1_795_000_000) })
}

private var short: Transport.Limits {
  var limits = Transport.Limits()
  (limits.connecting, limits.whole) = (.milliseconds(300), .milliseconds(600))
  return limits
}

/// Messages to a telephone with Home Assistant's app.
@Suite struct HomeAssistantCourierTests {
  private static func ask(
    _ answer: String, _ body: @escaping @Sendable (Channel) async -> DeliveryResult?
  ) async throws -> (DeliveryResult?, String) {
    let server = try ScriptedServer { connection in
      guard connection.request() != nil else { return }
      connection.say(answer)
    }
    let channel = try #require(
      Channel("homeAssistant:http://127.0.0.1:\(server.port)/mobile_app_phone"))
    let result = await server.serve { await body(channel) }
    return (result, try #require(server.conversations.first))
  }

  private static let taken = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"

  @Test func `has its name, its buttons, and nothing for a locked screen`() async throws {
    let page = try #require(WebAddress("https://box.example"))
    let token = try #require(TapToken(String(repeating: "0a", count: 16)))
    var message = message
    message.links = [try #require(TapLink(.done, label: "Erledigt", page: page, token: token))]
    let (result, request) = try await Self.ask(Self.taken) { [message] channel in
      await courier().deliver(message, to: channel, secret: Secret("ey.1")).result
    }
    #expect(result == .delivered)
    #expect(request.hasPrefix("POST /api/services/notify/mobile_app_phone HTTP/1.1\r\n"))
    #expect(request.contains("\r\nAuthorization: Bearer ey.1\r\n"))
    let link = "https://box.example/answer#t=\(token.text.revealed)"
    #expect(
      request.hasSuffix(
        #"{"data":{"actions":[{"action":"URI","title":"Erledigt","uri":"\#(link)"}],"#
          + #""clickAction":"\#(link)","priority":"high","#
          + #""push":{"interruption-level":"time-sensitive"},"tag":"\#(message.id)","ttl":0,"#
          + #""url":"\#(link)","visibility":"private"},"message":"Seit Montag keine Messung.","#
          + #""title":"Bitte prüfen"}"#))
  }

  @Test func `is taken back by its name`() async throws {
    let (result, request) = try await Self.ask(Self.taken) { channel in
      await courier().withdraw(message.id, from: channel, secret: Secret("ey.1"))
    }
    #expect(result == .delivered)
    #expect(
      request.hasSuffix(#"{"data":{"tag":"\#(message.id)"},"message":"clear_notification"}"#))
  }

  @Test(arguments: [
    (
      "HTTP/1.1 401 Unauthorized\r\nContent-Length: 17\r\n\r\n401: Unauthorized",
      DeliveryResult.later(.credentials(detail: "401 401: Unauthorized"), after: nil)
    ),
    (
      "HTTP/1.1 400 Bad Request\r\nContent-Length: 16\r\n\r\n400: Bad Request",
      .refused(.message(detail: "400 400: Bad Request"))
    ),
  ])
  func `a refusal is in the other side's words`(answer: String, result: DeliveryResult) async throws
  {
    let (given, _) = try await Self.ask(answer) { channel in
      await courier().deliver(message, to: channel, secret: Secret("ey.1")).result
    }
    #expect(given == result)
  }
}

@Suite struct NtfyCourierTests {
  private func deliver(
    limits: Transport.Limits = .init(), _ answer: @escaping @Sendable (String) -> String
  ) async throws -> (Delivery, [String]) {
    let server = try ScriptedServer { connection in
      guard let (_, body) = connection.request() else { return }
      connection.say(answer(body))
      if answer(body).isEmpty { connection.wait() }
    }
    let address = try #require(WebAddress("http://127.0.0.1:\(server.port)"))
    let channel = Channel.ntfy(server: address, topic: try #require(NtfyTopic("t")))
    let result = await server.serve {
      await courier(limits: limits).deliver(message, to: channel, secret: Secret("tk_1"))
    }
    return (result, server.conversations)
  }

  private static func ok(_ body: String, more: Int = 0) -> String {
    "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count + more)\r\n\r\n\(body)"
  }

  @Test func `publishes once, by its name, with its token in the header`() async throws {
    let (delivery, conversations) = try await deliver { body in
      Self.ok(#"{"id":"x","event":"message","sequence_id":"\#(message.id)"}"#)
    }
    #expect(delivery == Delivery(.delivered, isReplaceable: true))
    #expect(conversations.count == 1)
    let request = try #require(conversations.first)
    #expect(request.hasPrefix("POST / HTTP/1.1\r\n"))
    #expect(request.contains("\r\nAuthorization: Bearer tk_1\r\n"))
    #expect(request.hasSuffix(String(decoding: try json, as: UTF8.self)))
  }

  private var json: Data {
    get throws { try NtfyMessage(message, to: try #require(NtfyTopic("t"))).json }
  }

  @Test func `an older server is known by its answer`() async throws {
    let (delivery, _) = try await deliver { _ in Self.ok(#"{"id":"x","event":"message"}"#) }
    #expect(delivery == Delivery(.delivered, isReplaceable: false))
  }

  @Test(
    arguments: [
      (
        "HTTP/1.1 429 Too Many\r\nRetry-After: 30\r\nContent-Length: 31\r\n\r\n"
          + #"{"error":"limit reached: 250 "} "#.dropLast(1),
        DeliveryResult.later(.busy(detail: "429 limit reached: 250 "), after: .seconds(30))
      ),
      (
        "HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\nforbidden",
        .later(.credentials(detail: "403 forbidden"), after: nil)
      ),
      // Elsewhere may be anybody's: it is not asked.
      (
        "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
        .later(.unexpected(detail: "302 "), after: nil)
      ),
      (
        "HTTP/1.1 413 Large\r\nContent-Length: 0\r\n\r\n", .refused(.message(detail: "413 "))
      ),
      (
        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
        .later(.unexpected(detail: "127.0.0.1 is no server of ntfy"), after: nil)
      ),
    ] as [(String, DeliveryResult)])
  func `what the server answers`(answer: String, result: DeliveryResult) async throws {
    #expect(try await deliver { _ in answer }.0 == Delivery(result))
  }

  @Test func `after a cut answer nobody knows whether it arrived`() async throws {
    let (delivery, _) = try await deliver { _ in Self.ok(#"{"id":"x""#, more: 40) }
    guard case .unknown(.unexpected) = delivery.result else {
      Issue.record("\(delivery)")
      return
    }
  }

  @Test func `without an answer nobody knows whether it arrived`() async throws {
    let (delivery, _) = try await deliver(limits: short) { _ in "" }
    #expect(delivery.result == .unknown(.timeout))
  }

  @Test func `an endless answer is cut`() async throws {
    let long = String(repeating: "x", count: 200_000)
    let (delivery, _) = try await deliver { _ in
      "HTTP/1.1 500 No\r\nContent-Length: 999999999\r\n\r\n" + long
    }
    guard case .later(.unexpected(let detail), nil) = delivery.result else {
      Issue.record("\(delivery)")
      return
    }
    #expect(detail.hasPrefix("500 xxx") && detail.utf8.count <= 210)
  }

  @Test func `is taken back by its name; an older server cannot`() async throws {
    let statuses = Mutex([200, 404, 503])
    let server = try ScriptedServer { connection in
      _ = connection.request()
      let status = statuses.withLock { $0.removeFirst() }
      connection.say("HTTP/1.1 \(status) X\r\nContent-Length: 0\r\n\r\n")
    }
    let address = try #require(WebAddress("http://127.0.0.1:\(server.port)/"))
    let channel = Channel.ntfy(server: address, topic: try #require(NtfyTopic("t")))
    await server.serve {
      #expect(await courier().withdraw(message.id, from: channel) == .delivered)
      #expect(await courier().withdraw(message.id, from: channel) == nil)
      #expect(
        await courier().withdraw(message.id, from: channel)
          == .later(.busy(detail: "503 "), after: nil))
    }
    #expect(
      server.conversations.allSatisfy { $0.hasPrefix("DELETE /t/\(message.id) HTTP/1.1\r\n") })
  }

  @Test func `nothing is sent where only what stands for a topic is known`() async throws {
    let channel = try #require(Channel("ntfy:https://ntfy.example.org/kept-0123456789abcdef"))
    #expect(await courier().deliver(message, to: channel).result == .later(.noTopic, after: nil))
  }
}

@Suite struct UnreachableTests {
  private func deliver(
    to host: String, isBlocked: @escaping @Sendable (String?) -> Bool = { _ in false }
  ) async throws -> DeliveryResult {
    let channel = Channel.ntfy(
      server: try #require(WebAddress(host)), topic: try #require(NtfyTopic("t")))
    return await courier(limits: short, isBlocked: isBlocked).deliver(message, to: channel).result
  }

  @Test func `a name that nobody has`() async throws {
    #expect(
      try await deliver(to: "https://nobody.invalid")
        == .later(.unknownHost("nobody.invalid"), after: nil))
  }

  @Test func `a port where nobody listens`() async throws {
    #expect(
      try await deliver(to: "http://127.0.0.1:1") == .later(.unreachable("127.0.0.1"), after: nil))
  }

  @Test(arguments: ["https://nobody.invalid", "http://127.0.0.1:1"])
  func `the machine's own rules`(host: String) async throws {
    #expect(try await deliver(to: host, isBlocked: { _ in true }) == .later(.blocked, after: nil))
  }

  @Test func `nothing keeps packets to this machine in`() {
    #expect(!Egress.isBlocked("127.0.0.1"))
    #expect(!Egress.isBlocked("nobody.invalid"))
  }

  @Test func `a server without encryption`() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.read(until: "\n")
      connection.say("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
      connection.wait()
    }
    let address = try #require(WebAddress("https://127.0.0.1:\(server.port)"))
    let channel = Channel.ntfy(server: address, topic: try #require(NtfyTopic("t")))
    let result = await server.serve { await courier(limits: short).deliver(message, to: channel) }
    #expect(
      result.result == .later(.noEncryption("127.0.0.1"), after: nil)
        || result.result == .later(.timeout, after: nil))
  }

  @Test func `what is cancelled ends`() async throws {
    let server = try ScriptedServer { $0.wait() }
    let address = try #require(WebAddress("http://127.0.0.1:\(server.port)"))
    let task = Task { await Transport().send(HTTPRequest("GET", address)) }
    await server.serve {
      task.cancel()
      let result = await task.value
      #expect(
        result == .ended(.unknown(.timeout)) || result == .ended(.later(.timeout, after: nil)))
    }
  }

  @Test func `more than go at once wait for their turn`() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.request()
      connection.say("HTTP/1.1 204 X\r\n\r\n")
    }
    let address = try #require(WebAddress("http://127.0.0.1:\(server.port)/ping"))
    // Their turns are what is tried, not how fast a busy machine is.
    var limits = Transport.Limits()
    limits.whole = .seconds(300)
    let courier = courier(limits: limits)
    await server.serve {
      await withTaskGroup { tasks in
        for _ in 0..<40 { tasks.addTask { await courier.ping(address) } }
        for await result in tasks { #expect(result == .delivered) }
      }
    }
  }
}

@Suite struct MailCourierTests {
  /// Says what a server says, until one of its answers is replaced.
  private func deliver(
    at step: String = "", says answer: String = "", user: String? = "box",
    isCutAfterData: Bool = false
  ) async throws -> (DeliveryResult, String) {
    let server = try ScriptedServer { connection in
      func reply(_ command: String, _ usual: String) -> Bool {
        connection.say(command == step ? answer + "\r\n" : usual + "\r\n")
        return command != step
      }
      guard reply("greeting", "220 mail.test ESMTP") else { return connection.wait() }
      while let line = connection.read(until: "\r\n") {
        let command = String(line.split(separator: " ").first ?? "").uppercased()
        switch command {
        case "EHLO": _ = reply(command, "250-mail.test\r\n250 AUTH PLAIN LOGIN")
        case "AUTH":
          connection.say("334 \r\n")
          _ = connection.read(until: "\r\n")
          _ = reply(command, "235 2.7.0 welcome")
        case "DATA":
          guard reply(command, "354 go on") else { continue }
          _ = connection.read(until: "\r\n.\r\n")
          if isCutAfterData { return }
          _ = reply("end", "250 2.0.0 kept")
        case "QUIT": connection.say("221 bye\r\n")
        default: _ = reply(command, "250 ok")
        }
      }
    }
    let account = Courier.MailAccount(
      server: try #require(
        MailServer(
          host: "127.0.0.1", port: server.port, encryption: .none, user: user,
          password: Secret("pass word"))),
      from: try #require(MailAddress("box@example.org", name: "Waage")))
    let channel = Channel.email(try #require(MailAddress("nora@example.org")))
    let result = await server.serve {
      await courier(account: account).deliver(message, to: channel).result
    }
    // The connection's own thread writes it down after its end.
    for _ in 0..<1_000 where server.conversations.isEmpty {
      try await Task.sleep(for: .milliseconds(5))
    }
    return (result, server.conversations.joined())
  }

  @Test func `a mail, in the server's order`() async throws {
    let (result, conversation) = try await deliver()
    #expect(result == .delivered)
    let login = Data("\0box\0pass word".utf8).base64EncodedString()
    #expect(conversation.hasPrefix("EHLO [127.0.0.1]\r\n"))
    #expect(conversation.contains("AUTH PLAIN\r\n\(login)\r\n"))
    #expect(conversation.contains("MAIL FROM:<box@example.org>"))
    #expect(conversation.contains("RCPT TO:<nora@example.org>\r\n"))
    #expect(conversation.contains("Subject: =?utf-8?q?Bitte_pr=C3=BCfen?=\r\n"))
    #expect(conversation.contains("\r\nSeit Montag keine Messung.\r\n"))
  }

  @Test(
    arguments: [
      (
        "AUTH", "535 5.7.8 Authentication credentials invalid",
        .later(.credentials(detail: "535 5.7.8 Authentication credentials invalid"), after: nil)
      ),
      (
        "AUTH", "454 4.7.0 try later", .later(.busy(detail: "454 4.7.0 try later"), after: nil)
      ),
      (
        "RCPT", "452 4.2.2 mailbox full",
        .later(.full(detail: "452 4.2.2 mailbox full"), after: nil)
      ),
      (
        "end", "552 5.3.4 too big", .refused(.message(detail: "552 5.3.4 too big"))
      ),
      (
        "end", "552 message size exceeds limit",
        .refused(.message(detail: "552 message size exceeds limit"))
      ),
      (
        "end", "552 5.2.2 over quota", .later(.full(detail: "552 5.2.2 over quota"), after: nil)
      ),
      (
        "RCPT", "451 4.7.1 greylisted",
        .later(.busy(detail: "451 4.7.1 greylisted"), after: .seconds(300))
      ),
      ("RCPT", "550 5.1.1 nobody", .refused(.message(detail: "550 5.1.1 nobody"))),
      ("MAIL", "553 5.7.1 not yours", .refused(.message(detail: "553 5.7.1 not yours"))),
      ("end", "554 5.7.1 spam", .refused(.message(detail: "554 5.7.1 spam"))),
      // Not this message's fault: the server takes none.
      (
        "greeting", "554 no service here",
        .later(.unexpected(detail: "554 no service here"), after: nil)
      ),
      (
        "greeting", "421 too busy", .later(.busy(detail: "421 too busy"), after: .seconds(300))
      ),
    ] as [(String, String, DeliveryResult)])
  func `what the server refuses`(
    step: String, answer: String, result: DeliveryResult
  ) async throws {
    #expect(try await deliver(at: step, says: answer).0 == result)
  }

  @Test func `a connection that ends after the text leaves the result open`() async throws {
    guard case .unknown = try await deliver(isCutAfterData: true).0 else {
      Issue.record("it is not unknown")
      return
    }
  }

  @Test func `no password goes to a server that encrypts nothing`() async throws {
    let server = try ScriptedServer { connection in
      connection.say("220 x\r\n")
      while let line = connection.read(until: "\r\n") {
        connection.say(line.hasPrefix("EHLO") ? "250 AUTH PLAIN\r\n" : "502 no\r\n")
      }
    }
    let account = Courier.MailAccount(
      server: try #require(
        MailServer(
          host: "localhost", port: server.port, user: "box", password: Secret("pass word"))),
      from: try #require(MailAddress("box@example.org")))
    let channel = Channel.email(try #require(MailAddress("nora@example.org")))
    let result = await server.serve {
      await courier(account: account).deliver(message, to: channel).result
    }
    #expect(result == .later(.noEncryption("localhost"), after: nil))
    #expect(!server.conversations.joined().contains("AUTH"))
  }

  @Test func `without a server in the settings nothing is sent`() async throws {
    let channel = Channel.email(try #require(MailAddress("nora@example.org")))
    #expect(
      await courier().deliver(message, to: channel).result == .later(.noMailServer, after: nil))
    #expect(await courier().withdraw(message.id, from: channel) == nil)
  }
}

@Suite struct WebhookCourierTests {
  private let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"

  @Test func `is signed over exactly the bytes that are sent`() async throws {
    let server = try ScriptedServer { connection in
      _ = connection.request()
      connection.say("HTTP/1.1 204 X\r\n\r\n")
    }
    let channel = Channel.webhook(
      try #require(WebAddress("http://127.0.0.1:\(server.port)/hook?key=1")))
    await server.serve {
      #expect(
        await courier().deliver(message, to: channel, secret: Secret(secret))
          == Delivery(.delivered, isReplaceable: true))
    }
    let request = try #require(server.conversations.first)
    let parts = try #require(request.firstRange(of: "\r\n\r\n"))
    let body = String(request[parts.upperBound...])
    #expect(
      body
        == #"{"data":{"id":"\#(message.id)","text":"Seit Montag keine Messung.","title":"Bitte prüfen","urgency":"urgent"},"timestamp":"2026-11-18T11:06:40Z","type":"message.created"}"#
    )
    let webhook = try #require(Webhook(id: message.id.text, body: Data(body.utf8)))
    let key = try #require(WebhookSecret(secret))
    let headers = try #require(
      webhook.headers(at: Date(timeIntervalSince1970: 1_795_000_000), secrets: [key]))
    for (name, value) in headers { #expect(request.contains("\r\n\(name): \(value)\r\n")) }
    #expect(request.hasPrefix("POST /hook?key=1 HTTP/1.1\r\n"))
  }

  @Test func `without its secret nothing is sent`() async throws {
    let channel = Channel.webhook(try #require(WebAddress("http://127.0.0.1:1")))
    #expect(
      await courier().deliver(message, to: channel).result
        == .later(.credentials(detail: "the webhook has no secret"), after: nil))
  }
}

@Suite struct LifeSignTests {
  /// A server that sends what it holds back, unless it is replaced until then.
  private struct Server {
    var replaces = true
    var held: [Duration] = []
    var sent: [Duration] = []

    mutating func take(at now: Duration) -> Delivery {
      if replaces { held = [] }
      held.append(now + LifeSign.silence)
      return Delivery(.delivered, isReplaceable: replaces)
    }

    mutating func pass(to now: Duration) {
      sent += held.filter { $0 <= now }
      held.removeAll { $0 <= now }
    }
  }

  /// Thirty days, minute by minute; no network and no machine while `isAway`.
  private func run(
    _ server: inout Server, days: Int64 = 30, isDead: (Duration) -> Bool = { _ in false },
    isAway: (Duration) -> Bool = { _ in false }
  ) {
    var random = SeededGenerator(seed: 7)
    var sign = LifeSign(at: .zero)
    for minute in 0..<days * 24 * 60 {
      let now = Duration.seconds(minute * 60)
      server.pass(to: now)
      guard !isDead(now), let next = sign.next, next.time <= now else { continue }
      let delivery: Delivery
      if isAway(now) {
        delivery = Delivery(.later(.unreachable("x"), after: nil))
      } else if next.step == .announce {
        delivery = Delivery(.delivered, isReplaceable: server.replaces)
      } else {
        delivery = server.take(at: now)
      }
      sign.take(delivery, at: now, using: &random)
    }
  }

  private static func hours(_ count: Int64) -> Duration { .seconds(count * 3_600) }

  @Test func `while all is well for thirty days nobody hears anything`() {
    var server = Server()
    run(&server)
    #expect(server.sent == [] && server.held.count == 1)
  }

  @Test func `a night without a network rings nobody`() {
    var server = Server()
    run(&server, isAway: { (Self.hours(100)..<Self.hours(119)).contains($0) })
    #expect(server.sent == [])
  }

  @Test(arguments: [true, false])
  func `after 26 hours somebody hears it, once`(isUnplugged: Bool) {
    var server = Server()
    let isSilent = { @Sendable (now: Duration) in
      (Self.hours(100)..<Self.hours(127)).contains(now)
    }
    run(
      &server, isDead: isUnplugged ? isSilent : { _ in false },
      isAway: isUnplugged ? { _ in false } : isSilent)
    #expect(server.sent.count == 1)
    let range = Self.hours(100 + 20)...Self.hours(100 + 26)
    #expect(server.sent.allSatisfy(range.contains))
  }

  @Test func `a server that replaces nothing is given nothing to hold back`() {
    var server = Server(replaces: false)
    run(&server)
    #expect(server.sent == [] && server.held == [])
  }
}
