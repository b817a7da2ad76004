import Care
import Foundation
import TestSupport
import Testing

@testable import CareStore

/// Acceptance cases of versions, entities and merges that no other suite asserts.
@Suite struct GuideCaseTests {
  private let walk = TaskReference(patient: "john", task: "walk")

  private func firstEvent(_ store: SQLStore, of task: String = "walk") async throws -> Event {
    try await store.read {
      try #require(
        try $0.events(patient: "john", task: task, from: midnight, to: day(1)).first)
    }
  }

  /// The only row of a query, as text.
  private func row(_ sql: String, of store: SQLStore) async throws -> String? {
    try await store.read { reader in
      try (reader as? SQLTransaction)?.row(sql).map(String.init(describing:))
    }
  }

  // MARK: Versions

  /// The newest version takes effect in a year, the current one is the first.
  @Test func `the newest version is not yet the current one`() async throws {
    let store = try await SQLStore.planned(try .daily())
    let stroll = try PlannedTask.daily(title: "Stroll", effectiveDate: day(365))
    _ = try await store.write { try $0.importPlan(.example(stroll), now: midnight) }
    let histories = try await store.read { try $0.histories(patient: "john") }
    let history = try #require(histories.first)
    #expect(history.versions.map(\.title) == ["Walk", "Stroll"])
    let current = TaskQuery(ids: ["walk"])
    #expect(try current.version(of: history, now: day(364))?.title == "Walk")
    #expect(try current.version(of: history, now: day(365))?.title == "Stroll")
  }

  /// A task that is not stored cannot be changed, ended or deleted, and a batch with one
  /// task twice stores nothing.
  @Test func `a task that is not stored is unknown`() async throws {
    let store = try SQLStore.example()
    let (walk, task) = (walk, try PlannedTask.daily())
    let plan = PlanDocument.example(try .daily("weigh"), task, task)
    await #expect(throws: StoreError.refused(.repeatedTask("walk", patient: "john"))) {
      try await store.write { try $0.importPlan(plan, now: midnight) }
    }
    #expect(try await store.read { try $0.patients() } == [])
    #expect(try await store.read { try $0.taskVersions(patient: nil) } == [])
    await #expect(throws: StoreError.unknown(.task(walk))) {
      try await store.write { try $0.addVersion(of: task, effectiveDate: day(1), now: midnight) }
    }
    await #expect(throws: StoreError.unknown(.task(walk))) {
      try await store.write { try $0.endTask(walk, at: day(1), now: midnight) }
    }
    await #expect(throws: StoreError.unknown(.thing(.task(walk)))) {
      try await store.write { try $0.delete(.task(walk), now: midnight) }
    }
  }

  /// A new version follows the one before, a query without a day returns both, and a
  /// deleted task has no events.
  @Test func `a version follows the one before`() async throws {
    let (store, walk) = (try await SQLStore.planned(try .daily()), walk)
    let stroll = try PlannedTask.daily(title: "Stroll")
    let second = try await store.write {
      try $0.addVersion(of: stroll, effectiveDate: day(1), now: day(1))
    }
    let versions = try await store.read { try $0.taskVersions(patient: nil) }
    #expect(versions.map(\.title) == ["Walk", "Stroll"])
    let first = try #require(versions.first)
    let edges = try await row(
      """
      SELECT count(*) AS count FROM version_edge
      WHERE previous = '\(first.uuid.uuidString)' AND next = '\(second.uuid.uuidString)'
      """, of: store)
    #expect(edges == "[count:1]")

    try await store.write { try $0.delete(.task(walk), now: day(2)) }
    let events = try await store.read {
      try $0.events(patient: nil, task: nil, from: midnight, to: day(3))
    }
    #expect(events == [])
    #expect(try await store.read { try $0.taskVersions(patient: nil) } == [])
    let deleted = try await store.read { try $0.deletedHistories(patient: nil) }
    #expect(deleted.map { $0.versions.map(\.title) } == [["Walk", "Stroll"]])
  }

  /// Groups, the lack of one, and any of several tags select stored tasks, and
  /// the id in another system is stored.
  @Test func `stored tasks are found by group and tag`() async throws {
    var tasks = try ["a", "b", "c"].map { try PlannedTask.daily($0) }
    tasks[0].group = "A"
    tasks[0].tags = ["legs", "morning"]
    tasks[1].group = "B"
    tasks[1].tags = ["arms"]
    tasks[1].remoteID = "urn:b"
    let store = try await SQLStore.planned(tasks[0], tasks[1], tasks[2])
    let histories = try await store.read { try $0.histories(patient: "john") }
    func ids(_ query: TaskQuery) throws -> [String] {
      try histories.compactMap { try query.version(of: $0, now: midnight)?.id }.sorted()
    }
    #expect(try ids(TaskQuery(groups: ["A"])) == ["a"])
    #expect(try ids(TaskQuery(groups: [nil])) == ["c"])
    #expect(try ids(TaskQuery(groups: [nil, "B"])) == ["b", "c"])
    #expect(try ids(TaskQuery(tags: ["morning", "arms"])) == ["a", "b"])
    let stored = try await store.read { try $0.taskVersions(patient: "john") }
    #expect(stored.compactMap(\.remoteID) == ["urn:b"])
  }

  // MARK: People, contacts, care plans and notes

  /// Before anything is stored there is nothing, afterwards only the newest version.
  @Test func `only the newest version is shown`() async throws {
    let store = try SQLStore.example()
    func shown() async throws -> [[String?]] {
      try await store.read { reader in
        [
          try reader.things(Patient.self).map(\.name.given),
          try reader.things(Contact.self).map(\.role),
          try reader.things(CarePlan.self).map(\.title),
          try reader.things(Note.self).map(\.content),
        ]
      }
    }
    #expect(try await shown() == [[], [], [], []])
    for (number, word) in ["first", "second"].enumerated() {
      let isNew = try await store.write { writer in
        [
          try writer.put(
            Patient(id: "john", name: PersonName(given: word)), now: day(number)),
          try writer.put(
            Contact(id: "c", patient: "john", name: PersonName(), role: word), now: day(number)),
          try writer.put(CarePlan(id: "p", patient: "john", title: word), now: day(number)),
          try writer.put(Note(id: "n", patient: "john", content: word), now: day(number)),
        ]
      }
      #expect(isNew == [true, true, true, true])
      #expect(try await shown() == [[word], [word], [word], [word]])
    }
  }

  /// Sex, birthday and allergies are stored, of several patients in one store.
  @Test func `what a person is survives a restart`() async throws {
    let scratch = try ScratchDirectory()
    let path = try TestEngine.makePlace(scratch.file("care.db"))
    let people = [
      Patient(id: "ann", sex: .female, birthday: CalendarDate("1952-02-29")),
      Patient(
        id: "john", sex: .other("x"), birthday: CalendarDate("1949-12-31"),
        allergies: ["nuts", "cats"]),
    ]
    let first = try SQLStore.example(at: path)
    try await first.write { writer in
      for person in people { _ = try writer.put(person, now: midnight) }
    }
    try first.close()
    let second = try SQLStore.example(at: path)
    #expect(try await second.read { try $0.patients() } == people)
  }

  /// A thing that is not stored, or is deleted already, cannot be deleted.
  @Test(arguments: ThingKind.allCases)
  func `what is not stored is not deleted`(kind: ThingKind) async throws {
    let store = try await SQLStore.planned(try .daily())
    let none = ThingReference(
      kind, patient: kind == .patient ? "none" : "john", id: "none")
    await #expect(throws: StoreError.unknown(.thing(none))) {
      try await store.write { try $0.delete(none, now: day(1)) }
    }
    try await store.write { try $0.delete(.patient("john"), now: day(1)) }
    await #expect(throws: StoreError.unknown(.thing(.patient("john")))) {
      try await store.write { try $0.delete(.patient("john"), now: day(2)) }
    }
  }

  // MARK: Merging

  /// Rows of another store keep their ids and dates.
  @Test func `merged rows keep their ids and dates`() async throws {
    let (a, b) = (try SQLStore.peer(1), try SQLStore.peer(2))
    let plan = PlanDocument.example(try .daily())
    let stroll = try PlannedTask.daily(title: "Stroll")
    _ = try await a.write { try $0.importPlan(plan, now: midnight) }
    let event = try await firstEvent(a)
    let answered = try await a.write { writer in
      _ = try writer.addVersion(of: stroll, effectiveDate: day(1), now: day(2))
      return try writer.setOutcome([.typed(1)], of: event.reference, now: day(3))
    }
    _ = try await b.merge(lines: try await a.exported())
    let (ours, theirs) = (
      try await a.read { try $0.taskVersions(patient: nil) },
      try await b.read { try $0.taskVersions(patient: nil) }
    )
    #expect(theirs.map(\.uuid) == ours.map(\.uuid))
    #expect(theirs.map(\.createdDate) == [midnight, day(2)])
    let outcome = try await firstEvent(b).outcome
    #expect(outcome?.uuid == answered.outcome?.uuid)
    #expect(outcome?.createdDate == day(3))
  }

  /// The deletion of an outcome that a store does not have is merged, and the outcome
  /// that arrives after it stays deleted.
  @Test func `the deletion of an unknown outcome is merged`() async throws {
    let (a, b) = (try SQLStore.peer(1), try SQLStore.peer(2))
    let plan = PlanDocument.example(try .daily())
    _ = try await a.write { try $0.importPlan(plan, now: midnight) }
    let event = try await firstEvent(a)
    _ = try await a.write { writer in
      _ = try writer.setOutcome([.typed(1)], of: event.reference, now: day(1))
      return try writer.deleteOutcome(of: event.reference, now: day(2))
    }
    let lines = try await a.exported()
    let withoutOutcome = lines.filter {
      !$0.contains(#""kind":"outcome""#) || $0.contains(#""deleted":"#)
    }
    #expect(withoutOutcome.count == lines.count - 1)
    _ = try await b.merge(lines: withoutOutcome.sealed)
    #expect(try await firstEvent(b).outcome == nil)
    _ = try await b.merge(lines: lines)
    #expect(try await firstEvent(b).outcome == nil)
    #expect(try await b.exported() == lines)
  }

  /// A transaction or merge that fails restores the store's clock.
  @Test func `a failure restores the clock`() async throws {
    struct Interruption: Error {}
    let (store, other) = (try await SQLStore.planned(try .daily()), try SQLStore.peer(2))
    let before = try await row("SELECT clock FROM store", of: store)
    let lines = try await store.exported()
    await #expect(throws: Interruption.self) {
      try await store.write { writer in
        _ = try writer.put(Note(id: "n", patient: "john", content: "a"), now: day(1))
        throw Interruption()
      }
    }
    #expect(try await row("SELECT clock FROM store", of: store) == before)
    _ = try await other.write { try $0.put(Patient(id: "ann"), now: midnight) }
    let withoutEnd = try await other.exported().dropLast()
    await #expect(throws: StoreError.self) { try await store.merge(lines: withoutEnd) }
    #expect(try await row("SELECT clock FROM store", of: store) == before)
    #expect(try await store.exported() == lines)
    _ = try await store.write {
      try $0.put(Note(id: "n", patient: "john", content: "a"), now: day(1))
    }
    #expect(try await row("SELECT clock FROM store", of: store) != before)
  }

  // MARK: Surveys

  /// Answers are stored under the kinds of their questions, all of them or none.
  @Test func `answers are stored under their kinds`() async throws {
    var checkIn = try PlannedTask.daily("check-in", kind: .assessment)
    checkIn.survey = [
      try SurveyQuestion(kind: "pain", type: .scale, minimum: 1, maximum: 10, step: 1),
      try SurveyQuestion(kind: "sleep", type: .scale, minimum: 0, maximum: 12, step: 1),
    ]
    let store = try await SQLStore.planned(checkIn)
    let event = try await firstEvent(store, of: "check-in")
    let answers = [(kind: "pain", value: Value.integer(3)), ("sleep", .integer(8))].map {
      OutcomeValue(value: $0.value, kind: $0.kind, time: day(1), provenance: .manual)
    }
    await #expect(
      throws: StoreError.refused(.answer(.missing, question: "sleep", task: "check-in"))
    ) {
      try await store.write {
        try $0.setOutcome([answers[0]], of: event.reference, now: day(1))
      }
    }
    #expect(try await firstEvent(store, of: "check-in").outcome == nil)
    _ = try await store.write { try $0.setOutcome(answers, of: event.reference, now: day(1)) }
    let stored = try await firstEvent(store, of: "check-in").outcome
    #expect(stored?.values.map(\.kind) == ["pain", "sleep"])
    #expect(stored?.values == answers)
  }
}
