public import Motion

/// Counts steps in the stream of one body-worn accelerometer, as it comes.
///
/// Any place on the body, any way round; 10 to 400 Hz, uneven, with samples missing;
/// accelerometer only. Steps are credited with the times at which they were taken: the first ones
/// of a walk once it is sure that it is one. A silence of more than a second ends a walk, and
/// nothing is made up in between. A sample whose time is not after the last is ignored and counted.
///
/// The magnitude of acceleration, brought to 25 Hz and to the band of gait, is correlated with itself
/// one step and one stride later; the likeliest course of walking and not walking through these
/// correlations gives the cadence, and its integral the steps. All of it is integer arithmetic.
///
/// ```swift
/// var counter = StepCounter()
/// var log = StepLog()
/// counter.add(contentsOf: samples, to: &log)
/// counter.finish(to: &log)
/// ```
/// Sixteen kilobytes, whatever the stream's length.
public struct StepCounter: Sendable {
  /// The longest time in microseconds between a step and the end of the signal that credits it.
  ///
  /// A minute is closed once the stream has passed its end by this much. A sensor that falls silent
  /// credits what is open with its next sample: call `finish()` where that is too late.
  public static let latency: Int64 = 30_000_000

  private let tuning: GaitTuning
  private var monitor = StreamMonitor()
  private var magnitude = UniformMagnitude()
  private var band: GaitBand
  private var correlation: GaitCorrelation
  private var decoder: GaitDecoder
  /// When the present stretch of unbroken signal began; `nil` between stretches.
  private var start: Int64?

  /// Steps credited so far.
  public private(set) var total = 0

  /// Makes a counter that has seen nothing.
  public init() {
    self.init(tuning: .standard)
  }

  /// Makes a counter with other constants, to see what they change.
  @_spi(Tuning)
  public init(tuning: GaitTuning) {
    self.tuning = tuning
    band = GaitBand(tuning: tuning)
    correlation = GaitCorrelation(tuning: tuning)
    decoder = GaitDecoder(tuning: tuning)
  }

  /// What the stream was worth so far.
  public var quality: SignalQuality { monitor.quality }

  /// The bout of walking that is going on, as far as its steps are credited; `nil` while standing.
  ///
  /// It lags behind the stream by 7 s: only then is it sure whether somebody walks.
  public var bout: WalkingBout? { decoder.bout }

  /// Whether the wearer walks or runs, with the lag of `bout`.
  public var isWalking: Bool { bout != nil }

  /// The cadence of the latest steps of the bout that is going on, in steps a minute, 55...214,
  /// rounded; `nil` while standing.
  ///
  /// It is a mean over some two strides, with the lag of `bout`.
  public var cadence: Int? {
    guard let period = decoder.period, period > 0 else { return nil }
    // A minute has 1500 samples of 40 ms.
    return (1_500 * 64 + Int(period) / 2) / Int(period)
  }

  /// Takes the next sample and adds to `log` what became sure with it.
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

  /// Takes a block of samples; the same as adding each of them.
  @inlinable
  public mutating func add(
    contentsOf samples: some Sequence<MotionSample>, to log: inout StepLog
  ) {
    for sample in samples { add(sample, to: &log) }
  }

  /// Ends the stream, or a stretch of it, and adds to `log` what was still open.
  ///
  /// More samples may follow; they begin a new stretch.
  public mutating func finish(to log: inout StepLog) {
    guard let start else { return }
    // Silence after the end brings the last samples to the middle of the window.
    for _ in 0..<correlation.delay + GaitFrame.hop { advance(0, start: start, to: &log) }
    let before = log.steps.count
    decoder.finish(start: start, to: &log)
    total += log.steps.count - before
    correlation = GaitCorrelation(tuning: tuning)
    decoder = GaitDecoder(tuning: tuning)
    self.start = nil
  }

  /// Takes the cells that the last sample completed.
  ///
  /// A function of its own, so that a sample that completes none is quick.
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
