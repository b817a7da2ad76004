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
    learn(rate, acceleration, microseconds)
    let turn = (rate - bias) * interval * .pi / 180
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
    return force
  }

  private mutating func learn(
    _ rate: SIMD3<Double>, _ acceleration: SIMD3<Double>, _ microseconds: Int64
  ) {
    let interval = Double(microseconds) / 1e6
    slowRate += (rate - slowRate) * min(1, interval / 0.5)
    slowForce += (acceleration - slowForce) * min(1, interval / 0.5)
    guard (rate - slowRate).peak <= 2, (acceleration - slowForce).peak <= 0.05, slowRate.peak <= 2
    else {
      still = 0
      return
    }
    still += microseconds
    guard still >= 1_500_000 else { return }
    rested = min(rested + microseconds, 4_000_000)
    bias += (slowRate - bias) * interval / (Double(rested) / 1e6)
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
}

extension SIMD3<Double> {
  fileprivate init(_ vector: Vector3) {
    self.init(Double(vector.x), Double(vector.y), Double(vector.z))
  }

  fileprivate var peak: Double { Swift.max(abs(x), abs(y), abs(z)) }
}
