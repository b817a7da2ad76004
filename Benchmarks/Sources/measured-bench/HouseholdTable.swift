import Foundation

/// One kind of simulated household, with the percentages of wrong and of waiting weighings that are
/// required without answers and with one answer a month.
struct HouseholdLine {
  var name: String
  var simulation: HouseholdSimulation
  var required:
    (unanswered: (wrong: Double, waiting: Double), answered: (wrong: Double, waiting: Double))

  /// The households of the table.
  static let all = [
    Self(
      name: "one patient and an unnamed housemate",
      simulation: HouseholdSimulation(people: 2, patients: 1), required: ((0.2, 30), (0.15, 10))),
    Self(
      name: "one patient and three unnamed",
      simulation: HouseholdSimulation(people: 4, patients: 1), required: ((0.5, 60), (0.15, 24))),
    Self(
      name: "two patients", simulation: HouseholdSimulation(people: 2, patients: 2),
      required: ((0.2, 28), (0.15, 10))),
    Self(
      name: "three patients", simulation: HouseholdSimulation(people: 3, patients: 3),
      required: ((0.3, 42), (0.2, 18))),
    Self(
      name: "five patients", simulation: HouseholdSimulation(people: 5, patients: 5),
      required: ((0.6, 60), (0.4, 30))),
    Self(
      name: "70, 75, 80 kg",
      simulation: HouseholdSimulation(weights: [70, 75, 80], people: 3, patients: 3),
      required: ((0.3, 56), (0.2, 27))),
  ]
}

/// How the households of a table are simulated.
struct HouseholdOptions {
  var seeds: Range<UInt64> = 1..<101
  /// The greatest drift in kg a week.
  var drift = 0.5
  /// The day-to-day standard deviation and that of the plan's weights, in kg.
  var spread = 0.6
  var error = 1.5
  var measuresImpedance = false
  var reportsPresence = false
  var days = 365
  /// The name of the only kind of household.
  var name: String?

  init() {}

  /// Reads `[--seeds N] [--first SEED] [--drift KG] [--spread KG] [--error KG] [--days N] [--only NAME]
  /// [--impedance] [--presence]`.
  init(_ arguments: ArraySlice<String>) {
    func text(_ name: String) -> String? {
      arguments.firstIndex(of: name).flatMap { arguments[$0...].dropFirst().first }
    }
    func value(_ name: String, _ usual: Double) -> Double {
      guard let value = text(name).flatMap(Double.init), value.isFinite, value >= 0, value < 1e9
      else { return usual }
      return value
    }
    let first = UInt64(value("--first", 1))
    seeds = first..<first + UInt64(max(1, value("--seeds", 100)))
    drift = value("--drift", drift)
    spread = value("--spread", spread)
    error = value("--error", error)
    days = Int(value("--days", Double(days)))
    name = text("--only")
    measuresImpedance = arguments.contains("--impedance")
    reportsPresence = arguments.contains("--presence")
  }

  /// The kinds of households.
  var lines: [HouseholdLine] { HouseholdLine.all.filter { name ?? $0.name == $0.name } }

  /// The households of a line with these options.
  func simulation(of line: HouseholdLine, isAnswered: Bool) -> HouseholdSimulation {
    var simulation = line.simulation
    simulation.drift = drift
    simulation.spread = spread
    simulation.error = error
    simulation.measuresImpedance = measuresImpedance
    simulation.reportsPresence = reportsPresence
    simulation.isAnswered = isAnswered
    simulation.days = days
    return simulation
  }
}

/// Prints for each household the percentages of wrong and waiting weighings, in brackets what is
/// required, how far the waiting of so many homes may be from that of all such homes (one standard
/// deviation), the percentage that waits if all true values are known, the homes with more than 2 %
/// wrong, the patients who got less than a tenth of their own, the milliseconds of a year, and the
/// percentages of multi-user-scale-core.
func printHouseholds(_ options: HouseholdOptions) {
  var reference: HouseholdReference?
  do { reference = try HouseholdReference() } catch { print("\n\(error)") }
  print(
    "\nHouseholds: a simulated year each, seeds \(options.seeds), drift ±\(options.drift) kg a week,"
      + " impedance: \(options.measuresImpedance), presence: \(options.reportsPresence)")
  print(
    column("", width: 38)
      + "answers        wrong      waiting      ±  known   >2 %  locked out     ms   reference")
  for line in options.lines {
    // Answers change nothing of it.
    let known = percentageWithTruth(options.simulation(of: line, isAnswered: false), options.seeds)
    for isAnswered in [false, true] {
      let simulation = options.simulation(of: line, isAnswered: isAnswered)
      var sum = HouseholdSimulation.Outcome()
      var mistaken = 0
      var waiting: [Double] = []
      for seed in options.seeds {
        let outcome = simulation.outcome(seed: seed)
        sum.add(outcome)
        if outcome.wrong * 50 > outcome.count { mistaken += 1 }
        waiting.append(100 * Double(outcome.waiting) / Double(max(outcome.own, 1)))
      }
      let required = isAnswered ? line.required.answered : line.required.unanswered
      func figure(_ part: Int, of all: Int, _ required: Double, digits: Int) -> String {
        column(100 * Double(part) / Double(max(all, 1)), digits: digits, width: 6) + " (≤"
          + column(required, digits: digits, width: 4) + ")"
      }
      let shares =
        column(line.name, width: 38) + column(isAnswered ? "monthly" : "none", width: 8)
        + figure(sum.wrong, of: sum.count, required.wrong, digits: 2)
        + figure(sum.waiting, of: sum.own, required.waiting, digits: 1)
      print(
        shares + column(standardError(waiting), digits: 1, width: 5)
          + column(known, digits: 1, width: 7)
          + column(Double(mistaken), digits: 0, width: 6)
          + column(Double(sum.lockedOut), digits: 0, width: 6)
          + column(" of \(options.seeds.count * simulation.patients)", width: 8)
          + column(yearMilliseconds(simulation, seed: options.seeds.lowerBound), digits: 1)
          + referenceShares(reference, of: simulation, seeds: options.seeds))
    }
  }
}

/// The percentage of the patients' own weighings that waits if all true values are known.
private func percentageWithTruth(_ simulation: HouseholdSimulation, _ seeds: Range<UInt64>)
  -> Double
{
  var sum = (waiting: 0, own: 0)
  for seed in seeds {
    let home = simulation.waitingWithTruth(seed: seed)
    sum = (sum.waiting + home.waiting, sum.own + home.own)
  }
  return 100 * Double(sum.waiting) / Double(max(sum.own, 1))
}

/// The reference's wrong and waiting weighings in per cent, if there is one.
private func referenceShares(
  _ reference: HouseholdReference?, of simulation: HouseholdSimulation, seeds: Range<UInt64>
) -> String {
  guard let shares = try? reference?.shares(of: simulation, seeds: seeds) else { return "" }
  return column(shares.wrong, digits: 2) + " /" + column(shares.waiting, digits: 1, width: 5)
}

/// The standard deviation of the mean of values.
private func standardError(_ values: [Double]) -> Double {
  let count = Double(max(values.count, 1))
  let mean = values.reduce(0, +) / count
  let variance = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / count
  return (variance / count).squareRoot()
}

/// The milliseconds of processor time that a household's year takes: learning each weighing once, and
/// smoothing; the least of three.
private func yearMilliseconds(_ simulation: HouseholdSimulation, seed: UInt64) -> Double {
  let year = simulation.year(seed: seed)
  return (0..<3).map { _ in
    let before = processorTime(RUSAGE_SELF)
    _ = year.smoothed()
    return (processorTime(RUSAGE_SELF) - before) * 1e3
  }.min() ?? 0
}
