import FixedPoint

extension Sway.Direction {
  /// The figures of a course of accelerations in micrometres per square second, 50 a second, mean 0.
  init(_ course: [Int64]) {
    let steps = zip(course, course.dropFirst()).map { $1 - $0 }
    let path = steps.reduce(0) { $0 + abs($1) }
    let rms = Self.rootMeanSquare(course)
    let duration = Int64(steps.count) * UniformForce.cell
    // 10^9 µs·mHz; √2 is 1 414 214 / 10^6.
    let frequency = path.scaled(by: 1_000_000_000, over: duration)
      .scaled(by: 1_000_000, over: 4 * 1_414_214 * rms)
    // Over 2·0.02 s, and 10^6 µm² to the mm²: the sum of squares over 40 000.
    let squares = steps.reduce(UInt128(0)) { $0 + UInt128($1.magnitude * $1.magnitude) }
    self.init(
      rms: rms, range: (course.max() ?? 0) - (course.min() ?? 0), path: path,
      meanVelocity: Self.meanSpeed(course), meanFrequency: rms > 0 ? frequency : 0,
      jerk: Int64(clamping: squares / 40_000))
  }

  private static func rootMeanSquare(_ course: [Int64]) -> Int64 {
    let squares = course.reduce(UInt128(0)) { $0 + UInt128($1.magnitude * $1.magnitude) }
    let mean = squares / UInt128(max(course.count, 1))
    return Int64(UInt64(clamping: mean).integerSquareRoot)
  }

  /// The mean magnitude of the integral, less its best straight line, in micrometres a second.
  private static func meanSpeed(_ course: [Int64]) -> Int64 {
    let count = Int64(course.count)
    guard count > 1 else { return 0 }
    // In units of 20 ms · µm/s²; 1 500 of them at 32 g stay below 2^40.
    var speed: Int64 = 0
    let speeds = course.map { value in
      speed += value
      return speed
    }
    // Times doubled and about their middle, so that they are whole and add up to zero.
    let times = (0..<count).map { 2 * $0 - (count - 1) }
    let moment = zip(times, speeds).reduce(0) { $0 + $1.0 * $1.1 }
    let inertia = times.reduce(0) { $0 + $1 * $1 }
    let mean = speeds.reduce(0, +).roundedDivision(by: count)
    let total = zip(times, speeds).reduce(0) { sum, point in
      sum + abs(point.1 - mean - moment.scaled(by: point.0, over: inertia))
    }
    return (total / 50).roundedDivision(by: count)
  }
}
