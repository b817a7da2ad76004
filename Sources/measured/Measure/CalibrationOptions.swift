import ArgumentParser
import Measurement
import Motion

/// The flag that says what a sensor reads wrong.
struct CalibrationOptions: ParsableArguments {
  @Option(
    name: .customLong("calibration"),
    help: ArgumentHelp(
      "Put the readings right first, by what measured calibrate --json printed for the sensor.",
      valueName: "file"))
  var file: String?

  /// The calibration; one that changes nothing where none is named.
  func load() throws -> AccelerometerCalibration {
    try file.map(AccelerometerCalibration.init(file:)) ?? AccelerometerCalibration()
  }
}

extension AccelerometerCalibration {
  /// The samples with their true force.
  func apply(_ samples: [MotionSample]) -> [MotionSample] {
    self == AccelerometerCalibration() ? samples : samples.map { apply($0) }
  }
}
