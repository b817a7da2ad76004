/// The constants of the step counter, one set for every person, sensor and place on the body.
///
/// Each follows from how people walk, as its comment explains; none is fitted to one recording.
/// Within the remaining freedom they were optimised over all recordings with counted steps, each
/// also at 12.5 Hz with a tenth of the samples lost, and the recordings without walking also slower
/// and faster. A set was scored together with eight copies in which every constant was changed by
/// up to 10 %, so that the optimum is a plateau. The benchmark `steps-validation` reports the error
/// if a source is left out.
@_spi(Tuning)
public struct GaitTuning: Hashable, Sendable {
  /// The lower edge of the band in thousandths of a hertz: below the slowest walk's steps are
  /// gravity, breathing and posture.
  public var slowest = 900
  /// The upper edge of the band in thousandths of a hertz: above a runner's 3.5 steps a second are
  /// impacts and vibration.
  public var fastest = 3_500
  /// The correlation window in blocks of 0.32 s, 1...16 (the sums fit 16): 3.8 s hold two strides
  /// of a slow walk, whose steps may be a second apart.
  public var window = 12
  /// Weight of the correlation one step later, in 1/4096.
  public var stepWeight = 1_000
  /// Weight of the correlation one stride later, in 1/4096.
  ///
  /// The larger weight: left and right steps differ, and a swinging arm shows only the stride.
  public var strideWeight = 2_850
  /// The penalty for correlation at half a step, in 1/4096.
  ///
  /// Without it a run of three steps a second would count as a walk at half that cadence.
  public var halfWeight = 600
  /// Weight of the prior on the period, in 1/4096: twice or half the usual period costs a quarter,
  /// which decides between a step and a stride of equal correlation, and little else.
  public var priorWeight = 2_150
  /// The most common step period in half samples of 20 ms: 0.5 s, the adult's 120 steps a minute.
  public var usualPeriod = 25
  /// Root mean square amplitude that halves a perfect correlation, in thousandths of g: half of the
  /// amplitude of a phone held in front of the body.
  public var amplitudeFloor = 48
  /// The correlation at which walking and rest are equally likely, in 1/4096.
  public var threshold = 880
  /// The cost of a start, in 1/2048: about three seconds of clear walking outweigh it, which
  /// excludes gestures.
  public var entry = 9_300
  /// The cost of an end, in 1/2048: a stumble or a turn does not end a walk.
  public var exit = 4_200
  /// The cost of each 20 ms of change in the period, in 1/2048: people keep their rhythm.
  public var change = 130
  /// Local amplitude in percent of the window's, below which a frame holds no steps: the window
  /// extends beyond the ends of a walk, the steps must not.
  public var localShare = 57
  /// Half the local window in samples of 40 ms: 1 s, two steps.
  public var localHalf = 12
  /// Steps at a bout's edges beyond the integral of the cadence, in 1/1024 step: half a step, as
  /// the first and the last are cut in two.
  public var boutBonus = 480
  /// The fewest steps in a bout: three strides, about three seconds.
  ///
  /// Hand movements also repeat for two or three seconds, and shorter walks cannot be distinguished
  /// from them. Of excerpts with seven steps, cut from the recorded walks and placed between rests,
  /// two thirds are found; with a limit of eight, half. Gestures are excluded by the cost of a
  /// start: with any limit from five to eight the recordings without walks, also slowed and sped
  /// up, give the same number of false steps, and with ten one gesture fewer.
  public var shortestBout = 6

  /// The default constants.
  public static let standard = Self()

  /// Makes the default constants.
  public init() {}
}

/// The candidate step periods, counted in half samples of the 25 Hz signal.
///
/// Half-sample steps of the step period are whole samples of the stride, whose correlation carries
/// most of the evidence.
enum GaitLags {
  /// The number of periods: 0.28 s to 1.1 s every 20 ms, a sprint to a shuffle.
  static let count = 42
  /// The same, padded to whole vectors; periods beyond `count` are never chosen.
  static let padded = 48
  /// The stride lag in samples of the period `index`, which is also its step lag in half samples.
  static func stride(_ index: Int) -> Int { shortestStride + index }

  /// Stride lag of the shortest period, in samples.
  static let shortestStride = 14
  /// The longest lag that is correlated: one beyond the longest stride, 2.24 s.
  static let longest = 56
}
