import Measurement

/// What one frame held.
struct FrameContent: Hashable, Sendable {
  /// The values, in the frame's order.
  var values: [DecodedValue] = []
  /// The integers that the definition names, for its flag tests.
  var fields: [String: Int64] = [:]
  /// Where in the frame they lie.
  var places: [String: Range<Int>] = [:]
  /// The motion samples.
  var motion: MotionFrame?
  /// The number that the device stored the frame's record under, where it numbers them.
  var sequence: UInt16?
  /// Why there is nothing, where that is as it should be: no skin contact, no result.
  var note: String?
}

/// The motion samples of one frame, before they have a time.
struct MotionFrame: Hashable, Sendable {
  /// The samples, oldest first.
  var samples: [MotionVectors]
  /// The sensor's own time of the last sample in nanoseconds, where it sends one.
  var lastSampleNanoseconds: UInt64?
}

/// What a sensor felt at one moment.
struct MotionVectors: Hashable, Sendable, CustomStringConvertible {
  /// Micro-g.
  var acceleration: Vector3
  /// Thousandths of a degree a second.
  var angularRate: Vector3?

  /// `(-6000, 12000, 990000)`, and the angular rate behind it where there is one.
  var description: String {
    ([acceleration] + (angularRate.map { [$0] } ?? [])).map { "(\($0.x), \($0.y), \($0.z))" }
      .joined(separator: " ")
  }
}
