/// The constants of the step counter, one set for every person, sensor and place on the body.
///
/// The shape (lags, prior, costs) was fixed first. The numbers were then found by random search over
/// all walks and non-walks in the shared recordings at once, each also brought to 12.5 Hz with a
/// tenth of the samples lost, the non-walks also faster, slower and stronger; what counted was the
/// mean over the set itself and three sets with every number moved by up to 7 %, so that they stand
/// on a plateau. Moving all of them by up to 10 % adds 1.3 points to the error of a source at worst.
struct GaitTuning: Hashable, Sendable {
  /// Half the correlation window in samples of 40 ms: 2.4 s hold two strides of a slow walk.
  var halfWindow = 30
  /// Weights of the correlation at step and stride lag, in 1/4096.
  ///
  /// The stride weighs more: legs and arms differ from side to side, and a swinging arm shows the
  /// stride alone.
  var stepWeight: Int32 = 840
  var strideWeight: Int32 = 2_650
  /// Weight of the prior on the period, in 1/4096: twice or half the usual one costs 0.2.
  var priorWeight: Int32 = 1_600
  /// The commonest step period in half samples of 20 ms: 0.46 s, 130 steps a minute.
  var usualPeriod: Int32 = 23
  /// Root mean square amplitude that halves a perfect correlation, in 64 micro-g: 0.047 g, half of
  /// what a phone held before the body still shows.
  var amplitudeFloor: Int64 = 730
  /// The score at which walking and not walking are alike, in 1/4096; a score is below 0.85.
  var threshold: Int32 = 860
  /// The costs of a start, of an end and of each 20 ms of change in the period, in 1/4096.
  ///
  /// A start takes some three seconds of good walking to pay for, which is what keeps gestures out.
  var entry: Int32 = 28_600
  var exit: Int32 = 12_600
  var change: Int32 = 290
  /// Local against window amplitude in percent, below which a frame holds no steps: the window looks
  /// beyond the ends of a walk, the steps must not.
  var localShare: Int64 = 52
  /// Half the local window in samples: 0.9 s, two steps.
  var localHalf = 11
  /// What a bout's edges hold beyond the integral, in 1/1024 step.
  var boutBonus: Int64 = 400
  /// The fewest steps that are a bout.
  ///
  /// Fourteen would save 12 false steps an hour and lose every walk across a room.
  var shortestBout = 10

  static let standard = Self()
}
