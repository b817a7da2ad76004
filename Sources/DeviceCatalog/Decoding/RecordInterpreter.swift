import Care
import GATT

/// Reads a frame as a definition's fields tell, checking every bound.
///
/// A frame that ends too early is rejected as a whole: no value of it is believed.
struct RecordInterpreter {
  private let frame: [UInt8]
  private var position = 0
  private var content = FrameContent()
  private var time: LocalDateTime?
  private var userIndex: Int?

  private init(_ frame: [UInt8]) {
    self.frame = frame
  }

  /// What `frame` holds.
  ///
  /// - Throws: ``DecodeError/malformed(reason:)`` where the frame is too short or has another
  ///   length than the rule says.
  static func read(
    _ frame: [UInt8], fields: [FieldRule], motion: MotionRule?, of record: RecordRule
  ) throws(DecodeError) -> FrameContent {
    if let length = record.length, frame.count != length {
      throw .malformed(reason: "\(record.source) has \(frame.count) bytes instead of \(length)")
    }
    var interpreter = RecordInterpreter(frame)
    for field in fields {
      try interpreter.read(field, of: record)
    }
    if let motion {
      interpreter.content.motion = try motion.read(frame, source: record.source)
    }
    return interpreter.finished(streamed: record.isStreamed)
  }

  private mutating func read(_ field: FieldRule, of record: RecordRule) throws(DecodeError) {
    if let presence = field.presence, !presence.holds(in: content.fields) { return }
    repeat {
      let start = field.at ?? position
      let end = start + field.type.width
      guard end <= frame.count else {
        throw .malformed(
          reason: "\(record.source) ends in field ‘\(field.name)’: bytes \(start)..<\(end) are"
            + " needed, there are \(frame.count)")
      }
      take(field, frame[start..<end], of: record)
      position = end
    } while field.repeats && position < frame.count
  }

  private mutating func take(_ field: FieldRule, _ bytes: ArraySlice<UInt8>, of record: RecordRule)
  {
    if field.type == .dateTime {
      time = LocalDateTime(try? DateTime(bytes))
      return
    }
    var number: Double?
    var integer: Int64?
    if let whole = field.type.integer(bytes) {
      let part = field.bits?.of(whole) ?? whole
      content.fields[field.name] = part
      content.places[field.name] = bytes.startIndex..<bytes.endIndex
      if field.name == record.userField, part != 0xFF { userIndex = Int(part) }
      integer = field.invalid.contains(part) ? nil : part
    } else {
      number = field.type.number(bytes)
    }
    guard let rule = field.value, field.validity?.holds(in: content.fields) ?? true else { return }
    guard let scale = rule.scales.first(where: { $0.condition?.holds(in: content.fields) ?? true })
    else { return }
    let scaled = integer.map { scale.scale.of($0) } ?? number.map { scale.scale.of($0) }
    guard let scaled else { return }
    let value = DecodedValue(rule.quantity, scaled + scale.offset.value, scale.unit)
    if let value { content.values.append(value) }
  }

  /// The content, with the frame's time and user on every value, wherever in the frame they were.
  private consuming func finished(streamed: Bool) -> FrameContent {
    for index in content.values.indices {
      content.values[index].time = time
      content.values[index].userIndex = userIndex
      content.values[index].isStreamed = streamed
    }
    return content
  }
}
