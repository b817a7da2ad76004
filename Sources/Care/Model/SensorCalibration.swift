public import Foundation
public import Motion

/// The calibration of one sensor's accelerometer, applied before anything is measured with it.
public struct SensorCalibration: Hashable, Sendable {
  /// How a calibration was determined.
  public enum Method: String, Hashable, Sendable, CaseIterable {
    /// With the sensor at rest on one side: the offset alone.
    case atRest
    /// With the sensor at rest on each of its six sides: offset and scale.
    case sixPositions
  }

  /// The sensor's Bluetooth address, or the name of a recorded one; case-insensitive.
  public var address: String
  /// How it was determined.
  public var method: Method
  /// The correction.
  public var calibration: AccelerometerCalibration
  /// When it was stored.
  public var createdDate: Date

  /// Makes a calibration.
  public init(
    address: String, method: Method, calibration: AccelerometerCalibration, createdDate: Date
  ) {
    self.address = address
    self.method = method
    self.calibration = calibration
    self.createdDate = createdDate
  }
}
