import Care
import GATT
import StrictYAML

/// The rule by which the frames of one source become values.
struct RecordRule: Sendable {
  var source: FrameSource
  /// The beginning of every frame of this rule; other frames belong to other rules.
  var bytes: BytePattern?
  /// The exact length, if fixed.
  var length: Int?
  /// The checksum that every frame of this rule must have.
  var checksum: ChecksumRule?
  /// The mask over its bytes, which is removed first.
  var unmask: UnmaskRule?
  /// For how many seconds after another frame its values belong to the same measurement, and take
  /// the time and the user of that frame.
  var follows: Double?
  var content: Content
  /// The field with the index of the user.
  var userField: String?
  /// Whether its values were measured before the link, and kept by the device.
  var isStored = false
  /// Whether equal values are sent repeatedly, so that the arrival distinguishes them.
  var isStreamed = false
  /// The nominal rate of a motion stream in thousandths of a sample a second.
  var milliHertz: Int?
  /// Whether one value may hold several consecutive frames of that length.
  var isJoined = false
  var commit: CommitRule?
  var origin: YAMLLocation

  /// The content of a frame.
  enum Content: Sendable {
    /// Fields, and motion samples.
    case fields([FieldRule], motion: MotionRule?)
    /// A vendor format or characteristic with a decoder in code.
    case codec(CodecName)
    /// No measurement: a response that the session's steps wait for.
    case nothing
  }

  /// Whether a value waits for a later frame before it is given out.
  var isHeldBack: Bool { commit.map { $0.equal > 1 || $0.companion?.seconds != nil } ?? false }

  /// Whether `value` begins like the rule's frames.
  func begins(_ value: [UInt8]) -> Bool { bytes?.matches(value) ?? true }

  /// Whether `value` has the beginning and the length of the rule's frames.
  func fits(_ value: [UInt8]) -> Bool {
    guard begins(value) else { return false }
    guard let length else { return true }
    return value.count == length
      || isJoined && !value.isEmpty && value.count.isMultiple(of: length)
  }
}

extension RecordRule {
  /// Whether a frame of another length than the declared one is read: a newer firmware appends to a
  /// layout, and a link cuts what is too long for it.
  ///
  /// Its beginning must tell it from other frames of its source.
  func takes(_ value: [UInt8]) -> Bool {
    guard let length, !isJoined, (bytes?.fixedNibbles ?? 0) >= 2,
      case .fields(let fields, nil) = content, !fields.contains(where: \.repeats)
    else { return false }
    if value.count > length { return true }
    if case .characteristic = source { return value.count == AttributeProtocol.leastPayload }
    return false
  }
}

// MARK: - Reading

extension RecordRule {
  /// The rules of a record, one for each of its characteristics.
  static func rules(_ node: YAMLNode) throws(YAMLError) -> [RecordRule] {
    var record = try node.mapping()
    guard let list = record.optional("characteristic"), case .sequence = list.content else {
      return [try RecordRule(node)]
    }
    var rules: [RecordRule] = []
    for uuid in try list.uuids() { rules.append(try RecordRule(node, of: .characteristic(uuid))) }
    return rules
  }

  private init(_ node: YAMLNode, of given: FrameSource? = nil) throws(YAMLError) {
    origin = node.location
    var record = try node.mapping()
    if given != nil { _ = record.optional("characteristic") }
    source = if let given { given } else { try FrameSource(&record) }
    bytes = try record.optional("bytes")?.pattern()
    length = try record.optional("length")?.integer(in: 1...512)
    checksum = try record.optional("checksum").map(ChecksumRule.init(_:))
    unmask = try record.optional("unmask").map(UnmaskRule.init(_:))
    follows = try record.optional("follows")?.seconds()
    userField = try record.optional("user")?.string()
    isStored = try record.optional("stored")?.boolean() ?? false
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

extension FrameSource {
  /// The one of `characteristic`, `serviceData` and `manufacturerData` that a mapping has.
  init(_ mapping: inout MappingReader) throws(YAMLError) {
    let characteristic = mapping.optional("characteristic")
    let service = mapping.optional("serviceData")
    let manufacturer = mapping.optional("manufacturerData")
    switch (characteristic, service, manufacturer) {
    case (let node?, nil, nil): self = .characteristic(try node.uuid())
    case (nil, let node?, nil): self = .serviceData(try node.uuid())
    case (nil, nil, let node?) where node.isAny: self = .anyManufacturerData
    case (nil, nil, let node?):
      self = .manufacturerData(
        UInt16(truncatingIfNeeded: try node.integer(in: 0...0xFFFF)))
    default:
      throw mapping.location.error(
        "one of ‘characteristic’, ‘serviceData’, ‘manufacturerData’ is needed")
    }
  }
}

extension Quantity {
  /// Whether a value of it is the measurement of its frame, and not what is measured beside it.
  fileprivate var isSingleMeasurement: Bool {
    [.bodyMass, .bloodPressureSystolic, .bloodGlucose, .bloodGlucoseMass].contains(self)
  }
}

// MARK: - Interpretation

/// Decodes a frame by the fields of a definition, with every bound checked.
///
/// A frame that is too short is refused as a whole.
struct RecordInterpreter {
  private let frame: [UInt8]
  private var position = 0
  private var content = FrameContent()
  private var time: FrameTime
  private var userIndex: Int?
  private var context: MeasurementContext = []

  private init(_ frame: [UInt8], _ time: FrameTime) {
    self.frame = frame
    self.time = time
  }

  /// The content of `frame`.
  ///
  /// - Throws: ``FrameDefect`` if the frame is too short.
  static func read(
    _ frame: [UInt8], fields: [FieldRule], motion: MotionRule?, of record: RecordRule,
    time: FrameTime
  ) throws(FrameDefect) -> FrameContent {
    var interpreter = RecordInterpreter(frame, time)
    let isCut = record.length.map { frame.count < $0 } ?? false
    for field in fields {
      do throws(FrameDefect) {
        try interpreter.read(field, of: record)
      } catch {
        // The rest is missing; all whole fields are as they were sent.
        guard isCut else { throw error }
        break
      }
    }
    if let motion {
      interpreter.content.motion = try motion.read(frame)
    }
    return interpreter.finished(of: record)
  }

  private mutating func read(_ field: FieldRule, of record: RecordRule) throws(FrameDefect) {
    if let presence = field.presence, !presence.holds(in: content.fields) { return }
    if field.type == .bits {
      var number: Int64 = 0
      for part in field.parts {
        guard part.at < frame.count else {
          throw .truncatedField(field.name, bytes: part.at..<part.at + 1, count: frame.count)
        }
        number =
          number << Int64(part.count)
          | Int64(frame[part.at] >> UInt8(part.first)) & (1 << Int64(part.count) - 1)
      }
      take(field, whole: number, 0..<0, of: record)
      return
    }
    repeat {
      let start = field.at ?? position
      let end = start + field.type.width
      guard end <= frame.count else {
        throw .truncatedField(field.name, bytes: start..<end, count: frame.count)
      }
      take(
        field, whole: field.type.integer(frame[start..<end]), start..<end, of: record)
      position = end
    } while field.repeats && position < frame.count
  }

  /// Takes the number of an integer field, or reads another one from its place.
  private mutating func take(
    _ field: FieldRule, whole: Int64?, _ place: Range<Int>, of record: RecordRule
  ) {
    if field.type == .dateTime {
      time.add(LocalDateTime(try? DateTime(frame[place])))
      return
    }
    var number: Double?
    var integer: Int64?
    var sent: Double?
    if let whole {
      let part = field.bits?.of(whole) ?? whole
      content.fields.set(field.name, part, at: place)
      if field.name == record.userField, part != 0xFF { userIndex = Int(part) }
      integer = field.invalid.contains(part) ? nil : part
      sent = Double(part)
      if let rule = field.time, let integer, field.validity?.holds(in: content.fields) ?? true {
        time.add(integer, rule, bits: field.bitCount)
      }
      if let part = field.context, let integer, integer != 0,
        field.validity?.holds(in: content.fields) ?? true
      {
        context.formUnion(part)
      }
    } else {
      sent = field.type.number(frame[place])
      number = sent.flatMap { number in
        field.invalid.contains { Double($0) == number } ? nil : number
      }
    }
    guard let rule = field.value else { return }
    guard field.validity?.holds(in: content.fields) ?? true, integer != nil || number != nil else {
      if let sent { discard(field, sent, by: rule) }
      return
    }
    guard let scale = rule.scales.first(where: { $0.condition?.holds(in: content.fields) ?? true })
    else { return }
    let scaled = integer.map { scale.scale.of($0) } ?? number.map { scale.scale.of($0) }
    guard let scaled else { return }
    var value = DecodedValue(rule.quantity, scaled + scale.offset.value, scale.unit)
    value?.counter = rule.counter?.total(bits: field.countingBits, scale, of: rule.quantity)
    if let value { content.values.append(value) }
  }

  /// Notes the measurement of the frame if a rule discards it; what is measured beside it may be none.
  private mutating func discard(_ field: FieldRule, _ number: Double, by rule: ValueRule) {
    guard rule.quantity.isSingleMeasurement, content.discarded == nil,
      let scale = rule.scales.first(where: { $0.condition?.holds(in: content.fields) ?? true }),
      let value = DecodedValue(
        rule.quantity, scale.scale.of(number) + scale.offset.value, scale.unit)
    else { return }
    let isValid = field.validity?.holds(in: content.fields) ?? true
    content.discarded = DiscardedValue(
      value: value,
      rule: isValid
        ? "invalid: [\(field.invalid.sorted().map(String.init).joined(separator: ", "))]"
        : "validIf: \(field.validity.map(\.description) ?? "")")
  }

  /// The content, with the frame's time and user on every value.
  ///
  /// Of a record that the device has stored nothing is left if its measurement is discarded: a weight
  /// in an unknown unit takes its impedance along. A place without a time was never written.
  private consuming func finished(of record: RecordRule) -> FrameContent {
    let (time, isAge) = (time.value, time.isAge)
    let streamed = record.isStreamed
    if record.isStored, time != nil, var discarded = content.discarded {
      discarded.value.time = time
      discarded.value.isDatedByAge = isAge
      discarded.value.userIndex = userIndex
      content.discarded = discarded
      content.values = []
    } else {
      content.discarded = nil
    }
    for index in content.values.indices {
      content.values[index].time = time
      content.values[index].isDatedByAge = isAge
      content.values[index].userIndex = userIndex
      content.values[index].isStreamed = streamed
      content.values[index].context = context
    }
    return content
  }
}

// MARK: - Lint

extension RecordRule {
  /// The defects of the record by itself.
  var findings: [DefinitionFinding] {
    guard case .fields(let fields, let motion) = content else {
      return uncoveredChecksum + untimed
    }
    return pastTheEnd(fields, motion) + unreadTests(fields) + uncommitted(fields)
      + uncoveredChecksum + uncounted(fields) + untimed + unreachable(fields) + repeated(fields)
  }

  /// Fields behind one that takes the rest of the frame.
  private func unreachable(_ fields: [FieldRule]) -> [DefinitionFinding] {
    guard let last = fields.firstIndex(where: \.repeats) else { return [] }
    return fields[(last + 1)...].filter { $0.at == nil && $0.type != .bits }.map { field in
      DefinitionFinding(
        field.origin,
        "nothing is left for the field ‘\(field.name)’: ‘\(fields[last].name)’ repeats to the end")
    }
  }

  /// Fields with the name of an earlier one that tests ask for: they would mean the later one.
  private func repeated(_ fields: [FieldRule]) -> [DefinitionFinding] {
    let scales = fields.flatMap { $0.value?.scales ?? [] }.map(\.condition)
    let tests =
      fields.map(\.presence) + fields.map(\.validity) + scales
      + [commit?.stable, commit?.removed]
    var tested = Set(tests.compactMap(\.self).flatMap(\.terms).map(\.field))
    if let userField { tested.insert(userField) }
    var seen: Set<String> = []
    return fields.filter { $0.type.isInteger }.compactMap { field in
      guard !seen.insert(field.name).inserted, tested.contains(field.name) else { return nil }
      return DefinitionFinding(
        field.origin, "an earlier field has the name ‘\(field.name)’, which tests ask for")
    }
  }

  /// Whether its values may have a time of the device.
  var tellsTime: Bool {
    switch content {
    case .fields(let fields, _): fields.contains { $0.time != nil || $0.type == .dateTime }
    case .codec(let name): name.facts.tellsTime
    case .nothing: false
    }
  }

  /// A stored record without the time at which it was measured.
  private var untimed: [DefinitionFinding] {
    guard isStored, !tellsTime, follows == nil else { return [] }
    return [DefinitionFinding(origin, "a stored record has no time: when was it measured?")]
  }

  /// A checksum beyond the end of a frame of the declared length.
  private var uncoveredChecksum: [DefinitionFinding] {
    guard let length, let checksum, checksum.places(in: length) == nil else { return [] }
    return [DefinitionFinding(origin, "the checksum does not fit into a frame of \(length) bytes")]
  }

  /// Fields beyond the end of a frame of the declared length.
  private func pastTheEnd(_ fields: [FieldRule], _ motion: MotionRule?) -> [DefinitionFinding] {
    guard let length else { return [] }
    var findings: [DefinitionFinding] = []
    var position = 0
    // Optional fields move the ones after them, so only mandatory fields are counted.
    for field in fields where field.presence == nil {
      if let last = field.parts.map(\.at).max(), last >= length {
        findings.append(
          DefinitionFinding(
            field.origin,
            "the field ‘\(field.name)’ ends at byte \(last + 1) of a frame of \(length)"))
      }
      guard field.type != .bits else { continue }
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

  /// Tests of fields that are no earlier integers, and names of unknown fields.
  private func unreadTests(_ fields: [FieldRule]) -> [DefinitionFinding] {
    var findings: [DefinitionFinding] = []
    var known: [String: Int] = [:]
    func check(_ tests: [FlagTest?], at place: YAMLLocation) {
      for term in tests.compactMap(\.self).flatMap(\.terms) {
        switch (known[term.field], term.operand) {
        case (nil, .bit):
          findings.append(DefinitionFinding(place, "‘\(term)’ is a bit of no integer read before"))
        case (nil, .number):
          findings.append(DefinitionFinding(place, "‘\(term)’ is no integer read before"))
        case (let count?, .bit(let bit)) where bit >= count:
          findings.append(
            DefinitionFinding(place, "‘\(term)’ is never set: ‘\(term.field)’ has \(count) bits"))
        default: break
        }
      }
    }
    for field in fields {
      let scales = field.value?.scales ?? []
      check([field.presence, field.validity] + scales.map(\.condition), at: field.origin)
      if field.type.isInteger { known[field.name] = field.bitCount }
    }
    check([commit?.stable, commit?.removed], at: origin)
    if let userField, known[userField] == nil {
      findings.append(
        DefinitionFinding(origin, "the user field ‘\(userField)’ is not among the fields"))
    }
    return findings
  }

  /// Fields of quantities that add up which do not say what their values are.
  private func uncounted(_ fields: [FieldRule]) -> [DefinitionFinding] {
    fields.compactMap { field in
      guard let value = field.value, value.quantity.aggregation == .cumulative,
        value.counter == nil
      else { return nil }
      return DefinitionFinding(
        field.origin,
        "\(value.quantity.rawValue) adds up, and ‘counter’ must say what the field ‘\(field.name)’"
          + " is: the total of the day (daily), the total since the device was switched on"
          + " (continuous), or what was added (none)")
    }
  }

  /// A measurement of a person that a device advertises again and again, without a rule for its end.
  private func endless(_ fields: [FieldRule]) -> [DefinitionFinding] {
    if case .characteristic = source { return [] }
    return fields.filter { $0.value?.quantity.isSingleMeasurement ?? false }.map {
      DefinitionFinding(
        $0.origin,
        "without ‘commit’ every advertisement with ‘\($0.value?.quantity.rawValue ?? $0.name)’ is a"
          + " measurement")
    }
  }

  /// Quantities that the commit rule waits for but no field supplies, and those that it discards.
  private func uncommitted(_ fields: [FieldRule]) -> [DefinitionFinding] {
    guard let commit else { return endless(fields) }
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

// MARK: - Commit rule

/// The rule by which an advertised measurement is final, for a device that also sends it while it
/// settles.
struct CommitRule: Hashable, Sendable {
  /// The test of a final frame; `nil` for a device that says nothing of it.
  var stable: FlagTest?
  var removed: FlagTest?
  /// The measured quantity; its value must be above zero.
  var quantity: Quantity
  /// A quantity that may follow in a later frame of the same measurement.
  var companion: Companion?
  /// The number of consecutive frames with the same time and value after which it is final.
  var equal = 1

  struct Companion: Hashable, Sendable {
    var quantity: Quantity
    /// The time to wait for it; `nil` if it is in the same frame.
    var seconds: Double?
  }
}

extension RecordRule {
  /// `frame` as it would be without a measured companion of the commit rule, and while the person is
  /// on the scale: each frame of one measurement then gives the same sample.
  ///
  /// - Parameters:
  ///   - frame: A frame of this record.
  ///   - content: Its content, with the positions of its fields.
  /// - Returns: The frame with the companion's bytes zero, its validity bit cleared, and its checksum
  ///   zero where that changes the frame; and without the bits that say that the person is off.
  func withoutCompanion(_ frame: [UInt8], _ content: FrameContent) -> [UInt8] {
    guard case .fields(let fields, _) = self.content else { return frame }
    var frame = frame
    if let removed = commit?.removed, removed.holds(in: content.fields) {
      for case (let term, .bit(let bit)) in removed.terms.map({ ($0, $0.operand) }) {
        frame.set(bit...bit, of: term.field, to: !term.isTrue, fields, content)
      }
    }
    guard let companion = commit?.companion,
      let field = fields.first(where: { $0.value?.quantity == companion.quantity })
    else { return frame }
    if let checksum = self.checksum?.places(in: frame.count)?.checksum { frame[checksum] = 0 }
    for index in content.fields.place(of: field.name) ?? 0..<0 where frame.indices.contains(index) {
      frame[index] = 0
    }
    for term in field.validity?.terms ?? [] {
      let count = fields.first { $0.name == term.field }.map(\.bitCount) ?? 0
      switch term.operand {
      case .bit(let bit): frame.set(bit...bit, of: term.field, to: false, fields, content)
      case .number where count > 0:
        frame.set(0...count - 1, of: term.field, to: false, fields, content)
      case .number: break
      }
    }
    return frame
  }
}

extension [UInt8] {
  /// Sets bits of a field of a frame, counted from the field's lowest.
  fileprivate mutating func set(
    _ bits: ClosedRange<Int>, of name: String, to isSet: Bool, _ fields: [FieldRule],
    _ content: FrameContent
  ) {
    guard let field = fields.first(where: { $0.name == name }),
      let place = content.fields.place(of: name)
    else { return }
    for bit in bits {
      let bit = bit + (field.bits?.first ?? 0)
      let index =
        field.type.isBigEndian ? place.upperBound - 1 - bit / 8 : place.lowerBound + bit / 8
      guard place.contains(index), indices.contains(index) else { continue }
      let mask: UInt8 = 1 << UInt8(bit % 8)
      self[index] = isSet ? self[index] | mask : self[index] & ~mask
    }
  }
}

// MARK: - Reading

extension CommitRule {
  init(_ node: YAMLNode) throws(YAMLError) {
    var commit = try node.mapping()
    equal = try commit.optional("equal")?.integer(in: 2...32) ?? 1
    // Of a device without a flag, equal frames are the only sign.
    stable =
      equal > 1
      ? try commit.optional("stable")?.flagTest() : try commit.required("stable").flagTest()
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
