import Foundation
import Measurement
import Motion

/// The gyroscope's way through `InclinationFilter` in float64: what its integers are held against.
struct FloatInclinationFilter {
  private var force = SIMD3<Double>.zero
  private var drift = SIMD3<Double>.zero
  private var bias = SIMD3<Double>.zero
  private var slowRate = SIMD3<Double>.zero
  private var slowForce = SIMD3<Double>.zero
  /// In whole microseconds, so that both filters cross a limit at the same sample.
  private var still: Int64 = 0
  private var rested: Int64 = 0
  private var age: Int64 = 0
  private var count = 0.0
  private var last: Int64?
  private var turning = FloatTurningBias()

  /// The direction that points up after the next sample; its length means nothing.
  mutating func add(_ sample: MotionSample) -> SIMD3<Double> {
    let acceleration = SIMD3(sample.acceleration) / 1e6
    let rate = sample.angularRate.map { SIMD3($0) / 1e3 } ?? .zero
    guard let last else {
      self.last = sample.time
      force = acceleration
      count = 1
      return force
    }
    let microseconds = sample.time - last
    let interval = Double(microseconds) / 1e6
    self.last = sample.time
    let isResting = learn(rate, acceleration, microseconds)
    if isResting { turning.rest(at: bias) }
    let corrected = rate - turning.bias
    let turn = corrected * interval * .pi / 180
    force = carried(force, by: turn)
    drift = carried(drift, by: turn)
    let error = acceleration - force
    if age < 2_500_000 {
      age += microseconds
      count += 1
      force += error / count
    } else {
      let gain = 2.0.squareRoot() / 2.5 * interval
      drift += (error - 2.0.squareRoot() * drift) * gain
      force += drift * gain
    }
    if age >= 2_500_000 {
      turning.add(corrected, microseconds, force: force, drift: drift, isResting: isResting)
    }
    return force
  }

  private mutating func learn(
    _ rate: SIMD3<Double>, _ acceleration: SIMD3<Double>, _ microseconds: Int64
  ) -> Bool {
    let interval = Double(microseconds) / 1e6
    slowRate += (rate - slowRate) * min(1, interval / 0.5)
    slowForce += (acceleration - slowForce) * min(1, interval / 0.5)
    guard (rate - slowRate).peak <= 2, (acceleration - slowForce).peak <= 0.05, slowRate.peak <= 2
    else {
      still = 0
      return false
    }
    still += microseconds
    guard still >= 1_500_000 else { return false }
    rested = min(rested + microseconds, 4_000_000)
    bias += (slowRate - bias) * interval / (Double(rested) / 1e6)
    return true
  }
}

/// `TurningBias` in float64; degrees and seconds.
private struct FloatTurningBias {
  private(set) var bias = SIMD3<Double>.zero
  private var anchor = SIMD3<Double>.zero
  /// The low-passed axes and the low-passed bias, and their rates of change.
  private var states = [SIMD3<Double>](repeating: .zero, count: 4)
  private var drifts = [SIMD3<Double>](repeating: .zero, count: 4)
  private var turned = SIMD3<Double>.zero
  private var elapsed: Int64 = 0
  private var matrix = [SIMD3<Double>](repeating: .zero, count: 3)
  private var right = SIMD3<Double>.zero

  mutating func rest(at bias: SIMD3<Double>) {
    self.bias = bias
    anchor = bias
    matrix = [SIMD3(20, 0, 0), SIMD3(0, 20, 0), SIMD3(0, 0, 20)]
    right = bias * 20
  }

  mutating func add(
    _ rate: SIMD3<Double>, _ microseconds: Int64, force: SIMD3<Double>, drift: SIMD3<Double>,
    isResting: Bool
  ) {
    turned += rate * Double(microseconds) / 1e6
    elapsed += microseconds
    guard elapsed >= 40_000 else { return }
    let duration = Double(elapsed) / 1e6
    let turn = turned * .pi / 180
    turned = .zero
    elapsed = 0
    let gain = 2.0.squareRoot() / 2.5 * duration
    for (index, input) in [SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1), bias].enumerated() {
      let carriedState = carried(states[index], by: turn)
      let carriedDrift = carried(drifts[index], by: turn)
      drifts[index] =
        carriedDrift + (input - carriedState - 2.0.squareRoot() * carriedDrift) * gain
      states[index] = carriedState + drifts[index] * gain
    }
    let square = (force * force).sum()
    guard !isResting, square.squareRoot() >= 0.5 else { return }
    let up = force / square.squareRoot()
    let rate = cross(force, drift) / square * (2.0.squareRoot() / 2.5 * 180 / .pi)
    learn(rate.clamped(lowerBound: -20 * .one, upperBound: 20 * .one) + states[3], up, duration)
  }

  private mutating func learn(_ turning: SIMD3<Double>, _ up: SIMD3<Double>, _ duration: Double) {
    let level = states[0..<3].map { $0 - up * ($0 * up).sum() }
    for row in 0..<3 {
      for column in 0..<3 {
        matrix[row][column] += (level[row] * level[column]).sum() * duration
      }
      right[row] += (level[row] * turning).sum() * duration
    }
    if matrix[0][0] + matrix[1][1] + matrix[2][2] > 100 {
      matrix = matrix.map { $0 * (63 / 64) }
      right *= 63 / 64
    }
    for row in 0..<3 {
      let others = (matrix[row] * bias).sum() - matrix[row][row] * bias[row]
      let value = (right[row] + anchor[row] - others) / (matrix[row][row] + 1)
      bias[row] = min(2, max(-2, value))
    }
  }
}

private func carried(_ v: SIMD3<Double>, by turn: SIMD3<Double>) -> SIMD3<Double> {
  let angle = (turn * turn).sum().squareRoot()
  guard angle > 0 else { return v }
  let first = cross(turn, v)
  return v - first * (sin(angle) / angle)
    + cross(turn, first) * ((1 - cos(angle)) / (angle * angle))
}

private func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
  SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

extension SIMD3<Double> {
  fileprivate init(_ vector: Vector3) {
    self.init(Double(vector.x), Double(vector.y), Double(vector.z))
  }

  fileprivate var peak: Double { Swift.max(abs(x), abs(y), abs(z)) }
}
