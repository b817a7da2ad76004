import Foundation
import Motion

/// A synthetic thigh that rises from a chair, walks, turns, walks back, turns and sits down.
struct SyntheticTimedUpAndGo {
  /// The duration of each phase in seconds; rising and sitting down concern the thigh alone.
  var rise = 1.4
  var walkOut = 2.6
  var turn1 = 1.3
  var walkBack = 2.4
  var turn2 = 1.1
  var sink = 1.5
  /// Seconds of standing still at the beginning of the walk back.
  var pause = 0.0
  /// Seconds of sitting still before and after.
  var before = 4.0
  var after = 4.0
  /// The seated thigh's angle from upright in degrees.
  var seat = 75.0
  /// Samples a second.
  var rate = 100.0
  /// Standard deviation of the noise of acceleration in g, and of angular rate in degrees a second.
  var noise = 0.004
  var turnNoise = 0.2
  /// The gyroscope's offset on each axis in degrees a second; `nil` for no gyroscope.
  var bias: Double? = 0
  /// The seed of the mounting: another rotation of the sensor's axes for every seed.
  var mounting: UInt64 = 0
  var start: Int64 = 0

  /// Seconds from the thigh's first movement to its last.
  var moving: Double { rise + walkOut + turn1 + walkBack + turn2 + sink }
  /// The times of the thigh's first and last movement.
  var onset: Int64 { start + Int64(before * 1e6) }
  var rest: Int64 { onset + Int64(moving * 1e6) }

  /// The sensor's readings.
  func samples() -> [MotionSample] {
    var generator = SeededGenerator(seed: mounting)
    let mounting = Mounting(using: &generator)
    return (0..<Int((before + moving + after) * rate)).map { index in
      let time = Double(index) / rate
      let pitch = pitch(at: time - before) * .pi / 180
      let up = SIMD3(0, sin(pitch), cos(pitch))
      let force = up * (1 + bounce(at: time - before)) + generator.noise(noise)
      let swing = (self.pitch(at: time - before + 0.001) - self.pitch(at: time - before)) * 1_000
      let turning = SIMD3(swing, 0, 0) + up * yaw(at: time - before) + generator.noise(turnNoise)
      let read = mounting.read(force)
      let rates = (mounting.read(turning) + (bias ?? 0)) / 1_000
      return MotionSample(
        time: start + Int64((time * 1e6).rounded()), acceleration: .g(read.x, read.y, read.z),
        angularRate: bias.map { _ in .g(rates.x, rates.y, rates.z) })
    }
  }

  /// The thigh's angle from upright in degrees, some seconds after its first movement.
  private func pitch(at time: Double) -> Double {
    let up = Self.ease(time / rise)
    let down = Self.ease((time - moving + sink) / sink)
    let step = isWalking(at: time) ? 15 * sin(2 * .pi * 0.9 * (time - rise)) : 0
    return seat * (1 - up + down) + step
  }

  /// The vertical acceleration of steps in g.
  private func bounce(at time: Double) -> Double {
    isWalking(at: time) ? 0.3 * sin(2 * .pi * 1.8 * (time - rise)) : 0
  }

  /// The angular rate about the vertical in degrees a second: two half turns.
  private func yaw(at time: Double) -> Double {
    let first = time - rise - walkOut
    return Self.halfTurn(first, in: turn1)
      + Self.halfTurn(first - turn1 - walkBack, in: turn2)
  }

  private func isWalking(at time: Double) -> Bool {
    let turned = rise + walkOut + turn1
    let stands = time > turned && time < turned + pause
    return time > rise && time < moving - sink && !stands
  }

  /// From 0 to 1 without a jerk.
  private static func ease(_ part: Double) -> Double {
    (1 - cos(.pi * min(max(part, 0), 1))) / 2
  }

  /// The angular speed of a half turn, with 0.3 s of acceleration and of deceleration.
  private static func halfTurn(_ time: Double, in duration: Double) -> Double {
    min(max(min(time, duration - time) / 0.3, 0), 1) * 180 / (duration - 0.3)
  }
}

extension MotionSample {
  /// The same sample at a later time, optionally without its angular rate.
  func shifted(by interval: Int64, hasRate: Bool = true) -> Self {
    Self(
      time: time + interval, acceleration: acceleration, angularRate: hasRate ? angularRate : nil)
  }
}
