import Foundation
import Motion

/// A synthetic stretch of a day at the thigh or the hip: sitting, standing and walking, with known
/// breaks.
struct SyntheticSitting {
  /// The posture of a person.
  enum Posture {
    case sit, stand, walk
  }

  /// One after the other, each for some seconds.
  var day: [(posture: Posture, seconds: Double)]
  /// By how many degrees the sensor turns when the person sits: the thigh lies, the hip leans back.
  var turn = 85.0
  /// Steps a second and the amplitude of their bounce in g.
  var cadence = 1.8
  var bounce = 0.25
  /// The seconds of sitting down or standing up.
  var rise = 1.5
  /// How often a minute a sitting person fidgets for a second, and by how many g.
  var fidgets = 0.0
  var fidget = 0.4
  /// Samples a second.
  var rate = 25.0
  var noise = 0.01
  var seed: UInt64 = 1

  /// When each break begins, in s, by the rule that a break follows a minute of sitting at least, and
  /// that the person is up for ten seconds at least.
  var breaks: [Double] {
    var (time, sat, up) = (0.0, 0.0, 0.0)
    var (began, found): (Double, [Double]) = (0, [])
    for part in day {
      if part.posture == .sit {
        if up >= 10 {
          if sat >= 60 { found.append(began) }
          sat = 0
        } else {
          sat += up
        }
        sat += part.seconds
        up = 0
      } else {
        if up == 0 { began = time }
        up += part.seconds
      }
      time += part.seconds
    }
    return up >= 10 && sat >= 60 ? found + [began] : found
  }

  /// The sensor's samples, in any mounting.
  var samples: [MotionSample] {
    var generator = SeededGenerator(seed: seed)
    let mounting = Mounting(using: &generator)
    var starts: [Double] = []
    var end = 0.0
    for part in day {
      starts.append(end)
      end += part.seconds
    }
    var part = 0
    return (0..<Int(end * rate)).map { index in
      let time = Double(index) / rate
      while part + 1 < day.count, time >= starts[part + 1] { part += 1 }
      func tilt(_ part: Int) -> Double {
        part >= 0 && day[part].posture == .sit ? turn * .pi / 180 : 0
      }
      let passed = min((time - starts[part]) / rise, 1)
      let blend = (1 - cos(.pi * passed)) / 2
      let angle = part == 0 ? tilt(0) : tilt(part - 1) + (tilt(part) - tilt(part - 1)) * blend
      let phase = 2 * .pi * cadence * time
      let walks = day[part].posture == .walk
      let up = 1 + (walks ? bounce * (sin(phase) + 0.2 * sin(phase / 2)) : 0)
      let isFidget =
        day[part].posture == .sit && fidgets > 0
        && time.truncatingRemainder(dividingBy: 60 / fidgets) < 1
      let shake = isFidget ? fidget * sin(2 * .pi * 3 * time) : 0
      let force = SIMD3(
        up * sin(angle) + shake, walks ? 0.3 * bounce * sin(phase / 2) : 0, up * cos(angle))
      let read = mounting.read(force) + generator.noise(noise)
      return MotionSample(time: Int64(time * 1e6), acceleration: .g(read.x, read.y, read.z))
    }
  }
}
