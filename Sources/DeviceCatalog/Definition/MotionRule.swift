/// How motion samples lie in a frame: groups of three integers (and three more) until it ends.
struct MotionRule: Hashable, Sendable {
  var acceleration: AxesRule
  var angularRate: AxesRule?
  /// How many bytes one sample takes; `nil` where a frame holds one only.
  var stride: Int?

  /// Where the first sample ends.
  var end: Int { max(acceleration.end, angularRate?.end ?? 0) }
}

/// Three integers in a row.
struct AxesRule: Hashable, Sendable {
  var type: FieldType
  /// Where x begins, in the first sample.
  var at: Int
  /// g or degrees a second a count.
  var scale: Ratio

  /// Where z ends, in the first sample.
  var end: Int { at + 3 * type.width }
}
