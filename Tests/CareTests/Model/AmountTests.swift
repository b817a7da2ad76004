import Care
import Foundation
import Testing

struct AmountTests {
  private static func task(
    _ target: TargetValue? = nil, threshold: Threshold.Condition? = nil,
    quantity: Quantity? = .bodyMass, days: Int = 1
  ) throws -> PlannedTask {
    let element = try ScheduleElement(
      start: Date(timeIntervalSince1970: 0), interval: Interval(days: days),
      targets: target.map { [$0] } ?? [], timeZone: .gmt)
    return PlannedTask(
      id: "weigh", patient: "anna", title: "Weigh", schedule: try Schedule([element]),
      linkage: quantity.map { Linkage(quantity: $0, type: $0.aggregation, unit: $0.unit) },
      thresholds: threshold.map { [Threshold(condition: $0, says: "odd")] } ?? [])
  }

  @Test(arguments: Quantity.all)
  func `what is plausible is possible`(quantity: Quantity) {
    #expect(quantity.possible.contains(quantity.plausible.lowerBound))
    #expect(quantity.possible.contains(quantity.plausible.upperBound))
  }

  @Test(arguments: [(Quantity.bodyMass, 4.0), (.heartRate, 300), (.pulseRate, 300)])
  func `what is odd is possible`(quantity: Quantity, value: Double) {
    #expect(quantity.possible.contains(value))
  }

  @Test(arguments: [
    (1e300, UnitOfMeasure.kilogram, 0.2...400.0), (-1, .kilogram, 0.2...400),
    (500_000, .gram, 200...400_000), (401, .kilogram, 0.2...400),
  ])
  func `a target beyond its quantity is found`(
    number: Double, unit: UnitOfMeasure, limits: ClosedRange<Double>
  ) throws {
    let flaw = try #require(
      try Self.task(TargetValue(value: .double(number), unit: unit)).amountFlaw())
    #expect(flaw.place == .target(element: 0, index: 0))
    #expect((flaw.number, flaw.unit) == (number, unit))
    #expect(flaw.limits == limits)
    #expect(flaw.quantity == .bodyMass)
  }

  @Test(arguments: [62.0, 400, 0.2, 0])
  func `a target of the quantity is none`(number: Double) throws {
    #expect(try Self.task(TargetValue(value: .double(number))).amountFlaw() == nil)
  }

  @Test func `what adds up may be of many days`() throws {
    let target = TargetValue(value: .integer(3_000_000))
    #expect(try Self.task(target, quantity: .stepCount).amountFlaw() != nil)
    #expect(try Self.task(target, quantity: .stepCount, days: 30).amountFlaw() == nil)
  }

  @Test(arguments: [
    Threshold.Condition.above(1e300), .between(60, 1e9, isInclusive: true), .below(-3),
  ])
  func `a threshold beyond its quantity is found`(condition: Threshold.Condition) throws {
    #expect(try Self.task(threshold: condition).amountFlaw()?.place == .threshold(0))
  }

  @Test func `a number of no quantity is bounded, too`() throws {
    let target = TargetValue(value: .double(1e31))
    #expect(try Self.task(target, quantity: nil).amountFlaw()?.limits == Value.numbers)
    let other = TargetValue(value: .integer(1_000_000))
    #expect(try Self.task(other, quantity: nil).amountFlaw() == nil)
  }

  @Test func `a person is expected to weigh what people weigh`() {
    func flaw(_ weight: Double, _ tolerance: Double? = nil) -> AmountFlaw? {
      Patient(id: "anna", expects: ["bodyMass": Expectation(value: weight, tolerance: tolerance)])
        .amountFlaw
    }
    #expect(flaw(82) == nil)
    #expect(flaw(82, 3) == nil)
    #expect(flaw(1e300)?.limits == 0.2...400)
    #expect(flaw(82, 1e300)?.place == .expectation(.bodyMass))
    #expect(Patient(id: "a", others: [Expectation(value: 1e9)]).amountFlaw?.place == .other(0))
  }

  // MARK: Decoders

  private func decoded<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
    try JSONDecoder().decode(type, from: Data(text.utf8))
  }

  @Test(arguments: [
    #"{"type":"exercise","sets":9223372036854775807,"repetitions":2}"#,
    #"{"type":"exercise","repetitions":-9223372036854775808}"#,
    #"{"type":"timedWalk","distance":1e300}"#,
  ])
  func `an active task has keys in their ranges`(text: String) {
    #expect(throws: DecodingError.self) { try decoded(ActiveTask.self, text) }
  }

  @Test(arguments: [#"{"before":1e300}"#, #"{"after":604801}"#])
  func `a reminder is a week away at most`(text: String) {
    #expect(throws: DecodingError.self) { try decoded(Reminder.self, text) }
  }

  @Test(arguments: [#"{"after":1e300}"#, #"{"after":0}"#, #"{"after":-5}"#])
  func `a fallback comes in its event`(text: String) {
    #expect(throws: DecodingError.self) { try decoded(Fallback.self, text) }
  }

  @Test func `sound ones are read as before`() throws {
    #expect(try decoded(Reminder.self, #"{"before":900}"#) == Reminder(offset: -900))
    #expect(try decoded(Fallback.self, #"{"after":7200}"#) == Fallback(after: 7200))
    let exercise = ActiveTask(type: "exercise", sets: 3, repetitions: 10, rest: 60, minimum: 40)
    let text = String(decoding: try JSONEncoder().encode(exercise), as: UTF8.self)
    #expect(try decoded(ActiveTask.self, text) == exercise)
  }

  @Test func `a goal stays in range`() {
    let task = ActiveTask(type: "exercise", sets: .max, repetitions: 2)
    #expect(task.goal?.value == .integer(.max))
  }
}
