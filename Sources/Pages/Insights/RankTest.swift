import Foundation

/// How often two groups as different as these come from one and the same source, by chance.
///
/// The rank-sum test: H. B. Mann, D. R. Whitney, "On a Test of Whether One of Two Random Variables
/// Is Stochastically Larger than the Other", Annals of Mathematical Statistics 18 (1947), 50–60; with
/// the normal approximation, which is accurate from about ten values a group on, corrected for ties
/// and continuity. It needs no assumption on how values are distributed, and no random numbers.
enum RankTest {
  /// The probability of a difference at least as large, to either side, by chance.
  ///
  /// - Parameters:
  ///   - first: The values of a group.
  ///   - second: Those of the other.
  /// - Returns: 0…1; 1 if a group is empty or all values are equal.
  static func probability(_ first: [Double], _ second: [Double]) -> Double {
    let (n1, n2) = (Double(first.count), Double(second.count))
    let n = n1 + n2
    let values = (first.map { ($0, true) } + second.map { ($0, false) })
      .filter { $0.0.isFinite }.sorted { $0.0 < $1.0 }
    guard n1 > 0, n2 > 0, Double(values.count) == n else { return 1 }
    var (rankSum, ties) = (0.0, 0.0)
    var place = 0
    while place < values.count {
      var end = place
      while end < values.count, values[end].0 == values[place].0 { end += 1 }
      let count = Double(end - place)
      // Equal values share the mean of their ranks, which count from 1.
      let rank = Double(place + end + 1) / 2
      rankSum += rank * Double(values[place..<end].count { $0.1 })
      ties += count * count * count - count
      place = end
    }
    let u = rankSum - n1 * (n1 + 1) / 2
    let variance = n1 * n2 / 12 * (n + 1 - ties / (n * (n - 1)))
    guard variance > 0 else { return 1 }
    let distance = max(0, abs(u - n1 * n2 / 2) - 0.5)
    return min(1, erfc(distance / variance.squareRoot() / 2.0.squareRoot()))
  }
}
