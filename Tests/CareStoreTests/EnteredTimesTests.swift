import Care
import CareStore
import Foundation
import TestSupport
import Testing

/// The times of values that a person enters for events of linked tasks.
struct EnteredTimesTests {
  private static let weight = Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram)

  /// A task that is due every day at these hours, for three hours each.
  private static func task(
    _ id: String = "weigh", at hours: [Int] = [9], _ linkages: [Linkage] = [weight]
  ) throws -> PlannedTask {
    let elements = try hours.map { hour in
      try ScheduleElement(
        start: day(0, hour: hour), interval: Interval(days: 1), duration: .seconds(3 * 3600),
        timeZone: losAngeles)
    }
    var task = PlannedTask(
      id: id, patient: "john", title: id, schedule: try Schedule(elements))
    task.linkages = linkages
    return task
  }

  /// A task that is due every day at any time.
  private static func allDay() throws -> PlannedTask {
    let element = try ScheduleElement(
      start: day(0), interval: Interval(days: 1), duration: .allDay, timeZone: losAngeles)
    var task = PlannedTask(
      id: "weigh", patient: "john", title: "weigh", schedule: try Schedule([element]))
    task.linkages = [weight]
    return task
  }

  private func events(_ store: SQLStore, _ task: String = "weigh") async throws -> [Event] {
    try await store.read {
      try $0.events(patient: "john", task: task, from: day(0), to: day(2))
    }.filter { $0.occurrence.start >= day(0) }
  }

  /// Enters a person's values for an event, as the command and the page do.
  @discardableResult
  private func enter(
    _ numbers: [(Double, String?)], _ index: Int = 0, task: String = "weigh", at: Date? = nil,
    now: Date, in store: SQLStore
  ) async throws -> Event {
    let event = try await events(store, task)[index]
    let values = numbers.map { number, kind in
      OutcomeValue(
        value: .double(number), unit: event.task.linkage?.unit, kind: kind, time: at ?? now,
        provenance: .manual)
    }
    return try await store.write {
      try $0.setOutcome(
        values, answer: Answer(state: .done, at: at), of: event.reference, now: now)
    }
  }

  private func samples(_ store: SQLStore) async throws -> [Sample] {
    try await store.read { try $0.samples(SampleQuery(owner: .patient("john"))) }
  }

  private func numbers(_ event: Event) -> [Double?] {
    event.outcome?.values.map(\.value.number) ?? []
  }

  private func times(_ event: Event) -> [Date] { event.outcome?.values.map(\.time) ?? [] }

  @Test
  func `a stated time outside the event is the time of the samples and of the values`() async throws
  {
    let store = try await SQLStore.planned(
      try Self.task(
        "bp",
        [.bloodPressureSystolic, .bloodPressureDiastolic].map {
          Linkage(quantity: $0, type: .discrete, unit: .millimetreOfMercury)
        }))
    let at = day(0, hour: 16, minute: 30)
    let event = try await enter(
      [(150, "systolic"), (95, "diastolic")], task: "bp", at: at, now: day(0, hour: 18), in: store)
    #expect(numbers(event) == [150, 95])
    #expect(event.outcome?.values.map(\.kind) == ["systolic", "diastolic"])
    #expect(times(event) == [at, at])
    #expect(event.outcome?.answer.at == at)
    #expect(event.progress.isCompleted)
    #expect(try await events(store, "bp")[0] == event)
    #expect(try await events(store, "bp")[1].outcome == nil)
    #expect(try await samples(store).map(\.start) == [at, at])

    // One half again leaves the other, with its time.
    let later = day(0, hour: 17)
    let half = [event.outcome?.values.first].compactMap(\.self)
    let diastolic = OutcomeValue(
      value: .double(90), unit: .millimetreOfMercury, kind: "diastolic", time: later,
      provenance: .manual)
    let mended = try await store.write {
      try $0.setOutcome(half + [diastolic], of: event.reference, now: later)
    }
    #expect(numbers(mended) == [150, 90])
    #expect(times(mended) == [at, later])
    #expect(try await samples(store).map(\.start).sorted() == [at, later])
  }

  @Test
  func `a value that lies in another event of the task is only for the event that was named`()
    async throws
  {
    let store = try await SQLStore.planned(try Self.allDay())
    let at = day(1, minute: 30)
    let now = day(1, hour: 7)
    try await enter([(67, nil)], at: at, now: now, in: store)
    var all = try await events(store)
    #expect(all.map(numbers) == [[67], []])
    #expect(times(all[0]) == [at])
    #expect(try await samples(store).map(\.start) == [at])

    // A weighing of a scale on that day counts for it, and so does a value that is entered for it.
    let measured = Sample.weight(67.4, at: day(1, hour: 6))
    try await store.write { _ = try $0.insert(measured) }
    all = try await events(store)
    #expect(all.map(numbers) == [[67], [67.4]])
    try await enter([(67.2, nil)], 1, now: now, in: store)
    all = try await events(store)
    #expect(all.map(numbers) == [[67], [67.2]])
    #expect(times(all[1]) == [now])

    // Taken back, each alone.
    let (first, second) = (all[0].reference, all[1].reference)
    _ = try await store.write { try $0.deleteOutcome(of: first, now: now) }
    #expect(try await events(store).map(numbers) == [[], [67.2]])
    _ = try await store.write { try $0.deleteOutcome(of: second, now: now) }
    #expect(try await events(store).map(numbers) == [[], [67.4]])
    #expect(try await samples(store).map(\.value) == [67.4])
  }

  @Test
  func `another task takes such a value like any sample of its time`() async throws {
    let store = try await SQLStore.planned(
      try Self.task(at: [9, 16]), try Self.task("evening", at: [16]))
    try await enter(
      [(67, nil)], at: day(0, hour: 16, minute: 30), now: day(0, hour: 17), in: store)
    #expect(try await events(store).map(numbers) == [[67], [], [], []])
    #expect(try await events(store, "evening").map(numbers) == [[67], []])
  }

  @Test
  func `without a stated time it is now in the event or on its day`() async throws {
    for (now, expected) in [
      (day(0, hour: 10), day(0, hour: 10)), (day(0, hour: 16), day(0, hour: 16)),
      (day(0, hour: 7), day(0, hour: 7)), (day(1, hour: 16), day(0, hour: 9)),
    ] {
      let store = try await SQLStore.planned(try Self.task())
      let event = try await enter([(67, nil)], now: now, in: store)
      #expect(numbers(event) == [67])
      #expect(times(event) == [expected])
      #expect(try await samples(store).map(\.start) == [expected])
      // The same again is the same measurement.
      try await enter([(67, nil)], now: now + 60, in: store)
      #expect(try await samples(store).map(\.start) == [expected])
    }
  }

  @Test(arguments: [7, 10, 13, 20])
  func `a time can be corrected, in the event and outside`(hour: Int) async throws {
    let store = try await SQLStore.planned(try Self.task())
    let now = day(0, hour: 21)
    try await enter([(67, nil)], at: day(0, hour: 12), now: now, in: store)
    let at = day(0, hour: hour)
    let event = try await enter([(67, nil)], at: at, now: now + 60, in: store)
    #expect(numbers(event) == [67])
    #expect(times(event) == [at])
    #expect(try await samples(store).map(\.start) == [at])
    let again = try await enter([(67, nil)], at: at, now: now + 120, in: store)
    #expect(again == event)
    #expect(try await samples(store).count == 1)
  }

  @Test
  func `a correction and a deletion of the sample show in the event that it was entered for`()
    async throws
  {
    let store = try await SQLStore.planned(try Self.task(at: [9, 16]))
    let (at, now) = (day(0, hour: 16, minute: 30), day(0, hour: 17))
    try await enter([(67, nil)], at: at, now: now, in: store)
    let sample = try #require(try await samples(store).first)
    let correction = try await store.write {
      try $0.correct(sample.identity, value: 68, source: nil, reason: nil, now: now + 1)
    }
    var all = try await events(store)
    #expect(all.map(numbers) == [[68], [], [], []])
    #expect(times(all[0]) == [at])
    // Without the correction the first value counts again.
    _ = try await store.write {
      try $0.change(.sample(correction.identity), .delete, reason: nil, now: now + 2)
    }
    #expect(try await events(store).map(numbers) == [[67], [], [], []])
    _ = try await store.write {
      try $0.change(.sample(sample.identity), .delete, reason: nil, now: now + 3)
    }
    all = try await events(store)
    #expect(all.map(\.outcome) == [nil, nil, nil, nil])
    _ = try await store.write {
      try $0.change(.sample(sample.identity), .restore, reason: nil, now: now + 4)
    }
    // With its correction.
    #expect(try await events(store).map(numbers) == [[68], [], [], []])
  }

  @Test(arguments: [10, 20])
  func `what was entered, corrected and entered again is one value`(hour: Int) async throws {
    let store = try await SQLStore.planned(try Self.task())
    let (at, now) = (day(0, hour: hour), day(0, hour: 21))
    try await enter([(67, nil)], at: at, now: now, in: store)
    let sample = try #require(try await samples(store).first)
    _ = try await store.write {
      try $0.correct(sample.identity, value: 68, source: nil, reason: nil, now: now + 1)
    }
    #expect(numbers(try await enter([(68, nil)], at: at, now: now + 2, in: store)) == [68])
    #expect(try await samples(store).map(\.value) == [68])
    #expect(numbers(try await enter([(69, nil)], at: at, now: now + 3, in: store)) == [69])
    #expect(try await samples(store).map(\.value) == [69])
    let reference = try await events(store)[0].reference
    _ = try await store.write { try $0.deleteOutcome(of: reference, now: now + 4) }
    #expect(try await events(store)[0].outcome == nil)
    #expect(try await samples(store) == [])
  }

  @Test
  func `an answer of done or not done without a value leaves a value outside with its event`()
    async throws
  {
    let store = try await SQLStore.planned(try Self.task(at: [9, 16]))
    let (at, now) = (day(0, hour: 16, minute: 30), day(0, hour: 17))
    let event = try await enter([(67, nil)], at: at, now: now, in: store)
    let done = try await store.write {
      try $0.setOutcome([], of: event.reference, now: now + 1)
    }
    #expect(numbers(done) == [67])
    let declined = try await store.write {
      try $0.setOutcome(
        [], answer: Answer(state: .notDone), of: event.reference, now: now + 2)
    }
    #expect(declined.outcome?.values == [])
    #expect(try await events(store).map(numbers) == [[], [], [], []])
    _ = try await store.write { try $0.deleteOutcome(of: event.reference, now: now + 3) }
    #expect(try await events(store).map(\.outcome) == [nil, nil, nil, nil])
    #expect(try await samples(store) == [])
  }

  @Test
  func `another store that takes an export shows the same`() async throws {
    let store = try await SQLStore.planned(try Self.task(at: [9, 16]))
    try await enter(
      [(67, nil)], at: day(0, hour: 16, minute: 30), now: day(0, hour: 17), in: store)
    let other = try SQLStore.peer(7)
    _ = try await other.merge(lines: try await store.exported())
    #expect(try await events(other).map(numbers) == [[67], [], [], []])
    #expect(try await events(other).map(times) == events(store).map(times))
  }

  @Test
  func `a value that moves to another person leaves the event`() async throws {
    let store = try await SQLStore.planned(try Self.task())
    try await enter([(67, nil)], at: day(0, hour: 16), now: day(0, hour: 17), in: store)
    let sample = try #require(try await samples(store).first)
    _ = try await store.write {
      try $0.change(.sample(sample.identity), .disown, reason: nil, now: day(0, hour: 18))
    }
    #expect(try await events(store).map(\.outcome) == [nil, nil])
  }
}
