import Care
import Foundation
import Outlets
import Testing
import TestSupport

@Suite struct ItemIDTests {
  @Test func `follows from its parts, each by itself`() throws {
    let id = ItemID(of: ["alert", "ann"])
    #expect(id == ItemID(of: ["alert", "ann"]))
    #expect(id != ItemID(of: ["alertann"]) && id != ItemID(of: ["aler", "tann"]))
    #expect(ItemID(id.text) == id)
    #expect(ItemID(id.text.uppercased()) == nil && ItemID("") == nil && ItemID("zz") == nil)
  }
}

@Suite struct WebhookTests {
  /// By the reference library `standardwebhooks`.
  @Test func `signs as the reference does`() throws {
    let secret = try #require(WebhookSecret("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"))
    let body = Data(
      #"{"type":"task.completed","timestamp":"2026-11-20T15:09:58Z","data":{"task":"weigh-in"}}"#
        .utf8)
    let webhook = try #require(Webhook(id: "msg_1", body: body))
    let headers = try #require(
      webhook.headers(at: Date(timeIntervalSince1970: 1_795_000_000.7), secrets: [secret, secret]))
    let signature = "v1,CtOCUV8VzlQ6uN72nshi1Rds2YR08Ju05zNsgQNJhl0="
    #expect(
      headers.map(\.value) == [
        "msg_1", "1795000000", "\(signature) \(signature)", "application/json",
      ])
  }

  @Test(arguments: ["", "whsec_", "whsec_AAEC", "whsec_*", "AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"])
  func `what is no secret is none`(text: String) { #expect(WebhookSecret(text) == nil) }

  @Test func `a body has a limit`() {
    #expect(Webhook(id: "1", body: Data(count: Webhook.mostBytes)) != nil)
    #expect(Webhook(id: "1", body: Data(count: Webhook.mostBytes + 1)) == nil)
  }
}

@Suite struct NtfyTests {
  private let message: OutgoingMessage

  init() throws {
    message = OutgoingMessage(
      id: ItemID(of: ["a"]), title: "Please\nlook", body: "Two lines\nof it", urgency: .urgent,
      links: [try .sample(.done)])
  }

  @Test func `is the server's JSON`() throws {
    let sent = NtfyMessage(
      message, to: try #require(NtfyTopic("t_1-x")), delay: .seconds(93_600))
    #expect(
      String(decoding: try sent.json, as: UTF8.self)
        == #"{"actions":[{"action":"http","body":"t=000102030405060708090a0b0c0d0e0f&step=answer","clear":true,"label":"done","method":"POST","url":"https://box.example/answer"}],"click":"https://box.example/answer#t=000102030405060708090a0b0c0d0e0f","delay":"93600s","message":"Two lines\nof it","priority":5,"sequence_id":"\#(message.id)","tags":["warning"],"title":"Please look","topic":"t_1-x"}"#
    )
    #expect(sent.path == "/t_1-x/\(message.id)")
  }

  @Test func `has three buttons at most`() throws {
    var many = message
    many.links = try TapAnswer.allCases.map { try .sample($0) }
    let json = try NtfyMessage(many, to: try #require(NtfyTopic("t"))).json
    let read = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    #expect((read["actions"] as? [Any])?.count == 3)
    #expect(TapAnswer.allCases.count > 3)
  }

  @Test(arguments: ["", "a b", "a/b", "tör", "²", String(repeating: "a", count: 65), "a\n"])
  func `what is no topic is none`(topic: String) { #expect(NtfyTopic(topic) == nil) }

  @Test func `a long text ends with an ellipsis, between characters`() throws {
    var long = message
    long.body = String(repeating: "好", count: 2_000)
    let json = try NtfyMessage(long, to: try #require(NtfyTopic("t"))).json
    let read = try #require(JSONSerialization.jsonObject(with: json) as? [String: Any])
    let text = try #require(read["message"] as? String)
    #expect(text == String(repeating: "好", count: 1_364) + "…")
    #expect(text.utf8.count == 4_095)
  }

  @Test func `an older server is known by its answer`() throws {
    let sent = NtfyMessage(message, to: try #require(NtfyTopic("t")))
    func isReplaceable(_ json: String) -> Bool? { sent.receipt(Data(json.utf8))?.isReplaceable }
    #expect(isReplaceable(#"{"id":"x","sequence_id":"\#(message.id)","event":"message"}"#) == true)
    #expect(isReplaceable(#"{"id":"x","event":"message"}"#) == false)
    #expect(isReplaceable("<html>") == nil)
  }
}

@Suite struct BackOffTests {
  @Test func `doubles to an hour, spread by chance`() {
    var random = SeededGenerator(seed: 1)
    var backOff = BackOff()
    var whole = Duration.seconds(5)
    for _ in 0..<40 {
      let delay = backOff.fail(using: &random)
      #expect(delay >= whole / 2 && delay <= whole)
      whole = min(whole * 2, .seconds(3_600))
    }
    backOff.succeed()
    #expect(backOff.fail(using: &random) <= .seconds(5))
  }

  @Test func `a server's own delay holds, up to a day`() {
    var random = SeededGenerator(seed: 1)
    var backOff = BackOff()
    #expect(backOff.fail(asked: .seconds(120), using: &random) == .seconds(120))
    #expect(backOff.fail(asked: .seconds(Int64.max), using: &random) == .seconds(86_400))
    #expect(backOff.fail(asked: .seconds(-5), using: &random) > .zero)
  }
}

@Suite struct DeliveryResultTests {
  @Test(
    arguments: [
      (200, nil, .delivered), (204, nil, .delivered),
      (301, nil, .later(.unexpected(detail: "301 x"), after: nil)),
      (400, nil, .refused(.message(detail: "400 x"))),
      (401, nil, .later(.credentials(detail: "401 x"), after: nil)),
      (410, nil, .later(.gone, after: nil)),
      (413, nil, .refused(.message(detail: "413 x"))),
      (429, "30", .later(.busy(detail: "429 x"), after: .seconds(30))),
      (429, "-1", .later(.busy(detail: "429 x"), after: .zero)),
      (429, "99999999999999999999", .later(.busy(detail: "429 x"), after: nil)),
      (503, "9223372036854775807", .later(.busy(detail: "503 x"), after: .seconds(86_400))),
      (500, nil, .later(.unexpected(detail: "500 x"), after: nil)),
    ] as [(Int, String?, DeliveryResult)])
  func `an answer over HTTP`(status: Int, retryAfter: String?, result: DeliveryResult) {
    #expect(DeliveryResult(status: status, retryAfter: retryAfter, detail: "x") == result)
  }

  @Test(
    arguments: [
      (250, .delivered), (421, .later(.busy(detail: "421 x"), after: .seconds(300))),
      (452, .later(.full(detail: "452 x"), after: nil)),
      (535, .later(.credentials(detail: "535 x"), after: nil)),
      (550, .refused(.message(detail: "550 x"))),
      (0, .later(.unexpected(detail: "0 x"), after: nil)),
    ] as [(Int, DeliveryResult)])
  func `an answer over SMTP`(code: Int, result: DeliveryResult) {
    #expect(DeliveryResult(smtp: code, detail: "x") == result)
  }
}
