import Care
import Foundation
import Motion
import TestSupport
import Testing

/// Random plans of every shape that a file can express.
enum RandomPlan {
  static func make(_ generator: inout SeededGenerator) throws -> PlanDocument {
    let patients = (0..<Int.random(in: 1...3, using: &generator)).map { index in
      Patient(
        id: "p\(index)",
        name: PersonName(given: text(&generator), family: text(&generator)),
        expects: Bool.random(using: &generator)
          ? ["bodyMass": Expectation(value: 82.3, tolerance: index == 0 ? nil : 6.1)] : [:])
    }
    var tasks: [PlannedTask] = []
    for index in 0..<Int.random(in: 0...4, using: &generator) {
      tasks.append(try task("t\(index)", of: patients, &generator))
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
      timeZone: try zone(&generator), patients: patients, tasks: tasks, devices: devices)
  }

  private static func task(
    _ id: String, of patients: [Patient], _ generator: inout SeededGenerator
  ) throws -> PlannedTask {
    let isLinked = Bool.random(using: &generator)
    let elements = try (0..<Int.random(in: 1...3, using: &generator)).map { _ in
      try element(isLinked: isLinked, &generator)
    }
    return PlannedTask(
      id: id, patient: try #require(patients.randomElement(using: &generator)).id,
      kind: isLinked
        ? .assessment : try #require(TaskKind.allCases.randomElement(using: &generator)),
      title: text(&generator) ?? "Title", instructions: text(&generator),
      schedule: try Schedule(elements),
      linkage: isLinked
        ? Linkage(
          quantity: .bodyMass, type: .discrete, unit: try #require(UnitOfMeasure("lb")),
          device: text(&generator).map { DeviceID($0) }) : nil,
      activeTask: isLinked ? activeTasks.randomElement(using: &generator) : nil,
      isOptional: Bool.random(using: &generator), isResettable: Bool.random(using: &generator),
      effectiveDate: Bool.random(using: &generator) ? date(&generator) : nil)
  }

  private static let activeTasks = [
    ActiveTask(type: "rangeOfMotion", joint: .neck), ActiveTask(type: "timedUpAndGo", side: .left),
    ActiveTask(type: "fiveTimesSitToStand"), ActiveTask(type: "thirtySecondChairStand"),
    ActiveTask(type: "timedWalk", distance: 4.57), ActiveTask(type: "sixMinuteWalk"),
    ActiveTask(type: "sixMinuteWalk", stepLength: 0.61), ActiveTask(type: "tremor", side: .right),
    ActiveTask(type: "sway", axis: .y), ActiveTask(type: "sway"),
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
    return try ScheduleElement(
      start: start, end: Bool.random(using: &generator) ? start + 1e6 + 0.5 : nil,
      interval: Interval(
        years: Int.random(in: 0...2, using: &generator), days: 1,
        minutes: Int.random(in: 0...90, using: &generator)),
      duration: #require(durations.randomElement(using: &generator)),
      targets: Bool.random(using: &generator)
        ? [
          TargetValue(
            value: #require(values.randomElement(using: &generator)),
            unit: UnitOfMeasure(isLinked ? "[lb_av]" : "1"), kind: text(&generator))
        ] : [], text: text(&generator), timeZone: zone(&generator))
  }

  private static func text(_ generator: inout SeededGenerator) -> String? {
    let texts = [
      nil, "plain", "two words", "5", "yes", "a: b # c", "'", "\"\\", "{x}", "Zürich", "- x", "😀",
      "multi\nline",
    ]
    // What becomes an id has one line.
    return (texts.randomElement(using: &generator) ?? nil).map {
      $0.replacing("\n", with: Bool.random(using: &generator) ? " " : "")
    }
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
