/// Counts the steps in a stream of motion samples, as they come.
///
/// Any rate from 10 Hz, with jitter and lost samples; any place on the body, mounted any way round;
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
/// for sample in samples { steps += counter.add(sample) }
/// steps += counter.finish()
/// ```
public struct StepCounter: Sendable {
  /// The longest time in microseconds between a step and the end of the signal that credits it.
  ///
  /// A minute is closed once the stream has passed its end by this much. A sensor that falls silent
  /// credits what is open with its next sample: call `finish()` where that is too late.
  public static let latency: Int64 = 30_000_000

  private let tuning: GaitTuning
  private var monitor = StreamMonitor()
  private var magnitude = UniformMagnitude()
  private var band = GaitBand()
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

  init(tuning: GaitTuning) {
    self.tuning = tuning
    correlation = GaitCorrelation(tuning: tuning)
    decoder = GaitDecoder(tuning: tuning)
  }

  /// What the stream was worth so far.
  public var quality: SignalQuality { monitor.quality }

  /// Takes the next sample and returns the steps that became sure with it, oldest first.
  public mutating func add(_ sample: MotionSample) -> [Step] {
    let arrival = monitor.judge(sample)
    if arrival == .outOfOrder { return [] }
    guard case .next(let interval) = arrival, let start else {
      let steps = finish()
      start = sample.time
      band.settle(at: magnitude.start(sample.acceleration))
      return steps
    }
    magnitude.add(sample.acceleration, interval: interval)
    var steps: [Step] = []
    while let mean = magnitude.next() {
      steps += advance(band.filter(mean), start: start)
    }
    return steps
  }

  /// Takes a block of samples; the same as adding each of them.
  @inlinable
  public mutating func add(contentsOf samples: some Sequence<MotionSample>) -> [Step] {
    var steps: [Step] = []
    for sample in samples { steps += add(sample) }
    return steps
  }

  /// Ends the stream, or a stretch of it, and returns the steps that were still open.
  ///
  /// More samples may follow; they begin a new stretch.
  public mutating func finish() -> [Step] {
    guard let start else { return [] }
    var steps: [Step] = []
    // Silence after the end brings the last samples to the middle of the window.
    for _ in 0..<correlation.delay + GaitFrame.hop { steps += advance(0, start: start) }
    let last = decoder.finish(start: start)
    total += last.count
    correlation = GaitCorrelation(tuning: tuning)
    decoder = GaitDecoder(tuning: tuning)
    self.start = nil
    return steps + last
  }

  private mutating func advance(_ value: Int32, start: Int64) -> [Step] {
    guard let frame = correlation.add(value) else { return [] }
    let steps = decoder.add(frame, start: start)
    total += steps.count
    return steps
  }
}
