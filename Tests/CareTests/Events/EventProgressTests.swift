import Care
import Foundation
import TestSupport
import Motion
import Testing

/// How far an event is, and the values that a target counts.
@Suite struct EventProgressTests {
  private func targets(_ values: Value...) -> [TargetValue] {
    values.map { TargetValue(value: $0) }
  }

  private func progress(
    _ targets: [TargetValue], _ values: [OutcomeValue]?, kind: TaskKind = .task,
    linkage: Linkage? = nil, activeTask: ActiveTask? = nil, linkages: [Linkage] = [],
    strategy: ProgressStrategy? = nil, survey: [SurveyQuestion] = [], answer: Answer = .done
  ) throws -> EventProgress {
    let daily = try schedule("2023-01-01", every: Interval(days: 1), targets: targets)
    var task = task(daily, kind: kind, linkage: linkage, activeTask: activeTask)
    task.linkages += linkages
    task.progressStrategy = strategy
    task.survey = survey
    return try event(of: task, values: values, answer: answer).progress
  }

  private func linkage(_ quantity: Quantity, _ type: Aggregation, _ unit: String) throws -> Linkage
  {
    try Linkage(quantity: quantity, type: type, unit: #require(UnitOfMeasure(unit)))
  }

  @Test func `numbers add up`() throws {
    let progress = try progress(
      targets(.double(0.8), .double(3.2)), [value(.double(0.9)), value(.double(1.1))])
    #expect(progress == EventProgress(value: 2, goal: 4, fraction: 0.5))
    #expect(!progress.isCompleted)
  }

  @Test func `texts count one`() throws {
    let progress = try progress(
      targets(.text("a"), .text("b")), [value(.text("x")), value(.text("y"))])
    #expect(progress == EventProgress(value: 2, goal: 2, fraction: 1))
  }

  @Test func `a goal of zero is done`() throws {
    let progress = try progress(targets(.integer(0), .integer(0)), nil)
    #expect(progress == EventProgress(value: 0, goal: 0, fraction: 1))
    #expect(progress.isCompleted)
  }

  @Test func `without target anything above zero is done`() throws {
    #expect(try progress([], nil) == EventProgress(value: 0, goal: nil, fraction: 0))
    #expect(
      try progress([], [value(.integer(1))]) == EventProgress(value: 1, goal: nil, fraction: 1))
    #expect(try progress([], [value(.integer(0))]).isCompleted == false)
    #expect(try progress([], [value(.boolean(false))]).isCompleted)
  }

  @Test func `a mean counts each fraction once`() {
    let done = EventProgress(value: 1, goal: nil, fraction: 1)
    let open = EventProgress(value: 0, goal: nil, fraction: 0)
    func part(_ fraction: Double) -> EventProgress {
      EventProgress(value: 0, goal: 1, fraction: fraction)
    }
    #expect(EventProgress.mean(of: [done, done, part(1)]) == 1)
    #expect(EventProgress.mean(of: [open, open, part(0.5)]) == 0.5 / 3)
    #expect(
      EventProgress.mean(of: [part(EventProgress.mean(of: [part(0.5), done])), done]) == 0.875)
    #expect(EventProgress.mean(of: []) == 1)
  }

  @Test func `negative sums are nothing`() throws {
    #expect(try progress(targets(.integer(10)), [value(.integer(-5))]).fraction == 0)
    #expect(try progress([], [value(.integer(-5))]).fraction == 0)
  }

  @Test func `a target with a kind counts that kind only`() throws {
    let target = TargetValue(value: .integer(90), unit: UnitOfMeasure("deg"), kind: "range")
    let values = [
      value(.double(80), "deg", kind: "range"), value(.double(300), "deg", kind: "start"),
      value(.double(300), "deg"),
    ]
    #expect(
      try progress([target], values) == EventProgress(value: 80, goal: 90, fraction: 80.0 / 90))
  }

  @Test func `one kind does not make up for another`() throws {
    let kinds = ["pain", "sleep"].map { TargetValue(value: .integer(5), kind: $0) }
    let values = [value(.integer(10), kind: "pain"), value(.integer(3))]
    #expect(try progress(kinds, values) == EventProgress(value: 10, goal: 10, fraction: 0.5))
    let rest = kinds + [TargetValue(value: .integer(3))]
    #expect(try progress(rest, values) == EventProgress(value: 13, goal: 13, fraction: 2.0 / 3))
  }

  @Test func `values are converted to the targets unit`() throws {
    let target = TargetValue(value: .integer(30), unit: UnitOfMeasure("min"))
    let values = [value(.integer(600), "s"), value(.double(0.2), "h"), value(.integer(5), "kg")]
    #expect(
      try progress([target], values) == EventProgress(value: 22, goal: 30, fraction: 22.0 / 30))
  }

  @Test func `minutes add towards a goal`() throws {
    let exercise = try linkage(
      #require(Quantity(rawValue: "exerciseTime")), .cumulative, "min")
    let target = [TargetValue(value: .integer(30), unit: UnitOfMeasure("min"))]
    #expect(try !progress(target, [value(.double(22), "min")], linkage: exercise).isCompleted)
    #expect(try progress(target, [value(.double(30), "min")], linkage: exercise).isCompleted)
  }

  @Test func `of readings the latest counts`() throws {
    let heart = try linkage(.heartRate, .discrete, "/min")
    let early = Date(microseconds: 0)
    let values = [
      value(.double(80), "/min", at: early + 60), value(.double(70), "/min", at: early),
    ]
    let target = [TargetValue(value: .integer(100), unit: UnitOfMeasure("/min"))]
    #expect(
      try progress(target, values, linkage: heart)
        == EventProgress(value: 80, goal: 100, fraction: 0.8))
    #expect(
      try progress([], values, linkage: heart) == EventProgress(value: 80, goal: nil, fraction: 1))
  }

  @Test func `a reading below zero is a reading`() throws {
    let air = try linkage(#require(Quantity(rawValue: "airTemperature")), .discrete, "Cel")
    let cold = [value(.double(-1), "Cel")]
    #expect(
      try progress([], cold, linkage: air) == EventProgress(value: -1, goal: nil, fraction: 1))
    #expect(try progress([], nil, linkage: air).isCompleted == false)
    let target = [TargetValue(value: .integer(-5), unit: UnitOfMeasure("Cel"))]
    #expect(try progress(target, cold, linkage: air).isCompleted)
    #expect(try !progress(target, nil, linkage: air).isCompleted)
  }

  @Test func `an active task is compared by its kind`() throws {
    let knee = ActiveTask(type: "rangeOfMotion", joint: .knee, side: .left)
    let target = [TargetValue(value: .integer(90), unit: UnitOfMeasure("deg"), kind: "range")]
    let values = [
      value(.double(5), "deg", kind: "start"), value(.double(93), "deg", kind: "range"),
    ]
    let progress = try progress(target, values, activeTask: knee)
    #expect(progress == EventProgress(value: 93, goal: 90, fraction: 1))
    #expect(try self.progress([], [value(.double(0))], activeTask: knee).isCompleted)
  }

  /// Details of a result, such as its reliability, follow it.
  @Test func `of an active tasks values the first is the result`() throws {
    let walk = ActiveTask(type: "timedWalk", distance: 10)
    let values = [
      value(.double(1.2), "m/s", kind: "speed"), value(.double(8.3), "s", kind: "duration"),
      value(.text("good"), kind: "confidence"),
    ]
    #expect(
      try progress([], values, activeTask: walk)
        == EventProgress(value: 1.2, goal: nil, fraction: 1))
    let target = [TargetValue(value: .double(2.4), unit: UnitOfMeasure("m/s"))]
    #expect(
      try progress(target, values, activeTask: walk)
        == EventProgress(value: 1.2, goal: 2.4, fraction: 0.5))
  }

  @Test func `an answered assessment is done`() throws {
    #expect(try progress([], [value(.integer(0), kind: "pain")], kind: .assessment).isCompleted)
    #expect(try !progress([], nil, kind: .assessment).isCompleted)
  }

  // MARK: Answers

  @Test func `an outcome without values is done`() throws {
    let weight = try linkage(.bodyMass, .discrete, "kg")
    let targets = targets(.integer(30))
    #expect(try progress([], []).fraction == 1)
    #expect(try progress(targets, []) == EventProgress(value: 0, goal: 30, fraction: 1))
    #expect(try progress(targets, [], linkage: weight).isCompleted)
    #expect(try !progress(targets, nil).isCompleted)
  }

  @Test(arguments: ProgressStrategy.allCases)
  func `what was not done has no progress`(strategy: ProgressStrategy) throws {
    let answer = Answer(state: .notDone, reason: "ill")
    #expect(try progress([], [], strategy: strategy, answer: answer).fraction == 0)
    let zero = targets(.integer(0))
    #expect(try progress(zero, [], strategy: strategy, answer: answer).fraction == 0)
    let entered = [value(.integer(5))]
    #expect(try progress([], entered, strategy: strategy, answer: answer).fraction == 0)
  }

  @Test func `a plain true completes a linked task`() throws {
    let steps = try linkage(.stepCount, .cumulative, "1")
    let target = targets(.integer(900))
    let yes = [value(.boolean(true))]
    #expect(
      try progress(target, yes, linkage: steps)
        == EventProgress(value: 0, goal: 900, fraction: 1))
    #expect(try progress(target, yes) == EventProgress(value: 1, goal: 900, fraction: 1.0 / 900))
  }

  @Test func `an answered survey is done`() throws {
    let pain = try SurveyQuestion(kind: "pain", type: .scale, minimum: 0, maximum: 10)
    #expect(try progress([], [value(.integer(0), kind: "pain")], survey: [pain]).isCompleted)
    #expect(try !progress([], nil, survey: [pain]).isCompleted)
  }

  /// A later answer is no reading of the scale.
  @Test func `a measurement and a survey are half each`() throws {
    let weight = try linkage(.bodyMass, .discrete, "kg")
    let survey = [
      try SurveyQuestion(kind: "pain", type: .scale, minimum: 0, maximum: 10),
      try SurveyQuestion(kind: "remark", type: .text, isOptional: true),
    ]
    let target = [TargetValue(value: .integer(80), unit: .kilogram)]
    let reading = value(.integer(80), "kg")
    let pain = value(.integer(3), kind: "pain", at: Date(microseconds: 1))
    func progress(_ values: [OutcomeValue], _ targets: [TargetValue]) throws -> EventProgress {
      try self.progress(targets, values, linkage: weight, survey: survey)
    }
    for targets in [[], target] {
      let goal = targets.isEmpty ? nil : 80.0
      #expect(
        try progress([reading, pain], targets) == EventProgress(value: 80, goal: goal, fraction: 1))
      #expect(
        try progress([reading], targets) == EventProgress(value: 80, goal: goal, fraction: 0.5))
      #expect(
        try progress([pain], targets) == EventProgress(value: 0, goal: goal, fraction: 0.5))
    }
    let calm = [TargetValue(value: .integer(3), kind: "pain", isAtMost: true)]
    #expect(try progress([reading, pain], calm) == EventProgress(value: 3, goal: 3, fraction: 1))
  }

  // MARK: Strategies

  @Test func `if an outcome is enough no target matters`() throws {
    let target = targets(.integer(30))
    #expect(
      try progress(target, [value(.integer(3))], strategy: .exists)
        == EventProgress(value: 3, goal: 30, fraction: 1))
    #expect(try progress(targets(.integer(0)), nil, strategy: .exists).fraction == 0)
    #expect(try progress([], [value(.integer(0))], strategy: .exists).isCompleted)
  }

  @Test func `the sum of readings counts if the person says so`() throws {
    let water = try linkage(.bodyMass, .discrete, "kg")
    let values = [value(.double(1), "kg"), value(.double(2), "kg")]
    let target = [TargetValue(value: .integer(4), unit: .kilogram)]
    #expect(
      try progress(target, values, linkage: water, strategy: .sum)
        == EventProgress(value: 3, goal: 4, fraction: 0.75))
    #expect(
      try progress(target, values, linkage: water)
        == EventProgress(value: 2, goal: 4, fraction: 0.5))
  }

  @Test func `the latest value counts if the person says so`() throws {
    let late = Date(microseconds: 1)
    let values = [value(.integer(5), at: late), value(.integer(4))]
    #expect(
      try progress(targets(.integer(10)), values, strategy: .latest)
        == EventProgress(value: 5, goal: 10, fraction: 0.5))
    #expect(
      try progress([], [value(.integer(0))], strategy: .latest)
        == EventProgress(value: 0, goal: nil, fraction: 1))
  }

  // MARK: Upper limits

  @Test(
    arguments: [
      ([3], 1), ([5], 1), ([3, 3], 5.0 / 6), ([10], 0.5), ([0], 1), ([-1], 1),
    ] as [([Int64], Double)])
  func `of an upper limit less is better`(numbers: [Int64], fraction: Double) throws {
    let limit = [TargetValue(value: .integer(5), isAtMost: true)]
    #expect(try progress(limit, numbers.map { value(.integer($0)) }).fraction == fraction)
  }

  /// A timed up and go of at most 12 s: the fraction above the limit is limit ÷ value.
  @Test(
    arguments: [
      (0, 1), (11.2, 1), (12, 1), (12.000_001, 12 / 12.000_001), (15, 0.8), (24, 0.5), (1200, 0.01),
    ] as [(Double, Double)])
  func `a timed test meets its limit or not`(seconds: Double, fraction: Double) throws {
    let up = ActiveTask(type: "timedUpAndGo")
    let values = [
      value(.double(seconds), "s", kind: "total"), value(.double(1.9), "s", kind: "stand"),
    ]
    for (goal, unit) in [(12.0, UnitOfMeasure.second), (12_000, .millisecond)] {
      let limit = [
        TargetValue(value: .double(goal), unit: unit, kind: "total", isAtMost: true)
      ]
      let progress = try progress(limit, values, activeTask: up)
      #expect(abs(progress.fraction - fraction) < 1e-12)
      #expect(progress.isCompleted == (seconds <= 12))
      #expect(progress.goal == goal)
    }
    let other = [
      TargetValue(value: .integer(12), unit: .second, kind: "walkOut", isAtMost: true)
    ]
    #expect(try progress(other, values, activeTask: up).fraction == 0)
  }

  @Test func `an exercise has its repetitions as the goal`() throws {
    let exercise = ActiveTask(type: "exercise", joint: .knee, sets: 3, repetitions: 10)
    let values = [
      value(.integer(12), "1", kind: "repetitions"), value(.integer(3), "1", kind: "sets"),
    ]
    #expect(
      try progress([], values, activeTask: exercise)
        == EventProgress(value: 12, goal: 30, fraction: 0.4))
    let target = [TargetValue(value: .integer(8), unit: .one, kind: "repetitions")]
    #expect(try progress(target, values, activeTask: exercise).isCompleted)
    var single = exercise
    single.sets = nil
    #expect(try progress([], values, activeTask: single).isCompleted)
    single.repetitions = nil
    #expect(try progress([], values, activeTask: single).goal == nil)
  }

  @Test func `an upper limit needs a value`() throws {
    let limit = [TargetValue(value: .integer(5), isAtMost: true)]
    #expect(try progress(limit, nil) == EventProgress(value: 0, goal: 5, fraction: 0))
    #expect(try progress(limit, nil, strategy: .latest).fraction == 0)
  }

  @Test(arguments: [(0, 1), (0.1, 0), (-1, 1)] as [(Double, Double)])
  func `an upper limit of zero is met or not`(number: Double, fraction: Double) throws {
    let limit = [TargetValue(value: .integer(0), isAtMost: true)]
    #expect(try progress(limit, [value(.double(number))]).fraction == fraction)
  }

  @Test func `a range has two targets of one value`() throws {
    let range = [
      TargetValue(value: .integer(60)), TargetValue(value: .integer(80), isAtMost: true),
    ]
    #expect(
      try progress(range, [value(.integer(70))]) == EventProgress(value: 70, goal: 60, fraction: 1))
    #expect(try progress(range, [value(.integer(100))]).fraction == 0.9)
    #expect(try progress(range, [value(.integer(30))]).fraction == 0.75)
  }

  // MARK: Several linkages

  private func pressures() throws -> [Linkage] {
    [
      try linkage(.bloodPressureSystolic, .discrete, "mm[Hg]"),
      try linkage(.bloodPressureDiastolic, .discrete, "mm[Hg]"),
    ]
  }

  @Test func `each linkage needs a value`() throws {
    let linkages = try pressures()
    let systolic = value(.integer(128), "mm[Hg]", kind: "systolic")
    let diastolic = value(.integer(82), "mm[Hg]", kind: "diastolic")
    #expect(
      try progress([], [systolic], linkages: linkages)
        == EventProgress(value: 128, goal: nil, fraction: 0.5))
    #expect(
      try progress([], [diastolic, systolic], linkages: linkages)
        == EventProgress(value: 128, goal: nil, fraction: 1))
    // A value that may be either pressure is neither.
    #expect(try progress([], [value(.integer(82), "mm[Hg]")], linkages: linkages).fraction == 0)
    #expect(try progress([], nil, linkages: linkages).fraction == 0)
  }

  @Test func `values of other dimensions need no kind`() throws {
    let linkages = [
      try linkage(.bodyMass, .discrete, "kg"), try linkage(.stepCount, .cumulative, "1"),
    ]
    let weight = value(.integer(80), "kg")
    #expect(try progress([], [weight], linkages: linkages).fraction == 0.5)
    #expect(try progress([], [weight, value(.integer(9), "1")], linkages: linkages).isCompleted)
    #expect(
      try progress([], [weight, value(.integer(0), "1")], linkages: linkages).fraction == 0.5)
  }

  @Test func `each target of a kind is met`() throws {
    let linkages = try pressures()
    let limits = [
      TargetValue(
        value: .integer(140), unit: .millimetreOfMercury, kind: "systolic", isAtMost: true),
      TargetValue(
        value: .integer(90), unit: .millimetreOfMercury, kind: "diastolic", isAtMost: true),
    ]
    func values(_ systolic: Int64, _ diastolic: Int64) -> [OutcomeValue] {
      [
        value(.integer(systolic), "mm[Hg]", kind: "systolic"),
        value(.integer(diastolic), "mm[Hg]", kind: "diastolic"),
      ]
    }
    #expect(try progress(limits, values(128, 82), linkages: linkages).isCompleted)
    #expect(try progress(limits, values(175, 82), linkages: linkages).fraction == 0.9)
    #expect(try progress(limits, [values(128, 82)[0]], linkages: linkages).fraction == 0.5)
    // Of several measurements, the latest counts.
    let again = values(175, 100) + values(120, 80)
    #expect(try progress(limits, again, linkages: linkages).isCompleted)
  }

  @Test(arguments: 0..<50)
  func `is always between nothing and all`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let extremes: [Double] = [0, -0.0, 1e308, -1e308, .leastNonzeroMagnitude, .nan, .infinity, 3]
    func number(_ generator: inout SeededGenerator) -> Value {
      .double(extremes.randomElement(using: &generator) ?? 0)
    }
    let kinds = [nil, "a", "b"]
    for _ in 0..<20 {
      let targets = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
        TargetValue(
          value: number(&generator), kind: kinds.randomElement(using: &generator) ?? nil,
          isAtMost: Bool.random(using: &generator))
      }
      let strategies: [ProgressStrategy?] = [nil] + ProgressStrategy.allCases
      let strategy = strategies.randomElement(using: &generator) ?? nil
      let values = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
        value(number(&generator), kind: kinds.randomElement(using: &generator) ?? nil)
      }
      for activeTask in [nil, ActiveTask(type: "rangeOfMotion", joint: .knee)] {
        let progress = try progress(
          targets, values, activeTask: activeTask, strategy: strategy)
        #expect((0...1).contains(progress.fraction))
        #expect(!progress.value.isNaN)
        #expect(progress.isCompleted == (progress.fraction == 1))
      }
    }
  }
}
