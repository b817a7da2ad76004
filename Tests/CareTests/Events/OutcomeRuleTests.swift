import Care
import Foundation
import Testing

/// Cases 59 and 98: the rules of outcomes.
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
        uuid: UUID(), taskUUID: task.uuid, occurrence: occurrence, start: now, end: now,
        values: $0, createdDate: now)
    }
    return try OutcomeRule.check(
      values, of: EventReference(taskUUID: task.uuid, occurrence: occurrence),
      in: TaskHistory(versions ?? [task]), existing: outcome, now: now)
  }

  @Test func givesTheEvent() throws {
    let task = task(daily)
    #expect(try check(task, 1).occurrence == daily.occurrence(at: 1))
    #expect(try check(task, 1, existing: [value(.integer(5))]).version == 1)
  }

  @Test func case98AReadOnlyTaskTakesNothing() {
    #expect(throws: StoreError.refused(.readOnlyTask("read"))) {
      try check(task(daily, id: "read", kind: .readOnly))
    }
  }

  @Test func case98AFutureDayIsRefused() throws {
    let task = task(daily)
    // Later on the same day is fine: the event of 12:00 just after midnight.
    #expect(try check(task, 2).occurrence.index == 2)
    #expect(
      throws: StoreError.refused(
        .notDueYet(
          task: "task", day: try date("2023-05-04"), timeZone: try zone("America/New_York")))
    ) { try check(task, 3) }
  }

  @Test func theDayIsThatOfTheEventsZone() throws {
    // 2023-05-03T00:00 in New York is already 13:00 in Tokyo.
    let tokyo = try task(
      schedule("2023-05-01T20:00", every: Interval(days: 1), in: "Asia/Tokyo"))
    #expect(try check(tokyo, 2).occurrence.index == 2)
    let honolulu = try task(
      schedule("2023-05-01T08:00", every: Interval(days: 1), in: "Pacific/Honolulu"))
    #expect(throws: StoreError.self) { try check(honolulu, 2) }
  }

  @Test func case98AnAssessmentHasOneResult() throws {
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
  func case59AnOccurrenceThatIsNotThere(occurrence: Int) {
    #expect(
      throws: StoreError.refused(.noSuchOccurrence(occurrence, task: "task", version: 1, count: 7))
    ) { try check(task(daily), occurrence) }
  }

  @Test func anOccurrenceOfANewerVersionIsRefused() throws {
    let old = task(daily)
    let new = try task(daily, effective: date("2023-05-02T12:00"))
    #expect(try check(old, 0, in: [old, new]).version == 1)
    #expect(try check(new, 1, in: [old, new]).version == 2)
    #expect(
      throws: StoreError.refused(.supersededOccurrence(1, task: "task", version: 1))
    ) { try check(old, 1, in: [old, new]) }
  }

  @Test func anUnknownVersionIsUnknown() {
    let stranger = task(daily)
    #expect(
      throws: StoreError.unknown(.taskVersion(stranger.uuid))
    ) { try check(stranger, 0, in: [task(daily)]) }
  }

  @Test func case79AValueOfAnotherDimensionIsRefused() throws {
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
}
