@_spi(Tuning) import Measurement

extension GaitTuning {
  /// Every constant there is.
  static let constants: [any WritableKeyPath<Self, Int> & Sendable] = [
    \.slowest, \.fastest, \.window, \.stepWeight, \.strideWeight, \.halfWeight, \.priorWeight,
    \.usualPeriod,
    \.amplitudeFloor, \.threshold, \.entry, \.exit, \.change, \.localShare, \.localHalf,
    \.boutBonus, \.shortestBout,
  ]

  /// The ranges that an expert on gait would choose without the recordings: a quarter
  /// and five eighths for the weights, a quarter for the prior and the threshold, two steps a second.
  static var rough: Self {
    var tuning = Self()
    tuning.slowest = 900
    tuning.fastest = 4_000
    tuning.window = 10
    tuning.stepWeight = 1_024
    tuning.strideWeight = 2_560
    tuning.halfWeight = 512
    tuning.priorWeight = 2_048
    tuning.usualPeriod = 25
    tuning.amplitudeFloor = 50
    tuning.threshold = 1_024
    tuning.entry = 8_000
    tuning.exit = 4_000
    tuning.change = 150
    tuning.localShare = 50
    tuning.localHalf = 12
    tuning.boutBonus = 512
    tuning.shortestBout = 10
    return tuning
  }

  /// A copy in which a share of the constants is moved, each by up to `amount` of itself.
  func jittered(
    by amount: Double, share: Double = 1, using draws: inout SeededDraws
  ) -> Self {
    var copy = self
    for constant in Self.constants where Double.random(in: 0..<1, using: &draws) < share {
      let factor = 1 + Double.random(in: -amount...amount, using: &draws)
      copy[keyPath: constant] = Int((Double(self[keyPath: constant]) * factor).rounded())
    }
    copy.window = min(copy.window, 16)
    return copy
  }

  /// The best of many draws around the rough constants, judged by these recordings alone.
  ///
  /// A draw is judged together with four jittered copies, so that it stands on a plateau, and what
  /// the recordings do not decide stays near what was set by hand. The shortest bout is a choice,
  /// not a matter of search.
  static func found(on recordings: [StepRecording], rounds: Int = 400) -> Self {
    var draws = SeededDraws(seed: 1)
    var best = rough
    var least = Double.infinity
    for round in 0..<rounds {
      var candidate = best
      if round > 0 {
        candidate = best.jittered(by: round % 3 == 0 ? 0.25 : 0.1, share: 0.35, using: &draws)
      }
      candidate.shortestBout = rough.shortestBout
      let own = StepErrors(of: candidate, on: recordings).loss + candidate.strangeness
      // Nothing that fails by itself stands on a plateau.
      guard own < 1.3 * least else { continue }
      var around = SeededDraws(seed: 99)
      var loss = own
      for _ in 0..<4 {
        let copy = candidate.jittered(by: 0.1, using: &around)
        loss += StepErrors(of: copy, on: recordings).loss + candidate.strangeness
      }
      if loss / 5 < least { (least, best) = (loss / 5, candidate) }
    }
    return best
  }

  /// How far the constants are from the rough ones: one for a set that is off by a third throughout.
  private var strangeness: Double {
    let squares = Self.constants.map { constant in
      let share = Double(self[keyPath: constant]) / Double(Self.rough[keyPath: constant]) - 1
      return share * share
    }
    return squares.reduce(0, +) / Double(squares.count) * 9
  }
}
