import FixedPoint
import Motion

/// The strides of one foot, from rest to rest.
///
/// Between two rests the angular rate carries the sensor's attitude, and the acceleration is
/// integrated twice. At both rests the foot is level as before and its speed is zero: what is left
/// of either is spread over the stride.
struct FootStrides: Hashable, Sendable {
  /// One stride.
  struct Stride: Hashable, Sendable {
    /// From rest to rest, in microseconds on the samples' clock.
    var range: Range<Int64>
    /// The level distance between both, in millimetres.
    var length: Int64
    /// Degrees a second in thousandths by which the foot turned about the vertical.
    var turning: Int64
  }

  /// The strides of the walk, oldest first.
  let strides: [Stride]

  /// Microseconds over which the rate is averaged.
  private static let window: Int64 = 100_000
  /// The percentile of the rate that stands for its peak, and the shares of it at which a swing
  /// begins and ends, in percent.
  private static let peak = 97
  private static let begins: Int64 = 40
  private static let ends: Int64 = 20
  /// Microseconds before the first swing and after the last in which the foot rests.
  private static let standing: Int64 = 400_000
  /// Microseconds below which a pause is none between two swings.
  private static let shortestRest: Int64 = 150_000
  /// The times that a stride may take, in microseconds.
  private static let durations: ClosedRange<Int64> = 400_000...3_000_000
  /// The length below which a movement is no stride, in millimetres.
  private static let shortest: Int64 = 100
  /// How far a steady stride may be from the median, in percent.
  private static let steadiness: Int64 = 15

  /// Finds the strides in a range of a recording.
  init(_ samples: [MotionSample], in range: Range<Int64>) throws(WalkingSpeedRefusal) {
    var own: [FootSample] = []
    let margin = Self.durations.upperBound / 3
    for sample in samples
    where sample.time >= range.lowerBound &- margin && sample.time <= range.upperBound &+ margin {
      guard let rate = sample.angularRate else { throw .noGyroscope }
      // Times within 73 000 years, whose differences fit.
      guard sample.time.magnitude < 1 << 61, own.last.map({ $0.time < sample.time }) ?? true
      else { continue }
      own.append(FootSample(sample, rate: rate))
    }
    let rests = Self.rests(of: own)
    strides = zip(rests, rests.dropFirst()).compactMap { Self.stride(own, from: $0, to: $1) }
  }

  /// The speed of the walk, its turns left out.
  func speed() throws(WalkingSpeedRefusal) -> WalkingSpeed {
    let straight = strides.filter { abs($0.turning) < HalfTurn.slowest }
    guard 2 * straight.count >= WalkingSpeed.fewest else { throw .fewSteps(2 * straight.count) }
    let median = straight.map(\.length).sorted()[straight.count / 2]
    let steady = straight.filter { abs($0.length - median) * 100 < median * Self.steadiness }
    func time(of strides: [Stride]) -> Int64 {
      strides.reduce(0) { $0 + $1.range.upperBound - $1.range.lowerBound }
    }
    func length(of strides: [Stride]) -> Int64 { strides.reduce(0) { $0 + $1.length } }
    return WalkingSpeed(
      speed: length(of: straight).scaled(by: 1_000_000, over: time(of: straight)),
      strideLength: length(of: steady) / Int64(steady.count),
      cadence: Int64(2 * steady.count).scaled(by: 60_000_000_000, over: time(of: steady)),
      steps: 2 * straight.count, assumesHeight: false)
  }

  // MARK: - Rests

  /// The samples at which the foot moves least, before, between and after its swings.
  private static func rests(of samples: [FootSample]) -> [Int] {
    let rates = smoothed(samples)
    guard let first = samples.first, let last = samples.last else { return [] }
    let sorted = rates.sorted()
    let top = sorted[min(sorted.count - 1, sorted.count * peak / 100)]
    var swings: [Range<Int>] = []
    var begin: Int?
    for (index, rate) in rates.enumerated() {
      if begin == nil, rate * 100 > top * begins {
        // A slow foot turns the other way in the middle of its swing.
        let isSame = swings.last.map {
          samples[index].time - samples[$0.upperBound].time < shortestRest
        }
        begin = isSame == true ? swings.removeLast().lowerBound : index
      }
      if let start = begin, rate * 100 < top * ends {
        swings.append(start..<index)
        begin = nil
      }
    }
    guard let opening = swings.first, let closing = swings.last else { return [] }
    func index(at time: Int64, from start: Int, step: Int) -> Int {
      var index = start
      while samples.indices.contains(index + step),
        step > 0 ? samples[index + step].time <= time : samples[index + step].time >= time
      {
        index += step
      }
      return index
    }
    let head = index(
      at: max(first.time, samples[opening.lowerBound].time - standing), from: opening.lowerBound,
      step: -1)
    let tail = index(
      at: min(last.time, samples[closing.upperBound].time + standing), from: closing.upperBound,
      step: 1)
    let gaps =
      [head..<opening.lowerBound + 1]
      + zip(swings, swings.dropFirst()).map { $0.upperBound..<$1.lowerBound + 1 }
      + [closing.upperBound..<tail + 1]
    return gaps.compactMap { gap in gap.min { rates[$0] < rates[$1] } }
  }

  /// The root mean square of the rate around each sample, in thousandths of a degree a second.
  private static func smoothed(_ samples: [FootSample]) -> [Int64] {
    var (first, next) = (0, 0)
    var sum: UInt64 = 0
    return samples.map { sample in
      while next < samples.count, samples[next].time <= sample.time + window / 2 {
        sum &+= samples[next].square
        next += 1
      }
      while samples[first].time < sample.time - window / 2 {
        sum &-= samples[first].square
        first += 1
      }
      return Int64((sum / UInt64(max(1, next - first))).integerSquareRoot)
    }
  }

  // MARK: - Strides

  /// The stride between two rests; `nil` for what is none.
  private static func stride(_ samples: [FootSample], from begin: Int, to end: Int) -> Stride? {
    guard begin < end else { return nil }
    let duration = samples[end].time - samples[begin].time
    guard durations.contains(duration), let attitude = Attitude(level: force(samples, at: begin)),
      let last = force(samples, at: end).unit
    else { return nil }
    let path = samples[begin...end]
    // The rest that the rates leave of the level at the end, about the room's axes, in Q30.
    var carried = attitude
    for (sample, next) in zip(path, path.dropFirst()) { carried.turn(from: sample, to: next) }
    let drift = carried.drift(from: WideVector(last))
    let gravity =
      (Int64(force(samples, at: begin).length) + Int64(force(samples, at: end).length)) / 2
    var course = Course(attitude: attitude, gravity: gravity, drift: drift, duration: duration)
    for (sample, next) in zip(path, path.dropFirst()) { course.add(sample, next) }
    let length = course.length
    guard length >= shortest else { return nil }
    return Stride(
      range: samples[begin].time..<samples[end].time, length: length,
      turning: course.heading.scaled(by: 1_000_000, over: duration))
  }

  /// The mean force around a rest.
  private static func force(_ samples: [FootSample], at rest: Int) -> WideVector {
    var (sum, count) = (samples[rest].force, 1 as Int64)
    for step in [-1, 1] {
      var index = rest + step
      while samples.indices.contains(index),
        abs(samples[index].time - samples[rest].time) <= window / 2
      {
        sum = sum + samples[index].force
        count += 1
        index += step
      }
    }
    return sum.map { $0 / count }
  }
}

/// A sample of a foot: micro-g within 32 g, thousandths of a degree a second within 4 000 °/s.
private struct FootSample {
  let time: Int64
  let force: WideVector
  let rate: WideVector

  init(_ sample: MotionSample, rate: Vector3) {
    time = sample.time
    force = WideVector(sample.acceleration).map { $0.clamped(to: 32_000_000) }
    self.rate = WideVector(rate).map { $0.clamped(to: Rotation.fastest) }
  }

  /// The square of the rate.
  var square: UInt64 { UInt64(rate.dot(rate)) }
}

/// The room's axes, seen from a sensor, in Q30.
private struct Attitude {
  private(set) var up: WideVector
  private(set) var ahead: WideVector
  private(set) var aside: WideVector

  /// Level at a force, whichever way is ahead; `nil` without a force.
  init?(level force: WideVector) {
    guard let up = force.unit.map({ WideVector($0) }) else { return nil }
    // The axis that is least along "up" is not parallel to it.
    let sizes = up.map { abs($0) }
    let least = min(sizes.x, sizes.y, sizes.z)
    let axis: Axis = least == sizes.x ? .x : least == sizes.y ? .y : .z
    guard let aside = up.cross(axis.direction, shift: 30).unit.map({ WideVector($0) }) else {
      return nil
    }
    self.up = up
    self.aside = aside
    ahead = aside.cross(up, shift: 30)
  }

  /// Turns with the sensor from one sample to the next.
  mutating func turn(from sample: FootSample, to next: FootSample) {
    var left = next.time - sample.time
    let rate = (sample.rate + next.rate).map { $0 << Int64(Rotation.rateBits - 1) }
    while left > 0 {
      let part = min(left, Rotation.longestInterval)
      let rotation = Rotation(rate: rate, interval: part)
      (up, ahead, aside) = (rotation.carry(up), rotation.carry(ahead), rotation.carry(aside))
      left -= part
    }
  }

  /// A vector of the sensor in the room: ahead, aside, up.
  func room(_ vector: WideVector) -> WideVector {
    WideVector(
      x: vector.dot(ahead).roundedShift(right: 30), y: vector.dot(aside).roundedShift(right: 30),
      z: vector.dot(up).roundedShift(right: 30))
  }

  /// How far the true "up" of the sensor lies from the carried one in the room, in Q30: small
  /// components ahead and aside.
  func drift(from truth: WideVector) -> WideVector { room(truth) }
}

/// The way of a foot through one stride.
private struct Course {
  private var attitude: Attitude
  private let gravity: Int64
  private let drift: WideVector
  private let duration: Int64
  private var time: Int64 = 0
  /// Acceleration in micro-g, speed in 2^10 micro-g · µs, way in 2^30 micro-g · µs².
  private var acceleration: WideVector
  private var speed = WideVector.zero
  private var way = WideVector.zero
  /// The turn about the vertical, in thousandths of a degree.
  private(set) var heading: Int64 = 0

  init(attitude: Attitude, gravity: Int64, drift: WideVector, duration: Int64) {
    self.attitude = attitude
    self.gravity = gravity
    self.drift = drift
    self.duration = duration
    acceleration = .zero
  }

  mutating func add(_ sample: FootSample, _ next: FootSample) {
    let interval = next.time - sample.time
    attitude.turn(from: sample, to: next)
    time += interval
    let new = level(next.force)
    // Below 2^27 and 2^22, shifted by 10.
    let before = speed
    speed = speed + (acceleration + new).map { ($0 * interval) >> 11 }
    way = way + (before + speed).map { (($0 >> 4) * interval) >> 17 }
    acceleration = new
    heading += (sample.rate.dot(attitude.up) >> 30) * interval / 1_000_000
  }

  /// The acceleration in the room, with the tilt that the rates had gathered until now put right.
  private func level(_ force: WideVector) -> WideVector {
    let raw = attitude.room(force)
    let share = (time << 20) / duration
    let tilt = drift.map { ($0 * share) >> 20 }
    // A small turn that takes the carried "up" to the true one.
    return WideVector(
      x: raw.x - (tilt.x * raw.z).roundedShift(right: 30),
      y: raw.y - (tilt.y * raw.z).roundedShift(right: 30),
      z: raw.z + (tilt.x * raw.x + tilt.y * raw.y).roundedShift(right: 30) - gravity)
  }

  /// The level distance in millimetres, with the speed that is left at the end spread over it.
  var length: Int64 {
    // Half of the last speed over the whole time.
    let rest = speed.map { (($0 >> 4) * duration) >> 17 }
    // 22 m, so that squares fit.
    let way = (way - rest).map { $0.clamped(to: 1 << 31) }
    let squares = UInt64(way.x * way.x) + UInt64(way.y * way.y)
    // A unit is 2^30 · 10^-18 s² · 9.80665 m/s².
    return Int64(squares.integerSquareRoot) * 105_298 / 10_000_000_000
  }
}
