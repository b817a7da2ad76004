import Assessments
import Care
import Measurement
import Motion

/// A person's view of one sensor's motion while it is recorded: indications, from causal filters.
///
/// The result is computed from the whole recording.
/// Cost: an inclination filter and a step counter a sample. Memory: constant.
struct LiveMotion: Sendable {
  /// Above this deviation of an axis from its mean over 0.3 s, in micro-g, the sensor moves: above
  /// the tremor of a resting limb, below a slow bend.
  static let stillForce: Int64 = 90_000
  /// Above this rate in thousandths of a degree a second, the sensor moves.
  static let stillRate: Int64 = 20_000

  private var filter = InclinationFilter()
  private var counter: StepCounter
  private var reference: Inclination?
  private var latest: Inclination?
  /// The mean force in micro-g with 8 fractional bits.
  private var mean: (x: Int64, y: Int64, z: Int64)?
  private var lastTime: Int64?
  /// The time of the latest sample that moved, on the samples' clock.
  private(set) var lastMotion: Int64?
  /// The time of the first sample that moved since ``restart()``.
  private(set) var firstMotion: Int64?
  /// The angle from the reference in thousandths of a degree, 0...180 000, and its largest value.
  private(set) var angle = 0
  private(set) var largest = 0
  private(set) var smallest = 0
  /// How often the limb went away, and how often it came back.
  private(set) var departures = 0
  private(set) var returns = 0
  private var isAway = false
  private var stepsBefore = 0
  /// The length of the latest acceleration in thousandths of g.
  private(set) var force = 1_000

  /// Makes one for a sensor that is worn on a segment; `nil` if nobody stated where.
  init(on segment: Segment? = nil) { counter = StepCounter(on: segment) }

  /// The steps since ``restart()``; they lag behind by some seconds.
  var steps: Int { max(counter.total - stepsBefore, 0) }

  /// Takes the next sample.
  mutating func add(_ sample: MotionSample) {
    watch(sample)
    lastTime = sample.time
    _ = counter.add(sample)
    let inclination = filter.add(sample)
    latest = inclination
    let vector = sample.acceleration
    let square = [vector.x, vector.y, vector.z].reduce(0.0) { $0 + Double($1) * Double($1) }
    force = Int(saturating: square.squareRoot() / 1_000)
    guard let reference else {
      self.reference = inclination
      return
    }
    angle = Int(inclination.angle(to: reference))
    largest = max(largest, angle)
    smallest = min(smallest, angle)
    // A repetition begins above most of the largest angle, and ends below a part of it.
    if !isAway, angle > max(20_000, largest * 6 / 10) {
      isAway = true
      departures += 1
    } else if isAway, angle < max(10_000, largest * 3 / 10) {
      isAway = false
      returns += 1
    }
  }

  /// Begins to count and to measure from here.
  mutating func restart() {
    reference = latest
    (angle, largest, smallest, departures, returns, isAway) = (0, 0, 0, 0, 0, false)
    stepsBefore = counter.total
    firstMotion = nil
  }

  /// Whether the limb is where it began.
  var isBack: Bool { angle <= max(15_000, largest / 4) }

  private mutating func watch(_ sample: MotionSample) {
    let force = (
      x: Int64(sample.acceleration.x) << 8, y: Int64(sample.acceleration.y) << 8,
      z: Int64(sample.acceleration.z) << 8
    )
    guard let old = mean, let lastTime, sample.time > lastTime else {
      mean = force
      return
    }
    let (gap, overflow) = sample.time.subtractingReportingOverflow(lastTime)
    let interval = overflow ? 1_000_000 : min(gap, 1_000_000)
    let weight = (interval << 20) / (interval + 300_000)
    func next(_ mean: Int64, _ value: Int64) -> Int64 { mean + ((value - mean) * weight) >> 20 }
    let new = (x: next(old.x, force.x), y: next(old.y, force.y), z: next(old.z, force.z))
    mean = new
    let deviation = max(abs(force.x - new.x), abs(force.y - new.y), abs(force.z - new.z)) >> 8
    let rate = sample.angularRate.map { rate in
      max(abs(Int64(rate.x)), abs(Int64(rate.y)), abs(Int64(rate.z)))
    }
    guard deviation > Self.stillForce || rate ?? 0 > Self.stillRate else { return }
    lastMotion = sample.time
    firstMotion = firstMotion ?? sample.time
  }
}
