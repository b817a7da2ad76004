import Care
import Foundation
import Measurement
import Motion

/// A calibration as JSON and for people.
struct CalibrationOutput: Encodable {
  var sensor: String
  var method: String
  /// What x, y and z read without a force, in mg.
  var offset: [Double]
  /// What x, y and z are multiplied by.
  var scale: [Double]
  var created: String
  var quality: Quality?

  /// How well it fits the recordings that it was found in.
  struct Quality: Encodable {
    /// Still stretches that it rests on.
    var positions: Int
    /// By how much the force was off 1 g at the most, before and after, in mg.
    var errorBefore: Double
    var errorAfter: Double
    /// Root mean square of the sensor's noise, in mg.
    var noise: Double
  }

  /// A stored calibration, without its quality; times in `timeZone`.
  init(_ calibration: SensorCalibration, in timeZone: TimeZone) {
    sensor = calibration.address.text
    method = calibration.method.rawValue
    offset = calibration.calibration.offset.components.map { Double($0) / 1_000 }
    scale = calibration.calibration.scale.components.map {
      Double($0) / Double(AccelerometerCalibration.unitScale)
    }
    created = calibration.createdDate.rfc3339(in: timeZone)
  }

  /// A calibration as it was found.
  init(_ calibration: SensorCalibration, _ fit: CalibrationFit, in timeZone: TimeZone) {
    self.init(calibration, in: timeZone)
    quality = Quality(
      positions: fit.positions, errorBefore: Double(fit.errorBefore) / 1_000,
      errorAfter: Double(fit.errorAfter) / 1_000, noise: Double(fit.noise) / 1_000)
  }

  /// Its lines for people.
  var text: [String] {
    let way = method == SensorCalibration.Method.atRest.rawValue ? "at rest" : "on six sides"
    let figures = [
      "  offset \(Self.list(offset, digits: 1)) mg, scale \(Self.list(scale, digits: 4))"
    ]
    let fit = quality.map { quality in
      "  off 1 g by \(Self.list([quality.errorBefore], digits: 1)) mg before and "
        + "\(Self.list([quality.errorAfter], digits: 1)) mg after, "
        + "noise \(Self.list([quality.noise], digits: 1)) mg, positions \(quality.positions)"
    }
    return ["\(sensor): calibrated \(way), \(created)"] + figures + [fit].compactMap(\.self)
  }

  private static func list(_ numbers: [Double], digits: Int) -> String {
    numbers.map { String(format: "%.\(digits)f", $0) }.joined(separator: " ")
  }
}

extension Vector3 {
  fileprivate var components: [Int32] { [x, y, z] }
}
