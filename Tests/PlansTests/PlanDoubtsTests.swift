import Assessments
import Care
import Testing

@testable import Plans

/// What is valid in a plan and probably not meant.
@Suite struct PlanDoubtsTests {
  private static let plan = """
    timeZone: Europe/Berlin
    patients:
      - {id: anna, birthday: 1952-02-29, language: zh-Hant-TW}
    tasks:
      - id: knee
        patient: anna
        title: Knee
        activeTask: {type: rangeOfMotion, joint: knee, side: left}
        schedule:
          - {start: 2026-11-01, interval: {days: 1}, targets: [{value: 90, unit: deg, kind: range}]}
        thresholds:
          - {kind: range, above: 120, says: good}
      - id: walk
        patient: anna
        title: Walk
        linkage: {quantity: stepCount}
        schedule:
          - {start: 2026-11-01, interval: {days: 1}, targets: [{value: 1000}]}
      - id: pressure
        patient: anna
        title: Blood pressure
        linkages: [{quantity: bloodPressureSystolic}, {quantity: bloodPressureDiastolic}]
        survey: [{kind: calm, type: boolean}]
        schedule:
          - {start: 2026-11-01, interval: {days: 1}}
        thresholds:
          - {kind: systolic, atLeast: 140, says: high}
      - id: water
        patient: anna
        title: Drink
        schedule:
          - {start: 2026-11-01, interval: {days: 1}, targets: [{value: 6, kind: glasses}]}
    devices:
      - {sensor: left-shank, patient: anna}
      - {sensor: box, placement: {segment: trunk}, patient: anna}
    """

  private func doubts(_ old: String, _ new: String) throws -> [String] {
    let text = Self.plan.replacing(old, with: new)
    let today = try #require(CalendarDate("2026-11-01"))
    return try PlanFile.parse(text, file: "p", activeTasks: AssessmentList.forms)
      .doubts(activeTasks: AssessmentList.forms, today: today)
  }

  @Test func aUsualPlanHasNone() throws {
    #expect(try doubts("title: Knee", "title: The knee") == [])
  }

  @Test(arguments: [
    ("1952-02-29", "2026-11-02", "patient anna: the birthday 2026-11-02 is yet to come"),
    (
      "zh-Hant-TW", "qq",
      "patient anna: there is no language ‘qq’; write a tag such as de or pt-BR"
    ),
    (
      "[{value: 1000}]", "[{value: 1000, kind: stepCount}]",
      "task walk of anna: no value of the task has the kind ‘stepCount’ of a target; its values have"
        + " no kind, so leave ‘kind’ out"
    ),
    (
      "kind: systolic", "kind: sistolic",
      "task pressure of anna: no value of the task has the kind ‘sistolic’ of a threshold; its values"
        + " have systolic, diastolic, calm (did you mean ‘systolic’?)"
    ),
    (
      "id: water", "id: a glass",
      "task a glass of anna: the id has spaces, so commands need it in quotes"
    ),
    (
      "left-shank", "left-shnk",
      "sensor left-shnk: the name states no place on the body such as left-shank; give its"
        + " ‘placement’ if it is worn"
    ),
  ])
  func namesWhatIsProbablyNotMeant(old: String, new: String, doubt: String) throws {
    #expect(try doubts(old, new) == [doubt])
  }

  @Test func aTargetOfAnActiveTaskNamesOneOfItsFigures() throws {
    let doubts = try doubts("kind: range}", "kind: rang}")
    #expect(doubts.count == 1)
    #expect(doubts[0].hasPrefix("task knee of anna: no value of the task has the kind ‘rang’"))
    #expect(doubts[0].hasSuffix("(did you mean ‘range’?)"))
  }
}
