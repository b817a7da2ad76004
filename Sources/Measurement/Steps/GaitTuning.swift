public import Motion

/// The constants of the step counter: one set for every person and sensor, for each kind of place on
/// the body.
///
/// Each follows from how people walk, as its comment explains; none is fitted to one recording.
/// Within the remaining freedom the standard ones were optimised over all recordings with counted
/// steps, half of them at 12.5 Hz with a tenth of the samples lost, half with holes, and over walks
/// slowed and cut short. A set was scored together with three copies in which every constant was
/// changed by up to 10 %, so that the optimum is a plateau. The benchmark `steps-validation` reports
/// the error if a source is left out. The trunk and the leg differ from the standard only where
/// their movement does.
@_spi(Tuning)
public struct GaitTuning: Hashable, Sendable {
  /// The lower edge of the quick scale's band in thousandths of a hertz.
  ///
  /// Below are gravity, breathing and posture. The slow scale's band is an octave lower.
  public var slowest = 1_000
  /// The upper edge of the band in thousandths of a hertz: above a runner's 3.5 steps a second,
  /// with room for the filter's slope, are impacts and vibration.
  public var fastest = 4_500
  /// The correlation window in blocks of 0.32 s, 1...16 (the sums fit 16): 3.8 s hold two strides
  /// of a slow walk, whose steps may be a second apart.
  public var window = 12
  /// The window of the slow scale in blocks of 0.64 s, 1...16: 7.7 s, two strides of 2 s a step.
  public var slowWindow = 12
  /// The amplitude of gait at a step period of 0.7 s, in thousandths of g, root mean square in the
  /// band.
  ///
  /// Over telephones, wrists and pockets it is 0.92 g at 0.36 s, 0.25 g at 0.54 s, 0.11 g at
  /// 0.67 s, within a factor of two.
  public var lawAmplitude = 115
  /// The power of the period with which the amplitude falls, in tenths.
  ///
  /// A line through all recordings has 3.5; a flatter one errs less at the edges of the range.
  public var lawExponent = 27
  /// The distance from the law that costs nothing, in 1/64 octave.
  public var lawTolerance = 40
  /// The amplitudes of slow walks in thousandths of g: beyond 0.8 s the recordings say only that
  /// about 20 to 80 remain.
  public var slowLeast = 13
  public var slowMost = 40
  /// The penalty of an octave beyond the tolerance, in 1/2048, for a movement too strong for its
  /// period: a swinging arm, or a walk taken at half its cadence.
  public var strongWeight = 1_000
  /// The most that such a movement is penalised, in 1/2048: a clear rhythm counts in the end, as at
  /// the ankle, which moves more than any other place.
  public var strongMost = 900
  /// The same for a movement too weak: work with the hands, but also a calmly held telephone.
  public var weakWeight = 250
  /// The most that such a movement is penalised, in 1/2048: a telephone held still in a quick walk
  /// must not look like a slow walk at half or a third of the cadence.
  public var weakMost = 400
  /// The distances from the law beyond which a movement must also be as irregular as people are, in
  /// 1/64 octave, below it and above it; the demand is whole half an octave further.
  public var weakReach = 64
  public var strongReach = 90
  /// The step and stride correlation up to which a movement much too weak may be a walk, in 1/4096.
  ///
  /// No walk so weak was more regular; what sways on springs, or in the wind, is.
  public var weakRegularity = 3_800
  /// The same for a movement much too strong.
  ///
  /// The harder people tread, the more left and right differ. An arm swung at the side is a
  /// pendulum.
  public var strongRegularity = 2_500
  /// The penalty of regularity beyond that, in 1/32 of the excess.
  public var regularityWeight = 60
  /// The correlation in 1/4096 from which on it contradicts a period: a negative one a step later,
  /// or a positive one after half a step, or after a third of a slow one.
  public var contradiction = 2_300
  /// The correlation one step later, in 1/4096, from which on it contradicts a stride.
  ///
  /// One leg swings once in a stride. Above one for a place that shows the steps of both.
  public var likeness = 8_000
  /// Weight of what is beyond that, in 1/4096.
  public var contradictionWeight = 8_000
  /// The correlation at a peak between 0.16 s and 0.24 s, in 1/4096, from which on a movement is a
  /// tremor.
  ///
  /// A walk at any place hardly has one there above 0.4, a tremor of four to six a second one above
  /// 0.7.
  public var tremor = 2_300
  /// Weight of the correlation one step later, in 1/4096.
  public var stepWeight = 1_320
  /// Weight of the correlation one stride later, in 1/4096.
  ///
  /// The larger weight: left and right steps differ, and a swinging arm shows only the stride.
  public var strideWeight = 2_800
  /// The penalty for correlation at half a step, in 1/4096.
  ///
  /// Without it a run of three steps a second would count as a walk at half that cadence.
  public var halfWeight = 1_000
  /// Weight of the prior on the period, in 1/4096: half the usual period, and twice and all longer
  /// ones, cost an eighth.
  ///
  /// It decides between a step and a stride of equal correlation, and little else.
  public var priorWeight = 1_100
  /// The most common step period in half samples of 20 ms: 0.5 s, the adult's 120 steps a minute.
  public var usualPeriod = 25
  /// Root mean square amplitude that halves a perfect correlation, in thousandths of g: the noise
  /// of a sensor and of a body at rest.
  public var amplitudeFloor = 14
  /// The correlation at which walking and rest are equally likely, in 1/4096.
  public var threshold = 1_000
  /// The cost of a start, in 1/2048: about three seconds of clear walking outweigh it, which excludes
  /// gestures.
  public var entry = 9_000
  /// The cost of an end, in 1/2048: a stumble or a turn does not end a walk.
  public var exit = 5_000
  /// The cost of each 20 ms of change in the period, in 1/2048: people keep their rhythm.
  public var change = 150
  /// Local amplitude in percent of the window's, below which a frame holds no steps: the window
  /// extends beyond the ends of a walk, the steps must not.
  public var localShare = 50
  /// Local amplitude in percent of the window's, from which on a frame between others with steps
  /// holds steps too: people step more softly in a turn.
  public var turnShare = 50
  /// The share of the law's amplitude in percent from which on a frame holds steps in any window: a
  /// jerk of the hand does not hide the steps beside it.
  public var steadyShare = 75
  /// Half the local window in samples of 40 ms: 1 s, two steps.
  public var localHalf = 11
  /// Steps at a bout's edges beyond the integral of the cadence, in 1/1024 step: half a step, as
  /// the first and the last are cut in two.
  public var boutBonus = 420
  /// The fewest steps in a bout: three strides, about three seconds.
  ///
  /// Hand movements also repeat for two or three seconds, and shorter walks cannot be distinguished
  /// from them.
  public var shortestBout = 6

  /// For the arm, the hand, the head, and a place that nobody stated.
  public static let standard = Self()

  /// For the trunk, the pelvis and the thigh.
  ///
  /// Both legs move them and nothing else does so often: no gesture has to be excluded, so that a
  /// weak and irregular walk counts as one. Left to exclude are seats that sway and pedals, which
  /// are weaker than a walk of their cadence and more regular, and alike after half a step, after
  /// which a walking trunk is at the other end of its rise.
  public static let trunk: Self = {
    var tuning = Self()
    tuning.threshold = 640
    tuning.halfWeight = 2_000
    tuning.contradiction = 1_600
    tuning.entry = 7_000
    tuning.exit = 4_200
    tuning.weakWeight = 120
    tuning.weakMost = 1_400
    tuning.weakReach = 40
    tuning.weakRegularity = 3_400
    tuning.regularityWeight = 160
    tuning.slowLeast = 30
    tuning.slowMost = 60
    tuning.localShare = 52
    tuning.turnShare = 38
    tuning.boutBonus = 280
    tuning.shortestBout = 5
    return tuning
  }()

  /// For the shank and the foot.
  ///
  /// One leg swings once a stride and stands for the rest of it. Half a stride later the movement
  /// is neither like itself nor its opposite: of 2 351 windows of people's walks the correlation
  /// is between -0.42 and 0.44 in 96 %. A foot that taps, pedals or trembles goes up and down
  /// alike, and is beyond 0.7. The foot moves more than any other place, however slow the walk.
  public static let leg: Self = {
    var tuning = Self()
    tuning.threshold = 600
    tuning.entry = 5_500
    tuning.exit = 4_200
    tuning.stepWeight = 0
    tuning.strideWeight = 3_800
    tuning.halfWeight = 0
    tuning.contradiction = 1_700
    tuning.likeness = 1_700
    tuning.strongMost = 0
    tuning.slowLeast = 30
    tuning.turnShare = 25
    tuning.boutBonus = 300
    tuning.shortestBout = 5
    return tuning
  }()

  /// The constants for a sensor on a segment; `nil` for a place that nobody stated.
  public static func worn(on segment: Segment?) -> Self {
    switch segment {
    case .trunk, .pelvis, .thigh: trunk
    case .shank, .foot: leg
    case .head, .upperArm, .forearm, .hand, nil: standard
    }
  }

  /// Makes the standard constants.
  public init() {}
}

/// The candidate step periods.
///
/// The quick ones are counted in half samples of the 25 Hz signal, the slow ones in half samples of
/// the 12.5 Hz signal. Half-sample steps of the step period are whole samples of the stride, whose
/// correlation carries most of the evidence.
enum GaitLags {
  /// The number of quick periods: 0.28 s to 1.06 s every 20 ms, a sprint to a slow walk.
  static let quickCount = 40
  /// The number of slow periods: 1.08 s to 2 s every 40 ms, a slow walk to a shuffle.
  static let slowCount = 24
  /// The number of both: whole vectors of eight.
  static let count = quickCount + slowCount

  /// The period of a state in half samples of the 25 Hz signal, 20 ms.
  static func period(_ state: Int) -> Int {
    state < quickCount ? stride(state) : 2 * slowStride(state)
  }
  /// The stride lag in samples of the quick period `state`, which is also its step lag in half
  /// samples.
  static func stride(_ state: Int) -> Int { shortestStride + state }
  /// The same of a slow period, in samples of the 12.5 Hz signal.
  static func slowStride(_ state: Int) -> Int { shortestSlowStride + state - quickCount }

  /// Stride lag of the shortest quick period, in samples.
  static let shortestStride = 14
  /// Stride lag of the shortest slow period, in samples of the 12.5 Hz signal.
  static let shortestSlowStride = 27
}
