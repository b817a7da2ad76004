import Care
import Foundation
import Motion
import TestSupport
import Testing

@testable import CareStore

@Suite("SQLStore, plan import")
struct PlanImportTests {
  private func rowCounts(_ store: SQLStore) async throws -> [String] {
    try await store.read { reader in
      try ["version", "version_edge", "device_binding", "revision", "store"].map { table in
        let row = try (reader as? SQLTransaction)?.row("SELECT count(*) FROM \(table)")
        return "\(table) \(row.map(String.init(describing:)) ?? "")"
      }
    }
  }

  @discardableResult
  private func importing(
    _ plan: PlanDocument, at now: Date, into store: SQLStore
  ) async throws -> [PlanImportResult.Change] {
    try await store.write { try $0.importPlan(plan, now: now).map(\.change) }
  }

  private let binding = DeviceBinding(
    address: "AA", definition: "scale", patient: "john", userIndex: 1,
    placement: Placement(joint: .knee, side: .left, segment: .shank))

  @Test("A plan imported twice adds no row at all")
  func twice() async throws {
    let store = try SQLStore.example()
    let plan = PlanDocument.example(try .daily(), try .daily("weigh"), devices: [binding])
    #expect(try await importing(plan, at: day(1), into: store) == [.added, .added])
    let before = try await rowCounts(store)
    #expect(try await importing(plan, at: day(2), into: store) == [.unchanged, .unchanged])
    #expect(try await rowCounts(store) == before)
    #expect(try await store.read { try $0.deviceBindings() } == [binding])
    #expect(try await store.read { try $0.planTimeZone() } == losAngeles)
  }

  @Test("The plan's revision grows with an import that changes something, and only then")
  func revision() async throws {
    let store = try SQLStore.example()
    func revision() async throws -> Int64 { try await store.read { try $0.planRevision() } }
    var plan = PlanDocument.example(try .daily(), devices: [binding])
    var seen = [try await revision()]
    for change in ["all", "nothing", "zone", "device", "patient", "task", "nothing"] {
      switch change {
      case "zone": plan.timeZone = .gmt
      case "device": plan.devices[0].userIndex = 2
      case "patient": plan.patients[0].name.given = "Johnny"
      case "task": plan.tasks[0].title = "Stroll"
      default: break
      }
      try await importing(plan, at: day(0), into: store)
      seen.append(try await revision())
    }
    #expect(zip(seen, seen.dropFirst()).map(<) == [true, false, true, true, true, true, false])
  }

  @Test("The first version is effective from the schedule's start, a later one from its import")
  func effectiveDates() async throws {
    let store = try SQLStore.example()
    try await importing(.example(try .daily()), at: day(3), into: store)
    #expect(
      try await importing(.example(try .daily(title: "Stroll")), at: day(5), into: store)
        == [.updated(version: 2)])
    let versions = try await store.read { try $0.taskVersions(patient: "john") }
    #expect(versions.map(\.effectiveDate) == [day(0, hour: 12), day(5)])
    #expect(versions.map(\.createdDate) == [day(3), day(5)])
    #expect(versions.map(\.title) == ["Walk", "Stroll"])
  }

  @Test("The plan's own effective date is taken, and leaving it out is a change")
  func givenEffectiveDate() async throws {
    let store = try SQLStore.example()
    for (date, now, change) in [
      (day(2), day(0), PlanImportResult.Change.added), (day(2), day(1), .unchanged),
      (nil, day(4), .updated(version: 2)), (day(2), day(5), .updated(version: 3)),
    ] {
      let plan = PlanDocument.example(try .daily(effectiveDate: date))
      #expect(try await importing(plan, at: now, into: store) == [change])
    }
    let versions = try await store.read { try $0.taskVersions(patient: "john") }
    #expect(versions.map(\.effectiveDate) == [day(2), day(4), day(2)])
  }

  @Test("A change before a task has begun is effective from its beginning")
  func beforeTheBeginning() async throws {
    let store = try SQLStore.example()
    try await importing(.example(try .daily(start: day(5))), at: day(0), into: store)
    try await importing(
      .example(try .daily(title: "Stroll", start: day(5))), at: day(1), into: store)
    let events = try await store.read {
      try $0.events(patient: "john", task: nil, from: day(0), to: day(7))
    }
    #expect(events.map(\.task.title) == ["Stroll", "Stroll"])
    #expect(events.map(\.version) == [2, 2])
  }

  @Test("Tasks, patients and devices that a plan does not name stay")
  func staying() async throws {
    let store = try SQLStore.example()
    try await importing(.example(try .daily(), devices: [binding]), at: day(0), into: store)
    let jane = Patient(id: "jane", expects: ["bodyMass": Expectation(value: 61, tolerance: 4)])
    let other = PlanDocument(timeZone: .gmt, patients: [jane], tasks: [])
    #expect(try await importing(other, at: day(1), into: store) == [])
    #expect(try await store.read { try $0.taskVersions(patient: nil).map(\.id) } == ["walk"])
    #expect(try await store.read { try $0.taskVersions(patient: "jane") } == [])
    #expect(try await store.read { try $0.patients().map(\.id) } == ["jane", "john"])
    #expect(try await store.read { try $0.patients().first } == jane)
    #expect(try await store.read { try $0.deviceBindings() } == [binding])
    #expect(try await store.read { try $0.planTimeZone() } == .gmt)
  }

  @Test("A patient's next version replaces the one before")
  func patientVersions() async throws {
    let store = try SQLStore.example()
    for given in ["John", "Johnny"] {
      let patient = Patient(id: "john", name: PersonName(given: given))
      try await importing(
        PlanDocument(timeZone: .gmt, patients: [patient], tasks: []), at: day(0), into: store)
    }
    #expect(try await store.read { try $0.patients().map(\.name.given) } == ["Johnny"])
    #expect(
      try await rowCounts(store).prefix(2) == [
        "version [count(*):2]", "version_edge [count(*):1]",
      ])
  }

  @Test("A plan's bindings of a device replace all earlier ones of it")
  func rebinding() async throws {
    let store = try SQLStore.example()
    let second = DeviceBinding(address: "AA", patient: "john", userIndex: 2)
    let whole = DeviceBinding(address: "AA", patient: "john")
    try await importing(.example(devices: [binding, second]), at: day(0), into: store)
    #expect(try await store.read { try $0.deviceBindings() } == [binding, second])
    try await importing(.example(devices: [whole]), at: day(1), into: store)
    #expect(try await store.read { try $0.deviceBindings() } == [whole])
  }

  @Test("A device that was bound in another spelling is the same device")
  func spelling() async throws {
    let store = try SQLStore.example()
    var (old, new) = (binding, binding)
    old.address = "Left-Thigh"
    new.address = "left-thigh"
    try await importing(.example(devices: [old]), at: day(0), into: store)
    let revision = try await store.read { try $0.planRevision() }
    try await importing(.example(devices: [new]), at: day(1), into: store)
    #expect(try await store.read { try $0.planRevision() } == revision)
    new.userIndex = 2
    try await importing(.example(devices: [new]), at: day(2), into: store)
    #expect(try await store.read { try $0.deviceBindings() } == [new])
    // Older versions stored an address as it was given.
    try await store.write { writer in
      try (writer as? SQLTransaction)?
        .execute("UPDATE device_binding SET address = 'aa:bb:cc:dd:ee:0f'")
    }
    new.address = "AA:BB:CC:DD:EE:0F"
    #expect(try await store.read { try $0.deviceBindings() } == [new])
    new.userIndex = 3
    try await importing(.example(devices: [new]), at: day(3), into: store)
    #expect(try await store.read { try $0.deviceBindings() } == [new])
  }

  @Test("Keys and consent codes are stored, and stay if a plan has none")
  func secrets() async throws {
    let store = try SQLStore.example()
    var secret = binding
    secret.key = Secret(Array(0..<16))
    secret.consentCode = Secret(2520)
    try await importing(.example(devices: [secret]), at: day(0), into: store)
    #expect(try await store.read { try $0.deviceBindings() } == [secret])
    let revision = try await store.read { try $0.planRevision() }
    try await importing(.example(devices: [binding]), at: day(1), into: store)
    #expect(try await store.read { try $0.deviceBindings() } == [secret])
    #expect(try await store.read { try $0.planRevision() } == revision)
    secret.key = Secret(Array(16..<32))
    try await importing(.example(devices: [secret]), at: day(2), into: store)
    #expect(try await store.read { try $0.deviceBindings() } == [secret])
  }

  @Test(
    "A plan that contradicts itself is refused whole",
    arguments: ["task twice", "patient twice", "device twice", "nobody's task", "nobody's device"])
  func refused(_ flaw: String) async throws {
    let store = try SQLStore.example()
    var plan = PlanDocument.example(try .daily(), devices: [binding])
    switch flaw {
    case "task twice": plan.tasks.append(try .daily(title: "Stroll"))
    case "patient twice": plan.patients.append(Patient(id: "john"))
    case "device twice": plan.devices.append(binding)
    case "nobody's task":
      plan.tasks.append(
        PlannedTask(
          id: "x", patient: "jane", title: "X", schedule: try PlannedTask.daily().schedule))
    default: plan.devices.append(DeviceBinding(address: "BB", patient: "jane"))
    }
    await #expect(throws: StoreError.self) { try await importing(plan, at: day(0), into: store) }
    #expect(try await store.read { try $0.patients() } == [])
    #expect(try await store.read { try $0.planTimeZone() } == nil)
    #expect(try await store.read { try $0.taskVersions(patient: nil) } == [])
  }

  @Test("55: a version that would hide an outcome is refused, and nothing of its plan is imported")
  func hidingOutcomes() async throws {
    let store = try SQLStore.example()
    let meals = PlannedTask(
      id: "meals", patient: "john", title: "Meals",
      schedule: try .mealTimesEachDay(start: midnight, timeZone: losAngeles))
    try await importing(.example(meals), at: day(0), into: store)
    let uuid = try await store.read { try $0.taskVersions(patient: nil)[0].uuid }
    let (first, sixth) = (
      EventReference(taskUUID: uuid, occurrence: 0), EventReference(taskUUID: uuid, occurrence: 5)
    )
    _ = try await store.write { try $0.setOutcome([.typed(1)], of: sixth, now: day(3)) }
    var changed = meals
    changed.title = "Eat"
    changed.effectiveDate = day(0, hour: 7, minute: 30)
    let plan = PlanDocument.example(changed, try .daily())
    await #expect(
      throws: StoreError.refused(
        .hiddenOutcome(
          task: "meals", patient: "john", start: day(1, hour: 17, minute: 30),
          effectiveDate: day(0, hour: 7, minute: 30), timeZone: losAngeles))
    ) { try await importing(plan, at: day(3), into: store) }
    #expect(try await store.read { try $0.taskVersions(patient: nil).map(\.title) } == ["Meals"])

    _ = try await store.write { writer in
      _ = try writer.deleteOutcome(of: sixth, now: day(3))
      return try writer.setOutcome([.typed(1)], of: first, now: day(3))
    }
    changed.effectiveDate = day(1, hour: 17, minute: 30)
    #expect(
      try await importing(.example(changed), at: day(3), into: store) == [.updated(version: 2)])
  }
}
