import Care
import Foundation
import Motion
import Testing
import TestSupport

/// Random plans of every shape that a file can express.
enum RandomPlan {
  static func make(_ generator: inout SeededGenerator) throws -> PlanDocument {
    let others =
      [[], [Expectation(value: 80.5), Expectation(value: 31, tolerance: 4)]]
      .randomElement(using: &generator) ?? []
    let patients = try (0..<Int.random(in: 1...3, using: &generator)).map { index in
      Patient(
        id: "p\(index)",
        name: PersonName(given: text(&generator), family: text(&generator)),
        expects: Bool.random(using: &generator)
          ? ["bodyMass": Expectation(value: 82.3, tolerance: index == 0 ? nil : 6.1)] : [:],
        units: PreferredUnits.allCases.randomElement(using: &generator),
        timeZone: index == 0 ? nil : TimeZone(iana: "Asia/Tokyo"),
        language: [nil, "de", "pt-BR", "zh-Hans-CN", "es-419"].randomElement(using: &generator)
          ?? nil,
        sex: [nil, .male, .female, .other("male")].randomElement(using: &generator) ?? nil,
        birthday: index == 0 ? CalendarDate("1952-02-29") : nil, allergies: texts(&generator),
        others: others, channels: index == 0 ? [] : try channels())
    }
    let carePlans = patients.filter { _ in Bool.random(using: &generator) }.map { patient in
      CarePlan(
        id: "plan", patient: patient.id, title: text(&generator) ?? "Plan",
        effectiveDate: Bool.random(using: &generator) ? date(&generator) : nil)
    }
    var tasks: [PlannedTask] = []
    for index in 0..<Int.random(in: 0...4, using: &generator) {
      var task = try task("t\(index)", of: patients, &generator)
      if carePlans.contains(where: { $0.patient == task.patient }) { task.carePlan = "plan" }
      tasks.append(task)
    }
    let devices = (0..<Int.random(in: 0...2, using: &generator)).map { index in
      DeviceBinding(
        address: index == 0 ? "5C:CA:D3:70:D4:A2" : "left thigh", definition: text(&generator),
        patient: patients.randomElement(using: &generator)?.id,
        userIndex: Bool.random(using: &generator) ? 255 : nil,
        placement: Bool.random(using: &generator)
          ? Placement(joint: .hip, side: Side.allCases.randomElement(using: &generator)) : nil)
    }
    return PlanDocument(
      timeZone: try zone(&generator), patients: patients, tasks: tasks, devices: devices,
      carePlans: carePlans, contacts: try contacts(of: patients, &generator),
      notes: try notes(of: patients, about: tasks, &generator))
  }

  // MARK: People

  private static func contacts(
    of patients: [Patient], _ generator: inout SeededGenerator
  ) throws -> [Contact] {
    try (0..<Int.random(in: 0...2, using: &generator)).map { index in
      Contact(
        id: "c\(index)", patient: patients.randomElement(using: &generator)?.id,
        name: PersonName(given: text(&generator), family: text(&generator)),
        title: text(&generator), role: text(&generator), organization: text(&generator),
        category: try #require(Contact.Category.allCases.randomElement(using: &generator)),
        phoneNumbers: labeledValues(&generator), emailAddresses: labeledValues(&generator),
        messagingNumbers: labeledValues(&generator),
        address: Bool.random(using: &generator)
          ? PostalAddress(
            street: text(&generator), city: text(&generator), state: text(&generator),
            postalCode: text(&generator), country: text(&generator)) : nil,
        channels: Bool.random(using: &generator) ? try channels().reversed() : [])
    }
  }

  /// One of each kind.
  private static func channels() throws -> [Channel] {
    let address = try #require(WebAddress("https://example.org:8443/a?b=c&d=%23"))
    return [
      .ntfy(
        server: try #require(WebAddress("http://ntfy.local")),
        topic: try #require(NtfyTopic("kept-0123456789abcdef"))
      ),
      .email(try #require(MailAddress("nora+box@example.org"))), .webhook(address),
    ]
  }

  private static func labeledValues(_ generator: inout SeededGenerator) -> [LabeledValue] {
    (0..<Int.random(in: 0...2, using: &generator)).map { _ in
      LabeledValue(label: text(&generator), value: text(&generator) ?? "+1 555 0100")
    }
  }

  private static func notes(
    of patients: [Patient], about tasks: [PlannedTask], _ generator: inout SeededGenerator
  ) throws -> [Note] {
    try (0..<Int.random(in: 0...2, using: &generator)).map { index in
      let task = Bool.random(using: &generator) ? tasks.randomElement(using: &generator) : nil
      let patient = try task?.patient ?? #require(patients.randomElement(using: &generator)).id
      return Note(
        id: "n\(index)", patient: patient, task: task?.id, title: text(&generator),
        content: text(&generator) ?? "Content", author: text(&generator),
        date: Bool.random(using: &generator) ? date(&generator) : nil)
    }
  }

  // MARK: Tasks

  private static func task(
    _ id: String, of patients: [Patient], _ generator: inout SeededGenerator
  ) throws -> PlannedTask {
    let isLinked = Bool.random(using: &generator)
    let elements = try (0..<Int.random(in: 1...3, using: &generator)).map { _ in
      try element(isLinked: isLinked, &generator)
    }
    let kind =
      isLinked ? .assessment : try #require(TaskKind.allCases.randomElement(using: &generator))
    let weights = isLinked && Bool.random(using: &generator) ? [weightByHand] : []
    let glyphs: [Glyph?] =
      [nil, .custom("heart"), .custom("a: b")] + Glyph.Standard.allCases.map(Glyph.standard)
    let shortest =
      elements.map { element in
        if case .seconds(let length) = element.duration { length } else { 86_400.0 }
      }.min() ?? 0
    return PlannedTask(
      id: id, patient: try #require(patients.randomElement(using: &generator)).id, kind: kind,
      title: text(&generator) ?? "Title", text: text(&generator), instructions: text(&generator),
      schedule: try Schedule(elements),
      linkage: isLinked
        ? Linkage(
          quantity: .bodyMass, type: .discrete, unit: try #require(UnitOfMeasure("lb")),
          device: text(&generator).map { DeviceID($0) }) : nil,
      linkages: weights,
      activeTask: isLinked ? activeTasks.randomElement(using: &generator) : nil,
      isOptional: Bool.random(using: &generator), isResettable: Bool.random(using: &generator),
      effectiveDate: Bool.random(using: &generator) ? date(&generator) : nil,
      survey: kind == .readOnly ? [] : try survey(&generator), thresholds: thresholds(&generator),
      reminder: kind == .readOnly
        ? nil
        : [nil, -900, 0, shortest > 5_400 ? 5_400 : nil].randomElement(using: &generator)?
          .map(Reminder.init),
      fallback: kind == .readOnly || Bool.random(using: &generator)
        ? nil : Fallback(after: Double(Int.random(in: 1..<86_400, using: &generator))),
      progressStrategy: ProgressStrategy.allCases.randomElement(using: &generator),
      group: text(&generator), tags: texts(&generator),
      style: CardStyle.allCases.randomElement(using: &generator),
      glyph: glyphs.randomElement(using: &generator) ?? nil, image: text(&generator),
      userInfo: [text(&generator) ?? "key": text(&generator) ?? "", "b": "c"],
      remoteID: text(&generator))
  }

  private static let weightByHand = Linkage(
    quantity: .bodyMass, type: .cumulative, unit: .kilogram, device: "by hand")

  private static func survey(
    _ generator: inout SeededGenerator
  ) throws -> [SurveyQuestion] {
    let isOptional = Bool.random(using: &generator)
    let title = text(&generator)
    let questions = [
      try SurveyQuestion(
        kind: "pain", type: .scale, title: title, minimum: 1, maximum: 10, step: 3,
        anchors: isOptional ? [] : ["no: pain", "worst"], isOptional: isOptional),
      try SurveyQuestion(
        kind: "a b", type: .number, title: title, minimum: -0.5, step: 1e-7, unit: .kilogram),
      try SurveyQuestion(kind: "5", type: .number, maximum: 1e30),
      try SurveyQuestion(
        kind: "mood", type: .choices, title: title, choices: ["5", "yes", "a, b"],
        isOptional: isOptional),
      try SurveyQuestion(
        kind: "plain",
        type: #require(
          [.text, .boolean, .date, .time, .photo, .video].randomElement(using: &generator))),
    ]
    return questions.filter { _ in Bool.random(using: &generator) }
  }

  private static func thresholds(_ generator: inout SeededGenerator) -> [Threshold] {
    let conditions: [Threshold.Condition] = [
      .above(1), .atLeast(2.5), .below(3.75), .atMost(395), .equal(0),
      .between(6, 7, isInclusive: true), .between(6.5, 6.5, isInclusive: false),
    ]
    return conditions.filter { _ in Bool.random(using: &generator) }.map {
      Threshold(
        kind: text(&generator), condition: $0, says: text(&generator) ?? "so",
        alerts: Bool.random(using: &generator))
    }
  }

  private static let activeTasks = [
    ActiveTask(type: "rangeOfMotion", joint: .neck), ActiveTask(type: "timedUpAndGo", side: .left),
    ActiveTask(type: "fiveTimesSitToStand"), ActiveTask(type: "thirtySecondChairStand"),
    ActiveTask(type: "timedWalk", distance: 4.57), ActiveTask(type: "sixMinuteWalk"),
    ActiveTask(type: "sixMinuteWalk", stepLength: 0.61), ActiveTask(type: "tremor", side: .right),
    ActiveTask(type: "sway", axis: .y), ActiveTask(type: "sway"),
    ActiveTask(type: "tapping", side: .left, duration: 30), ActiveTask(type: "tapping"),
    ActiveTask(type: "reactionTime", attempts: 7), ActiveTask(type: "reactionTime"),
    ActiveTask(type: "shortWalk", stepsPerLeg: 20),
    ActiveTask(type: "shortWalk", rest: 30, stepsPerLeg: 1_000),
    ActiveTask(type: "exercise", joint: .knee, side: .left),
    ActiveTask(
      type: "exercise", joint: .elbow, sets: 3, repetitions: 10, rest: 90, minimum: 62.5),
  ]

  private static func element(
    isLinked: Bool, _ generator: inout SeededGenerator
  ) throws -> ScheduleElement {
    let start = date(&generator)
    let values: [Value] = [
      .integer(-3), .double(90), .double(1e-7), .double(2.5), .boolean(false), .text("5"),
      .text("null"),
    ]
    let durations: [EventDuration] = [
      .allDay, .seconds(0), .seconds(3600), .seconds(90), .seconds(3725), .seconds(0.25),
    ]
    let isLastDay = Int.random(in: 0...3, using: &generator) == 0
    return try ScheduleElement(
      start: start, end: Bool.random(using: &generator) ? start + 1e6 + 0.5 : nil,
      interval: isLastDay
        ? Interval(days: 1)
        : Interval(
          years: Int.random(in: 0...2, using: &generator), days: 1,
          minutes: Int.random(in: 0...90, using: &generator)),
      duration: #require(durations.randomElement(using: &generator)),
      targets: Bool.random(using: &generator)
        ? [
          TargetValue(
            value: #require(
              // A weight to reach is one that somebody can have.
              values.filter { !isLinked || $0.number.map { $0 > 1 } ?? true }
                .randomElement(using: &generator)),
            unit: UnitOfMeasure(isLinked ? "[lb_av]" : "1"), kind: text(&generator),
            isAtMost: Bool.random(using: &generator))
        ] : [], text: text(&generator), timeZone: zone(&generator),
      selection: isLastDay
        ? StepSelection(
          except: [try #require(CalendarDate("2026-12-31"))],
          lastDay: Int.random(in: 1...12, using: &generator),
          anchor: Bool.random(using: &generator)
            ? CalendarDate("2025-01-02") : nil)
        : StepSelection())
  }

  private static func text(_ generator: inout SeededGenerator) -> String? {
    let texts = [
      nil, "plain", "two words", "5", "yes", "a: b # c", "'", "\"\\", "{x}", "Zürich", "- x", "😀",
      "multi\nline",
    ]
    // A text that becomes an id has one line.
    return (texts.randomElement(using: &generator) ?? nil).map {
      $0.replacing("\n", with: Bool.random(using: &generator) ? " " : "")
    }
  }

  /// A few different texts.
  private static func texts(_ generator: inout SeededGenerator) -> [String] {
    ["a", "b c", "5", "true", "x: y"].filter { _ in Bool.random(using: &generator) }
  }

  private static func zone(_ generator: inout SeededGenerator) throws -> TimeZone {
    let names = ["America/New_York", "Europe/Berlin", "Asia/Kathmandu", "GMT"]
    return try #require(TimeZone(iana: names.randomElement(using: &generator) ?? ""))
  }

  /// A midnight of some zone, a full minute, second or microsecond of the years around 2026.
  private static func date(_ generator: inout SeededGenerator) -> Date {
    let steps: [Int64] = [1, 1_000_000, 60_000_000, 3_600_000_000]
    let step = steps.randomElement(using: &generator) ?? 1
    let time = Int64.random(in: 1_700_000_000_000_000...1_900_000_000_000_000, using: &generator)
    return Date(microseconds: time / step * step)
  }
}
