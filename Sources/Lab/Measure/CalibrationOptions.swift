import ArgumentParser
import Foundation
import Localization
import Measurement
import Motion
import Terminal

/// The option that names a sensor's calibration.
struct CalibrationOptions: ParsableArguments {
  @Option(
    name: .customLong("calibration"),
    help: ArgumentHelp(
      "Correct the readings first, by what measured calibrate --json printed for the sensor.",
      valueName: "file"))
  var file: String?

  /// The calibration; the identity if none is named.
  func load() throws -> AccelerometerCalibration {
    try file.map(AccelerometerCalibration.init(file:)) ?? AccelerometerCalibration()
  }
}

extension AccelerometerCalibration {
  /// The samples with corrected acceleration.
  func apply(_ samples: [MotionSample]) -> [MotionSample] {
    self == AccelerometerCalibration() ? samples : samples.map { apply($0) }
  }

  /// Reads the JSON of ``CalibrationOutput``.
  ///
  /// - Throws: ``CommandFailure`` if the file cannot be read or does not hold one calibration.
  fileprivate init(file path: String) throws {
    let content: Content
    do {
      content = try JSONDecoder().decode(Content.self, from: Data(contentsOf: URL(filePath: path)))
    } catch let error as DecodingError {
      throw Self.failure(
        path, LocalizedText("command.measure.noCalibration", ["reason": "\(error)"]))
    } catch {
      throw Self.failure(path, .verbatim(error.localizedDescription))
    }
    guard let offset = Self.vector(content.offset, times: 1_000),
      let scale = Self.vector(content.scale, times: Double(Self.unitScale))
    else { throw Self.failure(path, "command.measure.threeNumbers") }
    self.init(offset: offset, scale: scale)
  }

  private struct Content: Decodable {
    var offset: [Double]
    var scale: [Double]
  }

  private static func vector(_ numbers: [Double], times unit: Double) -> Vector3? {
    let parts = numbers.compactMap { Int32(exactly: ($0 * unit).rounded()) }
    guard parts.count == 3, numbers.count == 3 else { return nil }
    return Vector3(x: parts[0], y: parts[1], z: parts[2])
  }

  private static func failure(_ path: String, _ reason: LocalizedText) -> CommandFailure {
    CommandFailure(
      .failed,
      LocalizedText(
        "command.measure.badCalibration", ["path": "\(path)", "reason": .text(reason)]))
  }
}
