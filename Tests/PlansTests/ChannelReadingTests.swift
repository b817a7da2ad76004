import Care
import Foundation
import Plans
import StrictYAML
import Testing

/// The key `channels` of patients and contacts.
@Suite struct ChannelReadingTests {
  private static let secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"

  private func plan(_ channels: String) throws -> PlanDocument {
    try PlanFile.parse(
      """
      timeZone: Europe/Berlin
      patients:
        - id: john
          channels:
            - email: john@example.org
      contacts:
        - id: nora
          name: {given: Nora}
          channels:
      \(channels.split(separator: "\n").map { "      \($0)" }.joined(separator: "\n"))
      """, file: "plan.yaml", activeTasks: [])
  }

  @Test func `they stand in their order, and their secrets beside them`() throws {
    let plan = try plan(
      """
      - ntfy: {server: "https://ntfy.example.org", topic: box_1, token: tk_1}
      - email: nora@example.org
      - webhook: {url: "https://example.org/hook", secret: \(Self.secret)}
      - homeAssistant: {server: "http://ha.local:8123", service: notify.mobile_app_x, token: ey.1}
      """)
    let ntfy = Channel.ntfy(
      server: try #require(WebAddress("https://ntfy.example.org")),
      topic: try #require(NtfyTopic("box_1")))
    let webhook = Channel.webhook(try #require(WebAddress("https://example.org/hook")))
    let nora = Channel.email(try #require(MailAddress("nora@example.org")))
    let telephone = try #require(Channel("homeAssistant:http://ha.local:8123/mobile_app_x"))
    #expect(plan.contacts.map(\.channels) == [[ntfy, nora, webhook, telephone]])
    #expect(plan.patients.map { $0.channels.map(\.text) } == [["email:john@example.org"]])
    #expect(plan.channelSecrets.map(\.channel) == [ntfy, webhook, telephone])
    #expect(plan.channelSecrets.map(\.secret.revealed) == ["tk_1", Self.secret, "ey.1"])
    // A plan that is passed on opens nothing.
    let text = PlanFile.encode(plan)
    #expect(
      !text.contains("tk_1") && !text.contains("ey.1") && !text.contains("whsec_")
        && !text.contains("box_1"))
    let again = try PlanFile.parse(text, file: "plan.yaml", activeTasks: [])
    #expect(again.contacts.map { $0.channels.map(\.isStandIn) } == [[true, false, false, false]])
    #expect(again.contacts.first?.channels.dropFirst() == [nora, webhook, telephone])
    #expect(again.channelSecrets == [] && PlanFile.encode(again) == text)
  }

  @Test(
    arguments: [
      ("- sms: 1", "unknown key ‘sms’; the keys here are ntfy, email, webhook, homeAssistant"),
      ("- {}", "a channel is one of ntfy, email, webhook, homeAssistant"),
      (
        "- {email: a@b.c, webhook: {url: 'https://x'}}",
        "a channel is one of ntfy, email, webhook, homeAssistant"
      ),
      ("- email: nora", "‘nora’ is no mail address; write nora@example.org"),
      (
        "- ntfy: {server: 'https://x', topic: a/b}",
        "‘a/b’ is no topic: 1 to 64 letters, digits, _ and -"
      ),
      (
        "- homeAssistant: {server: 'http://ha.local', service: Phone}",
        "‘Phone’ is no service, such as mobile_app_phone"
      ),
      (
        "- webhook: {url: 'http://example.org'}",
        "‘http://example.org’ is no address that a message may go to: https://…, or http://… within the house"
      ),
      (
        "- webhook: {url: 'https://example.org', secret: whsec_short}",
        "a secret is whsec_ and 24 to 64 bytes in base64"
      ),
      ("- email: a@b.c\n- email: a@b.c", "email:a@b.c is there twice"),
      (
        (0..<9).map { "- email: a\($0)@b.c" }.joined(separator: "\n"),
        "there are more than 8 channels"
      ),
    ])
  func `a mistake is named, and never with a secret`(text: String, message: String) {
    let error = #expect(throws: YAMLError.self) { try plan(text) }
    #expect(error?.description.hasSuffix(message) == true, "\(error?.description ?? "")")
  }
}
