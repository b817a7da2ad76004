import Care
import Foundation
import TestSupport
import Testing

@testable import CareStore

/// Topics of ntfy, which stand in rows and in no export.
@Suite struct KeptTopicsTests {
  private let topic = "box-5f0c2d91"
  private let channel: Channel
  private let mail: Channel

  init() throws {
    channel = try #require(Channel("ntfy:https://ntfy.example.org/\(topic)"))
    mail = try #require(Channel("email:nora@example.org"))
  }

  /// A store in which a plan's contact and, by hand, a patient have the topic.
  private func store(_ seed: UInt64) async throws -> SQLStore {
    let store = try SQLStore.peer(seed)
    var plan = PlanDocument.example()
    plan.contacts = [
      Contact(
        id: "nora", patient: "john", name: PersonName(given: "Nora"), channels: [mail, channel])
    ]
    let (whole, channel) = (plan, channel)
    _ = try await store.write { try $0.importPlan(whole, now: midnight) }
    _ = try await store.write { writer in
      var john = try #require(try writer.patients().first)
      john.channels = [channel]
      _ = try writer.put(john, now: day(1))
    }
    return store
  }

  private func channels(_ store: SQLStore) async throws -> [[Channel]] {
    try await store.read {
      try $0.patients().map(\.channels) + $0.things(Contact.self).map(\.channels)
    }
  }

  /// The rows as they travel between the stores of one person.
  private func rows(_ store: SQLStore) async throws -> [String] {
    try await store.readingExchange { exchange in
      var lines: [String] = []
      for stream in RowStream.allCases {
        _ = try exchange.travelling(stream, after: 0, for: .all) { row in
          lines += row.lines
          return true
        }
      }
      return lines
    }
  }

  @Test func `an export has what stands for a topic, and says it of the same store`() async throws {
    let store = try await store(1)
    let lines = try await store.exported()
    #expect(!lines.joined().contains(topic))
    #expect(lines.filter { $0.contains("kept-") }.count == 2)
    #expect(try await store.merge(lines: lines).isUnchanged)
    #expect(try await channels(store) == [[channel], [mail, channel]])
    #expect(try await store.check() == [])
  }

  @Test func `another store has no topic of an export, until rows bring it`() async throws {
    let store = try await store(1)
    let lines = try await store.exported()
    let other = try SQLStore.peer(2)
    _ = try await other.merge(lines: lines)
    #expect(
      try await channels(other) == [[channel.withoutTopic], [mail, channel.withoutTopic]])
    #expect(try await other.exported() == lines)
    #expect(try await other.check() == [])
    #expect(try await store.merge(rows: rows(other)).allSatisfy { $0 == .known })
    #expect(try await channels(store) == [[channel], [mail, channel]])
    _ = try await other.merge(rows: rows(store))
    #expect(try await channels(other) == [[channel], [mail, channel]])
    #expect(try await rows(other) == rows(store))
    #expect(try await other.merge(lines: lines).isUnchanged)
  }

  @Test func `a later version finds the topic that its person has here, and nobody else's`()
    async throws
  {
    let (store, source) = (try await store(1), try await store(2))
    _ = try await source.write { writer in
      var john = try #require(try writer.patients().first)
      john.language = "de"
      _ = try writer.put(john, now: day(2))
      var jane = Patient(id: "jane", name: PersonName(given: "Jane"))
      jane.channels = [channel]
      _ = try writer.put(jane, now: day(2))
    }
    _ = try await store.merge(lines: try await source.exported())
    #expect(try await channels(store) == [[channel.withoutTopic], [channel], [mail, channel]])
  }

  @Test func `a plan is imported over what stands for its topics, with them or without`()
    async throws
  {
    let source = try await store(1)
    let store = try await source.copied(2)
    var plan = PlanDocument.example()
    plan.patients[0].channels = [channel.withoutTopic]
    let (without, channel) = (plan, channel)
    _ = try await store.write { try $0.importPlan(without, now: day(2)) }
    #expect(try await channels(store).first == [channel.withoutTopic])
    plan.patients[0].channels = [channel]
    let with = plan
    _ = try await store.write { try $0.importPlan(with, now: day(3)) }
    #expect(try await channels(store).first == [channel])
  }
}
