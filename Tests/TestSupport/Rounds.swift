import Foundation

/// How many rounds the properties over random input run.
///
/// A test names the rounds of a night. The gate runs a tenth of them, `MEASURED_ROUNDS=10` runs all
/// of them, and a larger number runs more. A smaller share takes the first of the same seeds. A test
/// of which a tenth is still dear names the rounds of the gate, too.
package enum Rounds {
  /// The share in tenths.
  private static let tenths: Int = {
    let text = ProcessInfo.processInfo.environment["MEASURED_ROUNDS"]
    return min(max(text.flatMap { Int($0) } ?? 1, 1), 1_000_000)
  }()

  /// The share of `full` rounds, rounded up; `gate` is that of the gate, if it is no tenth.
  package static func count(_ full: Int, gate: Int? = nil) -> Int {
    if let gate, tenths < 10 { return min(gate * tenths, full) }
    return (full * tenths + 9) / 10
  }

  /// The share of `full` seeds from `first` on, rounded up.
  package static func seeds(
    _ full: Int, gate: Int? = nil, from first: UInt64 = 0
  ) -> Range<UInt64> {
    first..<first + UInt64(count(full, gate: gate))
  }
}
