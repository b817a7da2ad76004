public import Motion

/// Counts steps in the stream of one body-worn accelerometer, sample by sample.
///
/// Any place on the body, better a stated one; any orientation; 10 to 400 Hz, uneven, with lost
/// samples; accelerometer only; 30 to 214 steps a minute. Steps are credited with the times at which
/// they were taken, the first ones of a walk once it is recognised. In a hole of up to a second in a walk steps are
/// counted at the walk's cadence. A longer one adds no steps, and one of more than three seconds
/// ends the walk. A sample whose time is not after the last is ignored and counted.
///
/// The magnitude of acceleration, resampled to 25 Hz and filtered to the band of gait, is
/// correlated with itself one step and one stride later, and so is the same at half the rate, an
/// octave lower, for slow walks. A correlation counts if the amplitude goes with the period. The
/// most likely sequence of walking and rest through these correlations gives the cadence, and its
/// integral the steps. Missing samples are left out. All arithmetic is in integers.
///
/// ```swift
/// var counter = StepCounter(on: .pelvis)
/// var log = StepLog()
/// counter.add(contentsOf: samples, to: &log)
/// counter.finish(to: &log)
/// ```
/// Memory: thirty-five kilobytes for a stream of any length.
public struct StepCounter: Sendable {
  /// The longest time in microseconds between a step and the end of the signal that credits it.
  ///
  /// A minute is complete once the stream has passed its end by this much. If a sensor stops
  /// sending, open steps are credited with its next sample: call `finish()` if that is too late.
  public static let latency: Int64 = 30_000_000

  /// The shortest interval between samples in microseconds that is a hole in the signal: two lost
  /// samples at 12.5 Hz, the shortest step.
  private static let shortestHole: Int64 = 200_000
  /// The longest hole in microseconds that does not end a walk.
  private static let longestHole: Int64 = 3_000_000

  private let tuning: GaitTuning
  private var monitor = StreamMonitor()
  private var magnitude = UniformMagnitude()
  private var band: GaitBand
  private var correlation: GaitCorrelation
  private var slowBand: GaitBand
  private var slowCorrelation: GaitCorrelation
  private let evidence: GaitEvidence
  private var decoder: GaitDecoder
  /// The first of the two cells that make a sample of the slow scale.
  private var half: (mean: Int32, presence: Presence)?
  /// The mean of the latest magnitudes in 1/32 micro-g, which stands in for missing ones.
  private var level: Int64 = 0
  /// Whether the open cell began in a hole.
  private var hole = Presence.present
  /// When the current stretch without gaps began; `nil` between stretches.
  private var start: Int64?

  /// Steps credited so far.
  public private(set) var total = 0

  /// Makes a counter for a sensor that is worn on a segment; `nil` if nobody stated where.
  ///
  /// Without a place it is as careful as at a hand, whose gestures it must not count: it misses
  /// weak walks at the trunk and most of those at a foot.
  public init(on segment: Segment? = nil) {
    self.init(tuning: .worn(on: segment))
  }

  /// Makes a counter with other constants, for benchmarks.
  @_spi(Tuning)
  public init(tuning: GaitTuning) {
    self.tuning = tuning
    band = GaitBand(tuning: tuning)
    correlation = GaitCorrelation(tuning: tuning)
    slowBand = GaitBand(tuning: tuning)
    slowCorrelation = GaitCorrelation(tuning: tuning, scale: .slow)
    evidence = GaitEvidence(tuning: tuning)
    decoder = GaitDecoder(tuning: tuning, evidence: evidence)
  }

  /// The quality of the stream so far.
  public var quality: SignalQuality { monitor.quality }

  /// The credited part of the current walking bout; `nil` at rest.
  ///
  /// It lags behind the stream by 11 s, the time that the decision takes.
  public var bout: WalkingBout? { decoder.bout }

  /// Whether the wearer walks or runs, with the lag of `bout`.
  public var isWalking: Bool { bout != nil }

  /// The cadence of the latest steps of the current bout, in steps a minute, 30...214, rounded;
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
    let before = monitor.lastTime
    let arrival = monitor.judge(sample)
    if arrival == .outOfOrder { return }
    if case .next(let interval) = arrival, interval <= Self.shortestHole, let start {
      guard magnitude.add(sample.acceleration, interval: interval) else { return }
      advance(start: start, to: &log)
    } else {
      bridge(to: sample, after: before, log: &log)
    }
  }

  /// Takes the first sample of a stretch, or of what follows a hole.
  private mutating func bridge(
    to sample: MotionSample, after lastTime: Int64, log: inout StepLog
  ) {
    let (interval, overflow) = sample.time.subtractingReportingOverflow(lastTime)
    guard let start, !overflow, interval <= Self.longestHole else {
      finish(to: &log)
      start = sample.time
      let first = magnitude.start(sample.acceleration)
      band.settle(at: first)
      slowBand.settle(at: first)
      level = Int64(first) * 32
      return
    }
    hole = interval <= StreamMonitor.longestInterval ? .bridged : .lost
    if magnitude.add(sample.acceleration, interval: interval) { fill(start: start, to: &log) }
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
    // Missing samples after the end move the last samples to the middle of the window.
    let end = Int32(truncatingIfNeeded: level &>> 5)
    for _ in 0..<2 * (slowCorrelation.delay + GaitFrame.hop) {
      advance(end, .lost, start: start, to: &log)
    }
    let before = log.steps.count
    decoder.finish(start: start, to: &log)
    total += log.steps.count - before
    correlation = GaitCorrelation(tuning: tuning)
    slowCorrelation = GaitCorrelation(tuning: tuning, scale: .slow)
    decoder = GaitDecoder(tuning: tuning, evidence: evidence)
    half = nil
    hole = .present
    self.start = nil
  }

  /// Processes the cells that the last sample completed.
  ///
  /// A separate function, so that a sample that completes no cell is fast.
  @inline(never)
  private mutating func advance(start: Int64, to log: inout StepLog) {
    while let mean = magnitude.next() {
      guard hole == .present else {
        advance(Int32(truncatingIfNeeded: level &>> 5), hole, start: start, to: &log)
        hole = .present
        continue
      }
      level &+= Int64(mean) &- level &>> 5
      advance(mean, .present, start: start, to: &log)
    }
  }

  /// Processes the cells of a hole, the one in which it ends excepted.
  private mutating func fill(start: Int64, to log: inout StepLog) {
    while magnitude.next() != nil {
      advance(Int32(truncatingIfNeeded: level &>> 5), hole, start: start, to: &log)
    }
  }

  @inline(__always)
  private mutating func advance(
    _ mean: Int32, _ presence: Presence, start: Int64, to log: inout StepLog
  ) {
    if correlation.add(band.filter(mean), presence) { decoder.add(quick: &correlation) }
    guard let first = half else {
      half = (mean, presence)
      return
    }
    half = nil
    let value = slowBand.filter((first.mean &+ mean) &>> 1)
    guard slowCorrelation.add(value, max(first.presence, presence)) else { return }
    let before = log.steps.count
    decoder.add(slow: &slowCorrelation, start: start, to: &log)
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
  /// The time from one step to the next around it, in microseconds: 280 000...2 000 000.
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
