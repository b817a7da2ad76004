import Attribution
import Testing

/// The short form of the simulated households of `measured-bench households`, whose sources these
/// tests share; a hundred households of each kind are run there.
struct HouseholdTests {
  @Test(arguments: [
    // The greatest percentages of wrong and of waiting weighings, of three homes together.
    (
      HouseholdSimulation(people: 2, patients: 2, measuresImpedance: true, isAnswered: true), 0.2,
      8.0
    ),
    (HouseholdSimulation(people: 3, patients: 3, isAnswered: true), 0.5, 20.0),
    (
      HouseholdSimulation(
        weights: [70, 75, 80], people: 3, patients: 3, measuresImpedance: true,
        isAnswered: true), 0.2, 8.0
    ),
    (HouseholdSimulation(people: 2, patients: 1, namesOthers: true), 0.2, 8.0),
    (HouseholdSimulation(people: 1, patients: 1), 0.3, 2.0),
    (
      HouseholdSimulation(people: 2, patients: 1, drift: 0.5, isAnswered: true, error: 1.5), 0.3, 20
    ),
    (
      HouseholdSimulation(people: 3, patients: 3, drift: 0.5, isAnswered: true, error: 1.5), 0.3, 30
    ),
  ])
  func `a year's weighings go to the right people`(
    simulation: HouseholdSimulation, wrong: Double, waiting: Double
  ) {
    let outcomes = (UInt64(500)..<503).map { simulation.outcome(seed: $0) }
    func percent(
      _ part: KeyPath<HouseholdSimulation.Outcome, Int>,
      of all: KeyPath<HouseholdSimulation.Outcome, Int>
    ) -> Double {
      func sum(_ path: KeyPath<HouseholdSimulation.Outcome, Int>) -> Int {
        outcomes.reduce(0) { $0 + $1[keyPath: path] }
      }
      return 100 * Double(sum(part)) / Double(max(sum(all), 1))
    }
    #expect(percent(\.wrong, of: \.count) <= wrong)
    #expect(percent(\.waiting, of: \.own) <= waiting)
    #expect(outcomes.allSatisfy { $0.lockedOut == 0 })
  }
}
