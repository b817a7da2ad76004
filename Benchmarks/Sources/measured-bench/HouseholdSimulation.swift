import Attribution
import Foundation

/// A simulated year of a household on one scale, with ground truth.
struct HouseholdSimulation {
  /// The weights at the start in kg; `nil` draws each from N(76, 14) within 45...130.
  var weights: [Double]?
  /// How many people live there.
  var people = 2
  /// How many of them are patients.
  var patients = 2
  /// Whether the plan names the others.
  var namesOthers = false
  var measuresImpedance = false
  /// The greatest drift in kg a week.
  var drift = 0.15
  /// The day-to-day standard deviation in kg.
  var spread = 0.6
  /// Whether a fifth of the tray is answered on the same day.
  var isAnswered = false
  /// The standard deviation in kg of the plan's weights from those at the start.
  var error = 0.0
  var days = 365

  /// What became of a household's weighings.
  struct Outcome {
    /// Percent of all weighings that went to the wrong patient.
    var wrong: Double
    /// Percent of the patients' own weighings that stayed in the tray.
    var waiting: Double
    /// Patients whose last ten weighings all went elsewhere although they stayed apart.
    var shutOut: Int
    /// Those of them whose expected weight is within 1.5 kg of another's: the plan cannot tell the two
    /// apart, however different their impedance is.
    var shutOutAlike: Int
    /// All weighings.
    var count: Int
  }

  /// One weighing and who stood on the scale; `nil` is a guest.
  struct Step {
    var weighing: Weighing
    var person: Int?
  }

  /// The plan's people and the year's weighings, day by day.
  struct Year {
    var household: Household
    var days: [[Step]]
    /// Who stayed 4 kg (or 40 Ω) away from each other person.
    var isApart: [Bool]
    /// Whose weight at the start is within 1.5 kg of another's.
    var isAlike: [Bool]
  }
}

// MARK: - Year

extension HouseholdSimulation {
  /// Draws the year of `seed`.
  func year(seed: UInt64) -> Year {
    var draws = NormalDraws(seed: seed)
    var levels =
      weights ?? (0..<people).map { _ in draws.normal(76, 14, within: 45...130) }
    let isAlike = levels.indices.map { index in
      levels.indices.contains { $0 != index && abs(levels[$0] - levels[index]) < 1.5 }
    }
    let impedances = levels.map { _ in draws.normal(500, 60, within: 250...900) }
    var drifts = levels.map { _ in 0.0 }
    var nearest = levels.map { _ in Double.infinity }
    var errors = NormalDraws(seed: seed ^ 0x5A5A_5A5A)
    let stated = levels.map { error > 0 ? errors.normal($0, error) : $0 }
    let household = Household(
      people: stated.enumerated().compactMap { index, level in
        let isPatient = index < patients
        guard isPatient || namesOthers else { return nil }
        return Person(
          patient: isPatient ? "p\(index)" : nil, weight: Int((level * 10).rounded()) * 100)
      })
    let days = (0..<self.days).map { day in
      if day % 56 == 0 { drifts = levels.map { _ in draws.uniform(-drift...drift) / 7 } }
      for index in levels.indices {
        levels[index] = min(max(levels[index] + drifts[index], 40), 140)
      }
      for index in levels.indices {
        for other in levels.indices where other != index {
          if measuresImpedance, abs(impedances[index] - impedances[other]) >= 40 { continue }
          nearest[index] = min(nearest[index], abs(levels[index] - levels[other]))
        }
      }
      var steps: [Step] = []
      var minute = day * 1_440 + 390
      for person in levels.indices.shuffled(using: &draws.generator)
      where draws.uniform(0...1) < 0.7 {
        minute += 1 + Int(draws.uniform(0...40))
        steps.append(
          Step(
            weighing: weighing(
              minute: minute, day: day, weight: draws.normal(levels[person], spread),
              impedance: draws.normal(impedances[person], 12)), person: person))
        guard draws.uniform(0...1) < 0.02 / 0.98 else { continue }
        minute += 1 + Int(draws.uniform(0...40))
        steps.append(
          Step(
            weighing: weighing(
              minute: minute, day: day, weight: draws.normal(70, 18, within: 10...180),
              impedance: draws.normal(500, 60)), person: nil))
      }
      return steps
    }
    return Year(
      household: household, days: days, isApart: nearest.map { $0 >= 4 }, isAlike: isAlike)
  }

  private func weighing(minute: Int, day: Int, weight: Double, impedance: Double) -> Weighing {
    // A scale shows steps of 50 g and whole ohms.
    Weighing(
      minute: minute, day: day, weight: Int((weight * 20).rounded()) * 50,
      impedance: measuresImpedance ? Int(impedance.rounded()) * 100 : nil)
  }
}

/// Normal draws from a seed.
struct NormalDraws {
  var generator: SeededDraws

  init(seed: UInt64) { generator = SeededDraws(seed: seed) }

  mutating func uniform(_ range: ClosedRange<Double>) -> Double {
    Double.random(in: range, using: &generator)
  }

  mutating func normal(_ mean: Double, _ deviation: Double) -> Double {
    let radius = (-2 * Foundation.log(max(uniform(0...1), 1e-300))).squareRoot()
    return mean + deviation * radius * cos(2 * .pi * uniform(0...1))
  }

  mutating func normal(
    _ mean: Double, _ deviation: Double, within range: ClosedRange<Double>
  ) -> Double {
    while true {
      let draw = normal(mean, deviation)
      if range.contains(draw) { return draw }
    }
  }
}

// MARK: - Run

extension HouseholdSimulation {
  /// Lets the attribution judge the year of `seed`.
  func outcome(seed: UInt64) -> Outcome { trace(seed: seed) { _, _, _, _ in } }

  /// The same, with each weighing as it is learned.
  @discardableResult
  func trace(
    seed: UInt64, each: (Weighing, _ person: Int?, Verdict, Evidence) -> Void
  ) -> Outcome {
    let year = year(seed: seed)
    var draws = NormalDraws(seed: seed ^ 0xA5A5_A5A5)
    var evidence = Evidence(year.household)
    var wrong = 0
    var waiting = 0
    var own = 0
    var count = 0
    var last = [[Bool]](repeating: [], count: patients)
    for day in year.days {
      let morning = evidence
      var labels: [Weighing.Label] = []
      for step in day {
        let verdict = evidence.observe(step.weighing)
        let owner = step.person.flatMap { $0 < patients ? "p\($0)" : nil }
        count += 1
        var isOwn = false
        var label = Weighing.Label.none
        switch verdict.decision {
        case .patient(let patient):
          isOwn = patient == owner
          wrong += isOwn ? 0 : 1
        case .housemate:
          waiting += owner == nil ? 0 : 1
        case .unassigned:
          waiting += owner == nil ? 0 : 1
          if isAnswered, draws.uniform(0...1) < 0.2 {
            label = owner.map { .patient($0) } ?? .nobody
          }
        }
        labels.append(label)
        each(step.weighing, step.person, verdict, evidence)
        guard owner != nil, let person = step.person else { continue }
        own += 1
        last[person] = last[person].suffix(9) + [isOwn]
      }
      guard labels.contains(where: { $0 != .none }) else { continue }
      evidence = morning
      for (step, label) in zip(day, labels) {
        var weighing = step.weighing
        weighing.label = label
        each(weighing, step.person, evidence.observe(weighing), evidence)
      }
    }
    let shutOut = (0..<patients).filter { year.isApart[$0] && !last[$0].contains(true) }
    return Outcome(
      wrong: 100 * Double(wrong) / Double(max(count, 1)),
      waiting: 100 * Double(waiting) / Double(max(own, 1)),
      shutOut: shutOut.count,
      shutOutAlike: shutOut.count { year.isAlike[$0] },
      count: count)
  }
}
