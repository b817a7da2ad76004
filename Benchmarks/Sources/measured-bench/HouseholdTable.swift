import Foundation

/// One line of the table of simulated households, with what is required of it.
struct HouseholdLine {
  var name: String
  var simulation: HouseholdSimulation
  /// The greatest median and 95th percentile of the wrong ones and median of the waiting ones.
  var required: (wrong: Double, worst: Double, waiting: Double)

  /// The households of the table; `drift` is in kg a week, `spread` and the plan's `error` in kg.
  static func all(drift: Double = 0.15, spread: Double = 0.6, error: Double = 0) -> [Self] {
    func line(
      _ name: String, _ people: Int, patients: Int? = nil, impedance: Bool = false,
      answered: Bool = false, names: Bool = false, weights: [Double]? = nil,
      drift own: Double? = nil,
      _ required: (Double, Double, Double)
    ) -> Self {
      Self(
        name: name,
        simulation: HouseholdSimulation(
          weights: weights, people: people, patients: patients ?? people, namesOthers: names,
          measuresImpedance: impedance, drift: own ?? drift, spread: spread, isAnswered: answered,
          error: error),
        required: required)
    }
    let unbounded = Double.infinity
    return [
      line("two, impedance", 2, impedance: true, (0.1, 0.5, 6)),
      line("three, impedance", 3, impedance: true, (0.1, 0.8, 12)),
      line("two", 2, (0.2, 1.5, 20)),
      line("three", 3, (0.2, 1.5, 35)),
      line("two, drift 0.5, answered", 2, answered: true, drift: max(drift, 0.5), (0.3, 1.5, 20)),
      line("three, drift 0.5, answered", 3, answered: true, drift: max(drift, 0.5), (0.3, 1.5, 35)),
      line("70, 75, 80 kg, impedance", 3, impedance: true, weights: [70, 75, 80], (0.2, 0.8, 15)),
      line("one, one in others", 2, patients: 1, names: true, (0.1, 0.8, 6)),
      line(
        "one, one in others, impedance", 2, patients: 1, impedance: true, names: true,
        (0.1, 0.8, 6)),
      line(
        "one, one unknown, impedance, answered", 2, patients: 1, impedance: true, answered: true,
        (3, unbounded, 12)),
      line("one and guests", 1, (0.3, 1, 2)),
      line("five, impedance, answered", 5, impedance: true, answered: true, (1, unbounded, 15)),
    ]
  }
}

/// Prints the table for `seeds`: the wrong and the waiting in percent, the people who stayed apart and
/// were shut out at the year's end (in brackets those whose weight in the plan was like another's),
/// and the microseconds of a weighing.
func printHouseholds(
  seeds: Range<UInt64>, drift: Double = 0.15, spread: Double = 0.6, error: Double = 0
) {
  print(
    "\nHouseholds: a simulated year each, \(seeds.count) seeds; percent, and in brackets what is"
      + " required")
  print(
    column("", width: 40) + "    wrong, median      wrong, 95th    waiting, median   shut out    µs"
  )
  for line in HouseholdLine.all(drift: drift, spread: spread, error: error) {
    let clock = ContinuousClock()
    var outcomes: [HouseholdSimulation.Outcome] = []
    let duration = clock.measure {
      outcomes = seeds.map { line.simulation.outcome(seed: $0) }
    }
    let count = outcomes.reduce(0) { $0 + $1.count }
    let wrong = outcomes.map(\.wrong).sorted()
    let waiting = outcomes.map(\.waiting).sorted()
    func figure(_ value: Double, _ required: Double) -> String {
      column(value, digits: 2, width: 7)
        + (required.isFinite
          ? " (≤" + column(required, digits: 1, width: 4) + ")" : "        ")
        + (value > required ? " !" : "  ")
    }
    print(
      column(line.name, width: 40) + figure(wrong[wrong.count / 2], line.required.wrong)
        + figure(wrong[wrong.count * 95 / 100], line.required.worst)
        + figure(waiting[waiting.count / 2], line.required.waiting)
        + column(Double(outcomes.reduce(0) { $0 + $1.shutOut }), digits: 0, width: 5)
        + column(" (\(outcomes.reduce(0) { $0 + $1.shutOutAlike }))", width: 5)
        + column(
          Double(duration.components.seconds) * 1e6 / Double(count)
            + Double(duration.components.attoseconds) / 1e12 / Double(count), digits: 1, width: 8))
  }
}

/// Prints the table as the arguments ask: `[--seeds N] [--first SEED] [--drift KG] [--spread KG]
/// [--error KG]`.
func printHouseholds(_ arguments: ArraySlice<String>) {
  func value(_ name: String, _ usual: Double) -> Double {
    guard let index = arguments.firstIndex(of: name), index + 1 < arguments.endIndex,
      let value = Double(arguments[index + 1]), value.isFinite, value >= 0, value < 1e9
    else { return usual }
    return value
  }
  let first = UInt64(value("--first", 1))
  let seeds = UInt64(max(1, value("--seeds", 100)))
  printHouseholds(
    seeds: first..<first + seeds, drift: value("--drift", 0.15), spread: value("--spread", 0.6),
    error: value("--error", 0))
}
