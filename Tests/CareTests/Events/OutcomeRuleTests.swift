import Care
import Foundation
import Motion
import Testing

/// The rules of outcomes.
@Suite struct OutcomeRuleTests {
  private let daily: Schedule
  private let now: Date

  init() throws {
    daily = try schedule("2023-05-01T12:00", until: "2023-05-08", every: Interval(days: 1))
    now = try date("2023-05-03T00:00")
  }

  private func check(
    _ task: CareTask, _ occurrence: Int = 0, _ values: [OutcomeValue] = [value(.integer(1))],
    existing: [OutcomeValue]? = nil, in versions: [CareTask]? = nil
  ) throws(StoreError) -> Event {
    let outcome = existing.map {
      Outcome(
        uuid: UUID(), key: EventKey(patient: task.patient, task: task.id, start: now), end: now,
        taskUUID: task.uuid, occurrence: occurrence, values: $0, createdDate: now)
    }
    return try OutcomeRule.check(
      values, of: EventReference(taskUUID: task.uuid, occurrence: occurrence),
      in: TaskHistory(versions ?? [task]), existing: outcome, now: now)
  }

  @Test func `gives the event`() throws {
    let task = task(daily)
    #expect(try check(task, 1).occurrence == daily.occurrence(at: 1))
    #expect(try check(task, 1, existing: [value(.integer(5))]).version == 1)
  }

  @Test func `a read only task takes nothing`() {
    #expect(throws: StoreError.refused(.readOnlyTask("read"))) {
      try check(task(daily, id: "read", kind: .readOnly))
    }
  }

  @Test func `a future day is refused`() throws {
    let task = task(daily)
    // Later on the same day is fine: the event of 12:00 just after midnight.
    #expect(try check(task, 2).occurrence.index == 2)
    #expect(
      throws: StoreError.refused(
        .notDueYet(
          task: "task", day: try date("2023-05-04"), timeZone: try zone("America/New_York")))
    ) { try check(task, 3) }
  }

  @Test func `the day is that of the events zone`() throws {
    // 2023-05-03T00:00 in New York is already 13:00 in Tokyo.
    let tokyo = try task(
      schedule("2023-05-01T20:00", every: Interval(days: 1), in: "Asia/Tokyo"))
    #expect(try check(tokyo, 2).occurrence.index == 2)
    let honolulu = try task(
      schedule("2023-05-01T08:00", every: Interval(days: 1), in: "Pacific/Honolulu"))
    #expect(throws: StoreError.self) { try check(honolulu, 2) }
  }

  @Test func `an assessment has one result`() throws {
    let first = [value(.integer(1)), value(.integer(2))]
    let once = task(daily, id: "ask", kind: .assessment)
    #expect(try check(once, 0, first).occurrence.index == 0)
    #expect(
      throws: StoreError.refused(.notResettable(task: "ask"))
    ) { try check(once, 0, [value(.integer(3))], existing: first) }
    #expect(try check(once, 0, [value(.integer(1))], existing: first).occurrence.index == 0)
    #expect(try check(once, 0, first, existing: []).occurrence.index == 0)
    let again = task(daily, kind: .assessment, isResettable: true)
    #expect(try check(again, 0, [value(.integer(3))], existing: first).occurrence.index == 0)
  }

  @Test(arguments: [7, -1, .max])
  func `an occurrence that is not there is refused`(occurrence: Int) {
    #expect(
      throws: StoreError.refused(.noSuchOccurrence(occurrence, task: "task", version: 1, count: 7))
    ) { try check(task(daily), occurrence) }
  }

  @Test func `an occurrence of a newer version is refused`() throws {
    let old = task(daily)
    let new = try task(daily, effective: date("2023-05-02T12:00"))
    #expect(try check(old, 0, in: [old, new]).version == 1)
    #expect(try check(new, 1, in: [old, new]).version == 2)
    #expect(
      throws: StoreError.refused(.supersededOccurrence(1, task: "task", version: 1))
    ) { try check(old, 1, in: [old, new]) }
  }

  @Test func `an unknown version is unknown`() {
    let stranger = task(daily)
    #expect(
      throws: StoreError.unknown(.taskVersion(stranger.uuid))
    ) { try check(stranger, 0, in: [task(daily)]) }
  }

  @Test func `a value of another dimension is refused`() throws {
    let weigh = try task(
      daily, id: "weigh",
      linkage: Linkage(
        quantity: .bodyMass, type: .discrete, unit: #require(UnitOfMeasure("kg"))))
    #expect(
      throws: StoreError.refused(
        .otherDimension(.degreeCelsius, expected: .kilogram, task: "weigh"))
    ) {
      try check(weigh, 0, [value(.double(36.6), "Cel")])
    }
    #expect(try check(weigh, 0, [value(.double(160), "lb")]).occurrence.index == 0)
    #expect(throws: StoreError.refused(.notFinite(task: "weigh"))) {
      try check(weigh, 0, [value(.double(.nan), "kg")])
    }
  }

  // MARK: Linked tasks

  @Test(arguments: [
    Value.text("63,9"), .text("nan"), .boolean(false), .binary([1]), .date(.distantPast),
  ])
  func `a linked task takes numbers`(other: Value) throws {
    let weigh = try task(
      daily, id: "weigh",
      linkage: Linkage(
        quantity: .bodyMass, type: .discrete, unit: #require(UnitOfMeasure("kg"))))
    #expect(throws: StoreError.refused(.notANumber(expected: .kilogram, task: "weigh"))) {
      try check(weigh, 0, [value(other)])
    }
    #expect(try check(weigh, 0, [value(.boolean(true))]).occurrence.index == 0)
    #expect(throws: StoreError.refused(.notANumber(expected: .kilogram, task: "weigh"))) {
      try check(weigh, 0, [value(.boolean(true), kind: "weight")])
    }
    // A performed measurement's details are figures of any type.
    let verdict = value(.text("good"), kind: "confidence", provenance: .active)
    #expect(try check(weigh, 0, [verdict]).occurrence.index == 0)
  }

  @Test func `a kind of a linkage is in its dimension`() throws {
    var task = task(daily, id: "check")
    task.linkages = [
      Linkage(quantity: .bloodPressureSystolic, type: .discrete, unit: .millimetreOfMercury),
      Linkage(quantity: .pulseRate, type: .discrete, unit: .perMinute),
    ]
    #expect(try check(task, 0, [value(.integer(70), "/min")]).occurrence.index == 0)
    #expect(
      try check(task, 0, [value(.integer(17), "kPa", kind: "systolic")]).occurrence.index == 0)
    #expect(
      throws: StoreError.refused(
        .otherDimension(.perMinute, expected: .millimetreOfMercury, task: "check"))
    ) { try check(task, 0, [value(.integer(70), "/min", kind: "systolic")]) }
    #expect(
      throws: StoreError.refused(
        .otherDimension(.kilogram, expected: .millimetreOfMercury, task: "check"))
    ) { try check(task, 0, [value(.integer(70), "kg")]) }
  }

  // MARK: Surveys

  /// The check-in of case 99.
  private func checkIn() throws -> CareTask {
    var task = task(daily, id: "check-in", kind: .assessment)
    task.survey = [
      try SurveyQuestion(kind: "pain", type: .scale, minimum: 1, maximum: 10),
      try SurveyQuestion(kind: "sleep", type: .scale, minimum: 0, maximum: 12, step: 1),
    ]
    return task
  }

  private func answers(_ pain: Value, _ sleep: Value) -> [OutcomeValue] {
    [value(pain, kind: "pain"), value(sleep, kind: "sleep")]
  }

  @Test func `answers within their scales are taken`() throws {
    let task = try checkIn()
    #expect(try check(task, 0, answers(.integer(1), .integer(12))).occurrence.index == 0)
    #expect(try check(task, 0, answers(.double(10), .integer(0))).occurrence.index == 0)
  }

  @Test func `a missing answer is refused`() throws {
    let task = try checkIn()
    let error = StoreError.refused(.answer(.missing, question: "sleep", task: "check-in"))
    #expect(throws: error) { try check(task, 0, [value(.integer(3), kind: "pain")]) }
    // Plain “done” answers nothing.
    let first = StoreError.refused(.answer(.missing, question: "pain", task: "check-in"))
    #expect(throws: first) { try check(task, 0, []) }
    #expect(throws: first) { try check(task, 0, [value(.boolean(true))]) }
    let reference = EventReference(taskUUID: task.uuid, occurrence: 0)
    let event = try OutcomeRule.check(
      [], of: reference, in: TaskHistory([task]), existing: nil, now: now,
      answer: Answer(state: .notDone))
    #expect(event.occurrence.index == 0)
  }

  @Test(arguments: [Value.integer(11), .integer(0), .double(-5)])
  func `an answer outside its scale is refused`(pain: Value) throws {
    let error = StoreError.refused(
      .answer(
        .outOfRange(pain.number ?? 0, minimum: 1, maximum: 10, unit: nil), question: "pain",
        task: "check-in"))
    #expect(throws: error) { try check(checkIn(), 0, answers(pain, .integer(8))) }
  }

  @Test func `an answer without a question is refused`() throws {
    let task = try checkIn()
    let known = ["pain", "sleep"]
    let more = answers(.integer(1), .integer(1)) + [value(.integer(1), kind: "mood")]
    #expect(
      throws: StoreError.refused(.unknownQuestion("mood", known: known, task: "check-in"))
    ) { try check(task, 0, more) }
    let plain = answers(.integer(1), .integer(1)) + [value(.integer(1))]
    #expect(
      throws: StoreError.refused(.unknownQuestion(nil, known: known, task: "check-in"))
    ) { try check(task, 0, plain) }
  }

  /// A sensor does not wait for a person's answers.
  @Test func `a measurement is taken before the survey`() throws {
    var task = try checkIn()
    task.activeTask = ActiveTask(type: "rangeOfMotion", joint: .knee, side: .left)
    let range = value(.double(92), "deg", kind: "range", provenance: .active)
    #expect(try check(task, 0, [range]).occurrence.index == 0)
    #expect(
      try check(task, 0, [range] + answers(.integer(2), .integer(7))).occurrence.index == 0)
    #expect(
      throws: StoreError.refused(.answer(.missing, question: "sleep", task: "check-in"))
    ) { try check(task, 0, [range, value(.integer(3), kind: "pain")]) }
  }

  /// A typed value of a linked task is one that somebody can have, whatever its unit.
  @Test func `refuses implausible typed values`() throws {
    let weighed = task(
      daily, id: "weigh",
      linkage: Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram))
    for (number, unit) in [(639.0, UnitOfMeasure.kilogram), (-5, .kilogram), (0.1, .pound)] {
      let value = OutcomeValue(
        value: .double(number), unit: unit, time: now, provenance: .manual)
      #expect(
        throws: StoreError.refused(.implausible(number, unit, of: .bodyMass, task: "weigh"))
      ) { try check(weighed, 0, [value]) }
    }
    let pounds = OutcomeValue(
      value: .double(600), unit: .pound, time: now, provenance: .manual)
    #expect(try check(weighed, 0, [pounds]).version == 1)
  }

  /// The upper pressure is above the lower one, in any unit and order; a device may say anything.
  @Test func `refuses swapped pressures`() throws {
    var pressure = task(daily, id: "pressure")
    pressure.linkages = [.bloodPressureSystolic, .bloodPressureDiastolic].map {
      Linkage(quantity: $0, type: .discrete, unit: .millimetreOfMercury)
    }
    func values(
      _ systolic: Double, _ diastolic: Double, _ unit: String, _ provenance: Provenance = .manual
    ) -> [OutcomeValue] {
      [
        value(.double(diastolic), unit, kind: "diastolic", provenance: provenance),
        value(.double(systolic), unit, kind: "systolic", provenance: provenance),
      ]
    }
    for (systolic, diastolic, unit) in [(80.0, 120.0, "mm[Hg]"), (80, 80, "mm[Hg]")] {
      #expect(
        throws: StoreError.refused(
          .swappedPressures(
            systolic: systolic, diastolic: diastolic, .millimetreOfMercury, task: "pressure"))
      ) { try check(pressure, 0, values(systolic, diastolic, unit)) }
    }
    #expect(try check(pressure, 0, values(120, 80, "mm[Hg]")).version == 1)
    #expect(try check(pressure, 0, values(80, 120, "mm[Hg]", .passive)).version == 1)
    #expect(try check(pressure, 0, [values(80, 120, "mm[Hg]")[1]]).version == 1)
  }
}
