@_spi(Tuning) import Measurement

extension GaitTuning {
  /// Every constant there is.
  static let constants: [any WritableKeyPath<Self, Int> & Sendable] = [
    \.slowest, \.fastest, \.window, \.slowWindow, \.stepWeight, \.strideWeight, \.halfWeight,
    \.tremor,
    \.priorWeight, \.usualPeriod, \.lawAmplitude, \.lawExponent, \.lawTolerance, \.slowLeast,
    \.slowMost, \.strongWeight, \.strongMost, \.weakWeight, \.weakMost,
    \.weakReach, \.strongReach, \.weakRegularity, \.strongRegularity, \.regularityWeight,
    \.contradiction, \.likeness, \.contradictionWeight, \.steadyShare, \.amplitudeFloor,
    \.threshold, \.entry,
    \.exit, \.change, \.localShare, \.turnShare,
    \.localHalf, \.boutBonus, \.shortestBout,
  ]

  /// The constants that an expert on gait would choose without the recordings: three tenths and
  /// seven tenths for the weights, a quarter for the prior and the threshold, two steps a second, and
  /// the published amplitude of walking, within a factor of two.
  static var rough: Self {
    var tuning = Self()
    tuning.slowest = 1_000
    tuning.fastest = 4_000
    tuning.window = 12
    tuning.slowWindow = 12
    tuning.stepWeight = 1_230
    tuning.strideWeight = 2_870
    tuning.halfWeight = 1_024
    tuning.priorWeight = 1_024
    tuning.usualPeriod = 25
    tuning.lawAmplitude = 100
    tuning.lawExponent = 30
    tuning.lawTolerance = 48
    tuning.slowLeast = 15
    tuning.slowMost = 50
    tuning.strongWeight = 1_000
    tuning.strongMost = 1_000
    tuning.weakWeight = 250
    tuning.weakMost = 400
    tuning.weakReach = 64
    tuning.strongReach = 96
    tuning.weakRegularity = 3_700
    tuning.strongRegularity = 2_500
    tuning.regularityWeight = 60
    tuning.contradiction = 2_048
    tuning.contradictionWeight = 8_000
    tuning.amplitudeFloor = 15
    tuning.threshold = 1_024
    tuning.entry = 8_500
    tuning.exit = 5_000
    tuning.change = 150
    tuning.localShare = 50
    tuning.turnShare = 50
    tuning.localHalf = 12
    tuning.steadyShare = 75
    tuning.boutBonus = 512
    tuning.shortestBout = 6
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
    copy.slowWindow = min(copy.slowWindow, 16)
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

  /// How far the constants are from the rough ones: one for a set that is off by a sixth throughout.
  ///
  /// Two sources do not determine thirty constants. With a quarter of this weight, the constants found
  /// without Pebble have an error of 5.2 % on Pebble; with this weight 4.2 %, the rough ones 3.4 %.
  private var strangeness: Double {
    let squares = Self.constants.map { constant in
      let share = Double(self[keyPath: constant]) / Double(Self.rough[keyPath: constant]) - 1
      return share * share
    }
    return squares.reduce(0, +) / Double(squares.count) * 36
  }
}
