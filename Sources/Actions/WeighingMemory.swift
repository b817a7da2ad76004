import Attribution
import Synchronization

/// What was learned from the weighings of a store, so that the next reader learns only what came since.
///
/// It holds for any reader: other people, or other weighings before the last, are learned from the
/// first one on.
package final class WeighingMemory: Sendable {
  private struct Learned {
    var household: Household
    var weighings: [Weighing] = []
    var evidence: Evidence
    /// How many weighings an answer settles, by the weighing.
    var settled: [Int: Int] = [:]
  }

  private let learned = Mutex<Learned?>(nil)

  /// Makes a memory of nothing.
  package init() {}

  /// The evidence of weighings, and how many of them the answer to the one at `index` settles.
  func evidence(
    of weighings: [Weighing], in household: Household, settledBy index: Int
  ) -> (evidence: Evidence, settled: Int) {
    // Learned outside of the lock: two who ask at once may both learn.
    var known = learned.withLock { $0 }
    if known?.household != household || !weighings.starts(with: known?.weighings ?? []) {
      known = nil
    }
    var learned = known ?? Learned(household: household, evidence: Evidence(household))
    for weighing in weighings.dropFirst(learned.weighings.count) {
      learned.evidence.learn(weighing)
      learned.settled = [:]
    }
    learned.weighings = weighings
    let settled = learned.settled[index] ?? learned.evidence.settled(byAnswering: index)
    learned.settled[index] = settled
    self.learned.withLock { [learned] in $0 = learned }
    return (learned.evidence, settled)
  }
}
