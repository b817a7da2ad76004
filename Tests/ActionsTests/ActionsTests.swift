import Access
import Care
import CareStore
import Foundation
import Plans
import Synchronization
import TestSupport
import Testing

@testable import Actions

/// Rules and follow-up of actions, without a face.
@Suite struct ActionsTests {
  private let store: SQLStore
  private let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  private static let plan = """
    timeZone: Europe/Berlin
    patients:
      - {id: ann, name: {given: Ann}, expects: {bodyMass: 64 kg}}
      - {id: bob, name: {given: Bob}, expects: {bodyMass: 90 kg}}
    tasks:
      - {id: weigh-in, patient: ann, title: Weigh, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}], linkage: {quantity: bodyMass}}
      - {id: pills, patient: ann, title: Pills, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}]}
      - {id: water, patient: ann, title: Water, progress: sum, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay, targets: [{value: 2000, unit: mL}]}]}
      - {id: exercise, patient: ann, title: Exercise, linkage: {quantity: exerciseTime, unit: min}, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay, targets: [{value: 30, unit: min}]}]}
      - {id: ibuprofen, patient: ann, title: Ibuprofen, optional: true, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}]}
    """
  private let now = time("2026-03-20T12:00:00Z")

  init() async throws {
    store = try SQLStore.inMemory(makeUUID: { UUID() })
    let plan = try PlanFile.parse(Self.plan, file: "plan.yaml", activeTasks: [])
    _ = try await store.write { try $0.importPlan(plan, now: time("2026-02-01T00:00:00Z")) }
  }

  private func event(_ task: String, day: Int, _ reader: any StoreReader) throws -> Event {
    let start = try #require(Date("2026-03-\(day < 10 ? "0" : "")\(day)", in: zone))
    let events = try reader.events(
      EventQuery(patient: "ann", task: task, from: start, to: start + 1, now: now))
    return try #require(events.first)
  }

  /// A weighing of nobody known yet.
  private func waiting(_ kilograms: Double) -> Sample {
    let arrival = time("2026-03-10T06:00:00Z")
    let reading = Reading(
      quantity: .bodyMass, value: kilograms, arrival: arrival,
      device: DeviceIdentity(address: DeviceID("00:00:5E:00:53:01")))
    return Sample(
      identity: SampleIdentity(reading), reading: reading, unassignedReason: "far from everyone",
      start: arrival, end: arrival, provenance: .passive)
  }

  // MARK: Putting back

  /// Answers an event and takes the answer back, at two times.
  private func answerAndTakeBack(
    _ task: String, _ entries: [EnteredValue], answeredAt: Date, takenBackAt: Date
  ) async throws {
    try await store.write { writer in
      let event = try self.event(task, day: 10, writer)
      _ = try AnswerEvent(event, entries).perform(in: writer, by: .owner, now: answeredAt)
    }
    try await store.write { writer in
      _ = try TakeBack(try self.event(task, day: 10, writer), .wholeAnswer)
        .perform(in: writer, by: .owner, now: takenBackAt)
    }
  }

  @Test func `what was taken back by a stray press has its own time again`() async throws {
    let (taken, stray) = (time("2026-03-10T07:26:00Z"), time("2026-03-10T18:19:00Z"))
    try await answerAndTakeBack("pills", [], answeredAt: taken, takenBackAt: stray)
    try await store.write { writer in
      let event = try self.event("pills", day: 10, writer)
      #expect(event.outcome == nil)
      let restored = try PutBack(event).perform(in: writer, by: .owner, now: stray + 30)
      #expect(restored.event.outcome?.answer.at == taken)
      #expect(restored.event.doneTime() == taken)
      let versions = try writer.answers(of: event.key)
      #expect(versions.map { $0.outcome != nil } == [true, false, true])
      #expect(versions.map(\.date) == [taken, stray, stray + 30])
      #expect(
        throws: StoreError.refused(
          .outcomeExists(task: "pills", occurrence: event.occurrence.index))
      ) {
        try PutBack(restored.event).perform(in: writer, by: .owner, now: stray + 40)
      }
    }
  }

  @Test func `an amount that was taken back comes back with its sample`() async throws {
    let (entered, stray) = (time("2026-03-10T07:26:00Z"), time("2026-03-10T18:19:00Z"))
    try await answerAndTakeBack(
      "exercise", [EnteredValue(text: "22")], answeredAt: entered, takenBackAt: stray)
    try await store.write { writer in
      let event = try self.event("exercise", day: 10, writer)
      #expect(event.outcome == nil)
      let restored = try PutBack(event).perform(in: writer, by: .owner, now: stray + 30)
      #expect(restored.event.outcome?.values.map(\.value) == [.double(22)])
      let samples = try writer.samples(
        SampleQuery(owner: .patient("ann"), quantity: .exerciseTime))
      #expect(samples.map(\.start) == [entered])
    }
  }

  @Test func `nothing comes back where nothing was taken back`() async throws {
    try await store.write { writer in
      let event = try self.event("pills", day: 10, writer)
      #expect(
        throws: StoreError.unknown(
          .outcome(task: "pills", occurrence: event.occurrence.index))
      ) { try PutBack(event).perform(in: writer, by: .owner, now: self.now) }
    }
  }

  // MARK: Putting off

  @Test func `a reminder can be put off until its event is over, and no further`() async throws {
    let (zone, store) = (self.zone, self.store)
    let dose = PlannedTask(
      id: "dose", patient: "ann", title: "Dose",
      schedule: try Schedule([
        try ScheduleElement(
          start: try #require(Date("2026-03-01T09:00", in: zone)), interval: Interval(days: 1),
          duration: .seconds(7200), timeZone: zone)
      ]), reminder: Reminder(offset: 0))
    _ = try await store.write { try $0.put(dose, now: time("2026-02-01T00:00:00Z")) }
    try await store.write { writer in
      let start = try #require(Date("2026-03-10T09:00", in: zone))
      let event = try #require(
        try writer.events(
          EventQuery(patient: "ann", task: "dose", from: start, to: start + 1)
        ).first)
      for until in [start + 1800, start + 3600] {
        let stored = try Snooze(event, until: until).perform(
          in: writer, by: .owner, now: start + 60)
        #expect(stored.firing.kind == .snooze)
        #expect(stored.firing.due == until)
      }
      for until in [start, start + 7200] {
        #expect(
          throws: SnoozeRefusal.outOfReach(title: "Dose", end: (start + 7200).rfc3339(in: zone))
        ) { try Snooze(event, until: until).perform(in: writer, by: .owner, now: start + 60) }
      }
      let answered = try AnswerEvent(event).perform(in: writer, by: .owner, now: start + 90)
      #expect(throws: SnoozeRefusal.nothingToPutOff(title: "Dose")) {
        try Snooze(answered.event, until: start + 600)
          .perform(in: writer, by: .owner, now: start + 120)
      }
    }
  }

  // MARK: Typed figures

  @Test func `a typed figure is a sample of its joint and side until it is taken back`()
    async throws
  {
    let (zone, now, store) = (self.zone, self.now, self.store)
    var movement = ActiveTask(type: "rangeOfMotion")
    (movement[.joint], movement[.side]) = (.word("knee"), .word("left"))
    let knee = PlannedTask(
      id: "knee", patient: "ann", title: "Bend the left knee",
      schedule: try Schedule([
        try ScheduleElement(
          start: try #require(Date("2026-03-01T09:00", in: zone)), interval: Interval(days: 1),
          duration: .seconds(3600), timeZone: zone)
      ]), activeTask: movement, isResettable: true)
    _ = try await store.write { try $0.put(knee, now: time("2026-02-01T00:00:00Z")) }
    func typed() async throws -> [Sample] {
      try await store.read {
        try $0.samples(SampleQuery(owner: .patient("ann"), quantity: .rangeOfMotion))
      }
    }
    func answer(_ texts: [String: String]) async throws {
      try await store.write { writer in
        let start = try #require(Date("2026-03-10T09:00", in: zone))
        let event = try #require(
          try writer.events(
            EventQuery(patient: "ann", task: "knee", from: start, to: start + 1, now: now)
          ).first)
        let entries = texts.sorted { $0.key < $1.key }.map {
          EnteredValue(text: $0.value, unit: .degree, kind: $0.key)
        }
        let action: any Action<EventChange> =
          entries.isEmpty ? TakeBack(event, .wholeAnswer) : AnswerEvent(event, entries)
        _ = try action.perform(in: writer, by: .owner, now: now)
      }
    }
    try await answer(["range": "92", "maximum": "95"])
    #expect(try await typed().map(\.kind) == ["maximum", "range"])
    #expect(try await typed().allSatisfy { $0.measurand.word == "left-knee" })
    #expect(try await typed().allSatisfy { $0.provenance == .manual })
    // It was ten days ago, and nobody says at what time.
    #expect(try await typed().map(\.start).allSatisfy { $0 == Date("2026-03-10T09:00", in: zone) })
    try await answer(["range": "100"])
    #expect(try await typed().map(\.value).sorted() == [95, 100])
    try await answer([:])
    #expect(try await typed().isEmpty)
    // A value that was deleted once can be typed again.
    try await answer(["range": "92"])
    #expect(try await typed().map(\.value) == [92])
  }

  @Test func `what was measured for an event goes and comes back with its result`() async throws {
    let (zone, now) = (self.zone, self.now)
    var movement = ActiveTask(type: "rangeOfMotion")
    (movement[.joint], movement[.side]) = (.word("knee"), .word("left"))
    let start = try #require(Date("2026-03-10T09:00", in: zone))
    let knee = PlannedTask(
      id: "knee", patient: "ann", title: "Bend the left knee",
      schedule: try Schedule([
        try ScheduleElement(
          start: start, interval: Interval(days: 1), duration: .seconds(3600), timeZone: zone)
      ]), activeTask: movement, isResettable: true)
    let time = start + 600
    let samples = [("range", 98.0), ("maximum", 101)].enumerated().map { ordinal, figure in
      Sample(
        reading: Reading(
          quantity: .rangeOfMotion, value: figure.1, arrival: time,
          device: DeviceIdentity(address: "D2:4F:71:00:00:03"), ordinal: ordinal, kind: figure.0,
          context: MeasurementContext(movement)),
        patient: "ann", start: time, end: time, provenance: .active)
    }
    @Sendable func event(_ reader: any StoreReader) throws -> Event {
      try #require(
        try reader.events(
          EventQuery(patient: "ann", task: "knee", from: start, to: start + 1, now: now)
        ).first)
    }
    func live() async throws -> [Double] {
      try await store.read {
        try $0.samples(SampleQuery(owner: .patient("ann"), quantity: .rangeOfMotion))
      }.map(\.value).sorted()
    }
    try await store.write { writer in
      _ = try writer.put(knee, now: start - 86_400)
      for sample in samples { _ = try writer.insert(sample) }
      let values = samples.map {
        OutcomeValue(
          value: .double($0.value), unit: .degree, kind: $0.kind, time: time, provenance: .active)
      }
      _ = try writer.setOutcome(values, of: try event(writer), now: now)
    }
    try await store.write {
      _ = try TakeBack(try event($0), .wholeAnswer).perform(in: $0, by: .owner, now: now)
    }
    #expect(try await live().isEmpty)
    try await store.write {
      _ = try PutBack(try event($0)).perform(in: $0, by: .owner, now: now + 60)
    }
    #expect(try await live() == [98, 101])
    #expect(try await store.read { try event($0).outcome?.values.count } == 2)
  }

  @Test func `a plan that was written out finds its topics again, and no other store knows them`()
    async throws
  {
    let further =
      "\ncontacts: [{id: nora, name: {given: Nora}, channels: [{ntfy: {server: 'https://ntfy.example', topic: box-5f0c}}]}]"
    func plan(_ text: String) throws -> PlanDocument {
      try PlanFile.parse(text, file: "plan.yaml", activeTasks: [])
    }
    let (now, whole) = (self.now, try plan(Self.plan + further))
    _ = try await store.write { try ImportPlan(whole).perform(in: $0, by: .owner, now: now) }
    let text = PlanFile.encode(whole)
    #expect(!text.contains("box-5f0c") && text.contains("topic: kept-"))
    let written = try plan(text)
    let report = try await store.write {
      try ImportPlan(written).perform(in: $0, by: .owner, now: now + 1)
    }
    #expect(report.isUnchanged)
    let kept = try await store.read { try $0.things(Contact.self).flatMap(\.channels).map(\.text) }
    #expect(kept == ["ntfy:https://ntfy.example/box-5f0c"])
    let other = try SQLStore.inMemory(makeUUID: { UUID() })
    let channel = try #require(written.contacts.first?.channels.first)
    await #expect(throws: StoreError.refused(.unknownTopic(channel.text))) {
      try await other.write { try ImportPlan(written).perform(in: $0, by: .owner, now: now) }
    }
    #expect(try await other.read { try $0.patients() } == [])
  }

  @Test func `a topic that is typed takes the place of what stands for it in an export`()
    async throws
  {
    let (mail, topic) = (
      try #require(Channel("email:ann@example.org")),
      try #require(Channel("ntfy:https://ntfy.example/box-5f0c"))
    )
    let (ann, now) = (ReachedPerson(patient: "ann"), now)
    _ = try await store.write { writer in
      try SetChannels(ann, [topic, mail]).perform(in: writer, by: .owner, now: now)
    }
    let lines = Mutex<[String]>([])
    let other = try SQLStore.inMemory(makeUUID: { UUID() })
    try await store.export { line in lines.withLock { $0.append(line) } }
    _ = try await other.merge(lines: lines.withLock { $0 })
    #expect(try await other.read { try $0.channels(of: ann) } == [topic.withoutTopic, mail])
    _ = try await other.write { writer in
      try SetChannels.adding(topic, secret: nil, to: ann, in: writer)
        .perform(in: writer, by: .owner, now: now + 1)
    }
    #expect(try await other.read { try $0.channels(of: ann) } == [topic, mail])
    let refusal = StoreError.refused(.unknownTopic(topic.withoutTopic.text))
    await #expect(throws: refusal) {
      try await other.write { writer in
        try SetChannels(ann, [topic.withoutTopic]).perform(in: writer, by: .owner, now: now + 2)
      }
    }
  }

  @Test func `the plan says whom it tells of something`() async throws {
    #expect(try await store.read { try $0.toldPeople() } == [])
    let text = Self.plan.replacing(
      "timeZone: Europe/Berlin",
      with: """
        timeZone: Europe/Berlin
        contacts: [{id: nora, name: {given: Nora}}, {id: rosa, name: {given: Rosa}}, {id: eve, name: {given: Eve}}]
        notify: [{for: missed, to: [nora]}]
        """
    ).replacing(
      "title: Pills,", with: "title: Pills, notify: [{for: missed, to: [bob]}],"
    ).replacing(
      "linkage: {quantity: bodyMass}}",
      with:
        "linkage: {quantity: bodyMass}, rules: [{missed: 3, message: Call him., then: {contact: rosa}}]}"
    )
    let (plan, now) = (try PlanFile.parse(text, file: "plan.yaml", activeTasks: []), now)
    _ = try await store.write { try ImportPlan(plan).perform(in: $0, by: .owner, now: now) }
    #expect(try await store.read { try $0.toldPeople() } == ["nora", "bob", "rosa"])
  }

  // MARK: Follow-up

  @Test(arguments: [false, true])
  func `typed weights say whose a waiting weighing is`(isWhole: Bool) async throws {
    let sample = waiting(81.95)
    let owner = try await store.write { writer in
      _ = try writer.insert(sample)
      for day in 11...19 {
        _ = try AnswerEvent(
          try event("weigh-in", day: day, writer), [EnteredValue(text: "81.9")], isWhole: isWhole
        ).perform(in: writer, by: .owner, now: now)
      }
      return try writer.sample(sample.identity)?.patient
    }
    #expect(owner == "ann")
  }

  @Test func `a plan that expects a weight says whose a waiting weighing is`() async throws {
    let sample = waiting(81.95)
    let text = Self.plan.replacing("64 kg", with: "82 kg")
    let plan = try PlanFile.parse(text, file: "plan.yaml", activeTasks: [])
    let owner = try await store.write { writer in
      _ = try writer.insert(sample)
      _ = try ImportPlan(plan).perform(in: writer, by: .owner, now: now)
      return try writer.sample(sample.identity)?.patient
    }
    #expect(owner == "ann")
  }

  /// The words of a reason decide nothing.
  @Test func `an assignment by hand stays whatever its reason`() async throws {
    let sample = waiting(81.95)
    let owner = try await store.write { writer in
      _ = try writer.insert(sample)
      _ = try ChangeSamples(
        [.sample(sample.identity)], .assign(patient: "ann"),
        reason: "attributed again after lunch, by hand"
      ).perform(in: writer, by: .owner, now: now)
      return try writer.sample(sample.identity)?.patient
    }
    #expect(owner == "ann")
  }

  // MARK: Rules

  @Test(arguments: [(EnteredValue(text: "false"), false), (EnteredValue(text: "true"), true)])
  func `false is no dose`(value: EnteredValue, isDone: Bool) async throws {
    let refusal: EntryRefusal? = try await store.write { writer -> EntryRefusal? in
      do {
        _ = try AnswerEvent(try event("pills", day: 5, writer), [value])
          .perform(in: writer, by: .owner, now: now)
        return nil
      } catch let refusal as EntryRefusal {
        return refusal
      }
    }
    #expect(refusal == (isDone ? nil : .falseCountsAsDone(task: "pills")))
    let isCompleted = try await store.read {
      try event("pills", day: 5, $0).progress.isCompleted
    }
    #expect(isCompleted == isDone)
  }

  // MARK: Answers that add up

  private func perform<A: Action>(_ body: @Sendable (any StoreWriter) throws -> A) async throws
    -> A.Result
  {
    try await store.write { try body($0).perform(in: $0, by: .owner, now: now) }
  }

  /// Entries of a day, each taken back in turn; two of the same amount are two.
  @Test(arguments: [("water", "mL"), ("exercise", "min")])
  func `what adds up is taken back entry by entry`(task: String, unit: String) async throws {
    func total() async throws -> Double {
      try await store.read { try event(task, day: 19, $0).progress.value }
    }
    var sums: [Double] = []
    for (number, amount) in ["8", "5", "8", "3"].enumerated() {
      let at = time("2026-03-19T0\(9 - number):00:00Z")
      _ = try await store.write { writer in
        try AnswerEvent(
          event(task, day: 19, writer), [EnteredValue(text: amount)],
          answer: Answer(state: .done, at: at)
        ).perform(in: writer, by: .owner, now: now + Double(number))
      }
      sums.append(try await total())
    }
    #expect(sums == [8, 13, 21, 24])
    for left in [21.0, 13, 8] {
      let change = try await perform { TakeBack(try event(task, day: 19, $0)) }
      #expect(change.isLastValue)
      #expect(try await total() == left)
    }
    let last = try await perform { TakeBack(try event(task, day: 19, $0)) }
    #expect(!last.isLastValue && last.event.outcome == nil)
  }

  @Test func `a sum needs an amount and a log takes a press`() async throws {
    for (task, refusal) in [
      ("water", EntryRefusal.missingAmount(task: "water", unit: UnitOfMeasure("mL"))),
      ("exercise", .missingAmount(task: "exercise", unit: UnitOfMeasure("min"))),
    ] {
      await #expect(throws: refusal) {
        try await perform { AnswerEvent(try event(task, day: 19, $0)) }
      }
      await #expect(throws: refusal) {
        try await perform { AddValues(try event(task, day: 19, $0), []) }
      }
    }
    for count in 1...3 {
      let change = try await perform { AnswerEvent(try event("ibuprofen", day: 19, $0)) }
      #expect(change.event.outcome?.values.count == count)
    }
    let undone = try await perform { TakeBack(try event("ibuprofen", day: 19, $0)) }
    #expect(undone.event.outcome?.values.count == 2)
  }

  /// Logged entries come back when the answer that hides them is taken back.
  @Test(arguments: ["water", "exercise"])
  func `not done throws away nothing`(task: String) async throws {
    _ = try await perform { AnswerEvent(try event(task, day: 19, $0), [EnteredValue(text: "20")]) }
    let denied = try await perform {
      AnswerEvent(try event(task, day: 19, $0), answer: Answer(state: .notDone, reason: "ill"))
    }
    #expect(denied.event.progress.fraction == 0)
    let back = try await perform { TakeBack(try event(task, day: 19, $0)) }
    #expect(back.event.outcome?.answer == .done)
    #expect(back.event.progress.value == 20)
  }
}
