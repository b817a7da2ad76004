import Foundation
import Motion

/// Synthetic stands from a chair with known times, measured at the thigh.
///
/// The thigh rotates about the knee along raised cosines; the sensor, 25 cm from the knee, measures
/// the resulting acceleration and gravity, an impact when the person sits down, and noise.
struct SyntheticChairStand {
  /// The durations of rising, standing, sitting down and sitting in seconds.
  var rise = 1.1
  var stand = 0.4
  var descent = 1.2
  var sit = 0.5
  /// The thigh's rotation in degrees.
  var turn = 85.0
  /// Samples a second, and the deviation of each interval as a fraction of it.
  var rate = 100.0
  var jitter = 0.1
  /// Standard deviation of each axis's noise in g, and the impact on sitting down in g.
  var noise = 0.02
  var knock = 0.5
  /// Seconds of rest before and after.
  var rest = 3.0
  var seed: UInt64 = 1

  private var period: Double { rise + stand + descent + sit }

  /// When the stand with this number begins, and when the person stands and is seated again, in s.
  func truth(_ number: Int) -> (start: Double, standing: Double, seated: Double) {
    let start = rest + Double(number) * period
    return (start, start + rise, start + rise + stand + descent)
  }

  /// The thigh's rotation in radians at a time, with `stands` stands in total.
  func angle(_ time: Double, stands: Int) -> Double {
    let number = Int(((time - rest) / period).rounded(.down))
    guard time >= rest, number < stands else { return 0 }
    let phase = time - rest - Double(number) * period
    let full = turn * .pi / 180
    let fallen = phase - rise - stand
    if phase < rise { return full * (1 - cos(.pi * phase / rise)) / 2 }
    if fallen < 0 { return full }
    return fallen < descent ? full * (1 + cos(.pi * fallen / descent)) / 2 : 0
  }

  /// The sensor's samples for a number of stands, in any mounting.
  func samples(stands: Int) -> [MotionSample] {
    var generator = SeededGenerator(seed: seed)
    let mounting = Mounting(using: &generator)
    return (0..<Int((2 * rest + Double(stands) * period) * rate)).map { index in
      let time = (Double(index) + jitter * generator.normal()) / rate
      let (before, now, after) = (
        angle(time - 0.01, stands: stands), angle(time, stands: stands),
        angle(time + 0.01, stands: stands)
      )
      // 25 cm in g·s²: tangential to the rotation, centripetal towards the knee.
      let tangential = 0.0255 * (after - 2 * now + before) / 1e-4
      let speed = (after - before) / 0.02
      let sinceSeated = (time - rest).truncatingRemainder(dividingBy: period) - (period - sit)
      let isKnocked = time > rest && before == 0 && sinceSeated > 0 && sinceSeated < 0.05
      // Along the thigh away from the knee, and perpendicular to it: horizontal when seated.
      let force = SIMD3(
        sin(now) - 0.0255 * speed * speed, 0.02,
        cos(now) + tangential + (isKnocked ? knock : 0))
      let read = mounting.read(force) + generator.noise(noise)
      return MotionSample(
        time: Int64(time * 1e6), acceleration: .g(read.x, read.y, read.z))
    }
  }
}
