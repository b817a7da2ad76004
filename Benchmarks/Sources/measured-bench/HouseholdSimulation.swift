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
  /// Whether it is reported who is at home: right 95 times in 100, the others at home 80 times.
  var reportsPresence = false
  /// The greatest drift in kg a week, which changes every eight weeks.
  var drift = 0.15
  /// The day-to-day standard deviation in kg.
  var spread = 0.6
  /// Whether one question a month is answered, about the last weighing that waits.
  var isAnswered = false
  /// The standard deviation in kg of the plan's weights from those at the start.
  var error = 0.0
  var days = 365

  /// The outcome of a household's weighings.
  struct Outcome {
    /// All weighings, and the patients' own.
    var count = 0
    var own = 0
    /// Weighings that went to the wrong person, and patients' own that wait: with all evidence of the
    /// year, and on arrival.
    var wrong = 0
    var waiting = 0
    var arrivedWrong = 0
    var arrivedWaiting = 0
    /// Patients who got less than a tenth of their own.
    var lockedOut = 0
    /// Questions that were answered.
    var answers = 0

    /// Adds another household's.
    mutating func add(_ other: Self) {
      count += other.count
      own += other.own
      wrong += other.wrong
      waiting += other.waiting
      arrivedWrong += other.arrivedWrong
      arrivedWaiting += other.arrivedWaiting
      lockedOut += other.lockedOut
      answers += other.answers
    }
  }

  /// One weighing and who stood on the scale; `nil` is a guest.
  struct Step {
    var weighing: Weighing
    var person: Int?
  }

  /// A person's true values on one day.
  struct Body {
    /// In kg.
    var weight: Double
    /// In Ω.
    var impedance: Double
  }

  /// On how many days a person weighs.
  static let rate = 0.7
  /// The odds of a visitor's weighing after each one.
  static let visitorOdds = 0.02 / 0.98
  /// The visitors' weights in kg.
  static let visitorWeight = (mean: 70.0, deviation: 18.0)
  /// The impedances of people and visitors in Ω.
  static let impedance = (mean: 500.0, deviation: 60.0)
  /// The day-to-day standard deviation of a person's impedance in Ω.
  static let impedanceSpread = 12.0

  /// The plan's people and the year's weighings, day by day.
  struct Year {
    var household: Household
    var days: [[Step]]
    /// The true values of the people who live there, day by day.
    var truth: [[Body]]

    /// All verdicts with all evidence.
    func smoothed() -> [Verdict] {
      var evidence = Evidence(household)
      for step in days.joined() { evidence.learn(step.weighing) }
      return evidence.smoothed
    }
  }
}

// MARK: - Year

extension HouseholdSimulation {
  /// Draws the year of `seed`.
  func year(seed: UInt64) -> Year {
    var draws = NormalDraws(seed: seed)
    var levels =
      weights ?? (0..<people).map { _ in draws.normal(76, 14, within: 45...130) }
    let impedances = levels.map { _ in
      draws.normal(Self.impedance.mean, Self.impedance.deviation, within: 250...900)
    }
    var drifts = levels.map { _ in 0.0 }
    var errors = NormalDraws(seed: seed ^ 0x5A5A_5A5A)
    var reports = NormalDraws(seed: seed ^ 0x3C3C_3C3C)
    let stated = levels.map { error > 0 ? errors.normal($0, error) : $0 }
    let household = Household(
      people: stated.enumerated().compactMap { index, level in
        let isPatient = index < patients
        guard isPatient || namesOthers else { return nil }
        return Person(
          patient: isPatient ? "p\(index)" : nil, weight: Int((level * 10).rounded()) * 100)
      })
    var truth: [[Body]] = []
    let days = (0..<self.days).map { day in
      if day % 56 == 0 { drifts = levels.map { _ in draws.uniform(-drift...drift) / 7 } }
      for index in levels.indices {
        levels[index] = min(max(levels[index] + drifts[index], 40), 140)
      }
      truth.append(zip(levels, impedances).map { Body(weight: $0, impedance: $1) })
      var steps: [Step] = []
      var minute = day * 1_440 + 390
      for person in levels.indices.shuffled(using: &draws.generator)
      where draws.uniform(0...1) < Self.rate {
        minute += 1 + Int(draws.uniform(0...40))
        steps.append(
          Step(
            weighing: weighing(
              minute: minute, day: day, weight: draws.normal(levels[person], spread),
              impedance: draws.normal(impedances[person], Self.impedanceSpread)),
            person: person))
        guard draws.uniform(0...1) < Self.visitorOdds else { continue }
        minute += 1 + Int(draws.uniform(0...40))
        steps.append(
          Step(
            weighing: weighing(
              minute: minute, day: day,
              weight: draws.normal(
                Self.visitorWeight.mean, Self.visitorWeight.deviation, within: 10...180),
              impedance: draws.normal(Self.impedance.mean, Self.impedance.deviation)),
            person: nil))
      }
      return reportsPresence ? steps.map { present($0, &reports) } : steps
    }
    return Year(household: household, days: days, truth: truth)
  }

  /// Adds who is reported to be at home.
  private func present(_ step: Step, _ draws: inout NormalDraws) -> Step {
    var step = step
    for patient in 0..<patients {
      let isHome = patient == step.person || draws.uniform(0...1) < 0.8
      step.weighing.presence["p\(patient)"] = isHome == (draws.uniform(0...1) < 0.95)
    }
    return step
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
  /// A year as the attribution judged it.
  struct Judged {
    /// The weighings with the labels that answers gave them, whose they are, and the last verdicts.
    var weighings: [Weighing] = []
    var owners: [String?] = []
    var verdicts: [Verdict] = []
    /// The weighings that were asked about, each after a day.
    var answers: [(day: Int, weighing: Int)] = []
    /// Weighings that went to the wrong person, and patients' own that waited, on arrival.
    var arrived = (wrong: 0, waiting: 0)
  }

  /// Lets the attribution judge the year of `seed`.
  func judged(seed: UInt64) -> Judged {
    let year = year(seed: seed)
    var judged = Judged()
    var evidence = Evidence(year.household)
    for (day, steps) in year.days.enumerated() {
      for step in steps {
        let owner = step.person.flatMap { $0 < patients ? "p\($0)" : nil }
        count(
          evidence.observe(step.weighing), of: owner, wrong: &judged.arrived.wrong,
          waiting: &judged.arrived.waiting)
        judged.weighings.append(step.weighing)
        judged.owners.append(owner)
      }
      guard isAnswered, day % 30 == 29, judged.answers.count < 12 else { continue }
      let verdicts = evidence.smoothed
      guard
        let asked = judged.weighings.indices.last(where: {
          judged.weighings[$0].label == .none && verdicts[$0].waits
        })
      else { continue }
      judged.answers.append((day, asked))
      judged.weighings[asked].label = judged.owners[asked].map { .patient($0) } ?? .nobody
      evidence = Evidence(year.household)
      for weighing in judged.weighings { evidence.learn(weighing) }
    }
    judged.verdicts = evidence.smoothed
    return judged
  }

  /// Counts what the attribution made of the year of `seed`.
  func outcome(seed: UInt64) -> Outcome {
    let judged = judged(seed: seed)
    var outcome = Outcome()
    (outcome.arrivedWrong, outcome.arrivedWaiting) = judged.arrived
    outcome.answers = judged.answers.count
    var got: [String: (own: Int, got: Int)] = [:]
    for (index, verdict) in judged.verdicts.enumerated() {
      outcome.count += 1
      let isLabelled = judged.weighings[index].label != .none
      if !isLabelled {
        count(verdict, of: judged.owners[index], wrong: &outcome.wrong, waiting: &outcome.waiting)
      }
      guard let owner = judged.owners[index] else { continue }
      outcome.own += 1
      got[owner, default: (0, 0)].own += 1
      if isLabelled || verdict.decision == .patient(owner) { got[owner, default: (0, 0)].got += 1 }
    }
    outcome.lockedOut = got.values.count { $0.got * 10 < $0.own }
    return outcome
  }

  private func count(
    _ verdict: Verdict, of owner: String?, wrong: inout Int, waiting: inout Int
  ) {
    switch verdict.decision {
    case .patient(let patient): wrong += patient == owner ? 0 : 1
    case .housemate, .unassigned: waiting += owner == nil ? 0 : 1
    }
  }
}

extension Verdict {
  /// Whether it waits, and could be a patient's.
  fileprivate var waits: Bool {
    guard case .unassigned = decision else { return false }
    return odds.reduce(0) { $0 + $1.millionths } > 10_000
  }
}
