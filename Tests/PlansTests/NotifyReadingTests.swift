import Care
import Foundation
import StrictYAML
import Testing

@testable import Plans

/// Whom a plan tells of what, and when it is quiet.
@Suite struct NotifyReadingTests {
  private static func text(task: String = "", plan: String = "", patient: String = "") -> String {
    """
    timeZone: Europe/Berlin
    patients:
      - {id: john\(patient)}
    contacts:
      - {id: nora, name: {given: Nora}, language: de, timeZone: Asia/Tokyo, quiet: {from: 23:30, to: 06:15}}
    \(plan)
    tasks:
      - id: weigh
        title: Weigh
        schedule:
          - {start: 2026-11-02, interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass}
    \(task)
    """
  }

  @Test func `an escalation is a list whose times grow`() throws {
    let plan = try PlanFile.parse(
      Self.text(
        task: """
              thresholds: [{atLeast: 90, says: heavy, alert: true}]
              notify:
                - {for: alert, to: [nora, john], urgent: true, shows: value}
                - {for: alert, to: [john], after: 1h30m}
          """), file: "plan.yaml")
    #expect(
      plan.tasks[0].notify == [
        NotifyRule(.alert, to: ["nora", "john"], isUrgent: true, showsValue: true),
        NotifyRule(.alert, to: ["john"], after: 5_400),
      ])
    let nora = try #require(plan.contacts.first)
    #expect(nora.quiet == QuietHours(from: 1_410, to: 375) && nora.language == "de")
    #expect(nora.timeZone?.identifier == "Asia/Tokyo")
  }

  @Test func `the plan's rules are those of each person without any`() throws {
    let plan = try PlanFile.parse(
      Self.text(
        plan: "notify: [{for: machine, to: [nora]}]",
        patient: ", quiet: {from: 22:00, to: 7:00}, away: [{from: 2026-12-24, to: 2026-12-27}]"),
      file: "plan.yaml")
    let john = try #require(plan.patients.first)
    #expect(john.notify == [NotifyRule(.machine, to: ["nora"])])
    #expect(john.quiet == QuietHours(from: 1_320, to: 420))
    let from = try #require(CalendarDate("2026-12-24"))
    let to = try #require(CalendarDate("2026-12-27"))
    let absence = try #require(Absence(from: from, to: to))
    #expect(john.away == [absence])
    // The text that is written is read back as the same.
    let again = try PlanFile.parse(PlanFile.encode(plan), file: "again.yaml")
    #expect(again == plan)
    let stored = try JSONDecoder().decode(Patient.self, from: JSONEncoder().encode(john))
    #expect(stored == john)
  }

  @Test(arguments: [
    ("    notify: [{for: alarm, to: [nora]}]", "alarm"),
    ("    notify: [{for: alert, to: [nona]}]", "nona"),
    ("    notify: [{for: alert, to: []}]", "1 to 16"),
    ("    notify: [{for: alert, to: [nora], after: 8d}]", "week"),
    ("    notify: [{for: alert, to: [nora], shows: all}]", "‘shows’"),
    ("    notify: [{for: question, to: [nora]}]", "belongs to no task"),
    ("    notify: [{for: alert, to: [nora], when: 3}]", "when"),
    ("    notify: [{for: alert, to: [nora]}, {for: alert, to: [nora]}]", "twice"),
  ])
  func `what makes no sense is refused`(task: String, reason: String) {
    let error = #expect(throws: YAMLError.self) {
      try PlanFile.parse(Self.text(task: task), file: "plan.yaml")
    }
    #expect(error.map { "\($0)".contains(reason) } == true, "\(error as Any)")
  }

  @Test(arguments: [
    ", quiet: {from: 22:00}", ", quiet: {from: 22:00, to: 22:00}",
    ", quiet: {from: 25:00, to: 7:00}",
    ", away: [{from: 2026-12-24, to: 2026-12-23}]", ", notify: [{for: alert, to: [eve]}]",
  ])
  func `so is a person's`(patient: String) {
    #expect(throws: YAMLError.self) {
      try PlanFile.parse(Self.text(patient: patient), file: "plan.yaml")
    }
  }

  @Test func `rules read what is missing, and the median of days`() throws {
    let plan = try PlanFile.parse(
      Self.text(
        task: """
              rules:
                - {missed: 3, message: Missed., then: {contact: nora}}
                - {silent: 3d, message: Silent.}
                - {silent: 36h, device: "A0:9E:1A:00:00:02", message: Dead.}
                - {median: {days: 7, rises: 3 lb}, message: Rises.}
                - {median: {days: 5, falls: 2}, message: Falls.}
                - {rises: 2 kg, within: 3d, message: Water.}
          """), file: "plan.yaml")
    let rules = plan.tasks[0].rules
    #expect(rules[0].trigger == .missed(3) && rules[0].contact == "nora")
    #expect(rules[1].trigger == .silent(.days(3), of: .quantity(.bodyMass)))
    #expect(
      rules[2].trigger == .silent(.seconds(129_600), of: .device(DeviceID("A0:9E:1A:00:00:02"))))
    guard case .median(7, let pounds) = rules[3].trigger else {
      Issue.record("\(rules[3])")
      return
    }
    #expect(abs(pounds - 1.36077711) < 1e-9)
    #expect(rules[4].trigger == .median(days: 5, by: -2))
    #expect(rules[5].trigger == .change(by: 2, within: .days(3)))
    #expect(try PlanFile.parse(PlanFile.encode(plan), file: "again.yaml") == plan)
    let stored = try JSONDecoder().decode([Rule].self, from: JSONEncoder().encode(rules))
    #expect(stored == rules)
  }

  @Test(arguments: [
    "{missed: 0, message: M}", "{missed: 3, after: 2, message: M}", "{silent: 3, message: M}",
    "{silent: 3d, quantity: mass, message: M}", "{median: {days: 7}, message: M}",
    "{median: {days: 2, rises: 1}, message: M}", "{median: {days: 7, rises: 3 cm}, message: M}",
    "{median: {days: 7, rises: 0}, message: M}", "{missed: 3}",
    "{silent: 1d, quantity: bodyMass, device: x, message: M}",
  ])
  func `a rule that cannot be is refused`(rule: String) {
    #expect(throws: YAMLError.self) {
      try PlanFile.parse(Self.text(task: "    rules: [\(rule)]"), file: "plan.yaml")
    }
  }

  @Test(arguments: [
    ("    notify: [{for: alert, to: [nora]}]", "never tells an alert"),
    ("    notify: [{for: reminder, to: [nora]}]", "no ‘reminder’"),
    ("    optional: true\n    notify: [{for: missed, to: [nora]}]", "never due"),
    ("    optional: true\n    rules: [{missed: 3, message: M}]", "never due"),
    ("    rules: [{silent: 1d, device: \"A0:9E:1A:00:00:02\", message: M}]", "no device"),
  ])
  func `what can never be told is doubted`(task: String, reason: String) throws {
    let plan = try PlanFile.parse(Self.text(task: task), file: "plan.yaml")
    let now = try #require(Date(rfc3339: "2026-11-03T12:00:00Z"))
    let doubts = plan.doubts(in: PlanSurroundings(activeTasks: [], now: now))
    #expect(doubts.contains { $0.text.contains(reason) }, "\(doubts.map(\.text))")
  }
}
