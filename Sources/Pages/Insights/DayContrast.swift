import Care
import Foundation

/// The daily values of something on the days with a task done, against those without.
///
/// It is a coincidence in time; it says nothing of causes.
struct DayContrast: Hashable, Sendable {
  /// The values of the days on which the task was done.
  let with: [Double]
  /// The values of the days on which it was due and not done.
  let without: [Double]

  /// The fewest days on each side of which anything is said.
  static let leastDays = 10
  /// The probability of chance above which nothing is said.
  static let largestChance = 0.1

  /// Divides the days; those of which either is unknown are left out.
  ///
  /// It is `nil` if there are fewer than ``leastDays`` on a side.
  ///
  /// - Parameters:
  ///   - isDone: Whether the task was done, by day.
  ///   - values: The daily values, by day.
  init?(isDone: [Int: Bool], values: [Int: Double]) {
    let days = isDone.keys.sorted()
    func side(_ state: Bool) -> [Double] {
      days.filter { isDone[$0] == state }.compactMap { values[$0] }.filter(\.isFinite)
    }
    with = side(true)
    without = side(false)
    guard min(with.count, without.count) >= Self.leastDays else { return nil }
  }

  /// The mean of the days with the task.
  var meanWith: Double { with.reduce(0, +) / Double(with.count) }
  /// The mean of the days without it.
  var meanWithout: Double { without.reduce(0, +) / Double(without.count) }

  /// The probability that chance alone makes such a difference.
  ///
  /// - Parameter count: How many contrasts were looked at: of many, some differ by chance
  ///   (Bonferroni's correction).
  /// - Returns: 0…1.
  func chance(among count: Int) -> Double {
    min(1, RankTest.probability(with, without) * Double(max(1, count)))
  }
}

/// A probability as people read it: 1 in so many.
enum Odds {
  /// The largest number that is said; rarer is "less than 1 in 1000".
  static let most = 1000

  /// The number of which one happens by chance, rounded down to two digits.
  ///
  /// - Parameter probability: 0…1.
  /// - Returns: 1…``most``.
  static func oneIn(_ probability: Double) -> Int {
    guard probability > 0 else { return most }
    let number = min(1 / min(probability, 1), Double(most))
    let digit = number < 100 ? 1.0 : 10
    return max(1, Int(saturating: (number / digit + 1e-9).rounded(.down) * digit))
  }
}
