import Care
import Foundation
import Motion
import Testing

@testable import CareStore

/// A plan that is edited on the page and kept as a file.
struct PlanInTwoHandsTests {
  private let walk = ThingReference.task(TaskReference(patient: "john", task: "walk"))

  @discardableResult
  private func importing(
    _ plan: PlanDocument, at now: Date, into store: SQLStore,
    _ options: PlanImportOptions = PlanImportOptions()
  ) async throws -> PlanImportReport {
    try await store.write { try $0.importPlan(plan, options: options, now: now) }
  }

  /// Edits the task as a person does.
  @discardableResult
  private func edit(
    _ store: SQLStore, at now: Date, _ change: @Sendable (inout PlannedTask) throws -> Void
  ) async throws -> Int64 {
    try await store.write { writer in
      let number = try writer.editPlan(now: now) { writer in
        var task = try #require(
          writer.histories(patient: "john").first { $0.versions.first?.id == "walk" }?
            .versions.last?.planned)
        try change(&task)
        _ = try writer.put(task, now: now)
      }
      return try #require(number)
    }
  }

  private func shown(_ store: SQLStore, at now: Date = day(20)) async throws -> PlannedTask {
    try await store.read {
      try #require($0.histories(patient: "john").first?.current(at: now)?.planned)
    }
  }

  private func line(_ report: PlanImportReport) throws -> PlanImportReport.Line {
    try #require(report.lines.first { $0.thing == walk })
  }

  // MARK: Every key

  /// A change of every key of a task's JSON, and the key that it changes.
  private static let changes:
    [(key: String, change: @Sendable (inout PlannedTask) throws -> Void)] =
      [
        ("activeTask", { $0.activeTask = ActiveTask(type: "timedUpAndGo") }),
        ("carePlan", { $0.carePlan = "knee" }), ("glyph", { $0.glyph = .standard(.scale) }),
        ("group", { $0.group = "Morning" }), ("image", { $0.image = "/walk.png" }),
        ("instructions", { $0.instructions = "Slowly" }), ("kind", { $0.kind = .assessment }),
        (
          "linkages",
          { $0.linkage = Linkage(quantity: .stepCount, type: .cumulative, unit: .one) }
        ), ("optional", { $0.isOptional = true }), ("progress", { $0.progressStrategy = .sum }),
        ("remoteID", { $0.remoteID = "r-1" }), ("resettable", { $0.isResettable = true }),
        (
          "schedule",
          { $0.schedule = try .daily(hour: 8, start: midnight, timeZone: losAngeles) }
        ), ("style", { $0.style = .checklist }),
        ("survey", { $0.survey = [try SurveyQuestion(kind: "pain", type: .boolean)] }),
        ("tags", { $0.tags = ["legs"] }), ("text", { $0.text = "20 minutes" }),
        (
          "thresholds",
          { $0.thresholds = [Threshold(kind: nil, condition: .atLeast(3), says: "far")] }
        ), ("title", { $0.title = "Stroll" }), ("userInfo", { $0.userInfo = ["a": "b"] }),
      ]

  @Test
  func `every key of a task is one of the list above`() throws {
    var task = try PlannedTask.daily()
    for (_, change) in Self.changes { try change(&task) }
    let plain = try PlannedTask.daily()
    #expect(try task.differences(from: plain) == Self.changes.map(\.key).sorted())
  }

  @Test
  func `what only the file changed is the file's`() async throws {
    for (place, own) in Self.changes.enumerated() {
      let other = Self.changes[(place + 1) % Self.changes.count]
      let store = try SQLStore.example()
      try await importing(.example(try .daily()), at: day(0), into: store)
      try await edit(store, at: day(1), own.change)
      // The same file again.
      var report = try await importing(.example(try .daily()), at: day(2), into: store)
      #expect(try line(report).kept == .changed)
      #expect(try line(report).keptKeys == [own.key])
      #expect(report.isUnchanged)
      // Another key of the file.
      var file = try PlannedTask.daily()
      try other.change(&file)
      report = try await importing(.example(file), at: day(3), into: store)
      #expect(try line(report).change == .updated)
      #expect(try line(report).changedKeys == [other.key], "\(own.key)")
      #expect(try line(report).keptKeys == [own.key])
      #expect(try line(report).contestedKeys.isEmpty)
      var both = file
      try own.change(&both)
      #expect(try await shown(store) == both, "\(own.key), \(other.key)")
      // That file again: its own words are the base.
      report = try await importing(.example(file), at: day(4), into: store)
      #expect(report.isUnchanged)
      #expect(try await shown(store) == both)
    }
  }

  @Test
  func `what both changed is the file's, the person's if so decided`() async throws {
    for (key, change) in Self.changes where key != "title" {
      let store = try SQLStore.example()
      try await importing(.example(try .daily()), at: day(0), into: store)
      try await edit(store, at: day(1)) { task in
        try change(&task)
        task.title = "Hers"
      }
      let file = try PlannedTask.daily(title: "File's")
      await #expect(throws: StoreError.refused(.changedByHand(walk))) {
        try await importing(
          .example(file), at: day(2), into: store, PlanImportOptions(isStrict: true))
      }
      let preview = try await store.preview(
        .example(file), options: PlanImportOptions(personDecides: [walk]), now: day(2))
      #expect(try line(preview).contestedKeys == ["title"])
      #expect(preview.contested == [walk])
      #expect(try line(preview).changedKeys.isEmpty)
      let report = try await importing(.example(file), at: day(2), into: store)
      #expect(try line(report).contestedKeys == ["title"])
      #expect(try line(report).keptKeys == [key])
      var both = file
      try change(&both)
      #expect(try await shown(store) == both, "\(key)")
    }
  }

  @Test
  func `a person's value stays if so decided, and the next import asks no more`() async throws {
    let store = try SQLStore.example()
    try await importing(.example(try .daily()), at: day(0), into: store)
    try await edit(store, at: day(1)) { $0.title = "Hers" }
    let file = PlanDocument.example(try .daily(title: "File's"))
    try await importing(
      file, at: day(2), into: store, PlanImportOptions(personDecides: [walk]))
    #expect(try await shown(store).title == "Hers")
    let again = try await importing(file, at: day(3), into: store)
    #expect(again.isUnchanged && again.contested.isEmpty)
    #expect(try await shown(store).title == "Hers")
  }

  @Test
  func `the same change on both sides is no change, and the base of the next import`() async throws
  {
    let store = try SQLStore.example()
    try await importing(.example(try .daily()), at: day(0), into: store)
    try await edit(store, at: day(1)) { $0.title = "Stroll" }
    let file = PlanDocument.example(try .daily(title: "Stroll"))
    #expect(try await importing(file, at: day(2), into: store).isUnchanged)
    try await edit(store, at: day(3)) { $0.title = "March" }
    let report = try await importing(file, at: day(4), into: store)
    #expect(report.isUnchanged)
    #expect(try line(report).kept == .changed)
    #expect(try await shown(store).title == "March")
  }

  @Test
  func `a person's change counts from when it was made`() async throws {
    let store = try SQLStore.example()
    try await importing(.example(try .daily(effectiveDate: day(0))), at: day(0), into: store)
    try await edit(store, at: day(5)) { $0.text = "20 minutes" }
    try await importing(
      .example(try .daily(title: "Stroll", effectiveDate: day(0))), at: day(8), into: store)
    let events = try await store.read {
      try $0.events(patient: nil, task: nil, from: day(4), to: day(6))
    }
    #expect(events.map(\.task.title) == ["Stroll", "Stroll"])
    #expect(events.map(\.task.text) == [nil, "20 minutes"])
  }

  @Test
  func `a person's name, units and contacts are merged as tasks are`() async throws {
    let store = try SQLStore.example()
    var plan = PlanDocument.example(try .daily())
    plan.contacts = [Contact(id: "anna", patient: nil, name: PersonName(given: "Anna"))]
    try await importing(plan, at: day(0), into: store)
    let now = day(1)
    let (john, anna) = (plan.patients[0], plan.contacts[0])
    try await store.write { writer in
      _ = try writer.editPlan(now: now) { writer in
        var person = john
        person.units = .us
        _ = try writer.put(person, now: now)
        var contact = anna
        contact.role = "Nurse"
        _ = try writer.put(contact, now: now)
      }
    }
    plan.patients[0].name.family = "Appleseed"
    plan.contacts[0].organization = "The practice"
    let report = try await importing(plan, at: day(2), into: store)
    #expect(
      report.lines.filter { $0.change == .updated }.map(\.keptKeys) == [["units"], ["role"]])
    let (people, contacts) = try await store.read {
      (try $0.patients(), try $0.things(Contact.self))
    }
    #expect(people.map(\.units) == [.us] && people.map(\.name.family) == ["Appleseed"])
    #expect(contacts.map(\.role) == ["Nurse"] && contacts.map(\.organization) == ["The practice"])
    #expect(try await importing(plan, at: day(3), into: store).isUnchanged)
  }

  @Test
  func `a device that a person moved stays moved, unless the file changed it, too`() async throws {
    let store = try SQLStore.example()
    let (old, moved) = (
      DeviceBinding(address: "AA", definition: "strap", patient: "john"),
      DeviceBinding(
        address: "AA", definition: "strap", patient: "john",
        placement: Placement(joint: .knee, side: .left, segment: .shank))
    )
    var plan = PlanDocument.example(try .daily(), devices: [old])
    try await importing(plan, at: day(0), into: store)
    let now = day(1)
    let number = try await store.write { writer in
      try writer.editPlan(now: now) { try $0.bind(moved, now: now) }
    }
    func bindings() async throws -> [DeviceBinding] {
      try await store.read { try $0.deviceBindings() }
    }
    let report = try await importing(plan, at: day(2), into: store)
    #expect(report.isUnchanged && report.lines.contains { $0.kept == .changed })
    #expect(try await bindings() == [moved])
    plan.devices[0].definition = "other"
    let changed = plan
    await #expect(throws: StoreError.refused(.deviceChangedByHand("AA"))) {
      try await importing(changed, at: day(3), into: store, PlanImportOptions(isStrict: true))
    }
    let last = try await importing(plan, at: day(4), into: store)
    #expect(last.lines.contains { $0.contestedKeys == ["device"] })
    #expect(try await bindings() == plan.devices)
    // The import first, then the edit.
    await #expect(throws: StoreError.refused(.laterEdit)) {
      try await store.write { _ = try $0.undoEdit(try #require(number), now: day(5)) }
    }
    for _ in 0..<2 { _ = try await store.write { try $0.undoImport(now: day(5)) } }
    #expect(try await bindings() == [old])
  }

  // MARK: Edits

  @Test
  func `an edit is one entry of the history, and is taken back alone`() async throws {
    let store = try SQLStore.example()
    try await importing(.example(try .daily()), at: day(0), into: store)
    let first = try await edit(store, at: day(1)) { $0.title = "Stroll" }
    let second = try await edit(store, at: day(2)) { $0.title = "March" }
    let now = day(3)
    let third = try await store.write { writer in
      try writer.editPlan(now: now) { _ = try $0.put(try .daily("weigh"), now: now) }
    }
    let edits = try await store.read { try $0.planEdits(limit: 10) }
    #expect(edits.map(\.number) == [try #require(third), second, first, 1])
    #expect(edits.map(\.isUndoable) == [true, true, false, false])
    #expect(edits.map(\.isImport) == [false, false, false, true])
    #expect(edits.map { $0.things.map(\.change) }.prefix(3) == [[.added], [.changed], [.changed]])
    #expect(edits[1].things.first?.title == "March")
    await #expect(throws: StoreError.refused(.laterEdit)) {
      try await store.write { _ = try $0.undoEdit(first, now: day(4)) }
    }
    _ = try await store.write { try $0.undoEdit(second, now: day(4)) }
    #expect(try await shown(store).title == "Stroll")
    await #expect(throws: StoreError.refused(.noImport)) {
      try await store.write { _ = try $0.undoEdit(second, now: day(5)) }
    }
    _ = try await store.write { try $0.undoEdit(first, now: day(5)) }
    #expect(try await shown(store).title == "Walk")
    #expect(try await store.read { try $0.histories(patient: nil).count } == 2)
  }

  @Test
  func `an edit that changes nothing leaves no entry, and one that fails neither`() async throws {
    let store = try SQLStore.example()
    try await importing(.example(try .daily()), at: day(0), into: store)
    let number = try await store.write { writer in
      try writer.editPlan(now: day(1)) { _ = try $0.put(try .daily(), now: day(1)) }
    }
    #expect(number == nil)
    await #expect(throws: StoreError.self) {
      try await store.write { writer in
        _ = try writer.editPlan(now: day(1)) { writer in
          _ = try writer.put(try .daily(title: "Stroll"), now: day(1))
          try writer.delete(.patient("nobody"), now: day(1))
        }
      }
    }
    #expect(try await store.read { try $0.planEdits(limit: 10).count } == 1)
    #expect(try await shown(store).title == "Walk")
  }

  @Test
  func `a task that a person added keeps its place through an import`() async throws {
    let store = try SQLStore.example()
    let file = PlanDocument.example(try .daily("b"), try .daily("c"))
    try await importing(file, at: day(0), into: store)
    _ = try await store.write { writer in
      try writer.editPlan(now: day(1)) { _ = try $0.put(try .daily("a"), now: day(1)) }
    }
    func order() async throws -> [String] {
      try await store.read { try $0.planOrder().map(\.task) }
    }
    #expect(try await order() == ["b", "c", "a"])
    try await importing(file, at: day(2), into: store)
    #expect(try await order() == ["b", "c", "a"])
    // The document that an export writes.
    let all = PlanDocument.example(try .daily("b"), try .daily("c"), try .daily("a"))
    #expect(try await importing(all, at: day(3), into: store).isUnchanged)
    _ = try await store.write {
      try $0.endTask(
        TaskReference(patient: "john", task: "b"), at: day(4), now: day(4))
    }
    let left = PlanDocument.example(try .daily("c"), try .daily("a"))
    #expect(try await importing(left, at: day(5), into: store).isUnchanged)
  }
}
