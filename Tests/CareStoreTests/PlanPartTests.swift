import Care
import Foundation
import Testing

@testable import CareStore

/// The import of a part of a plan: tasks alone, of people whom the store knows.
struct PlanPartTests {
  private let scale = DeviceBinding(address: "AA", definition: "scale", patient: "john")

  private func part(_ tasks: PlannedTask..., timeZone: TimeZone = .gmt) -> PlanDocument {
    var part = PlanDocument(timeZone: timeZone, patients: [], tasks: tasks)
    part.isPart = true
    return part
  }

  @discardableResult
  private func importing(
    _ plan: PlanDocument, at now: Date, into store: SQLStore,
    _ options: PlanImportOptions = PlanImportOptions()
  ) async throws -> PlanImportReport {
    try await store.write { try $0.importPlan(plan, options: options, now: now) }
  }

  /// Everything of the plan but the tasks named.
  private func rest(of store: SQLStore, but names: Set<String>) async throws -> [String] {
    try await store.read { reader in
      try [
        "\(String(describing: reader.planTimeZone()))", "\(reader.patients())",
        "\(reader.deviceBindings())", "\(reader.things(Contact.self))",
        "\(reader.things(CarePlan.self, patient: nil))",
        "\(reader.planOrder().filter { !names.contains($0.task) })",
      ]
        + reader.histories(patient: nil).compactMap(\.versions.last)
        .filter { !names.contains($0.id) }.map { "\($0)" }
    }
  }

  private func store() async throws -> SQLStore {
    let store = try SQLStore.example()
    var plan = PlanDocument.example(try .daily(), try .daily("weigh"), devices: [scale])
    plan.carePlans = [CarePlan(id: "knee", patient: "john", title: "Knee")]
    plan.contacts = [Contact(id: "practice", patient: "john", name: PersonName(given: "Practice"))]
    try await importing(plan, at: day(0), into: store)
    return store
  }

  @Test
  func `it adds and changes its tasks; everything else stays, and nothing is missing`() async throws
  {
    let store = try await store()
    let before = try await rest(of: store, but: ["walk", "stretch"])
    let file = part(try .daily("stretch"), try .daily(title: "Stroll"))
    let report = try await importing(file, at: day(2), into: store)
    #expect(
      report.lines.map { "\($0.kind.rawValue) \($0.id) \($0.change.rawValue)" } == [
        "task stretch added", "task walk updated", "order tasks updated",
      ])
    #expect(try await rest(of: store, but: ["walk", "stretch"]) == before)
    let order = try await store.read { try $0.planOrder().map(\.task) }
    #expect(order == ["walk", "weigh", "stretch"])
    #expect(try await importing(file, at: day(3), into: store).isUnchanged)
    #expect(try await store.read { try $0.planOrder().map(\.task) } == order)
  }

  @Test
  func `what a person changed beside it stays, key by key`() async throws {
    let store = try await store()
    let now = day(1)
    let moved = DeviceBinding(address: "AA", definition: "other", patient: "john")
    _ = try await store.write { writer in
      try writer.editPlan(now: now) { writer in
        var walk = try PlannedTask.daily()
        walk.group = "Mornings"
        _ = try writer.put(walk, now: now)
        try writer.bind(moved, now: now)
      }
    }
    let report = try await importing(part(try .daily(title: "Stroll")), at: day(2), into: store)
    #expect(report.lines.map(\.keptKeys) == [["group"]])
    let shown = try await store.read {
      try $0.histories(patient: nil).compactMap(\.versions.last).first { $0.id == "walk" }
    }
    #expect(shown?.title == "Stroll" && shown?.group == "Mornings")
    // The next import of the whole plan still knows that a person bound the device.
    var whole = PlanDocument.example(
      try .daily(title: "Stroll"), try .daily("weigh"), devices: [scale])
    whole.carePlans = [CarePlan(id: "knee", patient: "john", title: "Knee")]
    whole.contacts = [Contact(id: "practice", patient: "john", name: PersonName(given: "Practice"))]
    let next = try await importing(whole, at: day(3), into: store)
    #expect(next.lines.contains { $0.kind == .device && $0.kept == .changed })
    #expect(try await store.read { try $0.deviceBindings() } == [moved])
  }

  @Test
  func `it prunes nothing, and names only people whom the store knows`() async throws {
    let store = try await store()
    let before = try await rest(of: store, but: [])
    await #expect(throws: StoreError.refused(.partPrunes)) {
      try await importing(
        part(try .daily()), at: day(1), into: store, PlanImportOptions(prunes: true))
    }
    var other = try PlannedTask.daily()
    other.patient = "nobody"
    let unknown = part(other)
    await #expect(throws: StoreError.unknown(.patient("nobody", known: ["john"]))) {
      try await importing(unknown, at: day(1), into: store)
    }
    await #expect(throws: StoreError.unknown(.patient("john", known: []))) {
      try await importing(part(try .daily()), at: day(1), into: try SQLStore.example())
    }
    #expect(try await rest(of: store, but: []) == before)
  }

  @Test
  func `it is taken back alone, and finds a person by an earlier id`() async throws {
    let store = try await store()
    let before = try await rest(of: store, but: [])
    try await importing(part(try .daily("stretch")), at: day(1), into: store)
    _ = try await store.write { try $0.undoImport(now: day(2)) }
    #expect(try await rest(of: store, but: []) == before)
    try await store.write { try $0.renamePatient("john", to: "jack", now: day(3)) }
    let report = try await importing(part(try .daily("stretch")), at: day(4), into: store)
    #expect(report.lines.first?.patient == "jack" && report.lines.first?.change == .added)
  }
}
