import Care
import Foundation
import Testing
import TestSupport

@testable import CareStore

/// Secrets that open the channels of people, which are in the file of secrets.
@Suite struct ChannelSecretsTests {
  private let channel: Channel
  private let secret: ChannelSecret

  init() throws {
    channel = .ntfy(
      server: try #require(WebAddress("https://ntfy.example.org")),
      topic: try #require(NtfyTopic("box")))
    secret = try #require(ChannelSecret(channel, "tk_unmistakable"))
  }

  private func plan(_ channels: [Channel], secrets: [ChannelSecret] = []) -> PlanDocument {
    var plan = PlanDocument.example()
    plan.contacts = [Contact(id: "nora", name: PersonName(given: "Nora"), channels: channels)]
    plan.channelSecrets = secrets
    return plan
  }

  @Test func `they are in no file of the store but their own, and in no copy and export`()
    async throws
  {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let store = try SQLStore.example(at: path)
    let first = plan([channel], secrets: [secret])
    _ = try await store.write { try $0.importPlan(first, now: midnight) }
    // Exported and read again, it has none: the stored one stays.
    let second = plan([channel])
    _ = try await store.write { try $0.importPlan(second, now: midnight) }
    #expect(store.secret(of: channel) == secret.secret)
    #expect(try SQLStore.example(at: path).secret(of: channel) == secret.secret)
    try await store.backup(to: scratch.file("backup.db"))
    try await store.export(to: scratch.file("export.jsonl"))
    for name in try scratch.names {
      let bytes = try contents(of: scratch.file(name))
      let isThere = bytes.range(of: Data("tk_unmistakable".utf8)) != nil
      #expect(isThere == (name == "care.db.secrets"), "\(name)")
    }
    #expect(try mode(of: path + ".secrets") == 0o600)
    #expect(try await store.read { try $0.things(Contact.self) }.map(\.channels) == [[channel]])
  }

  @Test func `one that nothing names is not kept`() async throws {
    let store = try SQLStore.example()
    let without = plan([], secrets: [secret])
    _ = try await store.write { try $0.importPlan(without, now: midnight) }
    #expect(store.secret(of: channel) == nil)
  }

  @Test func `a handed over secret is told from a device's`() throws {
    let device = DeviceSecret(address: "5C:CA:D3:70:D4:A2", consentCode: Secret(7))
    let all = [StoreSecret.channel(secret), .device(device)]
    let coded = try JSONEncoder().encode(all)
    #expect(try JSONDecoder().decode([StoreSecret].self, from: coded) == all)
  }
}
