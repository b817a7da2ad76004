import Assessments
import Care
import CareStore
import Foundation
import Localization
import Motion
import TestSupport
import Testing

@testable import Pages

/// The form of a task: what is filled in becomes a task, and a task fills the form.
@Suite struct TaskDraftTests {
  private let zone = TimeZone(identifier: "Europe/Berlin") ?? .gmt

  /// Each day at eight.
  private let when: [(String, String)] = [
    ("title", "Check-in"), ("every", "daily"), ("start", "2026-11-05"), ("time", "08:00"),
  ]

  private func fields(_ pairs: KeyValuePairs<String, String>) -> FormFields {
    FormFields(pairs.map { (name: $0.key, value: $0.value) })
  }

  private func schedule(_ pairs: KeyValuePairs<String, String>) throws -> Schedule {
    try ScheduleDraft(zone: zone).schedule(fields(pairs), original: nil, targets: [])
  }

  private func starts(_ pairs: KeyValuePairs<String, String>, _ count: Int = 4) throws -> [String] {
    let schedule = try schedule(pairs)
    return (0..<count).compactMap { schedule.occurrence(at: $0)?.start }.map {
      String(LocalDateTime($0, in: zone).description.prefix(16))
    }
  }

  private func flaw(_ pairs: KeyValuePairs<String, String>) -> DraftFlaw? {
    do {
      _ = try schedule(pairs)
      return nil
    } catch {
      return error as? DraftFlaw
    }
  }

  // MARK: Schedules

  @Test func `a new task is not born missed`() throws {
    let now = try #require(Date("2026-11-23T09:11", in: zone))
    func starts(_ pairs: KeyValuePairs<String, String>) throws -> [String] {
      let schedule = try ScheduleDraft(zone: zone, now: now)
        .schedule(fields(pairs), original: nil, targets: [])
      return (0..<2).compactMap { schedule.occurrence(at: $0)?.start }.map {
        String(LocalDateTime($0, in: zone).description.prefix(16))
      }
    }
    let day = "2026-11-23"
    #expect(
      try starts(["every": "daily", "start": day, "time": "08:00", "minutes": "60"])
        == ["2026-11-24T08:00", "2026-11-25T08:00"])
    #expect(
      try starts(["every": "daily", "start": day, "time": "08:00", "minutes": "120"])
        == ["2026-11-23T08:00", "2026-11-24T08:00"])
    #expect(
      try starts([
        "every": "several", "start": day, "time1": "08:00", "time2": "20:00", "minutes": "60",
      ]) == ["2026-11-23T20:00", "2026-11-24T08:00"])
    // As many times as asked for.
    let counted = try ScheduleDraft(zone: zone, now: now).schedule(
      fields([
        "every": "daily", "start": day, "time": "08:00", "minutes": "60", "until": "count",
        "count": "7",
      ]), original: nil, targets: [])
    #expect(counted.count == 7)
  }

  @Test func `every kind of schedule is due when it says`() throws {
    #expect(
      try starts(["every": "daily", "start": "2026-11-05", "time": "09:00"], 2)
        == ["2026-11-05T09:00", "2026-11-06T09:00"])
    #expect(
      try starts(
        ["every": "daily", "start": "2026-11-05", "length": "allDay"], 2)
        == ["2026-11-05T00:00", "2026-11-06T00:00"])
    #expect(
      try starts(
        [
          "every": "several", "start": "2026-11-05", "time1": "07:30", "name1": "Breakfast",
          "time3": "17:30", "length": "allDay",
        ], 3) == ["2026-11-05T07:30", "2026-11-05T17:30", "2026-11-06T07:30"])
    // 5 November 2026 is a Thursday.
    #expect(
      try starts(
        [
          "every": "weekly", "start": "2026-11-05", "time": "09:00", "weekday": "1",
          "weekday": "4",
        ]) == ["2026-11-05T09:00", "2026-11-09T09:00", "2026-11-12T09:00", "2026-11-16T09:00"])
    #expect(
      try starts(
        ["every": "weekly", "start": "2026-11-05", "time": "09:00", "weekday": "5", "step": "2"], 2)
        == ["2026-11-06T09:00", "2026-11-20T09:00"])
    #expect(
      try starts(["every": "days", "start": "2026-11-05", "time": "09:00", "step": "3"], 2)
        == ["2026-11-05T09:00", "2026-11-08T09:00"])
    #expect(
      try starts(["every": "hours", "start": "2026-11-05", "time": "06:00", "step": "8"], 3)
        == ["2026-11-05T06:00", "2026-11-05T14:00", "2026-11-05T22:00"])
    #expect(
      try starts(["every": "monthly", "start": "2026-11-05", "time": "09:00", "day": "3"], 2)
        == ["2026-12-03T09:00", "2027-01-03T09:00"])
    #expect(
      try starts(
        [
          "every": "phases", "start": "2026-11-05", "time": "09:00", "phase1.step": "1",
          "phase1.unit": "days", "phase1.to": "2026-11-07", "phase2.step": "1",
          "phase2.unit": "weeks",
        ], 5) == [
          "2026-11-05T09:00", "2026-11-06T09:00", "2026-11-07T09:00", "2026-11-08T09:00",
          "2026-11-15T09:00",
        ])
  }

  @Test func `a schedule ends on its last day or after its last time`() throws {
    let until = try schedule([
      "every": "daily", "start": "2026-11-05", "time": "09:00", "until": "date",
      "end": "2026-11-07",
    ])
    #expect(until.count == 3)
    let count = try schedule([
      "every": "several", "start": "2026-11-05", "time1": "08:00", "time2": "20:00",
      "until": "count", "count": "5",
    ])
    #expect(count.count == 5)
    #expect(count.occurrence(at: 4)?.start == Date("2026-11-07T08:00", in: zone))
  }

  @Test func `what is wrong is said at its field`() {
    #expect(flaw(["every": "never"]) == DraftFlaw("every", "choose"))
    #expect(flaw(["every": "daily", "time": "09:00"]) == DraftFlaw("start", "noDate"))
    #expect(
      flaw(["every": "daily", "start": "2026-11-05", "time": "25:00"])
        == DraftFlaw("time", "noTime"))
    #expect(flaw(["every": "several", "start": "2026-11-05"]) == DraftFlaw("time1", "noTime"))
    #expect(
      flaw(["every": "weekly", "start": "2026-11-05", "time": "09:00"])
        == DraftFlaw("weekday", "choose"))
    #expect(
      flaw(["every": "days", "start": "2026-11-05", "time": "09:00", "step": "0"])
        == DraftFlaw("step", "range", ["least": "1", "most": "366"]))
    #expect(
      flaw([
        "every": "daily", "start": "2026-11-05", "time": "09:00", "until": "date",
        "end": "2026-11-04",
      ])?.code == "endNotAfterStart")
    #expect(
      flaw([
        "every": "daily", "start": "2026-11-05", "time": "09:00", "until": "count", "count": "0",
      ])?.field == "count")
  }

  @Test func `a schedule fills the form that makes it again`() throws {
    let draft = ScheduleDraft(zone: zone)
    let kinds: [(KeyValuePairs<String, String>, String)] = [
      (["every": "daily", "start": "2026-11-05", "time": "09:00", "minutes": "30"], "daily"),
      (
        [
          "every": "several", "start": "2026-11-05", "time1": "07:30", "name1": "Breakfast",
          "time2": "17:30", "until": "count", "count": "9",
        ], "several"
      ),
      (
        [
          "every": "weekly", "start": "2026-11-05", "time": "09:00", "weekday": "1",
          "weekday": "4", "until": "date", "end": "2026-12-31",
        ], "weekly"
      ), (["every": "days", "start": "2026-11-05", "time": "09:00", "step": "3"], "days"),
      (["every": "hours", "start": "2026-11-05", "time": "06:00", "step": "8"], "hours"),
      (
        ["every": "monthly", "start": "2026-11-05", "time": "09:00", "day": "31", "step": "3"],
        "monthly"
      ),
      (
        [
          "every": "phases", "start": "2026-11-05", "time": "09:00", "phase1.step": "1",
          "phase1.to": "2026-11-07", "phase2.step": "1", "phase2.unit": "weeks",
        ], "keep"
      ),
    ]
    for (pairs, kind) in kinds {
      let schedule = try schedule(pairs)
      let again = draft.fields(of: schedule)
      #expect(again["every"] == kind)
      #expect(try draft.schedule(again, original: schedule, targets: nil) == schedule, "\(kind)")
    }
  }

  /// Of doses of which the first is over when they are planned, it begins a day later.
  @Test func `doses keep their times, names and length when one of them is corrected`() throws {
    let now = try #require(Date("2026-11-23T09:11", in: zone))
    let made = try ScheduleDraft(zone: zone, now: now).schedule(
      fields([
        "every": "several", "start": "2026-11-23", "time1": "08:00", "name1": "Breakfast",
        "time2": "13:00", "name2": "Lunch", "time3": "19:00", "name3": "Dinner", "minutes": "60",
      ]), original: nil, targets: [])
    let draft = ScheduleDraft(zone: zone)
    var form = draft.fields(of: made)
    #expect(form["every"] == "several")
    let shown = [1, 2, 3].map { [form["time\($0)"], form["name\($0)"]] }
    #expect(Set(shown) == [["08:00", "Breakfast"], ["13:00", "Lunch"], ["19:00", "Dinner"]])
    let place = try #require([1, 2, 3].first { form["time\($0)"] == "08:00" })
    form["time\(place)"] = "09:00"
    let corrected = try draft.schedule(form, original: made, targets: nil)
    let times = corrected.elements.map { element in
      String(LocalDateTime(element.start, in: zone).description.dropFirst(11).prefix(5))
        + " " + (element.text ?? "")
    }
    #expect(Set(times) == ["09:00 Breakfast", "13:00 Lunch", "19:00 Dinner"])
    #expect(corrected.elements.allSatisfy { $0.duration == .seconds(3600) })
  }

  // MARK: Tasks

  @Test func `every task of a household survives its form`() async throws {
    let household = try await Household()
    let tasks = try await household.store.read { try $0.histories(patient: nil) }
      .compactMap(\.versions.last?.planned)
    #expect(tasks.count > 9)
    for task in tasks {
      let draft = TaskDraft(of: task, in: household.zone)
      #expect(try draft.task(of: task.patient, taken: []) == task, "\(task.id)")
    }
  }

  @Test func `what is filled in becomes a task`() throws {
    let draft = TaskDraft(
      fields([
        "title": " Weigh yourself ", "text": "", "group": "Morning", "glyph": "scale",
        "style": "labeledValue", "every": "daily", "start": "2026-11-05", "time": "07:00",
        "minutes": "120", "answer": "sensor", "quantity": "bodyMass", "target": "80",
        "target.atMost": "1",
      ]), of: nil, in: zone)
    let task = try draft.task(of: "alex", taken: ["weigh-yourself"])
    #expect(task.id == "weigh-yourself-2")
    #expect(task.title == "Weigh yourself" && task.text == nil && task.group == "Morning")
    #expect(task.linkages == [Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram)])
    #expect(
      task.schedule.elements.first?.targets
        == [TargetValue(value: .integer(80), unit: .kilogram, isAtMost: true)])
    #expect(task.schedule.elements.first?.duration == .seconds(7200))
  }

  @Test func `goals of two kinds, limits and a rule are asked, and fill the form again`() throws {
    let pairs: KeyValuePairs<String, String> = [
      "answer": "sensor", "quantity": "bloodPressure", "target": "135",
      "target.kind": "systolic", "target.atMost": "1", "target2": "85",
      "target2.kind": "diastolic", "target2.atMost": "1", "limit1": "140",
      "limit1.kind": "systolic", "limit1.says": "high", "limit1.alerts": "1", "limit2": "60",
      "limit2.kind": "diastolic", "limit2.says": "low", "limit2.below": "1", "rule.value": "150",
      "rule.value.kind": "systolic", "rule.count": "2", "rule.message": "Call the practice.",
    ]
    func draft(_ pairs: [(String, String)]) -> TaskDraft {
      TaskDraft(
        FormFields((when + pairs).map { (name: $0.0, value: $0.1) }), of: nil, in: zone)
    }
    let all = pairs.map { ($0.key, $0.value) }
    let task = try draft(all).task(of: "alex", taken: [])
    #expect(
      task.schedule.elements.first?.targets == [
        TargetValue(
          value: .integer(135), unit: .millimetreOfMercury, kind: "systolic", isAtMost: true),
        TargetValue(
          value: .integer(85), unit: .millimetreOfMercury, kind: "diastolic", isAtMost: true),
      ])
    #expect(
      task.thresholds == [
        Threshold(kind: "systolic", condition: .atLeast(140), says: "high", alerts: true),
        Threshold(kind: "diastolic", condition: .atMost(60), says: "low"),
      ])
    #expect(
      task.rules == [
        Rule(
          kind: "systolic", unit: .millimetreOfMercury,
          trigger: .results(2, ofLast: 2, .atLeast(150)), message: "Call the practice.")
      ])
    let again = TaskDraft(of: task, in: zone)
    #expect(again.fields["target2"] == "85" && again.fields["limit2.says"] == "low")
    #expect(again.fields["rules"] == nil && again.fields["rule.value"] == "150")
    #expect(try again.task(of: "alex", taken: []) == task)
    let flaws: [(String, String, String)] = [
      ("limit1.says", "", "noTitle"), ("limit1.kind", "", "choose"),
      ("target2.kind", "", "choose"), ("rule.message", "", "noEffect"),
      ("limit2", "many", "noNumber"),
    ]
    for (name, value, code) in flaws {
      let changed = all.filter { $0.0 != name } + [(name, value)]
      #expect(throws: DraftFlaw(name, code)) {
        try draft(changed).task(of: "alex", taken: [])
      }
    }
  }

  @Test func `a survey and an assessment are asked`() throws {
    func task(_ pairs: KeyValuePairs<String, String>) throws -> PlannedTask {
      try TaskDraft(
        FormFields(
          when.map { (name: $0.0, value: $0.1) } + pairs.map { (name: $0.key, value: $0.value) }),
        of: nil, in: zone
      ).task(of: "alex", taken: [])
    }
    let survey = try task([
      "answer": "survey", "q1.title": "How strong is your pain?", "q1.type": "scale",
      "q1.minimum": "0", "q1.maximum": "10", "q2.title": "Où ?", "q2.type": "choice",
      "q2.choices": "Knee\r\nHip\r\n", "q2.optional": "1",
    ])
    #expect(survey.survey.map(\.kind) == ["how-strong-is-your-pain", "ou"])
    #expect(survey.survey.map(\.choices) == [[], ["Knee", "Hip"]])
    let knee = try task([
      "answer": "assessment", "assessment": "rangeOfMotion", "joint": "knee", "side": "left",
      "target": "90", "target.kind": "range",
    ])
    #expect(knee.activeTask == ActiveTask(type: "rangeOfMotion", joint: .knee, side: .left))
    #expect(knee.schedule.elements.first?.targets.first?.kind == "range")
    let bends = try task([
      "answer": "assessment", "assessment": "exercise", "joint": "knee", "sets": "3",
      "repetitions": "10", "rest": "60", "minimum": "45,5",
    ])
    #expect(
      bends.activeTask
        == ActiveTask(
          type: "exercise", joint: .knee, sets: 3, repetitions: 10, rest: 60, minimum: 45.5))
    let flaws: [(KeyValuePairs<String, String>, String, String)] = [
      (["answer": "survey"], "q1.title", "noQuestion"),
      (
        ["answer": "survey", "q1.title": "A", "q1.type": "scale", "q1.minimum": "0"], "q1.maximum",
        "survey.missing"
      ),
      (
        [
          "answer": "survey", "q1.title": "A", "q1.type": "scale", "q1.minimum": "0",
          "q1.maximum": "100",
        ], "q1.maximum", "survey.tooManySteps"
      ), (["answer": "assessment", "assessment": "rangeOfMotion"], "joint", "choose"),
      (["answer": "assessment", "assessment": "timedWalk"], "distance", "noNumber"),
      (
        ["answer": "assessment", "assessment": "shortWalk", "stepsPerLeg": "9"], "stepsPerLeg",
        "range"
      ),
      (
        ["answer": "assessment", "assessment": "shortWalk", "stepsPerLeg": "20.5"], "stepsPerLeg",
        "noNumber"
      ),
      (["answer": "assessment", "assessment": "sway", "axis": "w"], "axis", "choose"),
      (["answer": "sensor", "quantity": "luck"], "quantity", "choose"),
    ]
    for (pairs, field, code) in flaws {
      do {
        _ = try task(pairs)
        Issue.record("no flaw at \(field)")
      } catch let flaw as DraftFlaw {
        #expect(flaw.field == field && flaw.code == code, "\(flaw)")
      }
    }
  }

  // MARK: Reminders

  /// A task with a reminder, a fallback and a rule.
  private func reminding() throws -> PlannedTask {
    let element = try ScheduleElement(
      start: #require(Date("2026-11-01T07:00", in: zone)), interval: Interval(days: 1),
      duration: .seconds(3600), timeZone: zone)
    var task = PlannedTask(
      id: "weigh-in", patient: "alex", title: "Weigh yourself", schedule: try Schedule([element]),
      linkage: Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram),
      thresholds: [Threshold(condition: .above(90), says: "high")],
      reminder: Reminder(offset: -900), fallback: Fallback(after: 7_200),
      rules: [
        Rule(
          unit: .kilogram, trigger: .change(by: 2, within: .days(1)), contact: "practice",
          message: "Two kilograms in a day"),
        Rule(
          kind: "bodyMass", trigger: .results(3, ofLast: 3, .below(80)),
          target: Rule.TargetChange(.by(-1), limit: 78)),
      ])
    task.tags = ["morning"]
    return task
  }

  private func saved(
    _ task: PlannedTask, _ changes: KeyValuePairs<String, String>
  ) throws -> PlannedTask {
    var fields = TaskDraft(of: task, in: zone).fields
    for (name, value) in changes { fields[name] = value }
    return try TaskDraft(fields, of: task, in: zone).task(of: task.patient, taken: [])
  }

  @Test func `the form shows and changes reminders`() throws {
    let task = try reminding()
    let fields = TaskDraft(of: task, in: zone).fields
    let names = [
      "reminder", "reminder.amount", "reminder.unit", "fallback", "fallback.amount",
      "fallback.unit",
    ]
    #expect(
      names.map { fields[$0] } == ["before", "15", "minutes", "after", "2", "hours"])
    #expect(try saved(task, [:]) == task)
    let later = try saved(
      task, ["reminder": "after", "reminder.amount": "1", "reminder.unit": "days"])
    #expect(later.reminder == Reminder(offset: 86_400) && later.fallback == task.fallback)
    let none = try saved(task, ["reminder": "none", "fallback": "none"])
    #expect(none.reminder == nil && none.fallback == nil)
    let read = try saved(task, ["answer": "read"])
    #expect(read.reminder == nil && read.fallback == nil)
    for (changes, field, code) in [
      (["fallback.amount": "24"], "fallback.amount", "fallbackTooLate"),
      (["fallback.amount": "0"], "fallback.amount", "noNumber"),
      (["reminder.amount": "8", "reminder.unit": "days"], "reminder.amount", "range"),
      (["reminder.amount": "soon"], "reminder.amount", "noNumber"),
    ] as [(KeyValuePairs<String, String>, String, String)] {
      do {
        _ = try saved(task, changes)
        Issue.record("no flaw at \(field)")
      } catch let flaw as DraftFlaw {
        #expect(flaw.field == field && flaw.code == code, "\(flaw)")
      }
    }
    // A value that the form cannot say stays.
    var odd = task
    odd.reminder = Reminder(offset: -90)
    #expect(try saved(odd, ["title": "Other"]).reminder == odd.reminder)
  }

  /// Of a day a reminder comes at a time, not so many hours after its beginning.
  @Test func `a reminder of a day has a time`() throws {
    var task = try reminding()
    let start = try #require(Date("2026-11-01", in: zone))
    task.schedule = try Schedule([
      try ScheduleElement(
        start: start, interval: Interval(days: 1), duration: .allDay, timeZone: zone)
    ])
    (task.reminder, task.fallback) = (Reminder(offset: 30_600), Fallback(after: 64_800))
    let fields = TaskDraft(of: task, in: zone).fields
    #expect(
      ["reminder", "reminder.time", "fallback", "fallback.time"].map { fields[$0] } == [
        "at", "08:30", "at", "18:00",
      ])
    #expect(try saved(task, [:]) == task)
    #expect(try saved(task, ["reminder.time": "07:05"]).reminder == Reminder(offset: 25_500))
    #expect(throws: DraftFlaw("reminder.time", "noTime")) {
      try saved(task, ["reminder.time": "25:00"])
    }
    // A day before is no time of the day.
    task.reminder = Reminder(offset: -86_400)
    #expect(TaskDraft(of: task, in: zone).fields["reminder"] == "before")
  }

  @Test func `rules stay when the form is saved`() throws {
    let task = try reminding()
    let edited = try saved(
      task, ["title": "Step on the scale", "reminder": "none", "time": "08:00"])
    #expect(edited.title == "Step on the scale")
    #expect(edited.rules == task.rules && edited.thresholds == task.thresholds)
    #expect(edited.tags == task.tags)
    #expect(edited.schedule != task.schedule)
  }

  @Test func `rules are shown as text`() async throws {
    let household = try await Household(tasks: { _ in [try reminding()] })
    let site = try Site()
    func page(_ screen: String, _ code: String) async throws -> String {
      let viewer = household.viewer(try #require(site.language(code)), patient: nil)
      let task = try reminding()
      var fields = TaskDraft(of: task, in: zone).fields
      fields["screen"] = screen
      if screen == "rules" { fields["reviewed"] = "1" }
      let draft = TaskDraft(fields, of: task, in: zone)
      return try await household.store.read {
        try TaskFormPage($0, draft: draft, viewer: viewer).html(site)
      }
    }
    let screen = try await page("rules", "en")
    #expect(screen.contains("Weight rises by 2 kg within 1 day: message to practice"))
    #expect(screen.contains("3 in a row of Weight below 80: goal down by 1, to at least 78"))
    // The form cannot say these, and offers to keep them.
    #expect(screen.contains("as it is"))
    let review = try await page("review", "en")
    #expect(review.contains("Reminder 15 min before the start"))
    #expect(review.contains("Question 2 h after the start, if no value has come"))
    #expect(review.contains("Weight rises by 2 kg"))
    #expect(try await page("review", "zh-Hant").contains("開始前 15 分鐘提醒"))
  }

  /// The page's script shows such an input only then.
  @Test(arguments: [
    ("when", ["title": "Walk", "every": "daily"], #"data-asked="length" data-answers=" timed""#),
    ("when", ["title": "Walk", "every": "daily"], #"data-asked="until" data-answers="count""#),
    (
      "remind", ["title": "Walk", "every": "daily", "answer": "check"],
      #"data-asked="reminder" data-answers="before after""#
    ),
    (
      "remind",
      [
        "title": "Walk", "every": "daily", "start": "2026-11-01", "length": "allDay",
        "answer": "check",
      ],
      #"data-asked="reminder" data-answers="at""#
    ),
    (
      "detail", ["title": "Walk", "every": "daily", "answer": "survey"],
      #"data-asked="q1.type" data-answers="scale number""#
    ),
  ])
  func `an input says by which answers it is of use`(
    screen: String, answers: [String: String], attributes: String
  ) async throws {
    let household = try await Household()
    let site = try Site()
    let viewer = household.viewer(try #require(site.language("en")))
    let pairs = answers.map { ($0.key, $0.value) } + [("screen", screen), ("patient", "alex")]
    let draft = TaskDraft(
      FormFields(pairs.map { (name: $0.0, value: $0.1) }), of: nil, in: household.zone)
    let html = try await household.store.read {
      try TaskFormPage($0, draft: draft, viewer: viewer).html(site)
    }
    #expect(html.contains(attributes))
  }

  @Test func `the number of questions is said once it is known`() async throws {
    let household = try await Household()
    let site = try Site()
    let viewer = household.viewer(try #require(site.language("en")), patient: nil)
    func step(_ pairs: KeyValuePairs<String, String>) async throws -> String? {
      let draft = TaskDraft(fields(pairs), of: nil, in: household.zone)
      let html = try await household.store.read {
        try TaskFormPage($0, draft: draft, viewer: viewer).html(site)
      }
      return html.firstMatch(of: /Question [0-9]+( of [0-9]+)?/).map { String($0.output.0) }
    }
    #expect(try await step(["screen": "what", "patient": "alex"]) == "Question 2")
    #expect(
      try await step([
        "screen": "often", "patient": "alex", "title": "Walk", "every": "daily",
      ]) == "Question 3")
    #expect(
      try await step([
        "screen": "answer", "patient": "alex", "title": "Walk", "every": "daily",
        "answer": "sensor",
      ]) == "Question 5")
    #expect(
      try await step([
        "screen": "answer", "patient": "alex", "title": "Walk", "every": "daily",
        "answer": "check",
      ]) == "Question 5 of 8")
  }

  @Test func `nothing is chosen where a choice matters`() async throws {
    let household = try await Household()
    let site = try Site()
    let viewer = household.viewer(try #require(site.language("en")), patient: nil)
    func page(_ pairs: KeyValuePairs<String, String>) async throws -> String {
      let draft = TaskDraft(fields(pairs), of: nil, in: household.zone)
      return try await household.store.read {
        try TaskFormPage($0, draft: draft, viewer: viewer).html(site)
      }
    }
    for (screen, answer) in [("often", "check"), ("answer", ""), ("detail", "sensor")] {
      let html = try await page([
        "screen": screen, "patient": "alex", "title": "Walk", "answer": answer,
      ])
      #expect(!html.contains(" checked"), "\(screen)")
    }
    let survey = try await page([
      "screen": "detail", "patient": "alex", "title": "Walk", "answer": "survey",
    ])
    #expect(survey.contains(#"<option value="" selected>please choose</option>"#))
    let time = try await page([
      "screen": "when", "patient": "alex", "title": "Walk", "every": "daily",
    ])
    #expect(time.contains(#"name="time" value="08:00""#))
    #expect(time.contains("08:00 is a suggestion."))
  }

  /// The page makes each assessment that a plan can ask for, and shows each key of it again.
  @Test(arguments: AssessmentList.all.map { $0.form })
  func `every assessment is made with all its keys`(form: ActiveTaskForm) throws {
    var task = ActiveTask(type: form.type)
    var answers = [("answer", "assessment"), ("assessment", form.type.rawValue)]
    for key in form.keys {
      switch key.values {
      case .words(let words):
        task[key] = words.last.map(ActiveTask.Argument.word)
        answers.append((key.rawValue, words.last ?? ""))
      case .number(let range, _):
        task[key] = .number(range.upperBound)
        answers.append((key.rawValue, range.upperBound.plainText))
      case .count(let range, _):
        task[key] = .count(range.upperBound)
        answers.append((key.rawValue, String(range.upperBound)))
      }
    }
    let fields = FormFields(
      when.map { (name: $0.0, value: $0.1) } + answers.map { (name: $0.0, value: $0.1) })
    let made = try TaskDraft(fields, of: nil, in: zone).task(of: "alex", taken: [])
    #expect(made.activeTask == task)
    let shown = TaskDraft(of: made, in: zone).fields
    for (name, value) in answers { #expect(shown[name] == value, "\(name)") }
    for language in try Site().languages {
      #expect(!language.arguments(of: task).isEmpty || form.keys.isEmpty)
      for key in form.keys { #expect(language.texts["taskForm.key." + key.rawValue] != nil) }
    }
  }

  @Test func `every rule has its words`() throws {
    for language in try Site().languages {
      let codes =
        ScheduleKind.allCases.map { "taskForm.every." + $0.rawValue }
        + AnswerKind.allCases.map { "taskForm.answer." + $0.rawValue }
        + CardStyle.allCases.map { "taskForm.style." + $0.rawValue }
        + Glyph.Standard.allCases.map { "glyph." + $0.rawValue }
        + TaskDraft.questionTypes.map { "taskForm.type." + $0.rawValue }
        + TaskDraft.momentUnits.map { "taskForm.momentUnit." + $0.0 }
      for code in codes { #expect(language.texts[code] != nil, "\(language.code) \(code)") }
    }
  }

  @Test(arguments: ["en", "zh-Hant"]) func `every screen is well formed`(_ code: String)
    async throws
  {
    let household = try await Household()
    let site = try Site()
    let viewer = household.viewer(try #require(site.language(code)), patient: nil)
    let tasks = try await household.store.read { try $0.histories(patient: nil) }
      .compactMap(\.versions.last?.planned)
    let screens = [
      "who", "what", "look", "often", "when", "answer", "detail", "keys", "goal", "remind",
      "limits", "rules", "review",
    ]
    // A task's screens differ by what it is, and hardly by the language.
    for task in (code == "en" ? tasks.map(Optional.some) : []) + [nil] {
      for screen in screens {
        for kind in task == nil ? ScheduleKind.allCases : [.keep] {
          var fields = task == nil ? FormFields() : TaskDraft(of: task, in: household.zone).fields
          fields["screen"] = screen
          if ["limits", "rules"].contains(screen) { fields["reviewed"] = "1" }
          if task == nil { fields["every"] = kind.rawValue }
          let draft = TaskDraft(fields, of: task, in: household.zone)
          let html = try await household.store.read { reader in
            try TaskFormPage(reader, draft: draft, viewer: viewer, refusal: nil).html(site)
          }
          let markup = Markup(html: html)
          #expect(markup.fault == nil, "\(task?.id ?? "new") \(screen)")
          #expect(markup.blocked.isEmpty)
          #expect(!html.contains("⟦"), "\(html.components(separatedBy: "⟦").dropFirst())")
          let linked = Set(markup.attribute("for")).subtracting(markup.attribute("id"))
          #expect(linked.isEmpty, "labels without a control: \(linked)")
        }
      }
    }
    for screen in ["name", "units", "weight", "place", "review"] {
      var fields = FormFields([("given", "<b>"), ("units", "uk"), ("weight", "180")])
      fields["screen"] = screen
      let page = PersonFormPage(
        draft: PersonDraft(fields, of: nil), viewer: viewer, languages: site.languages)
      #expect(Markup(html: page.html(site)).fault == nil)
      #expect(!page.html(site).contains("⟦"))
    }
  }

  @Test(arguments: ["en", "zh-Hant"]) func `an uploaded plan is shown as its changes`(
    _ code: String
  ) async throws {
    let household = try await Household()
    let site = try Site()
    let viewer = household.viewer(try #require(site.language(code)), patient: nil)
    let now = household.now
    // A person changes the title and the group of the walk, the file its title and the water.
    let edited = try await household.store.write { writer in
      try writer.editPlan(now: now) { writer in
        var walk = try #require(
          writer.histories(patient: "alex").compactMap(\.versions.last?.planned)
            .first { $0.id == "walk" })
        (walk.title, walk.group) = ("Hers <b>", "Mornings")
        _ = try writer.put(walk, now: now)
      }
    }
    #expect(edited != nil)
    let tasks = try Household.Builder(zone: household.zone).everyKind().map { task in
      var task = task
      if task.id == "walk" { task.title = "File's" }
      if task.id == "water" { task.text = "A glass" }
      return task
    }
    let plan = PlanDocument(
      timeZone: household.zone, patients: Household.people,
      tasks: tasks.filter { $0.id != "leaflet" })
    let report = try await household.store.preview(
      plan, options: PlanImportOptions(isLive: true), now: now)
    let html = try await household.store.read { reader in
      try PlanDiffPage(
        reader, report: report, plan: plan, text: "tasks: </textarea>", revision: 7,
        viewer: viewer
      ).html(site)
    }
    let markup = Markup(html: html)
    #expect(markup.fault == nil && markup.blocked.isEmpty)
    #expect(!html.contains("⟦") && !html.contains("<b>\""))
    #expect(html.contains("tasks: &lt;/textarea&gt;") && html.contains("value=\"7\""))
    for key in ["title", "group", "text"] {
      #expect(html.contains(viewer.language.text("plan.key.\(key)")), "\(key)")
    }
    if code == "en" {
      #expect(html.contains("short fact: none → A glass"))
      #expect(html.contains("title: Hers &lt;b&gt; → File&#39;s"))
    }
    #expect(html.contains("After the operation"))
    let same = try await household.store.read { reader in
      try PlanDiffPage(
        reader, report: PlanImportReport(), plan: plan, text: "", revision: 7, viewer: viewer
      ).html(site)
    }
    #expect(Markup(html: same).fault == nil && !same.contains("<textarea"))
  }

  @Test func `housemates are weights, one a line, with their tolerance kept`() throws {
    let known = Patient(
      id: "ann", name: PersonName(given: "Ann"),
      others: [Care.Expectation(value: 80, tolerance: 3), Care.Expectation(value: 92)])
    func others(_ text: String) throws -> [Care.Expectation] {
      var draft = PersonDraft(of: known)
      var fields = draft.fields
      fields["others"] = text
      fields.set("others", [text])
      draft = draft.with(fields)
      return try draft.person(taken: []).others
    }
    #expect(PersonDraft(of: known).fields["others"] == "80 kg\n92 kg")
    #expect(try PersonDraft(of: known).person(taken: []) == known)
    #expect(
      try others("80 kg\n70,5") == [
        Care.Expectation(value: 80, tolerance: 3), Care.Expectation(value: 70.5),
      ])
    #expect(try others("") == [])
    #expect(throws: DraftFlaw("others", "noNumber")) { try others("heavy") }
  }

  @Test func `a persons weight is in their units`() throws {
    let words = try #require(Site().language("en"))
    let draft = PersonDraft(
      fields(["given": "Kim", "units": "us", "weight": "180", "zone": "Europe/Berlin"]), of: nil)
    let person = try draft.person(taken: ["kim"], words: words).get()
    #expect(person.id == "kim-2" && person.units == .us)
    #expect(abs((person.expects["bodyMass"]?.value ?? 0) - 81.6466) < 0.001)
    for person in Household.people {
      #expect(
        try PersonDraft(nil, of: person).person(taken: [], words: words).get().expects
          == person.expects)
    }
    let wrong = PersonDraft(fields(["given": "Kim", "zone": "Europe/Nowhere"]), of: nil)
    #expect(throws: TaskFormPage.Refusal.self) {
      try wrong.person(taken: [], words: words).get()
    }
  }
}
