import Foundation
import Measurement
import Motion

/// A trial of the BROAD benchmark: samples, and which way up truly was where cameras saw it.
struct BroadTrial {
  /// The first seconds, in which every filter is still settling.
  static let settling: Int64 = 5_000_000

  let path: String
  let samples: [MotionSample]
  let truth: [SIMD3<Double>?]
  let isMoving: [Bool]

  var name: String { String((path as NSString).lastPathComponent.dropLast(4)) }

  /// The trials in the folder.
  static func all(in folder: String) throws -> [Self] {
    let path = folder + "/orientation/"
    let names = try FileManager.default.contentsOfDirectory(atPath: path).filter {
      $0.hasPrefix("broad")
    }
    return try names.sorted().map { name in
      let table = try MotionTable(contentsOf: path + name)
      let samples = table.samples
      let truth = samples.indices.map { index -> SIMD3<Double>? in
        guard let x = table["ux"]?[index], let y = table["uy"]?[index], let z = table["uz"]?[index]
        else { return nil }
        return SIMD3(x, y, z)
      }
      return Self(
        path: path + name, samples: samples, truth: truth,
        isMoving: samples.indices.map { table["moving"]?[$0] == 1 })
    }
  }

  /// The trial with the samples at rest cut out, ground truth likewise, one sample after another.
  ///
  /// A board that rests stays as it is, so nothing jumps at a cut.
  var withoutRests: Self {
    let kept = samples.indices.filter { isMoving[$0] }
    let interval = samples.count > 1 ? samples[1].time - samples[0].time : 0
    return Self(
      path: path,
      samples: kept.enumerated().map { place, index in
        MotionSample(
          time: Int64(place) * interval, acceleration: samples[index].acceleration,
          angularRate: samples[index].angularRate)
      },
      truth: kept.map { truth[$0] }, isMoving: kept.map { _ in true })
  }

  /// The root mean square angle in degrees between directions and the ground truth, while moving.
  func error(of directions: [SIMD3<Double>]) -> Double {
    var sum = 0.0
    var count = 0.0
    for index in samples.indices where isMoving[index] && samples[index].time >= Self.settling {
      guard let truth = truth[index] else { continue }
      let up = directions[index]
      let cross = SIMD3(
        up.y * truth.z - up.z * truth.y, up.z * truth.x - up.x * truth.z,
        up.x * truth.y - up.y * truth.x)
      let angle = atan2((cross * cross).sum().squareRoot(), (up * truth).sum()) * 180 / .pi
      sum += angle * angle
      count += 1
    }
    return (sum / count).squareRoot()
  }
}

extension [Inclination] {
  /// The directions as floats.
  var directions: [SIMD3<Double>] {
    map { SIMD3($0.components.x, $0.components.y, $0.components.z) }
  }
}
