import Access
import Care
import CareStore
import Foundation
import Outlets
import Plans
import Testing

@testable import Actions

struct AnswerFromHomeAssistantTests {
  private static let now = Date(rfc3339: "2026-03-20T12:00:00Z") ?? .distantPast
  private static let plan = """
    timeZone: Europe/Berlin
    patients: [{id: ann}, {id: bob}]
    tasks:
      - {id: weigh-in, patient: ann, title: Weigh, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}], linkage: {quantity: bodyMass}}
      - {id: pills, patient: ann, title: Pills, schedule: [{start: "2026-03-01T08:00", interval: {days: 1}, duration: 2h}, {start: "2026-03-01T12:30", interval: {days: 1}, duration: 2h}, {start: "2026-03-01T20:00", interval: {days: 1}, duration: 2h}]}
    """

  private static func answer(_ task: String, _ text: String, of patient: String = "ann") throws
    -> AnswerFromHomeAssistant
  {
    let topics = HomeAssistantTopics(box: "home")
    let message = MQTTMessage(topics.command(task, of: patient), Data(text.utf8))
    return AnswerFromHomeAssistant(try #require(HomeAssistantAnswer(message, topics)))
  }

  private static func store() async throws -> SQLStore {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let plan = try PlanFile.parse(plan, file: "plan.yaml", activeTasks: [])
    _ = try await store.write { try $0.importPlan(plan, now: now - 86_400 * 15) }
    return store
  }

  private static let annsAnswers = Performer(grant: Grant([.answer], .only(["ann"])))

  @Test(arguments: [("done", Answer.State.done), ("notDone", .notDone), ("skip", .skipped)])
  func `a button answers the event that is open`(word: String, state: Answer.State) async throws {
    let store = try await Self.store()
    // At 13:00 in Berlin the one of 12:30 is open, that of the morning is over.
    let change = try await store.write {
      try Self.answer("pills", word).perform(in: $0, by: Self.annsAnswers, now: Self.now)
    }
    #expect(change.event.outcome?.answer.state == state)
    #expect(change.event.occurrence.start == Date(rfc3339: "2026-03-20T11:30:00Z"))
  }

  @Test func `a number is a value in the unit of the task`() async throws {
    let store = try await Self.store()
    try await store.write { writer in
      _ = try Self.answer("weigh-in", "63.9").perform(
        in: writer, by: Self.annsAnswers, now: Self.now)
      let samples = try writer.samples(
        SampleQuery(owner: .patient("ann"), quantity: .bodyMass))
      #expect(samples.map(\.value) == [63.9])
      #expect(samples.map(\.provenance) == [.manual])
    }
  }

  @Test func `it has the rights of its performer, and no others`() async throws {
    let store = try await Self.store()
    try await store.write { writer in
      for grant in [
        Grant([.answer], .only(["bob"])), Grant([.read, .add, .plan], .all), Grant([], .only([])),
      ] {
        #expect(throws: AccessDenied.self) {
          try Self.answer("pills", "done").perform(
            in: writer, by: Performer(grant: grant), now: Self.now)
        }
      }
    }
  }

  @Test(arguments: [("nothing", "done", "ann"), ("pills", "done", "bob")])
  func `a task that the day does not have is refused`(
    task: String, text: String, patient: String
  ) async throws {
    let store = try await Self.store()
    _ = try await store.write { writer in
      #expect(
        throws: StoreError.unknown(.task(TaskReference(patient: patient, task: task)))
      ) {
        try Self.answer(task, text, of: patient).perform(in: writer, by: .owner, now: Self.now)
      }
    }
  }

  @Test func `a value that nobody can have is refused`() async throws {
    let store = try await Self.store()
    try await store.write { writer in
      #expect(throws: (any Error).self) {
        try Self.answer("weigh-in", "-4").perform(in: writer, by: .owner, now: Self.now)
      }
      let count = try writer.sampleCount(SampleQuery(owner: .patient("ann")))
      #expect(count == 0)
    }
  }
}
