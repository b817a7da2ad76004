import Care
import Foundation
import Interchange
import Motion
import Testing
import TestSupport

/// Samples that go out come back the same.
@Suite struct FHIRRoundTripTests {
  private static let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt
  private static let coder = FHIRCoder(timeZone: berlin)

  /// The text that a receiver has, read again.
  private static func sent(_ value: FHIRValue) throws -> FHIRValue {
    try FHIRJSON.value(of: FHIRJSON.text(of: value))
  }

  @Test func `a plan comes back the same`() throws {
    for seed in Rounds.seeds(2_000) {
      var generator = SeededGenerator(seed: seed)
      let plan = try RandomCare.plan(&generator)
      let reading = try Self.coder.plan(Self.sent(try Self.coder.encode(plan)))
      try #require(reading.value == plan, "seed \(seed)")
      try #require(reading.omitted.isEmpty, "seed \(seed)")
    }
  }

  @Test func `targets go out as goals, too, and the care plan names them`() throws {
    let target = TargetValue(value: .double(78.5), unit: .kilogram, isAtMost: true)
    var goals = 0
    for seed in Rounds.seeds(500) {
      var generator = SeededGenerator(seed: seed)
      var plan = try RandomCare.plan(&generator)
      for index in plan.tasks.indices {
        plan.tasks[index].linkages = [
          Linkage(quantity: .bodyMass, type: .discrete, unit: .kilogram)
        ]
        plan.tasks[index].schedule = try Schedule(
          plan.tasks[index].schedule.elements.map { $0.withTargets([target]) ?? $0 })
      }
      let bundle = try Self.sent(try Self.coder.encode(plan))
      let text = String(decoding: FHIRJSON.text(of: bundle), as: UTF8.self)
      goals += text.components(separatedBy: "\"resourceType\":\"Goal\"").count - 1
      let reading = try Self.coder.plan(bundle)
      try #require(reading.value == plan && reading.omitted.isEmpty, "seed \(seed)")
    }
    #expect(goals > 50)
  }

  @Test func `no channel of anybody goes out`() throws {
    let topic = try #require(Channel("ntfy:https://ntfy.example/topic-5f0c"))
    let plan = PlanDocument(
      timeZone: Self.berlin, patients: [Patient(id: "p0", channels: [topic])], tasks: [],
      contacts: [Contact(id: "c", name: PersonName(given: "A"), channels: [topic])])
    let text = String(decoding: FHIRJSON.text(of: try Self.coder.encode(plan)), as: UTF8.self)
    #expect(text.contains("contacts") && !text.contains("topic-5f0c") && !text.contains("ntfy"))
  }

  @Test func `an outcome and a sample come back the same`() throws {
    for seed in Rounds.seeds(2_000) {
      var generator = SeededGenerator(seed: seed)
      let plan = try RandomCare.plan(&generator)
      let task = try #require(plan.tasks.first)
      let outcome = RandomCare.outcome(of: task, &generator)
      let resource = try Self.sent(try Self.coder.encode(outcome, of: task))
      try #require(try Self.coder.outcome(resource).value == outcome, "seed \(seed)")
      let samples = RandomCare.samples(&generator)
      let read = try Self.coder.encode(samples).flatMap {
        try Self.coder.samples(Self.sent($0)).value
      }
      try #require(Set(read) == Set(samples), "seed \(seed)")
      try #require(read.count == samples.count, "seed \(seed)")
    }
  }

  @Test func `DSTU2 holds people, care plans and medicines`() throws {
    var coder = Self.coder
    coder.release = .dstu2
    for seed in Rounds.seeds(500) {
      var generator = SeededGenerator(seed: seed)
      let plan = try RandomCare.plan(&generator)
      for patient in plan.patients {
        #expect(try coder.patient(Self.sent(try coder.encode(patient))).value == patient)
      }
      for carePlan in plan.carePlans {
        let tasks = plan.tasks.filter {
          $0.patient == carePlan.patient && $0.carePlan == carePlan.id && !$0.isButton
        }
        let read = coder.with { $0.patient = carePlan.patient }
        let value = try read.plan(Self.sent(try coder.encode(carePlan, tasks: tasks))).value
        var expected = tasks
        for index in expected.indices {
          // Without its person it is a part, which has no care plans.
          expected[index].group = expected[index].group ?? carePlan.title
          expected[index].carePlan = nil
        }
        try #require(value.tasks == expected, "seed \(seed)")
      }
    }
  }

  @Test func `answers to a survey come back as given`() throws {
    let survey = [
      try SurveyQuestion(kind: "pain", type: .scale, minimum: 0, maximum: 10),
      try SurveyQuestion(kind: "mood", type: .choices, choices: ["good", "tired"]),
      try SurveyQuestion(kind: "weight", type: .number, unit: .kilogram, isOptional: true),
    ]
    var generator = SeededGenerator(seed: 1)
    var task = try RandomCare.task("t", of: "p", &generator)
    task.survey = survey
    let time = Date(microseconds: 1_764_000_000_000_000)
    func value(_ value: Value, _ kind: String, _ unit: UnitOfMeasure? = nil) -> OutcomeValue {
      OutcomeValue(value: value, unit: unit, kind: kind, time: time, provenance: .manual)
    }
    var outcome = RandomCare.outcome(of: task, &generator)
    outcome.values = [
      value(.integer(3), "pain"), value(.text("good"), "mood"), value(.text("tired"), "mood"),
      value(.double(72.5), "weight", .kilogram),
    ]
    let questionnaire = try Self.sent(try Self.coder.questionnaire(task))
    #expect(try Self.coder.survey(questionnaire).value == survey)
    let response = try Self.sent(try Self.coder.response(outcome, to: task))
    let answers = try Self.coder.answers(response, to: survey, time: .distantPast)
    #expect(answers.value == outcome.values)
  }

  @Test func `an alert and a record come back the same`() throws {
    let key = EventKey(
      patient: "p", task: "pressure", start: Date(microseconds: 1_764_000_000_000_000))
    let threshold = Threshold(
      kind: "systolic", condition: .atLeast(180), says: "very high", alerts: true)
    let firing = Firing(
      Firing.Key(.alert, key, threshold: threshold), due: key.start + 60, date: key.start + 61,
      undoneDate: key.start + 90)
    #expect(try Self.coder.firing(Self.sent(try Self.coder.encode(firing))).value == firing)
    let record = FHIRProvenance(
      targets: ["Observation/m1"], recorded: key.start, agent: .person, reason: "a typing mistake")
    #expect(try Self.coder.provenance(Self.sent(try Self.coder.encode(record))).value == record)
  }
}

extension FHIRCoder {
  fileprivate func with(_ change: (inout FHIRCoder) -> Void) -> FHIRCoder {
    var coder = self
    change(&coder)
    return coder
  }
}

extension PlannedTask {
  /// Whether it is written as a request for a medicine.
  fileprivate var isButton: Bool { glyph == .standard(.medication) }
}
