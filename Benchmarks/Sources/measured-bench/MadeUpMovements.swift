import Foundation
import Measurement
import Motion

/// A movement that no recording has, as the force that a sensor feels: five minutes, in g.
///
/// Its rhythm is off by 4 % from one second to the next.
private struct MadeUpMovement: Sendable {
  let name: String
  /// Turns of the movement a second.
  let frequency: Double
  /// The force at a phase in radians, without noise.
  let foot: @Sendable (Double) -> [Double]
  let trunk: @Sendable (Double) -> [Double]

  private static let metresPerSecondSquared = 1 / 9.80665

  /// The forefoot that goes up and down on its heel, `rise` metres at the sensor, and beats the floor.
  static func tapping(_ frequency: Double, rise: Double) -> Self {
    let size = rise / 2 * pow(2 * .pi * frequency, 2) * metresPerSecondSquared
    return Self(
      name: "tapping, \(Int(rise * 1_000)) mm", frequency: frequency,
      foot: { phase in
        let sinceFloor = (phase / (2 * .pi)) - (phase / (2 * .pi)).rounded(.down)
        let beat = size * exp(-sinceFloor / frequency / 0.03)
        return [0.3 * size * sin(phase), 0, 1 + size * cos(phase) + beat]
      },
      trunk: { [0, 0, 1 + 0.03 * size * cos($0)] })
  }

  /// A foot on a crank of 17 cm that pitches by 20°, and a trunk that bobs twice a turn.
  static func pedalling(_ perMinute: Double) -> Self {
    let frequency = perMinute / 60
    let size = 0.17 * pow(2 * .pi * frequency, 2) * metresPerSecondSquared
    return Self(
      name: "pedalling", frequency: frequency,
      foot: { phase in
        let (ahead, up) = (-size * cos(phase), 1 - size * sin(phase))
        let pitch = 20 * .pi / 180 * sin(phase)
        return [ahead * cos(pitch) - up * sin(pitch), 0, ahead * sin(pitch) + up * cos(pitch)]
      },
      trunk: { [0.01 * sin($0), 0.02 * sin($0), 1 + 0.03 * sin(2 * $0) + 0.01 * sin($0)] })
  }

  /// A leg that trembles by 2 mm to either side, and what comes through to the trunk.
  static func tremor(_ frequency: Double) -> Self {
    let size = 0.002 * pow(2 * .pi * frequency, 2) * metresPerSecondSquared
    return Self(
      name: "tremor", frequency: frequency,
      foot: { [0.5 * size * sin($0), 0, 1 + size * sin($0)] },
      trunk: { [0, 0, 1 + 0.2 * size * sin($0)] })
  }

  /// A chair that rocks by an angle to either side; the sensor is 60 cm from the middle of its bend
  /// at the trunk, 30 cm at a foot on the chair.
  static func rocking(_ frequency: Double, degrees: Double) -> Self {
    func force(_ radius: Double) -> @Sendable (Double) -> [Double] {
      { phase in
        let size = degrees * .pi / 180
        let rate = 2 * .pi * frequency
        let angle = size * sin(phase)
        let (turn, change) = (size * rate * cos(phase), -size * rate * rate * sin(phase))
        return [
          sin(angle) + radius * change * metresPerSecondSquared, 0,
          cos(angle) + radius * turn * turn * metresPerSecondSquared,
        ]
      }
    }
    return Self(
      name: "rocking chair, \(Int(degrees))°", frequency: frequency, foot: force(0.3),
      trunk: force(0.6))
  }

  static let all =
    [0.01, 0.03].flatMap { rise in [1, 1.5, 2, 2.5, 3, 3.5, 4].map { tapping($0, rise: rise) } }
    + [40, 50, 60, 70, 80, 90].map(pedalling) + [4, 5, 6].map(tremor)
    + [8, 15].flatMap { angle in [0.3, 0.5, 0.7, 0.9].map { rocking($0, degrees: angle) } }

  func samples(_ force: (Double) -> [Double]) -> [MotionSample] {
    var draws = SeededDraws(seed: 9)
    var (phase, pace) = (0.0, 1.0)
    return (0..<30_000).map { index in
      if index % 100 == 0 { pace = 1 + 0.04 * draws.normal() }
      phase += 2 * .pi * frequency * pace / 100
      let axes = force(phase).map { Int32(($0 + 0.004 * draws.normal()) * 1e6) }
      return MotionSample(
        time: Int64(index) * 10_000, acceleration: Vector3(x: axes[0], y: axes[1], z: axes[2]))
    }
  }
}

/// Prints the steps counted in five minutes of movements that no recording has.
func printMadeUpMovements() {
  print("\nmade up, steps in 5 min          /s     foot    trunk")
  for movement in MadeUpMovement.all {
    let places = [(Segment.foot, movement.foot), (.trunk, movement.trunk)]
    let counts = places.map { segment, force in
      var counter = StepCounter(on: segment)
      _ = counter.add(contentsOf: movement.samples(force))
      _ = counter.finish()
      return Double(counter.total)
    }
    print(
      column(movement.name, width: 26), column(movement.frequency, digits: 2),
      counts.map { column($0, digits: 0) }.joined(separator: " "))
  }
}

extension SeededDraws {
  /// A draw of the standard normal distribution (Box and Muller).
  fileprivate mutating func normal() -> Double {
    let radius = (-2 * log(Double.random(in: 1e-12..<1, using: &self))).squareRoot()
    return radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
  }
}
