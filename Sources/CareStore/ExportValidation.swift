import Care
import Foundation

// Rules for the lines of an export. A line may come from anywhere, so that every value is checked
// before a row is made of it.

extension ExportedRow {
  /// Reads a line.
  static func read(_ line: String) throws(StoreError.ExportDamage) -> ExportedRow {
    guard line.utf8.count <= Export.longestLine else { throw .tooLong(limit: Export.longestLine) }
    // Each value but the first follows one of these; in a text they are no separators, and few.
    let separators = line.utf8.lazy.filter { byte in
      byte == UInt8(ascii: ",") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{")
    }
    guard separators.count <= Export.mostValues else {
      throw .tooManyValues(limit: Export.mostValues)
    }
    do {
      return try JSONDecoder().decode(ExportedRow.self, from: Data(line.utf8))
    } catch let damage as StoreError.ExportDamage {
      throw damage
    } catch DecodingError.keyNotFound(let key, _) {
      throw .field(key.stringValue)
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context)
    {
      guard let key = context.codingPath.first else { throw .notAnObject }
      throw .field(key.stringValue)
    } catch DecodingError.dataCorrupted(let context) {
      guard let key = context.codingPath.first else { throw .notAnObject }
      throw .field(key.stringValue)
    } catch {
      throw .notAnObject
    }
  }
}

extension Export {
  /// Checks the first line.
  static func checkHeader(_ line: String?) throws(StoreError.ExportDamage) {
    guard let line, line.utf8.count <= header.utf8.count + 20,
      let object = try? JSONDecoder().decode([String: Int].self, from: Data(line.utf8)),
      object.count == 1, let version = object["measured-store"]
    else { throw .noHeader }
    guard version == Self.version else { throw .unknownVersion(version) }
  }

  /// Refuses a date outside the years 1 to 9999.
  static func check(date: Int64?, _ field: String) throws(StoreError.ExportDamage) {
    guard let date, !dates.contains(date) else { return }
    throw .value(String(date), field: field)
  }

  /// Refuses a text that SQLite would truncate.
  static func check(text: String?, _ field: String) throws(StoreError.ExportDamage) {
    guard let text, text.utf8.contains(0) else { return }
    throw .value(text.replacing("\0", with: "␀"), field: field)
  }

  /// Refuses a text that is empty or that SQLite would truncate.
  static func check(id: String?, _ field: String) throws(StoreError.ExportDamage) {
    guard id?.isEmpty != true else { throw .value("", field: field) }
    try check(text: id, field)
  }

  static func check(stamp: ExportedStamp) throws(StoreError.ExportDamage) {
    guard UUID(uuidString: stamp.writer)?.uuidString == stamp.writer else {
      throw .value(stamp.writer, field: "writer")
    }
    guard stamp.clock > 0, stamp.clock < 1 << 53 else {
      throw .value(String(stamp.clock), field: "clock")
    }
  }

  static func check(parents: [String]?) throws(StoreError.ExportDamage) {
    for parent in parents ?? [] where UUID(uuidString: parent)?.uuidString != parent {
      throw .value(parent, field: "parents")
    }
  }

  /// The bytes of hex digits.
  static func bytes(_ hex: String?, _ field: String) throws(StoreError.ExportDamage) -> [UInt8] {
    guard let hex else { return [] }
    guard let bytes = [UInt8](hex: hex) else { throw .value(hex, field: field) }
    return bytes
  }

  static func finite(_ value: Double?, _ field: String) throws(StoreError.ExportDamage) {
    guard let value, !value.isFinite else { return }
    throw .value(String(value), field: field)
  }

  /// Refuses a number that no place in a frame, schedule or list has; that of a performed
  /// measurement's figure is a hash of 32 bits.
  static func check(place: Int?, _ field: String) throws(StoreError.ExportDamage) {
    guard let place, !(0...Int(UInt32.max)).contains(place) else { return }
    throw .value(String(place), field: field)
  }

  static func quantity(_ name: String) throws(StoreError.ExportDamage) -> Quantity {
    guard let quantity = Quantity(rawValue: name) else { throw .unknownQuantity(name) }
    return quantity
  }

  /// The device of a text that is spelt as this program spells it.
  static func device(_ text: String) throws(StoreError.ExportDamage) -> DeviceID {
    try check(id: text, "device")
    let device = DeviceID(text)
    guard device.text == text else { throw .value(text, field: "device") }
    return device
  }
}

extension ExportedVersion {
  func check() throws(StoreError.ExportDamage) {
    try Export.check(text: patient, "patient")
    try Export.check(id: id, "id")
    for (date, field) in [(effective, "effective"), (created, "created")] {
      try Export.check(date: date, field)
    }
    try Export.check(date: deleted, "deleted")
    try Export.check(text: payload, "payload")
    try Export.check(parents: parents)
    for withdrawal in withdrawals ?? [] {
      guard withdrawal.count == 2, (0...1).contains(withdrawal[1]) else {
        throw .value("\(withdrawal)", field: "withdrawals")
      }
      try Export.check(date: withdrawal[0], "withdrawals")
    }
    try Export.check(stamp: stamp)
    try checkPayload()
  }

  /// Refuses a payload that is not one of its type: it would make the store unreadable.
  private func checkPayload() throws(StoreError.ExportDamage) {
    if type == "order" {
      guard patient.isEmpty, id == "plan" else { throw .value(id, field: "id") }
      return try decode([TaskReference].self)
    }
    guard let kind = ThingKind(rawValue: type) else { throw .value(type, field: "type") }
    switch kind {
    case .patient:
      guard patient == id else { throw .value(patient, field: "patient") }
      try decode(Patient.self)
    case .task:
      try Export.check(id: patient, "patient")
      try decode(PlannedTask.self, id: \.id)
    case .carePlan: try decode(CarePlan.self, id: \.id)
    case .contact: try decode(Contact.self, id: \.id)
    case .note: try decode(Note.self, id: \.id)
    case .message: try decode(Message.self, id: \.id)
    }
  }

  /// Refuses a payload that is not of its type, or says another id than the row.
  private func decode<T: Decodable>(
    _ type: T.Type, id: ((T) -> String)? = nil
  ) throws(StoreError.ExportDamage) {
    let value: T
    do {
      value = try JSON.value(type, from: payload)
    } catch {
      throw .value(String(payload.prefix(80)), field: "payload")
    }
    if let id, id(value) != self.id { throw .value(self.id, field: "id") }
  }
}

extension ExportedOutcome {
  func check() throws(StoreError.ExportDamage) {
    try Export.check(id: patient, "patient")
    try Export.check(id: task, "task")
    for (date, field) in [(start, "start"), (end, "end"), (created, "created")] {
      try Export.check(date: date, field)
    }
    try Export.check(date: deleted, "deleted")
    try Export.check(date: answered, "answered")
    try Export.check(text: reason, "reason")
    try Export.check(place: ordinal, "ordinal")
    try Export.check(place: occurrence, "occurrence")
    guard Answer.State(rawValue: answer) != nil else { throw .value(answer, field: "answer") }
    try Export.check(parents: parents)
    try Export.check(stamp: ExportedStamp(writer: writer, clock: clock))
    for value in values ?? [] { _ = try value.value() }
  }
}

extension ExportedOutcome.Entry {
  /// The value that it says.
  func value() throws(StoreError.ExportDamage) -> OutcomeValue {
    try Export.check(date: time, "time")
    try Export.check(text: part, "part")
    try Export.check(text: text, "text")
    try Export.check(date: date, "date")
    try Export.finite(double, "double")
    let content = try binary == nil ? nil : Export.bytes(binary, "binary")
    let found: [Value?] = [
      integer.map(Value.integer), double.map(Value.double), boolean.map(Value.boolean),
      text.map(Value.text), content.map(Value.binary), try reference().map(Value.attachment),
      date.map { .date(Date(microseconds: $0)) },
    ]
    let values = found.compactMap(\.self)
    guard let value = values.first, values.count == 1 else { throw .field("values") }
    var unitOfMeasure: UnitOfMeasure?
    if let unit {
      guard let known = UnitOfMeasure(unit) else { throw .unknownUnit(unit) }
      unitOfMeasure = known
    }
    return OutcomeValue(
      value: value, unit: unitOfMeasure, kind: part, time: Date(microseconds: time),
      provenance: provenance)
  }
}

extension ExportedOutcome.Entry {
  /// The attachment that it says; `nil` for another value.
  private func reference() throws(StoreError.ExportDamage) -> Attachment? {
    guard let attachment else { return nil }
    guard let media, let type = MediaType(rawValue: media) else {
      throw .value(media ?? "", field: "media")
    }
    guard let bytes, let found = Attachment(type: type, byteCount: bytes, sha256: attachment) else {
      throw .value(attachment, field: "attachment")
    }
    return found
  }
}

extension ExportedSample {
  /// The sample that it says, with the owner that it was found to have on arrival.
  func sample() throws(StoreError.ExportDamage) -> Sample {
    let end = end ?? start
    for (date, field) in [(start, "start"), (end, "end"), (arrival, "arrival")] {
      try Export.check(date: date, field)
    }
    guard start <= end else { throw .value(String(end), field: "end") }
    for (text, field) in [(definition, "definition"), (part, "part"), (reason, "reason")] {
      try Export.check(text: text, field)
    }
    try Export.check(id: identity, "identity")
    try Export.check(id: attributed, "attributed")
    try Export.check(id: corrects, "corrects")
    try Export.check(place: user, "user")
    try Export.check(place: ordinal, "ordinal")
    try Export.finite(value, "value")
    try Export.finite(sourceValue, "sourceValue")
    let quantity = try Export.quantity(quantity)
    var source: SourceValue?
    if let unit {
      guard let known = UnitOfMeasure(unit), known.dimension == quantity.unit.dimension else {
        throw .unknownUnit(unit)
      }
      guard let sourceValue else { throw .field("sourceValue") }
      source = SourceValue(value: sourceValue, unit: known)
    }
    var clock: LocalDateTime?
    if let deviceTime {
      guard let known = LocalDateTime(text: deviceTime) else {
        throw .value(deviceTime, field: "deviceTime")
      }
      clock = known
    }
    let names = context ?? []
    for name in names where MeasurementContext(name: name) == nil {
      throw .value(name, field: "context")
    }
    try Export.finite(total, "total")
    var rule: RunningTotal?
    if let counter {
      guard total != nil, let known = RunningTotal(text: counter) else {
        throw .value(counter, field: "counter")
      }
      rule = known
    } else if total != nil {
      throw .field("counter")
    }
    let (from, to) = (Date(microseconds: start), Date(microseconds: end))
    return Sample(
      identity: SampleIdentity(rawValue: identity),
      reading: Reading(
        quantity: quantity, value: value, sourceValue: source, deviceTime: clock,
        arrival: Date(microseconds: arrival),
        interval: start < end ? DateInterval(start: from, end: to) : nil,
        device: DeviceIdentity(address: try Export.device(device), definition: definition),
        userIndex: user, ordinal: ordinal ?? 0, kind: part, isBroadcast: broadcast == true,
        raw: try Export.bytes(raw, "raw"), counter: rule, total: total,
        context: MeasurementContext(names.compactMap { MeasurementContext(name: $0) })),
      patient: attributed, unassignedReason: reason, start: from, end: to,
      isClockTrusted: untrustedClock != true, provenance: provenance,
      corrects: corrects.map(SampleIdentity.init(rawValue:)))
  }
}

extension ExportedBlock {
  /// The samples that it says, all of one hour.
  func samples() throws(StoreError.ExportDamage) -> [StreamedSample] {
    try Export.check(text: definition, "definition")
    try Export.check(text: reason, "reason")
    try Export.check(id: attributed, "attributed")
    try Export.check(place: user, "user")
    _ = try Export.quantity(quantity)
    _ = try Export.device(device)
    let count = start.count
    guard (1...Export.longestBlock).contains(count) else {
      throw .value(String(count), field: "start")
    }
    for (length, field) in [
      (arrival.count, "arrival"), (value.count, "value"), (self.length?.count ?? count, "length"),
      (ordinal?.count ?? count, "ordinal"), (raw?.count ?? count, "raw"),
    ] where length != count { throw .field(field) }
    var samples: [StreamedSample] = []
    samples.reserveCapacity(count)
    let hour = Hours.hour(of: start[0])
    for index in 0..<count {
      let (start, length) = (start[index], length?[index] ?? 0)
      try Export.check(date: start, "start")
      try Export.check(date: arrival[index], "arrival")
      guard Hours.hour(of: start) == hour else { throw .value(String(start), field: "start") }
      guard (0...Hours.length).contains(length) else {
        throw .value(String(length), field: "length")
      }
      try Export.check(place: ordinal?[index], "ordinal")
      try Export.finite(value[index], "value")
      let bytes = try Export.bytes(raw?[index], "raw")
      guard bytes.count <= SeriesBlock.longestFrame else {
        throw .value("\(bytes.count) bytes", field: "raw")
      }
      samples.append(
        StreamedSample(
          start: start, end: start + length, arrival: arrival[index],
          ordinal: ordinal?[index] ?? 0, value: value[index], raw: bytes))
    }
    return samples
  }
}

extension ExportedChange {
  func check() throws(StoreError.ExportDamage) {
    try Export.check(id: identity, "identity")
    _ = try Export.device(device)
    try Export.check(date: from, "from")
    try Export.check(date: to, "to")
    try Export.check(date: created, "created")
    try Export.check(id: patient, "patient")
    try Export.check(text: reason, "reason")
    guard let change = SampleChangeRow.Change(rawValue: change) else {
      throw .value(change, field: "change")
    }
    guard (change == .assign) == (patient != nil) else { throw .field("patient") }
    guard SampleChangeDecider(rawValue: decidedBy) != nil else {
      throw .value(decidedBy, field: "decidedBy")
    }
    try Export.check(stamp: ExportedStamp(writer: writer, clock: clock))
  }
}

extension ExportedAlias {
  func check() throws(StoreError.ExportDamage) {
    try Export.check(id: old, "old")
    try Export.check(id: new, "new")
    try Export.check(date: date, "date")
    guard old != new else { throw .value(new, field: "new") }
  }
}

extension ExportedZone {
  func check() throws(StoreError.ExportDamage) {
    try Export.check(date: date, "date")
    guard let zone, TimeZone(identifier: zone) == nil else { return }
    throw .value(zone, field: "zone")
  }
}

extension ExportedErasure {
  func check() throws(StoreError.ExportDamage) {
    try Export.check(text: mark, "mark")
    guard ErasureMark.isValid(mark) else { throw .value(mark, field: "mark") }
    try Export.check(date: date, "date")
  }
}
