import Attribution
import Foundation

/// The outcome of the same years by multi-user-scale-core, the router of a Home Assistant integration:
/// `references/households.py`.
struct HouseholdReference {
  private let python: ReferencePython

  init() throws {
    python = try ReferencePython(
      "households.py", module: "multi_user_scale_core", packages: ["multi-user-scale-core"])
  }

  /// A household as the reference reads it.
  private struct Line: Encodable {
    var start: [Double]
    var monthly: Bool
    var weighings: [[Double]]

    init(_ year: HouseholdSimulation.Year, isAnswered: Bool) {
      let patients = year.household.people.filter { $0.patient != nil }
      start = patients.map { Double($0.weight ?? 0) / 1_000 }
      monthly = isAnswered
      weighings = year.days.joined().map { step in
        [
          Double(step.weighing.minute), Double(step.weighing.weight) / 1_000,
          Double(step.person.flatMap { $0 < patients.count ? $0 : nil } ?? -1),
        ]
      }
    }
  }

  /// The percentages of wrong and of waiting weighings over the years of these seeds.
  func shares(
    of simulation: HouseholdSimulation, seeds: Range<UInt64>
  ) throws -> (wrong: Double, waiting: Double) {
    let encoder = JSONEncoder()
    let lines = try seeds.map {
      try encoder.encode(
        Line(simulation.year(seed: $0), isAnswered: simulation.isAnswered))
    }
    let output = try withReferenceFolder { folder in
      let input = folder.appending(path: "households")
      try Data(lines.joined(separator: Data("\n".utf8))).write(to: input)
      return try python.output(input: input)
    }
    let rows = output.split(separator: "\n").map { $0.split(separator: " ").compactMap { Int($0) } }
    guard rows.count == lines.count, rows.allSatisfy({ $0.count == 4 }) else {
      throw ReferencePython.Missing(
        description: "the reference gave other rows than it was given")
    }
    func percent(_ part: Int, of whole: Int) -> Double {
      let parts = rows.reduce(0) { $0 + $1[part] }
      let wholes = rows.reduce(0) { $0 + $1[whole] }
      return 100 * Double(parts) / Double(max(wholes, 1))
    }
    return (percent(2, of: 0), percent(3, of: 1))
  }
}
