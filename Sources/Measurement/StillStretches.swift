import FixedPoint
import Motion

/// The stretches of a recording in which a sensor lay still.
struct StillStretches {
  /// Microseconds left out at either end of a stretch, in which the sensor is put down or picked
  /// up.
  static let margin: Int64 = 250_000
  /// Microseconds without a sample that end a stretch.
  static let longestSilence: Int64 = 500_000

  private(set) var stretches: [[MotionSample]] = []
  private var current: [MotionSample] = []
  private var lowest = WideVector.zero
  private var highest = WideVector.zero

  /// Finds the stretches of a second or more; the whole recording if it is still throughout.
  init(_ samples: [MotionSample]) {
    if (try? Stillness(samples)) != nil {
      stretches = [samples]
      return
    }
    for sample in samples { add(sample) }
    close()
  }

  private mutating func add(_ sample: MotionSample) {
    let force = WideVector(sample.acceleration)
    let low = WideVector(
      x: min(lowest.x, force.x), y: min(lowest.y, force.y), z: min(lowest.z, force.z))
    let high = WideVector(
      x: max(highest.x, force.x), y: max(highest.y, force.y), z: max(highest.z, force.z))
    guard let last = current.last?.time, follows(sample.time, last),
      (high - low).peak <= 2 * Stillness.corridor
    else {
      close()
      current = [sample]
      (lowest, highest) = (force, force)
      return
    }
    current.append(sample)
    (lowest, highest) = (low, high)
  }

  private func follows(_ time: Int64, _ last: Int64) -> Bool {
    let (interval, overflow) = time.subtractingReportingOverflow(last)
    return !overflow && (0...Self.longestSilence).contains(interval)
  }

  /// Stores the stretch that has ended if it is long and still enough without its ends.
  private mutating func close() {
    guard let first = current.first?.time, let last = current.last?.time else { return }
    let inner = current.filter {
      $0.time &- first >= Self.margin && last &- $0.time >= Self.margin
    }
    if (try? Stillness(inner)) != nil { stretches.append(inner) }
    current = []
  }
}

/// The mean reading of a sensor that lay still.
struct Stillness: Hashable, Sendable {
  /// The shortest rest in microseconds.
  static let shortest: Int64 = 1_000_000
  /// The largest deviation of an axis from its mean in micro-g: above the noise of a cheap sensor,
  /// below the tremor of a hand.
  static let corridor: Int64 = 50_000

  /// The mean reading in micro-g.
  let mean: WideVector

  init(_ samples: [MotionSample]) throws(CalibrationRefusal) {
    guard let first = samples.first?.time, let last = samples.last?.time, samples.count >= 10,
      case let (duration, overflow) = last.subtractingReportingOverflow(first),
      overflow || duration >= Self.shortest
    else { throw .tooShort }
    let sum = samples.reduce(WideVector.zero) { $0 + WideVector($1.acceleration) }
    let mean = sum.map { $0.roundedDivision(by: Int64(samples.count)) }
    let isStill = samples.allSatisfy {
      (WideVector($0.acceleration) - mean).peak <= Self.corridor
    }
    guard isStill else { throw .moved }
    self.mean = mean
  }

  /// The axis (0, 1, 2) that points up or down, and in which direction.
  func vertical() throws(CalibrationRefusal) -> (axis: Int, isUp: Bool) {
    let parts = [mean.x, mean.y, mean.z]
    let axis = parts.indices.max { abs(parts[$0]) < abs(parts[$1]) } ?? 0
    // tan 10° is 0.176; an offset of 100 mg comes on top.
    let allowed = abs(parts[axis]) * 176 / 1_000 + AccelerometerCalibration.largestOffset
    let isStraight = parts.indices.allSatisfy { $0 == axis || abs(parts[$0]) <= allowed }
    guard isStraight else { throw .slanted }
    return (axis, parts[axis] > 0)
  }
}
