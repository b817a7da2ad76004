import Attribution
import Foundation

extension HouseholdSimulation {
  /// Counts the patients' own weighings that wait at 99 in 100 if all true values are known.
  ///
  /// Known are each person's weight and impedance of that day, how often people and visitors weigh, and
  /// all weighings of the day. An attribution has to find these out.
  func waitingWithTruth(seed: UInt64) -> (waiting: Int, own: Int) {
    var result = (waiting: 0, own: 0)
    let year = year(seed: seed)
    for (steps, bodies) in zip(year.days, year.truth) {
      let day = DayWeights(of: steps.map(\.weighing), bodies, spread: spread)
      for (step, weights) in zip(steps, day.weights) {
        guard let person = step.person, person < patients else { continue }
        result.own += 1
        if weights[person] < 0.99 * weights.reduce(0, +) { result.waiting += 1 }
      }
    }
    return result
  }
}

/// How likely each of a day's weighings is whose.
///
/// A person weighs at most once a day, visitors any number of times.
private struct DayWeights {
  /// By weighing and by person, the visitors last; they do not sum to 1.
  private(set) var weights: [[Double]]
  /// The same for each weighing by itself.
  private let alone: [[Double]]

  init(of weighings: [Weighing], _ bodies: [HouseholdSimulation.Body], spread: Double) {
    typealias Home = HouseholdSimulation
    alone = weighings.map { weighing in
      let weight = Double(weighing.weight) / 1_000
      func impedance(_ mean: Double, _ deviation: Double) -> Double {
        weighing.impedance.map { density(Double($0) / 100, mean, deviation) } ?? 1
      }
      let people = bodies.map {
        Home.rate / (1 - Home.rate) * density(weight, $0.weight, spread)
          * impedance($0.impedance, Home.impedanceSpread)
      }
      let visitor =
        Home.visitorOdds * density(weight, Home.visitorWeight.mean, Home.visitorWeight.deviation)
        * impedance(Home.impedance.mean, Home.impedance.deviation)
      let all = people + [visitor]
      let best = all.max() ?? 1
      return all.map { $0 / best }
    }
    weights = alone.map { $0.map { _ in 0 } }
    var owners: [Int] = []
    add(&owners, weight: 1)
  }

  /// Adds the weight of each choice of the owners that are not chosen yet.
  private mutating func add(_ owners: inout [Int], weight: Double) {
    guard weight > 1e-30 else { return }
    guard owners.count < alone.count else {
      for (index, owner) in owners.enumerated() { weights[index][owner] += weight }
      return
    }
    let next = alone[owners.count]
    for owner in next.indices where owner == next.count - 1 || !owners.contains(owner) {
      owners.append(owner)
      add(&owners, weight: weight * next[owner])
      owners.removeLast()
    }
  }
}

/// The density of a normal distribution, but for a factor that all densities share.
private func density(_ value: Double, _ mean: Double, _ deviation: Double) -> Double {
  let distance = (value - mean) / deviation
  return exp(-distance * distance / 2) / deviation
}
