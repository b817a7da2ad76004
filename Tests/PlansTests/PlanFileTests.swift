import Care
import Foundation
import Motion
import StrictYAML
import Testing

@testable import Plans

@Suite struct PlanFileTests {
  static let example = """
    timeZone: America/Los_Angeles
    patients:
      - {id: john, name: {given: John, family: Appleseed}, expects: {bodyMass: 82 kg}}
    tasks:
      - id: weigh-in
        patient: john
        title: Weigh yourself
        instructions: Before breakfast, without shoes.
        schedule:
          - {start: 2026-11-01, interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass, type: discrete, unit: kg}
      - id: knee
        patient: john
        title: Bend the left knee
        schedule:
          - {start: 2026-11-01T09:00, end: 2026-11-08, interval: {days: 1}, duration: 1h, targets: [{value: 90, unit: deg, kind: range}]}
          - {start: 2026-11-08T09:00, end: 2026-12-01, interval: {weeks: 1}, duration: 1h, targets: [{value: 90, unit: deg, kind: range}]}
        activeTask: {type: rangeOfMotion, joint: knee, side: left}
    devices:
      - {address: "5c:ca:d3:70:d4:a2", definition: polar-h10, patient: john, userIndex: 1, placement: {joint: knee, side: left, segment: shank}}
    """

  private func date(_ text: String) throws -> Date {
    let angeles = try #require(TimeZone(iana: "America/Los_Angeles"))
    return try #require(Date(text, in: angeles))
  }

  @Test
  func `tasks without patients are a part of a store's plan`() throws {
    let text = """
      timeZone: America/Los_Angeles
      tasks:
        - id: walk
          patient: john
          title: Walk
          schedule:
            - {start: 2026-11-01, interval: {days: 1}, duration: allDay}
      """
    let part = try PlanFile.parse(text, file: "part.yaml")
    #expect(part.isPart && part.patients.isEmpty)
    #expect(part.tasks.map(\.patient) == ["john"])
    #expect(!(try PlanFile.parse(Self.example, file: "plan.yaml")).isPart)
  }

  @Test func `reads the whole plan`() throws {
    let plan = try PlanFile.parse(Self.example, file: "plan.yaml")
    #expect(plan.timeZone.identifier == "America/Los_Angeles")
    #expect(
      plan.patients == [
        Patient(
          id: "john", name: PersonName(given: "John", family: "Appleseed"),
          expects: ["bodyMass": Expectation(value: 82)])
      ])
    #expect(
      plan.devices == [
        DeviceBinding(
          address: "5C:CA:D3:70:D4:A2", definition: "polar-h10", patient: "john", userIndex: 1,
          placement: Placement(joint: .knee, side: .left, segment: .shank))
      ])
    let weigh = try #require(plan.tasks.first)
    #expect(weigh.id == "weigh-in")
    #expect(weigh.instructions == "Before breakfast, without shoes.")
    #expect(weigh.linkage?.quantity == .bodyMass)
    #expect(weigh.linkage?.unit.code == "kg")
    #expect(try weigh.schedule.startDate == date("2026-11-01"))
    #expect(weigh.schedule.elements[0].duration == .allDay)
    let knee = try #require(plan.tasks.last)
    #expect(knee.activeTask == ActiveTask(type: "rangeOfMotion", joint: .knee, side: .left))
    #expect(try knee.schedule.endDate == date("2026-12-01"))
    #expect(knee.schedule.count == 7 + 4)
    #expect(
      knee.schedule.elements[0].targets == [
        TargetValue(value: .integer(90), unit: UnitOfMeasure("deg"), kind: "range")
      ])
  }

  @Test(arguments: [
    "0728974d657a4b60964c1b1677f35f7c", "0728974D657A4B60964C1B1677F35F7C",
    "\"0728974d657a4b60964c1b1677f35f7c\"",
  ])
  func `reads the key of a device`(text: String) throws {
    let plan = try PlanFile.parse(
      Self.example.replacing("polar-h10,", with: "xiaomi-s400, key: \(text),"), file: "plan.yaml")
    #expect(
      plan.devices.first?.key?.revealed == [
        0x07, 0x28, 0x97, 0x4D, 0x65, 0x7A, 0x4B, 0x60, 0x96, 0x4C, 0x1B, 0x16, 0x77, 0xF3, 0x5F,
        0x7C,
      ])
    #expect(plan.devices.first?.consentCode == nil)
  }

  @Test(arguments: [("0", 0), ("0042", 42), ("'0042'", 42), ("9999", 9999)])
  func `reads the consent code of a user`(text: String, code: UInt16) throws {
    let plan = try PlanFile.parse(
      Self.example.replacing("userIndex: 1", with: "userIndex: 1, consentCode: \(text)"),
      file: "plan.yaml")
    #expect(plan.devices.first?.consentCode?.revealed == code)
    #expect(plan.devices.first?.key == nil)
  }

  @Test func `reads the rest of a task`() throws {
    let text = """
      timeZone: Europe/Berlin
      patients: [{id: a}]
      tasks:
        - id: ask
          title: How are you?
          kind: assessment
          optional: true
          resettable: true
          effectiveDate: 2026-11-02T08:00
          schedule:
            - start: 2026-11-01T08:00:00+01:00
              interval: {months: 1, hours: 2}
              duration: 1h30m
              text: in the morning
              timeZone: Asia/Tokyo
              targets: [{value: 1.5}, {value: "7"}, {value: true}, {value: well}]
          linkage: {quantity: stepCount}
      """
    let task = try #require(try PlanFile.parse(text, file: "f").tasks.first)
    #expect(task.patient == "a")
    #expect(task.kind == .assessment)
    #expect(task.isOptional && task.isResettable)
    #expect(task.effectiveDate == Date(rfc3339: "2026-11-02T07:00:00Z"))
    let element = task.schedule.elements[0]
    #expect(element.start == Date(rfc3339: "2026-11-01T07:00:00Z"))
    #expect(element.interval == Interval(months: 1, hours: 2))
    #expect(element.duration == .seconds(5400))
    #expect(element.text == "in the morning")
    #expect(element.timeZone.identifier == "Asia/Tokyo")
    #expect(
      element.targets.map(\.value) == [.double(1.5), .text("7"), .boolean(true), .text("well")])
    #expect(task.linkage?.type == .cumulative)
    #expect(task.linkage?.unit.code == "1")
  }

  static let vocabulary = """
    timeZone: UTC
    patients:
      - {id: john, units: us, timeZone: Asia/Tokyo, language: pt-BR, sex: {other: x}, birthday: 1952-02-29, allergies: [nuts, cats]}
    carePlans:
      - {id: recovery, title: After the operation, effectiveDate: 2026-11-02}
    tasks:
      - id: pressure
        title: Measure your blood pressure
        text: twice
        schedule:
          - {start: 2026-11-01, interval: {days: 1}, targets: [{value: 140, unit: mmHg, kind: systolic, atMost: true}]}
        linkages:
          - {quantity: bloodPressureSystolic}
          - {quantity: bloodPressureDiastolic}
        thresholds:
          - {kind: systolic, atLeast: 140, says: high}
          - {kind: diastolic, between: [65, 85], inclusive: true, says: good}
        progress: latest
        carePlan: recovery
        impactsAdherence: false
        group: morning
        tags: [heart, daily]
        style: labeledValue
        glyph: bloodPressure
        image: cuff.png
        userInfo: {source: "5", 7: yes}
        remoteID: rx-1
      - id: check-in
        title: How are you?
        kind: assessment
        schedule: [{start: 2026-11-01T08:00, interval: {days: 1}}]
        survey:
          - {kind: pain, type: scale, title: How bad is the pain?, minimum: 1, maximum: 10}
          - {kind: sleep, type: number, minimum: 0, maximum: 24, step: 0.5, unit: h, optional: true}
          - {kind: mood, type: choice, choices: [good, bad]}
        glyph: {custom: smiley}
    contacts:
      - id: anna
        patient: john
        name: {given: Anna}
        title: Dr
        role: Surgeon
        organization: Clinic
        category: personal
        phoneNumbers: [+1 555 0100, {label: home, value: +1 555 0101}]
        emailAddresses: [anna@example.org]
        messagingNumbers: [+1 555 0102]
        address: {street: 1 Way, city: Cupertino, state: CA, postalCode: "95014", country: USA}
      - {id: office, name: {family: Reception}}
    notes:
      - {id: n1, task: pressure, title: Cuff, content: Use the wide one., author: Anna, date: 2026-11-03T10:00}
      - {id: n2, content: Likes tea.}
    """

  @Test func `reads the tasks of the whole vocabulary`() throws {
    let plan = try PlanFile.parse(Self.vocabulary, file: "f")
    let pressure = try #require(plan.tasks.first)
    #expect(pressure.text == "twice")
    #expect(
      pressure.linkages.map(\.quantity) == [.bloodPressureSystolic, .bloodPressureDiastolic])
    #expect(
      pressure.schedule.elements[0].targets == [
        TargetValue(
          value: .integer(140), unit: .millimetreOfMercury, kind: "systolic", isAtMost: true)
      ])
    #expect(
      pressure.thresholds == [
        Threshold(kind: "systolic", condition: .atLeast(140), says: "high"),
        Threshold(
          kind: "diastolic", condition: .between(65, 85, isInclusive: true), says: "good"),
      ])
    #expect(pressure.progressStrategy == .latest)
    #expect(pressure.carePlan == "recovery")
    #expect(pressure.isOptional && !pressure.impactsAdherence)
    #expect(pressure.group == "morning" && pressure.tags == ["heart", "daily"])
    #expect(pressure.style == .labeledValue && pressure.glyph == .standard(.bloodPressure))
    #expect(pressure.image == "cuff.png" && pressure.remoteID == "rx-1")
    #expect(pressure.userInfo == ["source": "5", "7": "yes"])
    let checkIn = try #require(plan.tasks.last)
    #expect(
      checkIn.survey == [
        try SurveyQuestion(
          kind: "pain", type: .scale, title: "How bad is the pain?", minimum: 1, maximum: 10),
        try SurveyQuestion(
          kind: "sleep", type: .number, minimum: 0, maximum: 24, step: 0.5, unit: .hour,
          isOptional: true),
        try SurveyQuestion(kind: "mood", type: .choice, choices: ["good", "bad"]),
      ])
    #expect(checkIn.glyph == .custom("smiley"))
  }

  @Test func `reads the people of the whole vocabulary`() throws {
    let plan = try PlanFile.parse(Self.vocabulary, file: "f")
    #expect(
      plan.patients == [
        Patient(
          id: "john", units: .us, timeZone: TimeZone(iana: "Asia/Tokyo"), language: "pt-BR",
          sex: .other("x"), birthday: CalendarDate("1952-02-29"), allergies: ["nuts", "cats"])
      ])
    #expect(
      plan.carePlans == [
        CarePlan(
          id: "recovery", patient: "john", title: "After the operation",
          effectiveDate: Date(rfc3339: "2026-11-02T00:00:00Z"))
      ])
    #expect(
      plan.contacts == [
        Contact(
          id: "anna", patient: "john", name: PersonName(given: "Anna"), title: "Dr",
          role: "Surgeon", organization: "Clinic", category: .personal,
          phoneNumbers: [
            LabeledValue(value: "+1 555 0100"), LabeledValue(label: "home", value: "+1 555 0101"),
          ], emailAddresses: [LabeledValue(value: "anna@example.org")],
          messagingNumbers: [LabeledValue(value: "+1 555 0102")],
          address: PostalAddress(
            street: "1 Way", city: "Cupertino", state: "CA", postalCode: "95014", country: "USA")),
        Contact(id: "office", name: PersonName(family: "Reception")),
      ])
    #expect(
      plan.notes == [
        Note(
          id: "n1", patient: "john", task: "pressure", title: "Cuff",
          content: "Use the wide one.", author: "Anna",
          date: Date(rfc3339: "2026-11-03T10:00:00Z")),
        Note(id: "n2", patient: "john", content: "Likes tea."),
      ])
  }

  /// A link is a fact of the task whose value is an address.
  @Test(
    arguments: [
      ("links: {Call: \"tel:+4930123\", Sheet: \"https://example.org/sheet\"}", nil),
      ("userInfo: {room: \"5\", Sheet: \"https://example.org/sheet\"}", nil),
      ("links: {Sheet: \"javascript:alert(1)\"}", "a link begins with https:"),
      ("links: {Sheet: sheet.pdf}", "a link begins with https:"),
      (
        "userInfo: {Sheet: \"5\"}, links: {Sheet: \"https://example.org\"}",
        "‘userInfo’ has a ‘Sheet’, too"
      ),
    ] as [(String, String?)])
  func `links are read and written back`(keys: String, reason: String?) throws {
    let text = """
      timeZone: UTC
      patients: [{id: ann}]
      tasks: [{id: a, title: A, \(keys), schedule: [{start: 2026-03-01, interval: {days: 1}}]}]
      """
    guard let reason else {
      let plan = try PlanFile.parse(text, file: "p", activeTasks: [])
      #expect(plan.tasks[0].links.last?.name == "Sheet")
      #expect(plan.tasks[0].links.last?.address == "https://example.org/sheet")
      #expect(try PlanFile.parse(PlanFile.encode(plan), file: "p", activeTasks: []) == plan)
      return
    }
    let error = #expect(throws: YAMLError.self) {
      try PlanFile.parse(text, file: "p", activeTasks: [])
    }
    #expect(error?.description.contains(reason) == true)
  }

  @Test(arguments: [
    ("optional: true", true), ("impactsAdherence: false", true), ("impactsAdherence: true", false),
    ("optional: true, impactsAdherence: false", true),
    ("optional: false, impactsAdherence: true", false), ("kind: task", false),
  ])
  func `optional is the opposite of impacting adherence`(keys: String, isOptional: Bool) throws {
    let plan = try PlanFile.parse(
      """
      timeZone: UTC
      patients: [{id: a}]
      tasks: [{id: t, title: T, schedule: [{start: 2026-11-01, interval: {days: 1}}], \(keys)}]
      """, file: "f")
    #expect(plan.tasks.map(\.isOptional) == [isOptional])
  }

  @Test func `reads JSON`() throws {
    let json = """
      {"timeZone": "UTC", "patients": [{"id": "a"}], "tasks": [{"id": "t", "title": "T",
      "schedule": [{"start": "2026-11-01", "interval": {"days": 1}}]}]}
      """
    let plan = try PlanFile.parse(json, file: "plan.json")
    #expect(plan.tasks.map(\.id) == ["t"])
    #expect(plan.tasks[0].schedule.elements[0].duration == .seconds(3600))
  }

  @Test(
    arguments: [
      ("82 kg", 82, nil), ("{value: 82 kg, tolerance: 6 kg}", 82, 6),
      ("100 lb", 45.359237, nil), ("{value: 82, tolerance: 6}", nil, nil),
    ] as [(String, Double?, Double?)])
  func `reads expectations`(text: String, value: Double?, tolerance: Double?) throws {
    let file = "timeZone: UTC\npatients: [{id: a, expects: {bodyMass: \(text)}}]\n"
    guard let value else {
      #expect(
        throws: YAMLError(
          file: "f", line: 2, column: 48,
          reason: "bodyMass is measured in kg, but ‘82’ has no unit")
      ) { try PlanFile.parse(file, file: "f") }
      return
    }
    let patient = try PlanFile.parse(file, file: "f").patients[0]
    #expect(patient.expects["bodyMass"] == Expectation(value: value, tolerance: tolerance))
  }

  @Test func `a tolerance is a distance`() throws {
    let file = """
      timeZone: UTC
      patients: [{id: a, expects: {bodyTemperature: {value: 98.6 °F, tolerance: 1.8 °F}}}]
      """
    let expected = try #require(
      try PlanFile.parse(file, file: "f").patients[0].expects.first?.value)
    #expect(abs(expected.value - 37) < 1e-9)
    #expect(abs((expected.tolerance ?? 0) - 1) < 1e-9)
  }

  @Test func `a plan may be empty`() throws {
    let plan = try PlanFile.parse("timeZone: UTC\n", file: "f")
    #expect(plan.patients.isEmpty && plan.tasks.isEmpty && plan.devices.isEmpty)
  }

  @Test func `others are housemates of each patient`() throws {
    let plan = try PlanFile.parse(
      """
      timeZone: UTC
      patients: [{id: john}, {id: mary}]
      others: [{weight: 80 kg}, {weight: 100 lb, tolerance: 4 kg}]
      """, file: "plan.yaml", activeTasks: [])
    let others = [Expectation(value: 80), Expectation(value: 45.359237, tolerance: 4)]
    #expect(plan.patients.map(\.others) == [others, others])
  }

  /// A limit may have a unit of its own, as what a person expects may; it is in the task's then.
  @Test(arguments: [
    ("linkage: {quantity: bodyMass}", "above: 64 kg", Threshold.Condition.above(64)),
    ("linkage: {quantity: bodyMass}", "above: 64000 g", .above(64)),
    ("linkage: {quantity: bodyTemperature}", "atLeast: 100.4 °F", .atLeast(38)),
    (
      "linkage: {quantity: bodyMass, unit: kg}", "between: [60 kg, 64]",
      .between(60, 64, isInclusive: false)
    ),
    ("survey: [{kind: sleep, type: number, unit: h}]", "kind: sleep, below: 360 min", .below(6)),
    ("linkage: {quantity: bodyMass}", "above: 64 mmHg", nil),
    ("linkage: {quantity: bodyMass}", "above: 64 stones", nil),
    ("linkage: {quantity: bodyMass}", "above: heavy", nil),
    ("survey: [{kind: pain, type: scale}]", "kind: pain, above: 5 kg", nil),
  ])
  func `a threshold has its unit`(
    task: String, limit: String, expected: Threshold.Condition?
  ) throws {
    let text = """
      timeZone: Europe/Berlin
      patients: [{id: ann}]
      tasks:
        - {id: t, title: T, schedule: [{start: 2026-03-01, interval: {days: 1}, duration: allDay}], \(task), thresholds: [{\(limit), says: high}]}
      """
    guard let expected else {
      #expect(throws: YAMLError.self) { try PlanFile.parse(text, file: "p") }
      return
    }
    let condition = try PlanFile.parse(text, file: "p").tasks.first?.thresholds.first?.condition
    let (found, meant) = (condition?.limits ?? [], expected.limits)
    #expect(found.count == meant.count)
    for (one, other) in zip(found, meant) { #expect(abs(one - other) < 1e-9, "\(one)") }
  }
}
