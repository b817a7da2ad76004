import Care
import Foundation
import StrictYAML
import Testing

@testable import Plans

/// Reminders, fallbacks and rules in plan files.
@Suite struct RuleReadingTests {
  static let example = """
    timeZone: Europe/Berlin
    patients:
      - {id: john}
    contacts:
      - {id: anna, patient: john, name: {given: Anna}}
    tasks:
      - id: knee
        title: Bend the knee
        schedule:
          - {start: 2026-11-02T09:00, interval: {days: 1}, duration: 1h, targets: [{value: 90, unit: deg, kind: range}]}
        activeTask: {type: rangeOfMotion, joint: knee, side: left}
        reminder: {before: 15m}
        fallback: {after: 2h}
        rules:
          - {after: 3, of: range, atLeast: 90, unit: deg, then: {target: 100}, message: Well done.}
          - {after: 3, ofLast: 5, of: range, below: 60, then: {by: -10, atLeast: 40}}
      - id: weigh-in
        title: Weigh yourself
        schedule:
          - {start: 2026-11-02, interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass, unit: kg}
        reminder: {after: 8h}
        thresholds: [{above: 100, says: high, alert: true}]
        rules:
          - {rises: 2, within: 1d, then: {contact: anna}, message: "Two kilos in a day."}
          - {falls: 4, unit: lb, of: bodyMass, within: 36h, message: Drink more.}
    """

  @Test
  func `they are read as written`() throws {
    let tasks = try PlanFile.parse(Self.example, file: "plan.yaml").tasks
    #expect(tasks[0].reminder == Reminder(offset: -900))
    #expect(tasks[0].fallback == Fallback(after: 7_200))
    #expect(
      tasks[0].rules == [
        Rule(
          kind: "range", unit: .degree, trigger: .results(3, ofLast: 3, .atLeast(90)),
          target: Rule.TargetChange(.to(100)), message: "Well done."),
        Rule(
          kind: "range", unit: .degree, trigger: .results(3, ofLast: 5, .below(60)),
          target: Rule.TargetChange(.by(-10), limit: 40)),
      ])
    #expect(tasks[1].reminder == Reminder(offset: 28_800))
    #expect(tasks[1].thresholds.map(\.alerts) == [true])
    #expect(
      tasks[1].rules == [
        Rule(
          unit: .kilogram, trigger: .change(by: 2, within: .days(1)), contact: "anna",
          message: "Two kilos in a day."),
        Rule(
          unit: UnitOfMeasure("lb"), trigger: .change(by: -4, within: .seconds(129_600)),
          message: "Drink more."),
      ])
  }

  @Test
  func `they are written so that they are read back unchanged`() throws {
    let plan = try PlanFile.parse(Self.example, file: "plan.yaml")
    let text = PlanFile.encode(plan)
    #expect(try PlanFile.parse(text, file: "again.yaml") == plan)
    #expect(text.contains("    reminder: {before: 15m}\n    fallback: {after: 2h}\n"))
    #expect(text.contains("then: {by: -10, atLeast: 40}}"))
  }

  @Test
  func `they are coded as JSON and back`() throws {
    for task in try PlanFile.parse(Self.example, file: "plan.yaml").tasks {
      let data = try JSONEncoder().encode(task)
      #expect(try JSONDecoder().decode(PlannedTask.self, from: data) == task)
    }
  }

  @Test(
    arguments: [
      ("{before: 15m}", "{befor: 15m}", "12: unknown key ‘befor’ (did you mean ‘before’?)"),
      ("{before: 15m}", "{}", "12: a reminder has one of before, after: {before: 15m}"),
      ("{before: 15m}", "{before: 200h}", "12: a reminder is at most a week from its event"),
      (
        "{before: 15m}", "{after: 1h}",
        "12: the event is over by then, and nobody is reminded of what is over; give a shorter time,"
          + " or the event a longer ‘duration’"
      ),
      (
        "reminder: {after: 8h}", "reminder: {after: 24h}",
        "22: the event is over by then, and nobody is reminded of what is over; give a shorter time,"
          + " or the event a longer ‘duration’"
      ),
      ("{before: 15m}", "{before: allDay}", "12: expected a time such as 15m or 2h"),
      ("{after: 2h}", "{after: 0m}", "13: a fallback comes after the event's start"),
      (
        "{after: 2h}", "{after: 24h}",
        "13: the event and its day are over by then; give a shorter time"
      ),
      (
        "after: 3, of: range", "after: 3, of: rang",
        "15: the task has no value ‘rang’; it has range, start, finish, minimum"
      ),
      (
        "unit: deg, then", "unit: kg, then",
        "15: the values are in deg, which cannot be given in kg"
      ),
      ("after: 3, of: range", "after: 0, of: range", "15: 0 is not between 1 and 100"),
      (
        "after: 3, of: range, atLeast: 90", "of: range", "15: a rule has one of after, rises, falls"
      ),
      (
        "atLeast: 90, unit", "unit",
        "15: a rule that counts results has one of above, atLeast, below, atMost, equal, between"
      ),
      ("ofLast: 5", "ofLast: 2", "16: 2 is not between 3 and 100"),
      (
        "then: {by: -10, atLeast: 40}", "then: {}",
        "16: a rule changes a target or says something: give ‘then’ with ‘target’ or ‘by’, or"
          + " ‘message’"
      ),
      (
        "{by: -10, atLeast: 40}", "{by: -10, atMost: 40}",
        "16: ‘by’ has a limit in its own direction: ‘atMost’ where it is more than 0, else"
          + " ‘atLeast’"
      ),
      ("{by: -10, atLeast: 40}", "{by: 0}", "16: a target that changes by 0 stays the same"),
      ("{by: -10, atLeast: 40}", "{by: 5, target: 3}", "16: give ‘target’ or ‘by’, not both"),
      (
        "contact: anna", "contact: hanna",
        "25: there is no contact ‘hanna’ of patient ‘john’ in this plan"
      ),
      (
        ", message: \"Two kilos in a day.\"", "",
        "25: a message to a contact needs its text: give ‘message’"
      ),
      ("within: 1d", "within: soon", "25: ‘soon’ is no span; write 2d, 36h, 90m or 30s"),
      (
        "rises: 2, within: 1d", "rises: 2",
        "25: say how far apart the two results are at most: ‘within: 1d’"
      ),
      ("rises: 2", "rises: -2", "25: give how much it changes, more than 0"),
      (
        "then: {contact: anna}", "then: {target: 80}",
        "25: the schedule has no target that the rule could change"
      ),
      ("title: Weigh", "kind: readOnly\n    title: Weigh", "a read-only task is never completed"),
    ])
  func `what is wrong is named with its line`(_ old: String, _ new: String, _ reason: String) throws
  {
    let parts = Self.example.split(
      separator: old, maxSplits: 1, omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    do throws(YAMLError) {
      _ = try PlanFile.parse(parts.joined(separator: new), file: "plan.yaml")
      Issue.record("nothing was refused")
    } catch {
      #expect(error.description.contains(reason), "\(error.description)")
    }
  }
}
