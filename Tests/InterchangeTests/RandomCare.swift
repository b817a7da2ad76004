import Care
import Foundation
import Motion
import Testing
import TestSupport

/// Random plans, answers and samples of every shape.
enum RandomCare {
  private static let zones = ["America/New_York", "Europe/Berlin", "Asia/Kathmandu", "GMT"]
  private static let words = [
    "plain", "two words", "a: b # c", "\"\\", "Zürich", "😀", "200 mg", "2 tablets", "two\nlines",
  ]

  static func plan(_ generator: inout SeededGenerator) throws -> PlanDocument {
    let patients = (0..<Int.random(in: 1...2, using: &generator)).map { index in
      Patient(
        id: "p\(index)", name: PersonName(given: word(&generator), family: word(&generator)),
        expects: Bool.random(using: &generator)
          ? ["bodyMass": Expectation(value: 82.3, tolerance: 6.1)] : [:],
        units: PreferredUnits.allCases.randomElement(using: &generator),
        timeZone: index == 0 ? nil : zone(&generator), language: "de",
        sex: [nil, .male, .female, .other("male")].randomElement(using: &generator) ?? nil,
        birthday: CalendarDate("1952-02-29"), allergies: index == 0 ? [] : ["nuts"],
        others: index == 0 ? [] : [Expectation(value: 31)])
    }
    let carePlans = patients.filter { _ in Bool.random(using: &generator) }.map {
      CarePlan(
        id: "plan", patient: $0.id, title: "Plan",
        effectiveDate: Bool.random(using: &generator) ? date(&generator) : nil)
    }
    let tasks = try (0..<Int.random(in: 1...4, using: &generator)).map { index in
      let patient = patients.randomElement(using: &generator)?.id ?? "p0"
      var task = try task("t\(index)", of: patient, &generator)
      if carePlans.contains(where: { $0.patient == patient }) { task.carePlan = "plan" }
      return task
    }
    let contact = Contact(
      id: "c", patient: "p0", name: PersonName(given: "A"),
      phoneNumbers: [LabeledValue(label: "home", value: "+1 555 0100")])
    return PlanDocument(
      timeZone: zone(&generator), patients: patients, tasks: tasks,
      devices: Bool.random(using: &generator)
        ? [
          DeviceBinding(
            address: "5C:CA:D3:70:D4:A2", definition: word(&generator), patient: "p0",
            userIndex: 2, placement: Placement(joint: .hip, side: .left))
        ] : [], carePlans: carePlans, contacts: Bool.random(using: &generator) ? [contact] : [],
      notes: [Note(id: "n", patient: "p0", task: tasks.first?.id, content: "Content")])
  }

  static func task(
    _ id: String, of patient: String, _ generator: inout SeededGenerator
  ) throws -> PlannedTask {
    let elements = try (0..<Int.random(in: 1...3, using: &generator)).map { _ in
      try element(&generator)
    }
    var task = PlannedTask(
      id: id, patient: patient, title: word(&generator) ?? "Title", text: word(&generator),
      instructions: word(&generator), schedule: try Schedule(elements),
      isOptional: Bool.random(using: &generator), group: word(&generator), tags: ["a", "b c"],
      details: word(&generator))
    switch Int.random(in: 0...3, using: &generator) {
    case 0: task.glyph = .standard(.medication)
    case 1:
      task.kind = .assessment
      task.isResettable = true
      task.linkages = [
        Linkage(
          quantity: .bloodPressureSystolic, type: .discrete, unit: .millimetreOfMercury),
        Linkage(
          quantity: .bloodPressureDiastolic, type: .discrete, unit: .kilopascal, device: "cuff"),
      ]
      task.thresholds = [
        Threshold(kind: "systolic", condition: .atLeast(140), says: "high", alerts: true)
      ]
      task.reminder = Reminder(offset: -900, every: 600, times: 3)
      task.rules = [
        Rule(
          trigger: .results(2, ofLast: 3, .above(150)), message: word(&generator) ?? "call")
      ]
    case 2: task.survey = try survey(&generator)
    default:
      task.activeTask = ActiveTask(type: "exercise", joint: .knee, sets: 3, minimum: 62.5)
      task.glyph = .custom("a: b")
      task.userInfo = ["key": "", "b": "c"]
      task.effectiveDate = date(&generator)
    }
    return task
  }

  private static func survey(_ generator: inout SeededGenerator) throws -> [SurveyQuestion] {
    var questions = [
      try SurveyQuestion(
        kind: "pain", type: .scale, title: word(&generator), minimum: 1, maximum: 10, step: 3,
        anchors: Bool.random(using: &generator) ? ["none", "worst"] : []),
      try SurveyQuestion(
        kind: "a b", type: .number, minimum: -0.5, step: 1e-7, unit: .kilogram, isOptional: true),
      try SurveyQuestion(kind: "mood", type: .choices, choices: ["5", "yes", "a, b"]),
      try SurveyQuestion(kind: "one", type: .choice, choices: ["only"]),
    ]
    let types: [SurveyQuestion.AnswerType] = [.text, .boolean, .date, .time, .photo, .video]
    questions += try types.map { try SurveyQuestion(kind: $0.rawValue, type: $0) }
    return [questions[0]] + questions.dropFirst().filter { _ in Bool.random(using: &generator) }
  }

  /// An element that FHIR can say as a rule, or one that it cannot.
  static func element(_ generator: inout SeededGenerator) throws -> ScheduleElement {
    let start = date(&generator)
    let intervals = [
      Interval(days: 1), Interval(days: 3), Interval(weeks: 1), Interval(weeks: 2),
      Interval(months: 1), Interval(years: 1), Interval(hours: 6), Interval(minutes: 90),
      Interval(seconds: 7), Interval(days: 1, hours: 6),
    ]
    let durations: [EventDuration] = [
      .allDay, .seconds(0), .seconds(3600), .seconds(90), .seconds(0.25), .seconds(86_400),
    ]
    let selections = [
      StepSelection(), StepSelection(), StepSelection(),
      StepSelection(except: [CalendarDate("2026-12-24")].compactMap(\.self)),
      StepSelection(cycle: StepSelection.Cycle(on: 21, off: 7)),
    ]
    let targets = [
      TargetValue(value: .double(2.5), unit: .one, kind: "sets", isAtMost: true),
      TargetValue(value: .integer(3)), TargetValue(value: .boolean(false)),
    ]
    return try ScheduleElement(
      start: start, end: Bool.random(using: &generator) ? end(after: start, &generator) : nil,
      interval: try #require(intervals.randomElement(using: &generator)),
      duration: try #require(durations.randomElement(using: &generator)),
      targets: Bool.random(using: &generator) ? targets : [], text: word(&generator),
      timeZone: zone(&generator),
      selection: try #require(selections.randomElement(using: &generator)))
  }

  static func outcome(of task: PlannedTask, _ generator: inout SeededGenerator) -> Outcome {
    let start = date(&generator)
    let values: [(Value, UnitOfMeasure?)] = [
      (.integer(-3), nil), (.integer(.max), nil), (.integer(3), .one), (.double(72), .kilogram),
      (.double(0.1), nil), (.double(1e300), .jin), (.boolean(false), nil), (.text("so"), nil),
      (.text(""), nil), (.binary([0, 255]), nil), (.date(start), nil), (.boolean(true), .one),
    ]
    let states = Answer.State.allCases
    return Outcome(
      uuid: uuid(&generator),
      key: EventKey(patient: task.patient, task: task.id, start: start, ordinal: 1),
      end: start + 3599, taskUUID: uuid(&generator),
      occurrence: Int.random(in: 0...999, using: &generator),
      values: values.filter { _ in Bool.random(using: &generator) }.map { value, unit in
        OutcomeValue(
          value: value, unit: unit, kind: [nil, "pain"].randomElement(using: &generator) ?? nil,
          time: date(&generator),
          provenance: Provenance.allCases.randomElement(using: &generator) ?? .manual)
      }, createdDate: date(&generator),
      answer: Answer(
        state: states.randomElement(using: &generator) ?? .done, reason: word(&generator),
        at: Bool.random(using: &generator) ? date(&generator) : nil))
  }

  /// The pressures of one measurement, and a value of any quantity.
  static func samples(_ generator: inout SeededGenerator) -> [Sample] {
    let time = date(&generator)
    let quantity = Quantity.all.randomElement(using: &generator) ?? .bodyMass
    let value = Double.random(in: quantity.plausible, using: &generator)
    let digits = Int.random(in: 0...3, using: &generator)
    let scale = pow(10, Double(digits))
    let isExact = Bool.random(using: &generator)
    var reading = Reading(
      quantity: quantity, value: isExact ? (value * scale).rounded() / scale : value,
      sourceValue: Bool.random(using: &generator) ? SourceValue(value: 141.2, unit: .pound) : nil,
      deviceTime: LocalDateTime("2026-11-20T07:09:58"), arrival: time + 2,
      interval: Bool.random(using: &generator) ? DateInterval(start: time, end: time + 60) : nil,
      device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2", definition: "some-scale"), ordinal: 1,
      kind: word(&generator), isBroadcast: true, raw: generator.bytes(5),
      counter: RunningTotal(.daily, limit: 65_535), total: 12.5)
    reading.context = [.left, .knee]
    reading.userIndex = 2
    let single = Sample(
      reading: reading, patient: "p0", start: time, end: reading.interval?.end ?? time,
      isClockTrusted: Bool.random(using: &generator),
      provenance: Provenance.allCases.randomElement(using: &generator) ?? .passive,
      state: Sample.State.allCases.randomElement(using: &generator) ?? .live,
      corrects: Bool.random(using: &generator) ? SampleIdentity(text: "a|b") : nil)
    let pressures = [
      (Quantity.bloodPressureSystolic, 121.0), (.bloodPressureDiastolic, 79), (.pulseRate, 61),
    ].map { quantity, value in
      Sample(
        reading: Reading(
          quantity: quantity, value: value, arrival: time,
          device: DeviceIdentity(address: "A0:9E:1A:00:00:02"), raw: [1, 2],
          context: [.irregularPulse]), patient: "p0", start: time, end: time)
    }
    return [single] + pressures
  }

  // MARK: Parts

  private static func word(_ generator: inout SeededGenerator) -> String? {
    Bool.random(using: &generator) ? words.randomElement(using: &generator) : nil
  }

  private static func zone(_ generator: inout SeededGenerator) -> TimeZone {
    zones.randomElement(using: &generator).flatMap { TimeZone(identifier: $0) } ?? .gmt
  }

  private static func uuid(_ generator: inout SeededGenerator) -> UUID {
    let bytes = generator.bytes(16)
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
        bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  /// A midnight of some zone, a full minute, second or microsecond of the years around 2026.
  private static func date(_ generator: inout SeededGenerator) -> Date {
    let steps: [Int64] = [1, 1_000_000, 60_000_000, 3_600_000_000]
    let step = steps.randomElement(using: &generator) ?? 1
    let time = Int64.random(in: 1_700_000_000_000_000...1_900_000_000_000_000, using: &generator)
    return Date(microseconds: time / step * step)
  }

  private static func end(after start: Date, _ generator: inout SeededGenerator) -> Date {
    let steps: [Int64] = [1, 1_000_000, 86_400_000_000]
    let step = steps.randomElement(using: &generator) ?? 1
    return Date(microseconds: (start.microseconds + 9_000_000_000_000) / step * step)
  }
}
