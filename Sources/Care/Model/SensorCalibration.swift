public import Foundation

/// What one accelerometer reads wrong: found once, and put right before anything is measured with it.
///
/// True force = (reading - offset) · scale, on each of the sensor's axes.
public struct SensorCalibration: Hashable, Sendable {
  /// How it was found.
  public enum Method: String, Hashable, Sendable, CaseIterable {
    /// From one stillness on one side: the offset alone.
    case atRest
    /// From a stillness on each of the six sides: offset and scale.
    case sixPositions
  }

  /// The sensor's Bluetooth address, or the name of a recorded one; capitals make no difference.
  public var address: String
  /// How it was found.
  public var method: Method
  /// What each axis reads where no force acts along it, in micro-g.
  public var offset: SIMD3<Int32>
  /// What each axis is multiplied by, in units of 2^-24.
  public var scale: SIMD3<Int32>
  /// When it was stored.
  public var createdDate: Date

  /// Makes a calibration.
  public init(
    address: String, method: Method, offset: SIMD3<Int32>, scale: SIMD3<Int32>, createdDate: Date
  ) {
    self.address = address
    self.method = method
    self.offset = offset
    self.scale = scale
    self.createdDate = createdDate
  }
}
