import Foundation
import GATT

/// The decoders of one device: a definition's records, and their codecs with their state.
struct FrameDecoders: Sendable {
  /// A frame's content and the record by which it was decoded.
  struct Decoded: Sendable {
    var content: FrameContent
    /// The index of the record in the definition; `nil` for an adopted characteristic without a
    /// record.
    var record: Int?
  }

  private let records: [RecordRule]
  private let joinsFrames: Bool
  private let context: CodecContext
  /// By name, not by record: a codec may use the frames of one characteristic to read another's.
  private var codecs: [CodecName: any Codec] = [:]

  init(_ definition: DeviceDefinition, _ context: CodecContext = .none) {
    records = definition.records
    joinsFrames = records.contains(where: \.isJoined)
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
    guard records.contains(where: { $0.source == source }) else {
      guard case .characteristic(let uuid) = source,
        var codec = CodecName(adopted: uuid)?.codec(context)
      else { return nil }
      return Decoded(content: try codec.decode(bytes))
    }
    guard let index = rule(for: bytes, from: source) else { return nil }
    let bytes = records[index].unmask?.unmasked(bytes, of: context.address) ?? bytes
    switch records[index].content {
    case .fields(let fields, let motion):
      let record = records[index]
      let isOther = record.length.map { $0 != bytes.count } ?? false
      if let length = record.length, isOther, !record.takes(bytes) {
        throw .wrongLength(count: bytes.count, expected: length)
      }
      try record.checksum?.verify(bytes)
      var content = try RecordInterpreter.read(
        isOther ? Array(bytes.prefix(record.length ?? 0)) : bytes, fields: fields, motion: motion,
        of: record, time: FrameTime(arrival: arrival, timeZone: context.timeZone))
      if isOther, let length = record.length {
        content.layout = .otherLength(count: bytes.count, expected: length)
      }
      return Decoded(content: content, record: index)
    case .codec(let name):
      try records[index].checksum?.verify(bytes)
      var codec = codecs[name] ?? name.codec(context)
      defer { codecs[name] = codec }
      return Decoded(content: try codec.decode(bytes), record: index)
    case .nothing:
      try records[index].checksum?.verify(bytes)
      return nil
    }
  }

  /// Whether a record says that such frames of `source` have nothing to read.
  func ignores(_ bytes: [UInt8], from source: FrameSource) -> Bool {
    guard let index = rule(for: bytes, from: source) else { return false }
    if case .nothing = records[index].content { return true }
    return false
  }

  /// The values of a frame that is final by itself.
  func finalValues(of decoded: Decoded) -> [DecodedValue] {
    decoded.record.flatMap { records[$0].commit }?.final(decoded.content) ?? decoded.content.values
  }

  /// The frames in a value of `source`: the value itself, or its parts if the record joins them.
  func frames(in value: [UInt8], from source: FrameSource) -> [[UInt8]] {
    guard joinsFrames, let index = rule(for: value, from: source), records[index].isJoined,
      let length = records[index].length, value.count > length,
      value.count.isMultiple(of: length)
    else { return [value] }
    return stride(from: 0, to: value.count, by: length).map {
      Array(value[$0..<min($0 + length, value.count)])
    }
  }

  /// The first record that fits; else the longest that takes the frame at another length; else the
  /// first with a matching beginning, which will refuse it.
  private func rule(for value: [UInt8], from source: FrameSource) -> Int? {
    var first: Int?
    var near: Int?
    for index in records.indices
    where records[index].source == source && records[index].begins(value) {
      if records[index].fits(value) { return index }
      first = first ?? index
      let length = records[index].length ?? 0
      if records[index].takes(value), near.map({ length > records[$0].length ?? 0 }) ?? true {
        near = index
      }
    }
    return near ?? first
  }
}
