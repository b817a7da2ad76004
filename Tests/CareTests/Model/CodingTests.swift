import Care
import Foundation
import TestSupport
import Motion
import Testing

/// The JSON that a store holds.
@Suite struct CodingTests {
  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decoded<T: Codable>(_ value: T) throws -> T {
    try JSONDecoder().decode(T.self, from: JSONEncoder().encode(value))
  }

  private func full() throws -> PlannedTask {
    let element = try ScheduleElement(
      start: date("2026-11-01T09:00") + 0.25, end: date("2027-01-01"),
      interval: Interval(months: 1, hours: 2), duration: .seconds(90.5),
      targets: [
        TargetValue(value: .integer(3)),
        TargetValue(value: .double(90), unit: UnitOfMeasure("deg"), kind: "range"),
      ], text: "noon", timeZone: zone("America/New_York"))
    let allDay = try schedule("2026-12-01", every: Interval(days: 1), lasting: .allDay)
    return try PlannedTask(
      id: "knee", patient: "john", kind: .assessment, title: "Bend", instructions: "Slowly.",
      schedule: Schedule([element] + allDay.elements),
      linkage: Linkage(
        quantity: .rangeOfMotion, type: .discrete, unit: #require(UnitOfMeasure("deg")),
        device: "left-thigh"),
      activeTask: ActiveTask(type: "rangeOfMotion", joint: .knee, side: .left), isOptional: true,
      isResettable: true, effectiveDate: date("2026-11-02"))
  }

  @Test func `a task is read back unchanged`() throws {
    let task = try full()
    #expect(try decoded(task) == task)
    #expect(try decoded(task.schedule) == task.schedule)
  }

  /// A store compares and keeps this text.
  @Test func `a task of the first vocabulary is coded as before`() throws {
    let task = try PlannedTask(
      id: "weigh", patient: "john", title: "Weigh",
      schedule: schedule(
        "2026-11-01", every: Interval(days: 1), lasting: .allDay,
        targets: [TargetValue(value: .integer(80), unit: .kilogram)]),
      linkage: Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram))
    #expect(
      try json(task)
        == #"{"id":"weigh","kind":"task","linkage":{"quantity":"bodyMass","type":"discrete","#
        + #""unit":"kg"},"optional":false,"patient":"john","resettable":false,"schedule":"#
        + #"[{"duration":"allDay","interval":{"days":1},"start":"2026-11-01T04:00:00+00:00","#
        + #""targets":[{"unit":"kg","value":{"integer":80}}],"timeZone":"America/New_York"}],"#
        + #""title":"Weigh"}"#)
    #expect(
      try json(Patient(id: "john", expects: ["bodyMass": Expectation(value: 82)]))
        == #"{"expects":{"bodyMass":{"value":82}},"id":"john","name":{}}"#)
    #expect(try decoded(Patient(id: "john")) == Patient(id: "john"))
  }

  @Test func `the whole vocabulary is read back unchanged`() throws {
    var task = try full()
    task.text = "200 mg"
    task.linkages.append(
      Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram))
    task.survey = [
      try SurveyQuestion(
        kind: "pain", type: .scale, title: "How bad?", minimum: 1, maximum: 10, step: 3,
        isOptional: true),
      try SurveyQuestion(kind: "mood", type: .choices, choices: ["a", "b"]),
      try SurveyQuestion(kind: "weight", type: .number, unit: .kilogram),
    ]
    let conditions: [Threshold.Condition] = [
      .above(1), .atLeast(2), .below(3), .atMost(4), .equal(5),
      .between(6, 7, isInclusive: true), .between(6, 7, isInclusive: false),
    ]
    task.thresholds = conditions.map { Threshold(kind: "pain", condition: $0, says: "so") }
    task.progressStrategy = .latest
    task.carePlan = "recovery"
    task.group = "morning"
    task.tags = ["knee"]
    task.style = .buttonLog
    task.glyph = .standard(.physicalTherapy)
    task.image = "knee.png"
    task.userInfo = ["a": "b"]
    task.remoteID = "42"
    #expect(try decoded(task) == task)
    task.glyph = .custom("heart")
    #expect(try decoded(task) == task)
    #expect(task.linkage?.quantity == .rangeOfMotion)
    task.linkage = nil
    #expect(task.linkages.isEmpty)
  }

  @Test func `upper limits and conditions are coded by name`() throws {
    let limit = TargetValue(value: .integer(5), isAtMost: true)
    #expect(try json(limit) == #"{"atMost":true,"value":{"integer":5}}"#)
    #expect(try decoded(limit) == limit)
    let threshold = Threshold(condition: .between(65, 85, isInclusive: true), says: "good")
    #expect(try json(threshold) == #"{"between":[65,85],"inclusive":true,"says":"good"}"#)
    #expect(try json([Glyph.standard(.heart)]) == #"["heart"]"#)
    #expect(try json(Glyph.custom("x")) == #"{"custom":"x"}"#)
    #expect(Glyph.Standard.allCases.count == 29)
    #expect(CardStyle.allCases.count == 10)
  }

  @Test func `people are read back unchanged`() throws {
    let patient = Patient(
      id: "john", units: .us, timeZone: try zone("Asia/Tokyo"), language: "pt-BR",
      sex: .other("male"), birthday: CalendarDate("1952-02-29"), allergies: ["nuts"])
    #expect(try decoded(patient) == patient)
    #expect(
      try json(patient)
        == #"{"allergies":["nuts"],"birthday":"1952-02-29","expects":{},"id":"john","#
        + #""language":"pt-BR","name":{},"sex":{"other":"male"},"timeZone":"Asia/Tokyo","#
        + #""units":"us"}"#)
    #expect(try decoded([Sex.male, .female]) == [.male, .female])
    let contact = Contact(
      id: "anna", patient: "john", name: PersonName(given: "Anna"), title: "Dr", role: "Surgeon",
      organization: "Clinic", category: .personal,
      phoneNumbers: [LabeledValue(label: "home", value: "+1 555")],
      emailAddresses: [LabeledValue(value: "a@b.org")],
      messagingNumbers: [LabeledValue(value: "1")],
      address: PostalAddress(street: "1 Way\nBack", city: "C", state: "S", postalCode: "P"))
    #expect(try decoded(contact) == contact)
    #expect(
      try json(Contact(id: "a", name: PersonName()))
        == #"{"category":"careTeam","id":"a","name":{}}"#)
    let date = Date(microseconds: 1_700_000_000_123_456)
    let plan = CarePlan(id: "p", patient: "john", title: "Knee", effectiveDate: date)
    #expect(try decoded(plan) == plan)
    let note = Note(
      id: "n", patient: "john", task: "knee", title: "T", content: "C", author: "A", date: date)
    #expect(try decoded(note) == note)
    let message = Message(
      id: "m", patient: "john", contact: "anna", sender: .contact, text: "Hello", sentDate: date)
    #expect(try decoded(message) == message)
    let answer = Answer(state: .notDone, reason: "ill", at: date)
    #expect(try decoded(answer) == answer)
    #expect(try json(Answer.done) == #"{"state":"done"}"#)
  }

  @Test(arguments: ["1952-02-30", "1952-2-29", "1952-02-29T00:00", "0000-01-01", ""])
  func `refuses what is no date`(text: String) {
    #expect(CalendarDate(text) == nil)
  }

  @Test(arguments: [
    #"{"kind":"q","type":"scale","minimum":0,"maximum":100}"#, #"{"kind":"q","type":"guess"}"#,
  ])
  func `refuses what is no question`(text: String) {
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(SurveyQuestion.self, from: Data(text.utf8))
    }
  }

  @Test(arguments: [
    #"{"says":"x"}"#, #"{"above":1,"below":2,"says":"x"}"#, #"{"between":[1],"says":"x"}"#,
  ])
  func `refuses what is no threshold`(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Threshold.self, from: Data(text.utf8))
    }
  }

  @Test func `a schedule is coded as its elements`() throws {
    let schedule = try schedule("2026-11-01", every: Interval(days: 1), lasting: .allDay)
    #expect(
      try json(schedule)
        == #"[{"duration":"allDay","interval":{"days":1},"start":"2026-11-01T04:00:00+00:00","#
        + #""timeZone":"America/New_York"}]"#)
  }

  @Test(arguments: [
    (Value.integer(.max), #"{"integer":9223372036854775807}"#),
    (.double(72.4), #"{"double":72.4}"#), (.boolean(true), #"{"boolean":true}"#),
    (.text("ja"), #"{"text":"ja"}"#), (.binary([0, 255]), #"{"binary":"AP8="}"#),
    (
      SurveyTests.picture,
      #"{"attachment":{"bytes":1,"sha256":"\#(AttachmentTests.digest)","type":"image/jpeg"}}"#
    ),
    (.date(Date(microseconds: 1)), #"{"date":"1970-01-01T00:00:00.000001+00:00"}"#),
  ])
  func `a value keeps its type`(value: Value, text: String) throws {
    #expect(try json(value) == text)
    #expect(try decoded(value) == value)
  }

  @Test func `an outcome value is read back unchanged`() throws {
    let value = value(
      .double(72.4), "kg", kind: "a", at: Date(microseconds: 1_700_000_000_123_456),
      provenance: .passive)
    #expect(try decoded(value) == value)
  }

  @Test(arguments: [
    #"[{"duration":"allDay","interval":{},"start":"2026-11-01T04:00:00Z","timeZone":"UTC"}]"#,
    #"[{"duration":"short","interval":{"days":1},"start":"2026-11-01T04:00:00Z","timeZone":"UTC"}]"#,
    #"[{"duration":1,"interval":{"days":1},"start":"2026-11-01","timeZone":"UTC"}]"#,
    #"[{"duration":1,"interval":{"days":1},"start":"2026-11-01T04:00:00Z","timeZone":"No/Zone"}]"#,
    "[]",
  ])
  func `refuses what is no schedule`(text: String) {
    #expect(throws: (any Error).self) {
      try JSONDecoder().decode(Schedule.self, from: Data(text.utf8))
    }
  }

  @Test(arguments: ["{}", #"{"integer":1,"double":1}"#, #"{"integer":1.5}"#])
  func `refuses what is no value`(text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }
  }

  @Test(arguments: 0..<20)
  func `times are exact to the microsecond`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let time = Int64.random(
        in: -2_000_000_000_000_000...200_000_000_000_000_000, using: &generator)
      let value = Value.date(Date(microseconds: time))
      #expect(try decoded(value) == .date(Date(microseconds: time)))
    }
  }
}
