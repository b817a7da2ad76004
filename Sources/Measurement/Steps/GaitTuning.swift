/// The constants of the step counter, one set for every person, sensor and place on the body.
struct GaitTuning: Hashable, Sendable {
  /// Half the correlation window, in samples of 40 ms.
  var halfWindow = 55
  /// Weights of the correlation at step and stride lag, in 1/4096.
  var stepWeight: Int32 = 705
  var strideWeight: Int32 = 2_649
  /// Weight of the prior on the period, in 1/4096.
  var priorWeight: Int32 = 1_000
  /// The commonest step period in half samples of 20 ms.
  var usualPeriod: Int32 = 22
  /// Root mean square amplitude, in 64 micro-g, that halves a perfect correlation.
  var amplitudeFloor: Int64 = 648
  /// Score of not walking, and the costs of changes, in 1/4096.
  var threshold: Int32 = 1_051
  var entry: Int32 = 17_770
  var exit: Int32 = 14_780
  var change: Int32 = 170
  /// Local against window amplitude, in percent, below which a frame holds no steps.
  var localShare: Int64 = 47
  /// Half the local window, in samples.
  var localHalf = 9
  /// What a bout's edges hold beyond the integral, in 1/1024 step.
  var boutBonus: Int64 = 661
  /// The fewest steps that are a bout.
  var shortestBout = 11

  static let standard = Self()
}
