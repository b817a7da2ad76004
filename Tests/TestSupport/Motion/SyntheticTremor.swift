import Foundation
import Motion

/// A synthetic trembling hand of known frequency and amplitude, with the sensor in any mounting.
struct SyntheticTremor {
  /// In hertz, and in g along one direction; no tremor if the amplitude is 0.
  var frequency = 5.2
  var amplitude = 0.05
  /// The second harmonic's amplitude as a fraction of the first's.
  var harmonic = 0.2
  /// A slow voluntary movement: amplitude in g at 0.4 Hz.
  var sway = 0.02
  /// Standard deviation of each axis's noise in g.
  var noise = 0.003
  /// Samples a second, the deviation of each interval as a fraction of it, and the lost fraction.
  var rate = 100.0
  var jitter = 0.1
  var loss = 0.0
  var seconds = 12.0
  var seed: UInt64 = 1

  /// The sensor's samples.
  var samples: [MotionSample] {
    var generator = SeededGenerator(seed: seed)
    let mounting = Mounting(using: &generator)
    let phase = Double.random(in: 0..<2 * .pi, using: &generator)
    return (0..<Int(seconds * rate)).compactMap { index in
      let time = (Double(index) + jitter * generator.normal()) / rate
      let noise = generator.noise(noise)
      guard Double.random(in: 0..<1, using: &generator) >= loss else { return nil }
      let turn = 2 * .pi * frequency * time + phase
      let swing = amplitude * (sin(turn) + harmonic * sin(2 * turn))
      let slow = sway * sin(2 * .pi * 0.4 * time)
      let read = mounting.read(SIMD3(0.6 * swing, 0.8 * swing + slow, 1)) + noise
      return MotionSample(
        time: Int64(time * 1e6) + 1_000_000, acceleration: .g(read.x, read.y, read.z))
    }
  }
}
