import Care
import Foundation
import Testing

@Suite struct ChannelTests {
  private static let server = "https://ntfy.example.org/"

  @Test(
    arguments: [
      #"{"ntfy":{"server":"https:\/\/ntfy.example.org\/","topic":"t_1"}}"#,
      #"{"homeAssistant":{"server":"http:\/\/ha.local:8123","service":"mobile_app_phone"}}"#,
      #"{"email":"nora@example.org"}"#, #"{"webhook":{"url":"https:\/\/example.org\/a?b=c"}}"#,
    ])
  func `is coded as it is read`(json: String) throws {
    let channel = try JSONDecoder().decode(Channel.self, from: Data(json.utf8))
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(channel), as: UTF8.self) == json)
  }

  @Test(
    arguments: [
      "{}", #"{"email":"nora"}"#, #"{"email":"a@b","webhook":{"url":"https://x"}}"#,
      #"{"webhook":{"url":"ftp://x"}}"#, #"{"ntfy":{"server":"https://x","topic":"a/b"}}"#,
      #"{"homeAssistant":{"server":"https://x","service":"notify.x"}}"#,
    ])
  func `what is no channel is none`(json: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Channel.self, from: Data(json.utf8))
    }
  }

  @Test func `has one line without its secret`() throws {
    let channel = Channel.ntfy(
      server: try #require(WebAddress(Self.server)), topic: try #require(NtfyTopic("t")))
    #expect(channel.text == "ntfy:https://ntfy.example.org/t")
    let secret = try #require(ChannelSecret(channel, "tk_secret"))
    #expect(!"\(secret)".contains("tk_secret"))
    #expect(ChannelSecret(channel, "a b") == nil && ChannelSecret(channel, "a\r\nb") == nil)
    let telephone = try #require(Channel("homeAssistant:http://ha.local:8123/mobile_app_x"))
    #expect(telephone.text == "homeAssistant:http://ha.local:8123/mobile_app_x")
    #expect(ChannelSecret(telephone, String(repeating: "a", count: 1_001)) == nil)
    #expect(ChannelSecret(telephone, String(repeating: "a", count: 1_000)) != nil)
    #expect(Channel("homeAssistant:http://ha.example/mobile_app_x") == nil)
    let mail = Channel.email(try #require(MailAddress("a@b.c")))
    #expect(ChannelSecret(mail, "x") == nil)
  }

  @Test(
    arguments: [
      ("https://example.org", true), ("https://[2001:db8::1]:8443/x", true),
      ("http://192.168.1.4:8080/", true), ("http://ntfy.local", true), ("http://nas", true),
      ("http://localhost:1", true), ("http://[fd00::1]/", true), ("http://172.31.0.1", true),
      // In plain text through the internet, a token is everybody's.
      ("http://example.org", false), ("http://8.8.8.8", false), ("http://172.32.0.1", false),
      ("http://[2001:db8::1]/", false), ("http://10.0.0.1.example.org", false),
      ("https://a:b@example.org", false), ("https://", false), ("", false),
      ("https://example.org/#x", false), ("https://example.org/a b", false),
      ("https://example.org:99999/", false), ("file:///etc/passwd", false),
      ("https://example.org\r\nX: y", false),
    ])
  func `an address on the web`(text: String, isOne: Bool) {
    #expect((WebAddress(text) != nil) == isOne)
  }
}
