import Foundation
import Motion

/// A synthetic limb that exercises about a level axis: sets of movements out and back, with rests.
struct SyntheticExercise {
  /// The excursions of each set in degrees; one below the plan's minimum is a partial repetition.
  var sets: [[Double]] = [[Double](repeating: 70, count: 10)]
  /// Seconds of a movement out, of the hold there, of the movement back, and of the pause before the
  /// next one.
  var out = 1.5
  var hold = 0.5
  var back = 1.5
  var pause = 0.5
  /// Seconds of rest between sets, and before the first and after the last.
  var rest = 30.0
  var margin = 3.0
  /// Degrees by which the start of the movement shifts from one repetition to the next.
  var shift = 0.0
  /// Samples a second, the deviation of each interval as a fraction of it, and the lost fraction.
  var rate = 100.0
  var jitter = 0.0
  var loss = 0.0
  /// Whether there is a gyroscope, and its offset in degrees a second on each axis.
  var hasGyroscope = true
  var bias = 0.0
  /// Standard deviation of the noise of acceleration in g.
  var noise = 0.004
  /// The sensor's distance from the joint in metres, which adds the movement's own acceleration.
  var lever = 0.0
  /// The seed of the noise and of the sensor's mounting.
  var seed: UInt64 = 1
  /// The rotation of the limb about the vertical in degrees a second.
  var yaw = 0.0

  private struct Movement {
    var start: Double
    var home: Double
    var excursion: Double
  }

  private var period: Double { out + hold + back + pause }

  private var movements: [Movement] {
    var time = margin
    var home = 0.0
    var result: [Movement] = []
    for (number, set) in sets.enumerated() {
      if number > 0 { time += rest }
      for excursion in set {
        result.append(Movement(start: time, home: home, excursion: excursion))
        time += period
        home += shift
      }
    }
    return result
  }

  /// Seconds from the beginning of the first movement to the end of the last.
  var duration: Double {
    let all = movements
    return (all.last?.start ?? 0) + out + hold + back - (all.first?.start ?? 0)
  }

  /// The sensor's samples.
  func samples(start: Int64 = 0) -> [MotionSample] {
    var generator = SeededGenerator(seed: seed)
    let mounting = Mounting(using: &generator)
    let movements = movements
    let seconds = (movements.last?.start ?? 0) + period + margin
    var current = 0
    var result: [MotionSample] = []
    for index in 0..<Int(seconds * rate) {
      let time = max(0, (Double(index) + jitter * generator.normal()) / rate)
      while current + 1 < movements.count, movements[current + 1].start <= time { current += 1 }
      let around = movements[max(0, current - 1)...min(current + 1, movements.count - 1)]
      func angle(_ time: Double) -> Double { self.angle(time, around) * .pi / 180 }
      let (before, now, after) = (angle(time - 0.005), angle(time), angle(time + 0.005))
      let speed = (after - before) / 0.01
      let tangential = lever / 9.80665 * (after - 2 * now + before) / 2.5e-5
      let up = SIMD3(0, sin(now), cos(now))
      let force = up + SIMD3(0, tangential, -lever / 9.80665 * speed * speed)
      let read = mounting.read(force) + generator.noise(noise)
      let turn = SIMD3(speed * 180 / .pi, 0, 0) + up * yaw
      let rates = (mounting.read(turn) + generator.noise(0.1) + bias) / 1_000
      guard Double.random(in: 0..<1, using: &generator) >= loss else { continue }
      result.append(
        MotionSample(
          time: start + Int64((time * 1e6).rounded()), acceleration: .g(read.x, read.y, read.z),
          angularRate: hasGyroscope ? .g(rates.x, rates.y, rates.z) : nil))
    }
    return result
  }

  /// The limb's angle in degrees, of the last movement that has begun.
  private func angle(_ time: Double, _ movements: ArraySlice<Movement>) -> Double {
    guard let movement = movements.last(where: { $0.start <= time }) else {
      return movements.first?.home ?? 0
    }
    let into = time - movement.start
    if into < out { return movement.home + movement.excursion * Self.ease(into / out) }
    if into < out + hold { return movement.home + movement.excursion }
    let fallen = min((into - out - hold) / back, 1)
    let next = movement.home + shift
    return next + (movement.home + movement.excursion - next) * (1 - Self.ease(fallen))
  }

  private static func ease(_ part: Double) -> Double { (1 - cos(.pi * part)) / 2 }
}
