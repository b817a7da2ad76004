/// The constants of the step counter, one set for every person, sensor and place on the body.
///
/// Each follows from how people walk, and the text says how; none is owed to one recording. Within
/// what that leaves open they were searched for over all recordings with counted steps, each also
/// at 12.5 Hz with a tenth of the samples lost, the non-walks also slower and faster. A set was judged
/// together with eight copies in which every constant was moved by up to 10 %, so that it stands on
/// a plateau. The benchmarks' `steps-validation` shows what is lost where a source is left out.
@_spi(Tuning)
public struct GaitTuning: Hashable, Sendable {
  /// The slowest movement that is looked at, in thousandths of a hertz: below the slowest walk's
  /// steps lie gravity's remainder, breathing and posture.
  public var slowest = 900
  /// The fastest movement that is looked at, in thousandths of a hertz: above a runner's 3.5 steps a
  /// second lie impacts and vibration.
  public var fastest = 3_500
  /// The correlation window in blocks of 0.32 s, 1...16: 3.8 s hold two strides of a slow walk, whose
  /// steps may be a second apart.
  public var window = 12
  /// Weight of the correlation one step later, in 1/4096.
  public var stepWeight = 1_000
  /// Weight of the correlation one stride later, in 1/4096.
  ///
  /// It is the larger: legs and arms differ from side to side, and a swinging arm shows the stride
  /// alone.
  public var strideWeight = 2_850
  /// What it costs to be alike after half a step already, in 1/4096: two steps are not one.
  ///
  /// A run of three steps a second would else pass for a walk at half that cadence.
  public var halfWeight = 600
  /// Weight of the prior on the period, in 1/4096: twice or half the usual one costs a quarter, which
  /// decides between a step and a stride that look alike, and little else.
  public var priorWeight = 2_150
  /// The commonest step period in half samples of 20 ms: 0.5 s, the 120 steps a minute that adults
  /// choose.
  public var usualPeriod = 25
  /// Root mean square amplitude that halves a perfect correlation, in thousandths of g: half of what
  /// a phone held before the body still shows.
  public var amplitudeFloor = 48
  /// The likeness at which walking and not walking are as likely, in 1/4096.
  public var threshold = 880
  /// What a start costs, in 1/2048: some three seconds of good walking pay for it, which is what
  /// keeps gestures out.
  public var entry = 9_300
  /// What an end costs, in 1/2048: a stumble or a turn does not end a walk.
  public var exit = 4_200
  /// What each 20 ms of change in the period costs, in 1/2048: people keep their rhythm.
  public var change = 130
  /// Local against window amplitude in percent, below which a frame holds no steps: the window looks
  /// beyond the ends of a walk, the steps must not.
  public var localShare = 57
  /// Half the local window in samples of 40 ms: 1 s, two steps.
  public var localHalf = 12
  /// What a bout's edges hold beyond the integral of the cadence, in 1/1024 step: half a step, the
  /// first and the last being cut in two.
  public var boutBonus = 480
  /// The fewest steps that are a bout: three strides, some three seconds.
  ///
  /// Hands repeat themselves for two or three seconds as well, and shorter walks cannot be told from
  /// that. Of stretches cut from the recorded walks and set between rests, two thirds are found that
  /// hold seven steps, with a limit of eight half. What keeps gestures out is the cost of a start:
  /// with any limit from five to eight the recordings without walks, also slowed and sped up, hold
  /// as many false steps, and with ten a gesture fewer.
  public var shortestBout = 6

  /// The set that ships.
  public static let standard = Self()

  /// Makes the set that ships, to be varied.
  public init() {}
}
