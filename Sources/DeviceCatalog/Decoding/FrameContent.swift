import Motion

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

/// The motion samples of one frame, before their times are known.
struct MotionFrame: Hashable, Sendable {
  /// The samples, oldest first; their times are 0 until a ``MotionTimeline`` assigns them.
  var samples: [MotionSample]
  /// The sensor's own time of the last sample in nanoseconds, where it sends one.
  var lastSampleNanoseconds: UInt64?
}
