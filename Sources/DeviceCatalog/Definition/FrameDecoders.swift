import GATT

/// The decoders of one device: a definition's records, and the codecs that they name with whatever
/// these keep from frame to frame.
struct FrameDecoders: Sendable {
  /// A frame's content and the record that told how to read it.
  struct Decoded: Sendable {
    var content: FrameContent
    /// The record and its place in the definition; `nil` for a characteristic of the Bluetooth SIG
    /// that the definition does not mention.
    var record: (index: Int, rule: RecordRule)?
  }

  private let records: [RecordRule]
  private let context: CodecContext
  /// By name, not by record: what one characteristic says may tell how to read another.
  private var codecs: [CodecName: any Codec] = [:]

  init(_ definition: DeviceDefinition, _ context: CodecContext = .none) {
    records = definition.records
    self.context = context
  }

  /// What `bytes` from `source` hold; `nil` where nothing is said of such bytes: what another
  /// format of the same device sends is no fault.
  ///
  /// - Throws: ``DecodeError/malformed(reason:)``.
  mutating func decode(
    _ bytes: [UInt8], from source: RecordSource
  ) throws(DecodeError) -> Decoded? {
    guard bytes.count <= AttributeProtocol.maximumValueLength else {
      throw .malformed(reason: "\(source) has \(bytes.count) bytes, more than can be sent at once")
    }
    let candidates = records.indices.filter { records[$0].source == source }
    guard !candidates.isEmpty else {
      guard case .characteristic(let uuid) = source,
        var codec = CodecName(adopted: uuid)?.codec(context)
      else { return nil }
      return Decoded(content: try codec.decode(bytes))
    }
    guard let index = rule(for: bytes, among: candidates) else { return nil }
    let rule = records[index]
    switch rule.content {
    case .fields(let fields, let motion):
      let content = try RecordInterpreter.read(bytes, fields: fields, motion: motion, of: rule)
      return Decoded(content: content, record: (index, rule))
    case .codec(let name):
      var codec = codecs[name] ?? name.codec(context)
      defer { codecs[name] = codec }
      return Decoded(content: try codec.decode(bytes), record: (index, rule))
    case .nothing:
      return nil
    }
  }

  /// The frames that a value of `source` holds: itself, unless its record says that they are joined.
  func frames(in value: [UInt8], from source: RecordSource) -> [[UInt8]] {
    let candidates = records.indices.filter { records[$0].source == source }
    guard let index = rule(for: value, among: candidates), records[index].isJoined,
      let length = records[index].length, value.count > length,
      value.count.isMultiple(of: length)
    else { return [value] }
    return stride(from: 0, to: value.count, by: length).map {
      Array(value[$0..<min($0 + length, value.count)])
    }
  }

  /// The first record that fits; else the first that begins so, whose frame it then is not.
  private func rule(for value: [UInt8], among candidates: [Int]) -> Int? {
    candidates.first { records[$0].fits(value) } ?? candidates.first { records[$0].begins(value) }
  }
}
