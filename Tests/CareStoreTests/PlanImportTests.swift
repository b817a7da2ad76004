import Care
import Foundation
import Motion
import TestSupport
import Testing

@testable import CareStore

struct PlanImportTests {
  private func rowCounts(_ store: SQLStore) async throws -> [String] {
    try await store.read { reader in
      try ["version", "version_edge", "device_binding", "plan_import", "store"].map { table in
        let row = try (reader as? SQLTransaction)?.row("SELECT count(*) AS count FROM \(table)")
        return "\(table) \(row.map(String.init(describing:)) ?? "")"
      }
    }
  }

  @discardableResult
  private func importing(
    _ plan: PlanDocument, at now: Date, into store: SQLStore
  ) async throws -> [TaskChange] {
    try await store.write { try $0.importPlan(plan, now: now).tasks }
  }

  private let binding = DeviceBinding(
    address: "AA", definition: "scale", patient: "john", userIndex: 1,
    placement: Placement(joint: .knee, side: .left, segment: .shank))

  @Test
  func `a plan imported twice adds no row at all`() async throws {
    let store = try SQLStore.example()
    let plan = PlanDocument.example(try .daily(), try .daily("weigh"), devices: [binding])
    #expect(try await importing(plan, at: day(1), into: store) == [.added, .added])
    let before = try await rowCounts(store)
    #expect(try await importing(plan, at: day(2), into: store) == [.unchanged, .unchanged])
    #expect(try await rowCounts(store) == before)
    #expect(try await store.read { try $0.deviceBindings() } == [binding])
    #expect(try await store.read { try $0.planTimeZone() } == losAngeles)
  }

  @Test
  func `the plan's revision grows with an import that changes something`() async throws {
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

  @Test
  func `the first version is effective from the schedule's start`() async throws {
    let store = try SQLStore.example()
    try await importing(.example(try .daily()), at: day(3), into: store)
    #expect(
      try await importing(.example(try .daily(title: "Stroll")), at: day(5), into: store)
        == [.updated(2)])
    let versions = try await store.read { try $0.taskVersions(patient: "john") }
    #expect(versions.map(\.effectiveDate) == [day(0, hour: 12), day(5)])
    #expect(versions.map(\.createdDate) == [day(3), day(5)])
    #expect(versions.map(\.title) == ["Walk", "Stroll"])
  }

  /// A task of John's, every day at these hours.
  private func pills(_ hours: Int..., from start: Date = midnight) throws -> PlannedTask {
    let elements = try hours.map { hour in
      try ScheduleElement(
        start: start + Double(hour) * 3600, interval: Interval(days: 1), timeZone: losAngeles)
    }
    return PlannedTask(
      id: "pills", patient: "john", title: "Pills", schedule: try Schedule(elements))
  }

  @Test
  func `a change that would ask for a third dose begins tomorrow`() async throws {
    for isByHand in [false, true] {
      let store = try SQLStore.example()
      try await importing(.example(try pills(8, 20)), at: day(0), into: store)
      let now = day(3, hour: 9, minute: 10)
      let changed = try pills(10, 20)
      let begins = try await store.write { writer -> Date? in
        let first = try writer.events(
          patient: "john", task: "pills", from: day(3), to: day(4))[0]
        _ = try writer.setOutcome([], of: first.reference, now: day(3, hour: 8))
        guard isByHand else {
          let report = try writer.importPlan(.example(changed), now: now)
          return report.lines.first { $0.kind == .task }?.begins
        }
        _ = try writer.editPlan(now: now) { _ = try $0.put(changed, now: now) }
        return try writer.planEdits(limit: 1).first?.things.first?.begins
      }
      #expect(begins == day(4))
      let events = try await store.read {
        try $0.events(patient: "john", task: "pills", from: day(3), to: day(5))
      }
      #expect(
        events.map(\.occurrence.start)
          == [day(3, hour: 8), day(3, hour: 20), day(4, hour: 10), day(4, hour: 20)])
      #expect(events.map { $0.outcome != nil } == [true, false, false, false])
    }
  }

  @Test
  func `a change that keeps the day's number begins now`() async throws {
    let store = try SQLStore.example()
    try await importing(.example(try pills(8, 20)), at: day(0), into: store)
    func starts(_ days: Int) async throws -> [Date] {
      try await store.read {
        try $0.events(patient: "john", task: "pills", from: day(days), to: day(days + 1))
      }.map(\.occurrence.start)
    }
    try await importing(.example(try pills(8, 21)), at: day(3, hour: 9), into: store)
    #expect(try await starts(3) == [day(3, hour: 8), day(3, hour: 21)])
    try await importing(
      .example(try pills(10, 20, from: day(5))), at: day(5, hour: 9), into: store)
    #expect(try await starts(5) == [day(5, hour: 8), day(5, hour: 10), day(5, hour: 20)])
    // Nothing of the day is over yet.
    try await importing(
      .example(try pills(7, 10, 20, from: day(5))), at: day(7, hour: 6), into: store)
    try await importing(
      .example(try pills(9, 20, from: day(5))), at: day(8, hour: 7, minute: 30), into: store)
    #expect(try await starts(8) == [day(8, hour: 9), day(8, hour: 20)])
  }

  /// The machine's clock showed 2100 at the second import.
  @Test
  func `a version that was imported while the clock was ahead is replaced by the next import`()
    async throws
  {
    let store = try SQLStore.example()
    let live = PlanImportOptions(isLive: true)
    func importing(_ title: String, at now: Date) async throws -> [TaskChange] {
      let plan = PlanDocument.example(try .daily(title: title))
      return try await store.write { try $0.importPlan(plan, options: live, now: now).tasks }
    }
    func titles() async throws -> [String] {
      try await store.read {
        try $0.events(patient: "john", task: nil, from: day(4), to: day(6)).map(\.task.title)
      }
    }
    #expect(try await importing("Walk", at: day(1)) == [.added])
    #expect(try await importing("Stroll", at: day(26_700)) == [.updated(2)])
    #expect(try await titles() == ["Walk", "Walk"])
    // The same plan at the right time is no repetition: its version is not in force yet. Versions
    // are numbered by their effective dates.
    #expect(try await importing("Stroll", at: day(3)) == [.updated(2)])
    #expect(try await titles() == ["Stroll", "Stroll"])
    #expect(try await importing("Stroll", at: day(3, hour: 1)) == [.unchanged])
    #expect(try await importing("Hike", at: day(4)) == [.updated(3)])
    #expect(try await titles() == ["Hike", "Hike"])
    #expect(try await importing("Hike", at: day(5)) == [.unchanged])
  }

  @Test
  func `an import of a recording's time replaces nothing that is in the plan already`() async throws
  {
    let store = try SQLStore.example()
    try await importing(.example(try .daily()), at: day(1), into: store)
    try await importing(.example(try .daily(title: "Stroll")), at: day(5), into: store)
    #expect(
      try await importing(.example(try .daily(title: "Stroll")), at: day(3), into: store)
        == [.unchanged])
  }

  @Test
  func `an import is taken back, also if the clock was ahead when it was taken back before`()
    async throws
  {
    let store = try SQLStore.example()
    let stroll = PlanDocument.example(try .daily(title: "Stroll"))
    try await importing(.example(try .daily()), at: day(0), into: store)
    for now in [day(26_700), day(2)] {
      try await importing(stroll, at: day(1), into: store)
      _ = try await store.write { try $0.undoImport(now: now) }
      let shown = try await store.read {
        try $0.histories(patient: nil).compactMap(\.versions.last)
      }
      #expect(shown.map(\.title) == ["Walk"])
    }
  }

  @Test
  func `an effective date that no schedule can have is refused`() async throws {
    let store = try SQLStore.example()
    let plan = PlanDocument.example(
      try .daily(effectiveDate: Date(timeIntervalSince1970: -62_135_596_800)))
    await #expect(throws: StoreError.refused(.schedule(.dateOutOfRange))) {
      try await importing(plan, at: day(0), into: store)
    }
  }

  @Test
  func `a plan imported at ten has today's all-day event`() async throws {
    let store = try SQLStore.example()
    var task = try PlannedTask.daily()
    task.schedule = try Schedule([
      ScheduleElement(
        start: day(0, hour: 10), interval: Interval(days: 1), duration: .allDay,
        timeZone: losAngeles)
    ])
    try await importing(.example(task), at: day(0, hour: 10), into: store)
    let events = try await store.read {
      try $0.events(patient: nil, task: nil, from: day(0, hour: 9), to: day(0, hour: 11))
    }
    #expect(events.map(\.occurrence.start) == [day(0)])
  }

  @Test
  func `the plan's own effective date is taken, and leaving it out is a change`() async throws {
    let store = try SQLStore.example()
    for (date, now, change) in [
      (day(2), day(0), TaskChange.added), (day(2), day(1), .unchanged),
      (nil, day(4), .updated(2)), (day(2), day(5), .updated(2)),
    ] {
      let plan = PlanDocument.example(try .daily(effectiveDate: date))
      #expect(try await importing(plan, at: now, into: store) == [change])
    }
    let versions = try await store.read { try $0.taskVersions(patient: "john") }
    // In the order of their dates; the last import closed the one of day 4.
    #expect(versions.map(\.effectiveDate) == [day(2), day(2), day(4)])
    #expect(versions.map(\.createdDate) == [day(0), day(5), day(4)])
    let events = try await store.read {
      try $0.events(patient: nil, task: nil, from: day(2), to: day(6))
    }
    #expect(events.map(\.version) == [2, 2, 2, 2])
  }

  @Test
  func `a change before a task has begun replaces what was to begin`() async throws {
    let store = try SQLStore.example()
    try await importing(.example(try .daily(start: day(5))), at: day(0), into: store)
    try await importing(
      .example(try .daily(title: "Stroll", start: day(5))), at: day(1), into: store)
    let events = try await store.read {
      try $0.events(patient: "john", task: nil, from: day(0), to: day(7))
    }
    #expect(events.map(\.task.title) == ["Stroll", "Stroll"])
    #expect(events.map(\.version) == [1, 1])
  }

  @Test
  func `tasks, patients and devices that a plan does not name stay`() async throws {
    let store = try SQLStore.example()
    try await importing(.example(try .daily(), devices: [binding]), at: day(0), into: store)
    let jane = Patient(id: "jane", expects: ["bodyMass": Expectation(value: 61, tolerance: 4)])
    let other = PlanDocument(timeZone: .gmt, patients: [jane], tasks: [])
    #expect(try await importing(other, at: day(1), into: store) == [.missing])
    #expect(try await store.read { try $0.taskVersions(patient: nil).map(\.id) } == ["walk"])
    #expect(try await store.read { try $0.taskVersions(patient: "jane") } == [])
    #expect(try await store.read { try $0.patients().map(\.id) } == ["jane", "john"])
    #expect(try await store.read { try $0.patients().first } == jane)
    #expect(try await store.read { try $0.deviceBindings() } == [binding])
    #expect(try await store.read { try $0.planTimeZone() } == .gmt)
  }

  @Test
  func `a patient's next version replaces the one before`() async throws {
    let store = try SQLStore.example()
    for given in ["John", "Johnny"] {
      let patient = Patient(id: "john", name: PersonName(given: given))
      try await importing(
        PlanDocument(timeZone: .gmt, patients: [patient], tasks: []), at: day(0), into: store)
    }
    #expect(try await store.read { try $0.patients().map(\.name.given) } == ["Johnny"])
    #expect(
      try await rowCounts(store).prefix(2) == [
        "version [count:2]", "version_edge [count:1]",
      ])
  }

  @Test
  func `a plan's bindings of a device replace all earlier ones of it`() async throws {
    let store = try SQLStore.example()
    let second = DeviceBinding(address: "AA", patient: "john", userIndex: 2)
    let whole = DeviceBinding(address: "AA", patient: "john")
    try await importing(.example(devices: [binding, second]), at: day(0), into: store)
    #expect(try await store.read { try $0.deviceBindings() } == [binding, second])
    try await importing(.example(devices: [whole]), at: day(1), into: store)
    #expect(try await store.read { try $0.deviceBindings() } == [whole])
  }

  @Test
  func `a device that was bound in another spelling is the same device`() async throws {
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

  @Test
  func `keys and consent codes are stored, and stay if a plan has none`() async throws {
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
    arguments: ["task twice", "patient twice", "device twice", "nobody's task", "nobody's device"])
  func `a plan that contradicts itself is refused whole`(_ flaw: String) async throws {
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

  /// Meals with an outcome of `occurrence`, and how to change their plan.
  private func meals(
    outcomeOf occurrence: Int
  ) async throws -> (store: SQLStore, task: PlannedTask) {
    let store = try SQLStore.example()
    let meals = PlannedTask(
      id: "meals", patient: "john", title: "Meals",
      schedule: try .mealTimesEachDay(start: midnight, timeZone: losAngeles))
    try await importing(.example(meals), at: day(0), into: store)
    let uuid = try await store.read { try $0.taskVersions(patient: nil)[0].uuid }
    _ = try await store.write { writer in
      try writer.setOutcome(
        [.typed(1)], of: EventReference(taskUUID: uuid, occurrence: occurrence), now: day(3))
    }
    return (store, meals)
  }

  @Test
  func `with the same effective date and the same starts, the outcome follows`() async throws {
    var (store, changed) = try await meals(outcomeOf: 5)
    changed.title = "Eat"
    changed.effectiveDate = day(0, hour: 7, minute: 30)
    #expect(try await importing(.example(changed), at: day(3), into: store) == [.updated(2)])
    let events = try await store.read {
      try $0.events(patient: nil, task: nil, from: day(1), to: day(2))
    }
    #expect(events.map(\.task.title) == ["Eat", "Eat", "Eat"])
    #expect(events.map(\.outcome?.values) == [nil, nil, [.typed(1)]])
    #expect(events.map(\.occurrence.index) == [3, 4, 5])
  }

  @Test
  func `a start that vanishes is refused with its day`() async throws {
    var (store, changed) = try await meals(outcomeOf: 5)
    changed.title = "Eat"
    changed.schedule = try .daily(hour: 20, start: midnight, timeZone: losAngeles)
    changed.effectiveDate = day(0, hour: 7, minute: 30)
    let plan = PlanDocument.example(changed, try .daily())
    await #expect(
      throws: StoreError.refused(
        .hiddenOutcome(
          task: "meals", patient: "john", days: [day(1, hour: 17, minute: 30)],
          effectiveDate: day(0, hour: 7, minute: 30), isEnding: false, timeZone: losAngeles))
    ) { try await importing(plan, at: day(3), into: store) }
    #expect(try await store.read { try $0.taskVersions(patient: nil).map(\.title) } == ["Meals"])
    _ = try await store.write {
      try $0.importPlan(plan, options: PlanImportOptions(dropsOutcomes: true), now: day(3))
    }
    let events = try await store.read {
      try $0.events(patient: nil, task: "meals", from: day(0), to: day(3))
    }
    #expect(events.map(\.outcome) == [nil, nil, nil])
  }

  @Test
  func `an outcome before the effective date stays with its version`() async throws {
    var (store, changed) = try await meals(outcomeOf: 0)
    changed.schedule = try .daily(hour: 20, start: midnight, timeZone: losAngeles)
    changed.effectiveDate = day(1, hour: 17, minute: 30)
    #expect(try await importing(.example(changed), at: day(3), into: store) == [.updated(2)])
  }

  @Test
  func `what sensors measured is guarded, too`() async throws {
    let store = try SQLStore.example()
    var weigh = try PlannedTask.daily("weigh")
    weigh.linkage = Linkage(quantity: .bodyMass, type: .discrete, unit: Quantity.bodyMass.unit)
    try await importing(.example(weigh), at: day(0), into: store)
    _ = try await store.write { try $0.insert(.weight(at: day(1, hour: 12, minute: 5))) }
    weigh.schedule = try .daily(hour: 12, start: day(5), timeZone: losAngeles)
    weigh.effectiveDate = day(0)
    let refusal = StoreError.refused(
      .hiddenOutcome(
        task: "weigh", patient: "john", days: [day(1, hour: 12)], effectiveDate: day(0),
        isEnding: false, timeZone: losAngeles))
    let plan = PlanDocument.example(weigh)
    await #expect(throws: refusal) { try await importing(plan, at: day(3), into: store) }
    weigh.schedule = try .daily(hour: 12, start: midnight, timeZone: losAngeles)
    weigh.linkage = nil
    let unlinked = PlanDocument.example(weigh)
    await #expect(throws: refusal) { try await importing(unlinked, at: day(3), into: store) }
  }

  @Test
  func `what the plan no longer holds is named, and ended or unbound if asked`() async throws {
    let store = try SQLStore.example()
    try await importing(.example(try .daily(), devices: [binding]), at: day(0), into: store)
    func lines(_ options: PlanImportOptions, at now: Date) async throws -> [String] {
      try await store.write { try $0.importPlan(.example(), options: options, now: now) }.lines
        .filter { $0.change != .unchanged }.map { "\($0.kind) \($0.id) \($0.change)" }
    }
    #expect(
      try await lines(PlanImportOptions(), at: day(1))
        == ["order tasks updated", "device AA missing", "task walk missing"])
    #expect(
      try await lines(PlanImportOptions(prunes: true), at: day(2))
        == ["device AA removed", "task walk removed"])
    #expect(try await store.read { try $0.deviceBindings() } == [])
    let events = try await store.read {
      try $0.events(patient: nil, task: nil, from: day(0), to: day(5))
    }
    #expect(events.map(\.occurrence.start) == [day(0, hour: 12), day(1, hour: 12)])
  }

  @Test
  func `what a person did since the last import stays, unless the plan changed it`() async throws {
    let store = try SQLStore.example()
    let walk = TaskReference(patient: "john", task: "walk")
    try await importing(.example(try .daily()), at: day(0), into: store)
    _ = try await store.write { try $0.endTask(walk, at: day(2), now: day(2)) }
    #expect(try await importing(.example(try .daily()), at: day(3), into: store) == [.kept(.ended)])
    #expect(
      try await importing(.example(try .daily(title: "Stroll")), at: day(4), into: store)
        == [.updated(3)])
    try await store.write { try $0.delete(.task(walk), now: day(5)) }
    #expect(
      try await importing(.example(try .daily(title: "Stroll")), at: day(6), into: store)
        == [.kept(.deleted)])
    #expect(
      try await importing(.example(try .daily(title: "March")), at: day(7), into: store)
        == [.updated(4)])
    await #expect(throws: StoreError.refused(.changedByHand(.task(walk)))) {
      try await store.write { writer in
        _ = try writer.endTask(walk, at: day(8), now: day(8))
        return try writer.importPlan(
          .example(try .daily(title: "Run")), options: PlanImportOptions(isStrict: true),
          now: day(9))
      }
    }
  }

  @Test
  func `pruning a task with a later answer is refused, as ending it is`() async throws {
    let store = try SQLStore.example()
    try await importing(.example(try .daily()), at: day(0), into: store)
    try await store.write { writer in
      let events = try writer.events(patient: nil, task: nil, from: day(1), to: day(2))
      _ = try writer.setOutcome([.typed(1)], of: events[0], now: day(1))
    }
    let refusal = StoreError.refused(
      .hiddenOutcome(
        task: "walk", patient: "john", days: [day(1, hour: 12)], effectiveDate: day(1, hour: 9),
        isEnding: true, timeZone: losAngeles))
    await #expect(throws: refusal) {
      try await store.write {
        try $0.importPlan(
          .example(), options: PlanImportOptions(prunes: true), now: day(1, hour: 9))
      }
    }
  }

  @Test
  func `a plan with the old id of a renamed patient, or with a deleted one`() async throws {
    let store = try SQLStore.example()
    let plan = PlanDocument.example(try .daily(), devices: [binding])
    try await importing(plan, at: day(0), into: store)
    try await store.write { try $0.renamePatient("john", to: "johnny", now: day(1)) }
    #expect(try await importing(plan, at: day(2), into: store) == [.unchanged])
    #expect(try await store.read { try $0.patients().map(\.id) } == ["johnny"])
    try await store.write { try $0.delete(.patient("johnny"), now: day(3)) }
    #expect(try await importing(plan, at: day(4), into: store) == [.kept(.deleted)])
    #expect(try await store.read { try $0.patients() } == [])
  }

  @Test
  func `the last import is taken back: tasks, devices, zone, order`() async throws {
    let store = try SQLStore.example()
    var plan = PlanDocument.example(try .daily(), try .daily("weigh"), devices: [binding])
    try await importing(plan, at: day(0), into: store)
    let before = try await store.contents(at: day(2))
    plan.timeZone = .gmt
    plan.tasks = [try .daily("weigh", title: "Step on"), try .daily(), try .daily("new")]
    plan.devices[0].userIndex = 4
    try await importing(plan, at: day(1), into: store)
    #expect(try await store.contents(at: day(2)) != before)
    let report = try await store.write { try $0.undoImport(now: day(1)) }
    #expect(Set(report.lines.map(\.id)) == ["weigh", "new", "plan"])
    #expect(try await store.contents(at: day(2)) == before)
    #expect(
      try await importing(plan, at: day(3), into: store) == [.updated(2), .unchanged, .added])
    for _ in 0..<2 { _ = try await store.write { try $0.undoImport(now: day(4)) } }
    await #expect(throws: StoreError.refused(.noImport)) {
      try await store.write { try $0.undoImport(now: day(5)) }
    }
    #expect(try await store.read { try $0.patients() } == [])
  }
}

/// The change of an import to a task, for short.
private enum TaskChange: Hashable {
  case added, unchanged, missing, removed
  case updated(Int)
  case kept(PlanImportReport.Kept)
}

extension PlanImportReport {
  /// The change to each task.
  fileprivate var tasks: [TaskChange] {
    lines.filter { $0.kind == .task }.map { line in
      if let kept = line.kept { return .kept(kept) }
      return switch line.change {
      case .added: .added
      case .updated: .updated(line.version ?? 0)
      case .unchanged: .unchanged
      case .missing: .missing
      case .removed: .removed
      }
    }
  }
}

extension SQLStore {
  /// The plan of a store with the events of a week, as text.
  fileprivate func contents(at now: Date) async throws -> [String] {
    try await read { reader in
      let events = try reader.events(
        patient: nil, task: nil, from: midnight, to: day(7), now: now)
      return [
        "\(String(describing: try reader.planTimeZone()))", "\(try reader.deviceBindings())",
      ] + events.map { "\($0.occurrence.start) \($0.task.id) \($0.task.title) \($0.version)" }
    }
  }
}
