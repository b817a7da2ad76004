import Care
import Motion
import Radio
import StrictYAML

extension DefinitionVector {
  init(_ node: YAMLNode) throws(YAMLError) {
    origin = node.location
    var vector = try node.mapping()
    name = try vector.required("name").string()
    provenance = try vector.required("provenance").choice()
    from = try vector.required("from").string()
    address = try vector.optional("address")?.deviceAddress() ?? Self.madeUpAddress
    key = try vector.optional("key")?.hexBytes()
    frames = try vector.required("frames").elements(atMost: 256, Frame.init(_:))
    expected = try vector.required("expect").elements(atMost: 512, Expected.init(_:))
    rejected = try vector.optional("rejected")?.integer(in: 0...256) ?? 0
    try vector.finish()
  }
}

extension DefinitionVector.Frame {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var frame = try node.mapping()
    at = try frame.optional("at")?.seconds() ?? 0
    if let advertisement = frame.optional("advertisement") {
      content = .advertisement(try advertisement.hexBytes())
    } else {
      content = .source(try RecordSource(&frame), try frame.required("hex").hexBytes())
    }
    try frame.finish()
  }
}

extension DefinitionVector.Expected {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var expected = try node.mapping()
    if let acceleration = expected.optional("acceleration") {
      self = .motion(
        MotionSample(
          time: 0, acceleration: try acceleration.vector(1_000_000),
          angularRate: try expected.optional("angularRate")?.vector(1000)))
    } else {
      let quantity = try expected.required("quantity").quantity()
      let value = try expected.required("value").number()
      let time = try expected.optional("time")?.localDateTime()
      let user = try expected.optional("user")?.integer(in: 0...255)
      let source = try expected.optional("sourceValue").map { node throws(YAMLError) in
        SourceValue(
          value: try node.number(), unit: try expected.required("sourceUnit").unit())
      }
      self = .reading(quantity, value, time: time, source: source, user: user)
    }
    try expected.finish()
  }
}

extension YAMLNode {
  /// `8C:D0:B2:F6:BE:EF`.
  fileprivate func deviceAddress() throws(YAMLError) -> DeviceAddress {
    let text = try string()
    guard let address = DeviceAddress(text) else {
      throw error("‘\(text)’ is no address: six pairs of hex digits, as in 8C:D0:B2:F6:BE:EF")
    }
    return address
  }

  /// Three decimal numbers, each `factor` times as an integer.
  fileprivate func vector(_ factor: Int64) throws(YAMLError) -> Vector3 {
    let parts = try elements(atMost: 3) { node throws(YAMLError) in
      guard let part = try node.ratio().scaled(1, by: factor) else {
        throw node.error("the number is too large")
      }
      return part
    }
    guard parts.count == 3 else { throw error("three numbers are needed: x, y, z") }
    return Vector3(x: parts[0], y: parts[1], z: parts[2])
  }

  /// `2022-02-14T16:41:58`, without a zone.
  fileprivate func localDateTime() throws(YAMLError) -> LocalDateTime {
    let text = try string()
    let halves = text.split(separator: "T")
    let parts = halves.flatMap { $0.split { $0 == "-" || $0 == ":" } }.compactMap { Int($0) }
    guard halves.count == 2, parts.count == 6 else {
      throw error("‘\(text)’ is no time of a device's clock: 2022-02-14T16:41:58")
    }
    return LocalDateTime(
      year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4],
      second: parts[5])
  }
}
