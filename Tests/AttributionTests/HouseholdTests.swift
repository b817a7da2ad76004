import Attribution
import Testing

/// The short form of the simulated households of `measured-bench households`, whose sources these
/// tests share; 100 households of each kind are run there.
struct HouseholdTests {
  @Test(arguments: [
    // Greatest median and greatest single percentage of wrong weighings, and median of waiting ones.
    (HouseholdSimulation(people: 2, patients: 2, measuresImpedance: true), 0.1, 0.5, 6.0),
    (HouseholdSimulation(people: 3, patients: 3), 0.3, 1.0, 15.0),
    (
      HouseholdSimulation(
        weights: [70, 75, 80], people: 3, patients: 3, measuresImpedance: true), 0.2, 0.5, 6.0
    ),
    (HouseholdSimulation(people: 2, patients: 1, namesOthers: true), 0.1, 0.6, 6.0),
    (HouseholdSimulation(people: 1, patients: 1), 0.3, 1.0, 2.0),
  ])
  func `a year's weighings go to the right people`(
    simulation: HouseholdSimulation, wrong: Double, worst: Double, waiting: Double
  ) {
    let outcomes = (UInt64(500)..<503).map { simulation.outcome(seed: $0) }
    #expect(outcomes.map(\.wrong).sorted()[1] <= wrong)
    #expect(outcomes.allSatisfy { $0.wrong <= worst })
    #expect(outcomes.map(\.waiting).sorted()[1] <= waiting)
    #expect(outcomes.allSatisfy { $0.shutOut == $0.shutOutAlike })
  }

  @Test func `a housemate whom the plan does not name is learned from none of ours`() {
    let simulation = HouseholdSimulation(
      people: 2, patients: 1, measuresImpedance: true, isAnswered: true)
    let outcomes = (UInt64(500)..<503).map { simulation.outcome(seed: $0) }
    #expect(outcomes.map(\.wrong).sorted()[1] <= 1)
    #expect(outcomes.map(\.waiting).sorted()[1] <= 12)
  }
}
