public import Motion

/// Counts steps in the stream of one body-worn accelerometer, sample by sample.
///
/// Any place on the body, any orientation; 10 to 400 Hz, uneven, with lost samples; accelerometer
/// only. Steps are credited with the times at which they were taken, the first ones of a walk once
/// it is recognised. A gap of more than a second ends a walk, and no steps are added for it. A
/// sample whose time is not after the last is ignored and counted.
///
/// The magnitude of acceleration, resampled to 25 Hz and filtered to the band of gait, is
/// correlated with itself one step and one stride later; the most likely sequence of walking and
/// rest through these correlations gives the cadence, and its integral the steps. All arithmetic is
/// in integers.
///
/// ```swift
/// var counter = StepCounter()
/// var log = StepLog()
/// counter.add(contentsOf: samples, to: &log)
/// counter.finish(to: &log)
/// ```
/// Memory: sixteen kilobytes for a stream of any length.
public struct StepCounter: Sendable {
  /// The longest time in microseconds between a step and the end of the signal that credits it.
  ///
  /// A minute is complete once the stream has passed its end by this much. If a sensor stops
  /// sending, open steps are credited with its next sample: call `finish()` if that is too late.
  public static let latency: Int64 = 30_000_000

  private let tuning: GaitTuning
  private var monitor = StreamMonitor()
  private var magnitude = UniformMagnitude()
  private var band: GaitBand
  private var correlation: GaitCorrelation
  private var decoder: GaitDecoder
  /// When the current stretch without gaps began; `nil` between stretches.
  private var start: Int64?

  /// Steps credited so far.
  public private(set) var total = 0

  /// Makes a counter.
  public init() {
    self.init(tuning: .standard)
  }

  /// Makes a counter with other constants, for benchmarks.
  @_spi(Tuning)
  public init(tuning: GaitTuning) {
    self.tuning = tuning
    band = GaitBand(tuning: tuning)
    correlation = GaitCorrelation(tuning: tuning)
    decoder = GaitDecoder(tuning: tuning)
  }

  /// The quality of the stream so far.
  public var quality: SignalQuality { monitor.quality }

  /// The credited part of the current walking bout; `nil` at rest.
  ///
  /// It lags behind the stream by 7 s, the time that the decision takes.
  public var bout: WalkingBout? { decoder.bout }

  /// Whether the wearer walks or runs, with the lag of `bout`.
  public var isWalking: Bool { bout != nil }

  /// The cadence of the latest steps of the current bout, in steps a minute, 55...214, rounded;
  /// `nil` at rest.
  ///
  /// A mean over about two strides, with the lag of `bout`.
  public var cadence: Int? {
    guard let period = decoder.period, period > 0 else { return nil }
    // A minute has 1500 samples of 40 ms.
    return (1_500 * 64 + Int(period) / 2) / Int(period)
  }

  /// Takes the next sample and adds the steps and bouts that it completes to `log`.
  public mutating func add(_ sample: MotionSample, to log: inout StepLog) {
    let arrival = monitor.judge(sample)
    if arrival == .outOfOrder { return }
    guard case .next(let interval) = arrival, let start else {
      finish(to: &log)
      start = sample.time
      band.settle(at: magnitude.start(sample.acceleration))
      return
    }
    guard magnitude.add(sample.acceleration, interval: interval) else { return }
    advance(start: start, to: &log)
  }

  /// Takes a block of samples; equal to adding each of them.
  @inlinable
  public mutating func add(
    contentsOf samples: some Sequence<MotionSample>, to log: inout StepLog
  ) {
    for sample in samples { add(sample, to: &log) }
  }

  /// Ends the stream, or a stretch of it, and adds the open steps and bouts to `log`.
  ///
  /// Further samples begin a new stretch.
  public mutating func finish(to log: inout StepLog) {
    guard let start else { return }
    // Zeros after the end move the last samples to the middle of the window.
    for _ in 0..<correlation.delay + GaitFrame.hop { advance(0, start: start, to: &log) }
    let before = log.steps.count
    decoder.finish(start: start, to: &log)
    total += log.steps.count - before
    correlation = GaitCorrelation(tuning: tuning)
    decoder = GaitDecoder(tuning: tuning)
    self.start = nil
  }

  /// Processes the cells that the last sample completed.
  ///
  /// A separate function, so that a sample that completes no cell is fast.
  @inline(never)
  private mutating func advance(start: Int64, to log: inout StepLog) {
    while let mean = magnitude.next() { advance(band.filter(mean), start: start, to: &log) }
  }

  private mutating func advance(_ value: Int16, start: Int64, to log: inout StepLog) {
    guard correlation.add(value) else { return }
    let before = log.steps.count
    decoder.add(from: &correlation, start: start, to: &log)
    total += log.steps.count - before
  }
}

/// Results as steps without bouts.
extension StepCounter {
  /// Takes the next sample and returns the steps credited with it, oldest first.
  public mutating func add(_ sample: MotionSample) -> [Step] {
    var log = StepLog()
    add(sample, to: &log)
    return log.steps
  }

  /// Takes a block of samples; returns the same steps as adding each of them.
  @inlinable
  public mutating func add(contentsOf samples: some Sequence<MotionSample>) -> [Step] {
    var log = StepLog()
    add(contentsOf: samples, to: &log)
    return log.steps
  }

  /// Ends the stream, or a stretch of it, and returns the open steps.
  public mutating func finish() -> [Step] {
    var log = StepLog()
    finish(to: &log)
    return log.steps
  }
}

/// One step.
@frozen
public struct Step: Hashable, Sendable {
  /// When it was taken, in microseconds on the samples' clock; accurate to about a step.
  public var time: Int64
  /// The time from one step to the next around it, in microseconds: 280 000...1 100 000.
  public var period: Int64

  /// Makes a step.
  @inlinable
  public init(time: Int64, period: Int64) {
    self.time = time
    self.period = period
  }
}

/// A stretch of walking without a break.
public struct WalkingBout: Hashable, Sendable {
  /// Its start in microseconds on the samples' clock: half a step before the first step.
  public var begin: Int64
  /// Its end on the same clock: half a step after the last step.
  public var end: Int64
  /// The steps taken.
  public var steps: Int

  /// Makes a bout.
  public init(begin: Int64, end: Int64, steps: Int) {
    self.begin = begin
    self.end = end
    self.steps = steps
  }

  /// The mean cadence in steps a minute, rounded; `nil` for a bout without duration.
  public var cadence: Int? {
    let (duration, overflow) = end.subtractingReportingOverflow(begin)
    guard !overflow, duration > 0 else { return nil }
    return (steps * 60_000_000 + Int(duration / 2)) / Int(duration)
  }
}

/// The output of a step counter: credited steps and ended bouts.
///
/// A counter only appends to it; its owner may empty it at any time.
public struct StepLog: Hashable, Sendable {
  /// Steps credited, oldest first.
  public var steps: [Step] = []
  /// Bouts that ended, oldest first; their steps were credited before.
  public var bouts: [WalkingBout] = []

  /// Makes an empty log.
  public init() {}
}
