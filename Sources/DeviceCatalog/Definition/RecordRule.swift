import Care
import GATT
import StrictYAML

/// How the frames of one source become values.
struct RecordRule: Sendable {
  var source: RecordSource
  /// How every frame of this kind begins; frames that do not are another rule's.
  var bytes: BytePattern?
  /// The exact length, where it is fixed.
  var length: Int?
  var content: Content
  /// The field that holds the user's slot.
  var userField: String?
  /// Whether values come again and again, so that arrival and not the bytes tells them apart.
  var isStreamed = false
  /// The nominal rate of a motion stream in thousandths of a sample a second.
  var milliHertz: Int?
  /// Whether one value may hold several frames of that length, one behind the other.
  var isJoined = false
  var commit: CommitRule?
  var origin: YAMLLocation

  /// What is in a frame.
  enum Content: Sendable {
    /// What the definition says: fields, and motion behind them.
    case fields([FieldRule], motion: MotionRule?)
    /// What only code can read.
    case codec(CodecName)
    /// Nothing that is measured: an answer that the session's steps look at.
    case nothing
  }

  /// Whether `value` begins as the rule's frames do.
  func begins(_ value: [UInt8]) -> Bool { bytes?.matches(value) ?? true }

  /// Whether `value` begins as the rule's frames do, and is as long.
  func fits(_ value: [UInt8]) -> Bool {
    guard begins(value) else { return false }
    guard let length else { return true }
    return value.count == length
      || isJoined && !value.isEmpty && value.count.isMultiple(of: length)
  }
}

/// Where frames come from.
enum RecordSource: Hashable, Sendable, CustomStringConvertible {
  case characteristic(BluetoothUUID)
  case serviceData(BluetoothUUID)
  case manufacturerData(UInt16)

  var description: String {
    switch self {
    case .characteristic(let uuid): "characteristic \(uuid)"
    case .serviceData(let uuid): "service data \(uuid)"
    case .manufacturerData(let company): "manufacturer data 0x" + String(company, radix: 16)
    }
  }
}

extension RecordSource {
  /// The frames that an advertisement carries, with their sources.
  static func frames(in advertisement: [UInt8]) -> [(source: RecordSource, bytes: [UInt8])] {
    let content = AdvertisingData.readable(in: advertisement).data
    return content.serviceData.map { (.serviceData($0.uuid), $0.data) }
      + content.manufacturerData.map { (.manufacturerData($0.company), $0.data) }
  }
}

// MARK: - Reading

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

// MARK: - Interpretation

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

// MARK: - Lint

extension RecordRule {
  /// What is wrong with the record by itself.
  var findings: [DefinitionFinding] {
    guard case .fields(let fields, let motion) = content else { return [] }
    return pastTheEnd(fields, motion) + unreadTests(fields) + uncommitted(fields)
  }

  /// Fields that a frame of the declared length has no room for.
  private func pastTheEnd(_ fields: [FieldRule], _ motion: MotionRule?) -> [DefinitionFinding] {
    guard let length else { return [] }
    var findings: [DefinitionFinding] = []
    var position = 0
    // A field that may be missing moves the ones behind it, so only what is sure is counted.
    for field in fields where field.presence == nil {
      position = (field.at ?? position) + field.type.width
      guard position > length else { continue }
      findings.append(
        DefinitionFinding(
          field.origin,
          "the field ‘\(field.name)’ ends at byte \(position) of a frame of \(length)"))
    }
    if let motion, motion.end > length {
      findings.append(
        DefinitionFinding(origin, "the motion ends at byte \(motion.end) of a frame of \(length)"))
    }
    return findings
  }

  /// Bits of fields that are not integers read before, and names that nothing has.
  private func unreadTests(_ fields: [FieldRule]) -> [DefinitionFinding] {
    var findings: [DefinitionFinding] = []
    var known: Set<String> = []
    func check(_ tests: [FlagTest?], at place: YAMLLocation) {
      for case let test? in tests where !known.contains(test.field) {
        findings.append(
          DefinitionFinding(
            place, "‘\(test.field).\(test.bit)’ is a bit of no integer read before"))
      }
    }
    for field in fields {
      let scales = field.value?.scales ?? []
      check([field.presence, field.validity] + scales.map(\.condition), at: field.origin)
      if field.type.isInteger { known.insert(field.name) }
    }
    check([commit?.stable, commit?.removed], at: origin)
    if let userField, !known.contains(userField) {
      findings.append(
        DefinitionFinding(origin, "the user field ‘\(userField)’ is not among the fields"))
    }
    return findings
  }

  /// Quantities that the commit rule waits for but no field gives, and those that it lets fall.
  private func uncommitted(_ fields: [FieldRule]) -> [DefinitionFinding] {
    guard let commit else { return [] }
    let wanted = [commit.quantity, commit.companion?.quantity].compactMap(\.self)
    var findings: [DefinitionFinding] = []
    for field in fields {
      guard let quantity = field.value?.quantity, !wanted.contains(quantity) else { continue }
      findings.append(
        DefinitionFinding(field.origin, "the field ‘\(field.name)’ is read but never committed"))
    }
    for quantity in wanted where !fields.contains(where: { $0.value?.quantity == quantity }) {
      findings.append(
        DefinitionFinding(
          origin, "no field gives ‘\(quantity.rawValue)’, which is to be committed"))
    }
    return findings
  }
}
