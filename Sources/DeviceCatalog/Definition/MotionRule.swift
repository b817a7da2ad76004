import Motion
import StrictYAML

/// The layout of motion samples in a frame: groups of three or six numbers until it ends.
struct MotionRule: Hashable, Sendable {
  var acceleration: AxesRule
  var angularRate: AxesRule?
  /// The distance between samples in bytes; `nil` if a frame has one sample.
  var stride: Int?

  /// The end of the first sample.
  var end: Int { max(acceleration.end, angularRate?.end ?? 0) }
}

/// Three consecutive numbers.
struct AxesRule: Hashable, Sendable {
  var type: FieldType
  /// The position of x in the first sample.
  var at: Int
  /// g, or degrees a second, of one count, or of 1 for a floating-point number.
  var scale: Ratio

  /// The end of z in the first sample.
  var end: Int { at + 3 * type.width }
}

// MARK: - Reading

extension MotionRule {
  init(_ node: YAMLNode) throws(YAMLError) {
    var motion = try node.mapping()
    acceleration = try AxesRule(try motion.required("acceleration"))
    angularRate = try motion.optional("angularRate").map(AxesRule.init(_:))
    stride = try motion.optional("stride")?.integer(in: 6...512)
    try motion.finish()
  }
}

extension AxesRule {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var axes = try node.mapping()
    let typeNode = try axes.required("type")
    type = try typeNode.choice()
    guard type.isInteger && type != .bits || type == .f32le else {
      throw typeNode.error(
        "motion is read from integers and f32le, ‘\(type.rawValue)’ is neither")
    }
    at = try axes.optional("at")?.integer(in: 0...511) ?? 0
    scale = try axes.required("scale").ratio()
    try axes.finish()
  }
}

// MARK: - Interpretation

extension MotionRule {
  /// The maximum number of samples in a frame of at most 512 bytes.
  static let maximumSamples = 128

  /// The motion samples of `frame`.
  ///
  /// - Throws: ``FrameDefect`` if the frame has no sample, ends within one, or a value is out of
  ///   range.
  func read(_ frame: [UInt8]) throws(FrameDefect) -> MotionFrame {
    let count: Int
    if let stride {
      let (whole, rest) = (frame.count - end).quotientAndRemainder(dividingBy: stride)
      guard frame.count >= end, rest == 0 else {
        throw .partialSample(stride: stride, count: frame.count)
      }
      count = whole + 1
    } else {
      guard frame.count >= end else {
        throw .truncatedSample(needed: end, count: frame.count)
      }
      count = 1
    }
    guard count <= Self.maximumSamples else {
      throw .tooManySamples(count: count, limit: Self.maximumSamples)
    }
    var samples: [MotionSample] = []
    for index in 0..<count {
      let shift = index * (stride ?? 0)
      let a = acceleration.read(frame, shift: shift, factor: 1_000_000)
      let w = angularRate?.read(frame, shift: shift, factor: 1000)
      guard let a, angularRate == nil || w != nil else {
        throw .motionOutOfRange
      }
      samples.append(MotionSample(time: 0, acceleration: a, angularRate: w))
    }
    return MotionFrame(samples: samples)
  }
}

extension AxesRule {
  /// The three components, each `factor` times the rule's unit; `nil` beyond the frame or `Int32`.
  func read(_ frame: [UInt8], shift: Int, factor: Int64) -> Vector3? {
    func component(_ index: Int) -> Int32? {
      let start = at + shift + index * type.width
      guard start >= 0, start + type.width <= frame.count else { return nil }
      let bytes = frame[start..<start + type.width]
      if let raw = type.integer(bytes) { return scale.scaled(raw, by: factor) }
      return type.number(bytes).flatMap {
        Int32(exactly: (scale.of($0) * Double(factor)).rounded())
      }
    }
    guard let x = component(0), let y = component(1), let z = component(2) else { return nil }
    return Vector3(x: x, y: y, z: z)
  }
}
