import Foundation
import Measurement

/// A trial of the BROAD benchmark: samples, and which way up truly was where cameras saw it move.
struct BroadTrial {
  let name: String
  let samples: [MotionSample]
  let truth: [SIMD3<Double>?]

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
        guard table["moving"]?[index] == 1, let x = table["ux"]?[index],
          let y = table["uy"]?[index], let z = table["uz"]?[index]
        else { return nil }
        return SIMD3(x, y, z)
      }
      return Self(name: String(name.dropLast(4)), samples: samples, truth: truth)
    }
  }

  /// The root mean square angle in degrees between the inclinations and the truth.
  func error(of inclinations: [Inclination]) -> Double {
    var sum = 0.0
    var count = 0.0
    for (inclination, truth) in zip(inclinations, truth) {
      guard let truth else { continue }
      let (x, y, z) = inclination.components
      let cosine = x * truth.x + y * truth.y + z * truth.z
      let angle = acos(min(1, cosine / (truth * truth).sum().squareRoot())) * 180 / .pi
      sum += angle * angle
      count += 1
    }
    return (sum / count).squareRoot()
  }
}

/// Prints each trial's root mean square error, causal and smoothed, with and without the gyroscope.
func printInclinationErrors(_ trials: [BroadTrial]) {
  print("\ninclination, rms degrees                      gyroscope  smoothed  acc only  smoothed")
  var sums = [0.0, 0, 0, 0]
  for trial in trials {
    let errors = [true, false].flatMap { usesGyroscope -> [Double] in
      var filter = InclinationFilter(usesGyroscope: usesGyroscope)
      let causal = trial.samples.map { filter.add($0) }
      let smooth = InclinationFilter.smooth(trial.samples, usesGyroscope: usesGyroscope)
      return [trial.error(of: causal), trial.error(of: smooth.inclinations)]
    }
    print(
      column(trial.name, width: 46), errors.map { column($0, digits: 2) }.joined(separator: "  "))
    sums = zip(sums, errors).map { $0 + $1 }
  }
  let means = sums.map { column($0 / Double(trials.count), digits: 2) }
  print(column("mean", width: 46), means.joined(separator: "  "))
}
