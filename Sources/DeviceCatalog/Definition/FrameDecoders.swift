import Foundation
import GATT

/// The decoders of one device: a definition's records, and their codecs with their state.
struct FrameDecoders: Sendable {
  /// A frame's content and the record by which it was decoded.
  struct Decoded: Sendable {
    var content: FrameContent
    /// The record and its index in the definition; `nil` for an adopted characteristic without a
    /// record.
    var record: (index: Int, rule: RecordRule)?
  }

  private let records: [RecordRule]
  private let context: CodecContext
  /// By name, not by record: a codec may use the frames of one characteristic to read another's.
  private var codecs: [CodecName: any Codec] = [:]

  init(_ definition: DeviceDefinition, _ context: CodecContext = .none) {
    records = definition.records
    self.context = context
  }

  /// The content of `bytes` from `source`; `nil` if no record describes them, because a device may
  /// also send other formats.
  ///
  /// - Parameters:
  ///   - bytes: The frame.
  ///   - source: Where it comes from.
  ///   - arrival: When the bytes arrived, for times that are counted back from it.
  /// - Returns: The content with its record.
  /// - Throws: ``FrameDefect``.
  mutating func decode(
    _ bytes: [UInt8], from source: FrameSource, at arrival: Date? = nil
  ) throws(FrameDefect) -> Decoded? {
    guard bytes.count <= AttributeProtocol.maximumValueLength else {
      throw .oversized(count: bytes.count)
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
    let bytes = rule.unmask?.unmasked(bytes, of: context.address) ?? bytes
    switch rule.content {
    case .fields(let fields, let motion):
      if let length = rule.length, bytes.count != length {
        throw .wrongLength(count: bytes.count, expected: length)
      }
      try rule.checksum?.verify(bytes)
      let content = try RecordInterpreter.read(
        bytes, fields: fields, motion: motion, of: rule,
        time: FrameTime(arrival: arrival, timeZone: context.timeZone))
      return Decoded(content: content, record: (index, rule))
    case .codec(let name):
      try rule.checksum?.verify(bytes)
      var codec = codecs[name] ?? name.codec(context)
      defer { codecs[name] = codec }
      return Decoded(content: try codec.decode(bytes), record: (index, rule))
    case .nothing:
      try rule.checksum?.verify(bytes)
      return nil
    }
  }

  /// The frames in a value of `source`: the value itself, or its parts if the record joins them.
  func frames(in value: [UInt8], from source: FrameSource) -> [[UInt8]] {
    let candidates = records.indices.filter { records[$0].source == source }
    guard let index = rule(for: value, among: candidates), records[index].isJoined,
      let length = records[index].length, value.count > length,
      value.count.isMultiple(of: length)
    else { return [value] }
    return stride(from: 0, to: value.count, by: length).map {
      Array(value[$0..<min($0 + length, value.count)])
    }
  }

  /// The first record that fits; else the first with a matching beginning, which will refuse it.
  private func rule(for value: [UInt8], among candidates: [Int]) -> Int? {
    candidates.first { records[$0].fits(value) } ?? candidates.first { records[$0].begins(value) }
  }
}
