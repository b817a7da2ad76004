import Attribution
import Foundation

extension HouseholdSimulation {
  /// A person's true values on one day.
  struct Body {
    /// In kg.
    var weight: Double
    /// In Ω.
    var impedance: Double
  }

  /// Counts the patients' own weighings, and those among them that nobody can assign at 99 in 100 who
  /// knows each person's true weight and impedance of that day, how often people and guests weigh, and all weighings
  /// of the day.
  ///
  /// This bounds what an attribution can reach that knows none of these beforehand.
  func waitingWithTruth(seed: UInt64) -> (waiting: Int, own: Int) {
    var result = (waiting: 0, own: 0)
    for day in year(seed: seed).days {
      let shares = DayOdds(of: day, in: self).shares
      for (step, shares) in zip(day, shares) {
        guard let person = step.person, person < patients else { continue }
        result.own += 1
        if shares[person] < 0.99 * shares.reduce(0, +) { result.waiting += 1 }
      }
    }
    return result
  }
}

/// The shares of a day's weighings: each person weighs at most once a day, guests any number of times.
private struct DayOdds {
  /// By weighing, and by person; the last is a guest's. They do not sum to 1.
  private(set) var shares: [[Double]]
  private let odds: [[Double]]

  init(of day: [HouseholdSimulation.Step], in simulation: HouseholdSimulation) {
    odds = day.map { step in
      let weight = Double(step.weighing.weight) / 1_000
      let impedance = step.weighing.impedance.map { Double($0) / 100 }
      let people = step.truth.map { body in
        0.7 / 0.3 * density(weight, body.weight, simulation.spread)
          * (impedance.map { density($0, body.impedance, 12) } ?? 1)
      }
      let guest = 0.02 / 0.98 * density(weight, 70, 18) * (impedance.map { density($0, 500, 60) } ?? 1)
      let all = people + [guest]
      let best = all.max() ?? 1
      return all.map { $0 / best }
    }
    shares = odds.map { $0.map { _ in 0 } }
    var owners: [Int] = []
    add(&owners, weight: 1)
  }

  /// Adds the weight of each way to go on from the owners of the first weighings.
  private mutating func add(_ owners: inout [Int], weight: Double) {
    guard weight > 1e-30 else { return }
    guard owners.count < odds.count else {
      for (index, owner) in owners.enumerated() { shares[index][owner] += weight }
      return
    }
    let odds = odds[owners.count]
    for owner in odds.indices where owner == odds.count - 1 || !owners.contains(owner) {
      owners.append(owner)
      add(&owners, weight: weight * odds[owner])
      owners.removeLast()
    }
  }
}

/// The density of a normal distribution, but for a factor that all densities share.
private func density(_ value: Double, _ mean: Double, _ deviation: Double) -> Double {
  let distance = (value - mean) / deviation
  return exp(-distance * distance / 2) / deviation
}
