import Attribution
import Synchronization

/// Knowledge from a store's weighings, so that the next reader learns only from later ones.
///
/// It holds for any reader: other people, or other weighings before the last, are learned from the
/// first one on.
package final class WeighingMemory: Sendable {
  private struct Learned {
    var household: Household
    var weighings: [Weighing] = []
    var judged: Judged
    /// How many weighings an answer settles, by the weighings that are asked about.
    var settled: [[Int]: Int] = [:]
  }

  /// The evidence of weighings, and the verdict of all of them on each.
  struct Judged {
    var evidence: Evidence
    var verdicts: [Verdict] = []

    /// The patient's odds in a weighing, in millionths.
    func odds(of patient: String, at weighing: Int) -> Int {
      verdicts[weighing].odds.first { $0.patient == patient }?.millionths ?? 0
    }
  }

  private let learned = Mutex<Learned?>(nil)

  /// Makes a memory of nothing.
  package init() {}

  /// Judges weighings.
  func judged(_ weighings: [Weighing], in household: Household) -> Judged {
    // Learned outside of the lock: two who ask at once may both learn.
    let known = learned.withLock { $0 }
    if let known, known.household == household, known.weighings == weighings { return known.judged }
    var learned = Learned(
      household: household, judged: Judged(evidence: Evidence(household)))
    if let known, known.household == household, weighings.starts(with: known.weighings) {
      learned = known
    }
    for weighing in weighings.dropFirst(learned.weighings.count) {
      learned.judged.evidence.learn(weighing)
    }
    learned.weighings = weighings
    learned.judged.verdicts = learned.judged.evidence.smoothed
    learned.settled = [:]
    self.learned.withLock { [learned] in $0 = learned }
    return learned.judged
  }

  /// How many weighings the answer about some of these settles, as `count` says.
  func settled(
    byAnswering indices: [Int], of weighings: [Weighing], count: () -> Int
  ) -> Int {
    let known = learned.withLock { $0?.weighings == weighings ? $0?.settled[indices] : nil }
    if let known { return known }
    let settled = count()
    learned.withLock { if $0?.weighings == weighings { $0?.settled[indices] = settled } }
    return settled
  }
}
