import Care
import Foundation
import Testing

@testable import CareStore

/// Changes that may give somebody something to be told, and those that do not.
@Suite struct OccasionChangesTests {
  private let store: SQLStore

  init() async throws {
    store = try TestEngine.makeStore(makeUUID: SeededUUIDs(seed: 1).next)
    _ = try await store.write { try $0.importPlan(.example(try .daily()), now: midnight) }
  }

  private var revision: OccasionRevision {
    get async throws { try await store.reading { try $0.occasionRevision() } }
  }

  @Test func `the beats of a sensor are none`() async throws {
    _ = try await store.write { _ = try $0.insert(.steps(30, at: midnight)) }
    let before = try await revision
    for minute in 1..<90 {
      _ = try await store.write {
        _ = try $0.insert(.steps(30, at: midnight + Double(minute) * 60))
      }
      #expect(try await revision == before, "minute \(minute)")
    }
  }

  @Test func `whatever is told of is one`() async throws {
    var before = try await revision
    func expectChange(_ name: String, _ body: @Sendable (any MessageWriter) throws -> Void)
      async throws
    {
      try await store.writeMessages(body)
      let after = try await revision
      #expect(after != before, "\(name)")
      before = after
    }
    try await expectChange("a weighing") { _ = try $0.insert(.linked(72.4, at: midnight)) }
    try await expectChange("an answer") { writer in
      let event = try #require(
        try writer.events(patient: "john", task: "walk", from: midnight, to: day(1)).first)
      _ = try writer.setOutcome([.typed(1)], of: event.reference, now: day(0, hour: 13))
    }
    try await expectChange("a contact") {
      _ = try $0.put(Contact(id: "nora", name: PersonName(given: "Nora")), now: day(0, hour: 14))
    }
    try await expectChange("a message") {
      _ = try $0.put(
        Message(
          id: "1", patient: "john", contact: nil, sender: .patient, text: "a",
          sentDate: day(0, hour: 15)), now: day(0, hour: 15))
    }
    try await expectChange("a message on its way") {
      try $0.put(
        StoredMessage(
          id: "1", patient: nil, recipient: "nora", state: "waiting", isActive: true,
          finished: nil, content: "{}"))
    }
    try await expectChange("its end") {
      try $0.put(
        StoredMessage(
          id: "1", patient: nil, recipient: "nora", state: "sent", isActive: false,
          finished: day(0, hour: 16), content: "{}"))
    }
    try await expectChange("a pause") {
      try $0.put(StoredWay(recipient: "nora", place: 0, content: #"{"isPaused":true}"#))
    }
  }
}
