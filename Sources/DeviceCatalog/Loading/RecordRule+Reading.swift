import Care
import GATT
import StrictYAML

extension RecordRule {
  init(_ node: YAMLNode) throws(YAMLError) {
    origin = node.location
    var record = try node.mapping()
    source = try RecordSource(&record)
    bytes = try record.optional("bytes")?.pattern()
    length = try record.optional("length")?.integer(in: 1...512)
    userField = try record.optional("user")?.string()
    isStreamed = try record.optional("streamed")?.boolean() ?? false
    milliHertz = try record.optional("rate")?.milliHertz()
    commit = try record.optional("commit").map(CommitRule.init(_:))
    let fields = try record.optional("fields")?.elements(atMost: 64, FieldRule.init(_:)) ?? []
    let motion = try record.optional("motion").map(MotionRule.init(_:))
    let codec = try record.optional("codec")?.choice(of: CodecName.self)
    let isIgnored = try record.optional("ignored")?.boolean() ?? false
    isJoined = try record.optional("joined")?.boolean() ?? false
    try record.finish()
    if isJoined, length == nil {
      throw node.error("frames that are joined can only be told apart by their ‘length’")
    }
    if isIgnored {
      guard fields.isEmpty, motion == nil, commit == nil, codec == nil else {
        throw node.error("a record that is ignored has no fields, motion, codec or commit")
      }
      content = .nothing
    } else if let codec {
      guard fields.isEmpty, motion == nil, commit == nil else {
        throw node.error("a record has either a codec, or fields and motion")
      }
      content = .codec(codec)
    } else {
      guard !fields.isEmpty || motion != nil else {
        throw node.error("a record needs ‘fields’, ‘motion’ or a ‘codec’")
      }
      content = .fields(fields, motion: motion)
    }
  }
}

extension RecordSource {
  /// The one of `characteristic`, `serviceData` and `manufacturerData` that a mapping has.
  init(_ mapping: inout MappingReader) throws(YAMLError) {
    let characteristic = mapping.optional("characteristic")
    let service = mapping.optional("serviceData")
    let manufacturer = mapping.optional("manufacturerData")
    switch (characteristic, service, manufacturer) {
    case (let node?, nil, nil): self = .characteristic(try node.uuid())
    case (nil, let node?, nil): self = .serviceData(try node.uuid())
    case (nil, nil, let node?):
      self = .manufacturerData(
        UInt16(truncatingIfNeeded: try node.integer(in: 0...0xFFFF)))
    default:
      throw mapping.location.error(
        "one of ‘characteristic’, ‘serviceData’, ‘manufacturerData’ is needed")
    }
  }
}

extension CommitRule {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var commit = try node.mapping()
    stable = try commit.required("stable").flagTest()
    removed = try commit.optional("removed")?.flagTest()
    quantity = try commit.required("quantity").quantity()
    companion = try commit.optional("waitFor").map { node throws(YAMLError) in
      var wait = try node.mapping()
      let companion = Companion(
        quantity: try wait.required("quantity").quantity(),
        seconds: try wait.optional("seconds")?.seconds())
      try wait.finish()
      return companion
    }
    try commit.finish()
  }
}

extension MotionRule {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
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
