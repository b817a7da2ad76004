import Motion
import StrictYAML

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
    guard type.isInteger else {
      throw typeNode.error("motion is read from integers, ‘\(type.rawValue)’ is none")
    }
    at = try axes.optional("at")?.integer(in: 0...511) ?? 0
    scale = try axes.required("scale").ratio()
    try axes.finish()
  }
}

// MARK: - Interpretation

extension MotionRule {
  /// How many samples one frame may hold; a frame is at most 512 bytes.
  static let mostSamples = 128

  /// The motion samples of `frame`.
  ///
  /// - Throws: ``DecodeError/malformed(reason:)`` where the frame holds no sample, or ends within
  ///   one, or a value does not fit.
  func read(_ frame: [UInt8], source: RecordSource) throws(DecodeError) -> MotionFrame {
    let count: Int
    if let stride {
      let (whole, rest) = (frame.count - end).quotientAndRemainder(dividingBy: stride)
      guard frame.count >= end, rest == 0 else {
        throw .malformed(
          reason: "\(source) ends within a sample of \(stride) bytes: there are \(frame.count)")
      }
      count = whole + 1
    } else {
      guard frame.count >= end else {
        throw .malformed(
          reason: "\(source) ends within its sample: \(end) bytes are needed, there are"
            + " \(frame.count)")
      }
      count = 1
    }
    guard count <= Self.mostSamples else {
      throw .malformed(reason: "\(source) has \(count) samples, more than \(Self.mostSamples)")
    }
    var samples: [MotionSample] = []
    for index in 0..<count {
      let shift = index * (stride ?? 0)
      let a = acceleration.read(frame, shift: shift, factor: 1_000_000)
      let w = angularRate?.read(frame, shift: shift, factor: 1000)
      guard let a, angularRate == nil || w != nil else {
        throw .malformed(reason: "\(source) has a motion value out of range")
      }
      samples.append(MotionSample(time: 0, acceleration: a, angularRate: w))
    }
    return MotionFrame(samples: samples)
  }
}

extension AxesRule {
  /// The three components, each `factor` times the rule's unit; `nil` past the frame or `Int32`.
  func read(_ frame: [UInt8], shift: Int, factor: Int64) -> Vector3? {
    func component(_ index: Int) -> Int32? {
      let start = at + shift + index * type.width
      guard start >= 0, start + type.width <= frame.count,
        let raw = type.integer(frame[start..<start + type.width])
      else { return nil }
      return scale.scaled(raw, by: factor)
    }
    guard let x = component(0), let y = component(1), let z = component(2) else { return nil }
    return Vector3(x: x, y: y, z: z)
  }
}
