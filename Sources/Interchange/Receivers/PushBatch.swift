package import Care
import Digests
package import Foundation

extension HistoryKind {
  /// Batches that phones push: NOOP, and programs that speak its protocol.
  package static let noop = HistoryKind(id: "noop", title: "NOOP")
}

/// A batch of the push protocol 1.x of NOOP: some rows of one stream of one device.
///
/// Source: ryanbr/noop, docs/PUSH_PROTOCOL.md at 8377102.
package struct PushBatch: Hashable, Sendable {
  /// The versions that are understood; 1.1 only adds members that are not kept.
  package static let versions = ["1.0", "1.1"]
  /// The most bytes of a decoded batch.
  package static let largest = 4 << 20
  /// The most bytes of an encoded one.
  package static let largestEncoded = largest + 64 << 10
  private static let mostRecords = 5000
  private static let mostParts = 64
  /// The most values of a line: no row has half as many.
  fileprivate static let mostValues = 200
  /// The most days of a window: a hundred years.
  private static let mostDays = 36_600

  /// A stream whose rows are kept.
  package enum Stream: String, Hashable, Sendable, CaseIterable {
    case hrSample, rrInterval, dailyMetric
    /// Any quantity of the registry; of this program, and not of NOOP.
    case measurement

    /// The streams that NOOP may be told of: it refuses a list with another name.
    package static let advertised: [Self] = [.hrSample, .rrInterval, .dailyMetric]

    /// Whether a window of rows takes the place of an earlier one.
    package var isReplaced: Bool { self == .dailyMetric }
  }

  /// How far the sender has come, which it alone understands.
  package struct Cursor: Hashable, Sendable {
    package var row: Int64
    package var key: String

    fileprivate var json: FHIRValue {
      var object = FHIRObject()
      object["rowId"] = FHIRDecimal("\(row)").map { .number($0) }
      object["keySha256"] = .string(key)
      return .object(object)
    }
  }

  /// The days whose rows the batch, or all parts together, replace.
  package struct Window: Hashable, Sendable {
    /// The name of the replacement.
    package var id: String
    /// The first day, `2026-08-05`, and the one after the last.
    package var start: String
    package var end: String
    /// Which part of how many this is, from 1.
    package var part: Int
    package var parts: Int
  }

  package var version: String
  package var id: String
  /// The installation that sends.
  package var source: String
  /// The device in its database.
  package var device: String
  package var stream: Stream
  package var end: Cursor?
  package var window: Window?
  /// How many rows it has.
  package var count: Int
  /// The keys of the rows, in order.
  package var keys: [String]
  /// The values of the rows; some rows have none.
  package var entries: [HistoryEntry]
  /// The digest of the decoded bytes.
  package var digest: String

  /// Reads the decoded bytes of a batch.
  ///
  /// - Throws: ``PushRefusal``; a batch is taken whole or not at all.
  package init(_ bytes: [UInt8]) throws(PushRefusal) {
    guard bytes.count <= Self.largest else { throw PushRefusal(.tooLarge) }
    guard bytes.last == UInt8(ascii: "\n") else { throw PushRefusal(.malformed) }
    var lines = bytes.dropLast().split(
      separator: UInt8(ascii: "\n"), maxSplits: Self.mostRecords + 1,
      omittingEmptySubsequences: false
    )[...]
    guard let first = lines.popFirst() else { throw PushRefusal(.malformed) }
    let header = try Members(first, line: 1)
    guard try header.text("type") == "batch" else { throw header.malformed }
    let version = try header.text("protocolVersion")
    guard Self.versions.contains(version) else {
      throw PushRefusal(.unsupportedVersion, line: 1)
    }
    self.version = version
    id = try header.identifier("batchId")
    source = try header.identifier("sourceId")
    device = try header.text("deviceId")
    guard !device.isEmpty, device.utf8.count <= 100,
      device.unicodeScalars.allSatisfy({ $0.value >= 0x20 })
    else { throw header.malformed }
    guard let stream = Stream(rawValue: try header.text("stream")) else {
      throw PushRefusal(.unknownStream, line: 1)
    }
    self.stream = stream
    count = Int(try header.integer("recordCount", in: 0...Int64(Self.mostRecords)))
    guard lines.count == count else { throw header.malformed }
    let start = try header.cursor("startCursor")
    end = try header.cursor("endCursor")
    switch try header.text("delivery") {
    case "append":
      guard !stream.isReplaced else { throw PushRefusal(.wrongDelivery, line: 1) }
      guard header["window"] ?? .null == .null, count > 0, let end, (start?.row ?? .min) < end.row
      else {
        throw header.malformed
      }
    case "replace_window":
      guard stream.isReplaced else { throw PushRefusal(.wrongDelivery, line: 1) }
      guard start == nil, end == nil else { throw header.malformed }
      window = try Self.window(try header.object("window"))
    default: throw header.malformed
    }
    (keys, entries) = ([], [])
    digest = SHA256.digest(of: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined()
    var seen: Set<String> = []
    for (place, line) in lines.enumerated() {
      let record = try Members(line, line: place + 2)
      guard try record.text("type") == "record" else { throw record.malformed }
      let key = try read(try record.object("key"), try record.object("data"))
      guard seen.insert(key).inserted else {
        throw PushRefusal(.duplicateKey, line: place + 2)
      }
      keys.append(key)
    }
  }

  private static func window(_ members: Members) throws(PushRefusal) -> Window {
    guard try members.text("selector") == "day" else { throw members.malformed }
    let parts = Int(try members.integer("parts", in: 1...Int64(mostParts)))
    let window = Window(
      id: try members.identifier("replacementId"), start: try members.day("startInclusive"),
      end: try members.day("endExclusive"),
      part: Int(try members.integer("part", in: 1...Int64(parts))), parts: parts)
    guard let start = HistoryTime(day: window.start)?.span(in: .gmt)?.start,
      let end = HistoryTime(day: window.end)?.span(in: .gmt)?.start, start < end,
      end.timeIntervalSince(start) <= 86_400 * Double(mostDays)
    else { throw members.malformed }
    return window
  }

  /// Reads a row.
  ///
  /// - Returns: Its key.
  private mutating func read(
    _ key: Members, _ data: Members
  ) throws(PushRefusal) -> String {
    switch stream {
    case .hrSample:
      try key.require(["ts"])
      let time = try key.time()
      let rate = try data.integer("bpm", in: 0...1000)
      add(.heartRate, Double(rate), digits: "\(rate)", at: time, data.line, isStreamed: true)
      return "\(time)"
    case .rrInterval:
      try key.require(["ts", "rrMs", "seq"])
      let time = try key.time()
      let length = try key.integer("rrMs", in: 0...65_535)
      let sequence = try key.integer("seq", in: 0...30_000)
      for name in ["ord", "srcChannel", "tsSuspect"] { try data.checkNumber(name) }
      // A beat whose time is in doubt is of no use between two others.
      if try data.number("tsSuspect") ?? 0 == 0, length > 0 {
        add(
          .rrInterval, Double(length) / 1000, digits: "\(length)", at: time, data.line,
          isStreamed: true, ordinal: Int(sequence * 65_536 + length))
      }
      return "\(time)/\(length)/\(sequence)"
    case .dailyMetric:
      try key.require(["day"])
      let day = try key.day("day")
      if let window, !(window.start..<window.end).contains(day) {
        throw PushRefusal(.outsideWindow, line: key.line)
      }
      for name in Self.dailyNumbers { try data.checkNumber(name) }
      let steps = try data.integerOrNull("steps", in: 0...1_000_000)
      if let steps, steps > 0, let midnight = HistoryTime(day: day) {
        entries.append(
          entry(.stepCount, Double(steps), digits: "\(steps)", at: midnight, data.line))
      }
      return day
    case .measurement:
      try key.require(["ts", "quantity"])
      let time = try key.seconds("ts")
      guard let quantity = Quantity(rawValue: try key.text("quantity")),
        let number = try data.number("value")
      else { throw PushRefusal(.invalidRecord, line: key.line) }
      let unit: UnitOfMeasure
      if let name = try data.textOrNull("unit") {
        guard let known = UnitOfMeasure(header: name) else {
          throw PushRefusal(.invalidRecord, line: key.line)
        }
        unit = known
      } else {
        unit = quantity.unit
      }
      var sink = HistorySink(.noop)
      sink.add(
        number, digits: "\(number)", quantity, in: unit, column: "value",
        HistorySink.Facts(line: key.line, time: .instant(time), source: device, takesZero: true))
      guard let entry = sink.entries.first, quantity.possible.contains(entry.value) else {
        throw PushRefusal(.invalidRecord, line: key.line)
      }
      entries.append(named(entry))
      return "\(time.timeIntervalSince1970)/\(quantity.rawValue)"
    }
  }

  /// The members of a day's figures that are numbers, of which the steps are kept: a mean of a day is no
  /// measurement.
  private static let dailyNumbers = [
    "totalSleepMin", "efficiency", "deepMin", "remMin", "lightMin", "disturbances", "restingHr",
    "avgHrv", "recovery", "strain", "exerciseCount", "spo2Pct", "skinTempDevC", "respRateBpm",
    "steps", "activeKcalEst", "spo2Red", "spo2Ir", "sleepPerformance", "sleepConsistency",
  ]

  private mutating func add(
    _ quantity: Quantity, _ value: Double, digits: String, at time: Int64, _ line: Int,
    isStreamed: Bool, ordinal: Int = 0
  ) {
    guard value > 0, quantity.possible.contains(value) else { return }
    let date = Date(timeIntervalSince1970: TimeInterval(time))
    var entry = entry(quantity, value, digits: digits, at: .instant(date), line)
    entry.isStreamed = isStreamed
    entry.ordinal = ordinal
    entries.append(entry)
  }

  private func entry(
    _ quantity: Quantity, _ value: Double, digits: String, at time: HistoryTime, _ line: Int
  ) -> HistoryEntry {
    named(
      HistoryEntry(
        line: line, quantity: quantity, value: value, digits: digits, time: time,
        source: device))
  }

  /// The entry, of the device in one installation: two installations may name a device alike.
  private func named(_ entry: HistoryEntry) -> HistoryEntry {
    var entry = entry
    entry.source = "\(source.prefix(8)) \(device)"
    return entry
  }

  /// The address under which the batch's device is stored.
  package var address: DeviceID { HistoryKind.noop.address(of: "\(source.prefix(8)) \(device)") }

  /// The answer that says that the batch is stored.
  package var acknowledgement: Data {
    var object = FHIRObject()
    object["protocolVersion"] = .string(version)
    object["batchId"] = .string(id)
    object["stream"] = .string(stream.rawValue)
    object["deviceId"] = .string(device)
    object["endCursor"] = end?.json ?? .null
    object["acceptedRows"] = FHIRDecimal("\(count)").map { .number($0) }
    object["status"] = "accepted"
    return FHIRJSON.text(of: .object(object))
  }

  /// The answer before a sender sends: the version that both know, and the streams that are kept.
  ///
  /// - Parameters:
  ///   - offered: The versions that the sender knows, the preferred one first: `1.1, 1.0`.
  ///   - state: The name of the store.
  /// - Returns: The answer, as JSON.
  /// - Throws: ``PushRefusal`` if no version is known.
  package static func capabilities(
    offered: String, state: UUID
  ) throws(PushRefusal) -> Data {
    let names = offered.split(separator: ",").map { String($0).trimmed }
    guard let version = names.first(where: versions.contains) else {
      throw PushRefusal(.noCommonVersion)
    }
    var object = FHIRObject()
    object["type"] = "capabilities"
    object["protocolVersion"] = .string(version)
    object["receiverStateId"] = .string(state.uuidString.lowercased())
    object["streams"] = .array(Stream.advertised.map { .string($0.rawValue) })
    return FHIRJSON.text(of: .object(object))
  }
}

/// Why a batch is not taken.
package struct PushRefusal: Error, Hashable, Sendable {
  /// The line, from 1, if it is one line's fault.
  package var line: Int?
  package var problem: Problem

  package enum Problem: String, Hashable, Sendable, CaseIterable {
    /// It is not what the protocol says a batch is.
    case malformed = "malformed_batch"
    /// It is longer than any batch.
    case tooLarge = "batch_too_large"
    case noCommonVersion = "no_common_version"
    case unsupportedVersion = "unsupported_version"
    case unknownStream = "unsupported_stream"
    /// Rows of the stream are added, or replaced, in the other way.
    case wrongDelivery = "registry_mismatch"
    case invalidRecord = "invalid_record"
    case duplicateKey = "duplicate_record_key"
    /// A row is of a day that the window does not have.
    case outsideWindow = "record_outside_window"
    /// Another batch had this id.
    case batchConflict = "batch_id_conflict"
    /// The window of this replacement was another one, or the part was.
    case windowConflict = "replacement_conflict"
    /// A later replacement has taken this one's place.
    case superseded = "replacement_superseded"
  }

  package init(_ problem: Problem, line: Int? = nil) {
    (self.problem, self.line) = (problem, line)
  }

  /// The answer to the sender, for programs.
  package var answer: Data {
    var object = FHIRObject()
    object["type"] = "error"
    object["protocolVersion"] = "1.0"
    object["code"] = .string(problem.rawValue)
    return FHIRJSON.text(of: .object(object))
  }
}

// MARK: - Members

/// The members of an object in a line, each of the type that the protocol says.
private struct Members {
  let line: Int
  private let object: FHIRObject

  init(_ bytes: ArraySlice<UInt8>, line: Int) throws(PushRefusal) {
    let value: FHIRValue
    do {
      value = try FHIRJSON.value(
        of: Data(bytes), largest: PushBatch.largest, mostValues: PushBatch.mostValues)
    } catch {
      throw PushRefusal(.malformed, line: line)
    }
    guard let object = value.object else { throw PushRefusal(.malformed, line: line) }
    self.init(object, line: line)
  }

  private init(_ object: FHIRObject, line: Int) { (self.object, self.line) = (object, line) }

  var malformed: PushRefusal { PushRefusal(line == 1 ? .malformed : .invalidRecord, line: line) }

  subscript(name: String) -> FHIRValue? { object[name] }

  /// Demands these members and no others.
  func require(_ names: Set<String>) throws(PushRefusal) {
    guard Set(object.members.map(\.key)) == names else { throw malformed }
  }

  func text(_ name: String) throws(PushRefusal) -> String {
    guard let text = object[name]?.text else { throw malformed }
    return text
  }

  func textOrNull(_ name: String) throws(PushRefusal) -> String? {
    guard let value = object[name], value != .null else { return nil }
    guard let text = value.text else { throw malformed }
    return text
  }

  func object(_ name: String) throws(PushRefusal) -> Members {
    guard let object = object[name]?.object else { throw malformed }
    return Members(object, line: line)
  }

  /// A number; `nil` for null or nothing.
  func number(_ name: String) throws(PushRefusal) -> Double? {
    guard let value = object[name], value != .null else { return nil }
    guard case .number(let decimal) = value, let number = Double(decimal.description),
      number.isFinite
    else { throw malformed }
    return number
  }

  func checkNumber(_ name: String) throws(PushRefusal) { _ = try number(name) }

  func integerOrNull(
    _ name: String, in range: ClosedRange<Int64>
  ) throws(PushRefusal) -> Int64? {
    guard let value = object[name], value != .null else { return nil }
    guard case .number(let decimal) = value, let number = Int64(decimal.description),
      range.contains(number)
    else { throw malformed }
    return number
  }

  func integer(_ name: String, in range: ClosedRange<Int64>) throws(PushRefusal) -> Int64 {
    guard let number = try integerOrNull(name, in: range) else { throw malformed }
    return number
  }

  /// Whole seconds since 1970, of a time that a store can have.
  func time() throws(PushRefusal) -> Int64 { try integer("ts", in: 0...253_402_300_799) }

  /// Seconds since 1970.
  func seconds(_ name: String) throws(PushRefusal) -> Date {
    guard let number = try number(name), (0...253_402_300_799).contains(number) else {
      throw malformed
    }
    return Date(timeIntervalSince1970: number)
  }

  /// A UUID as the protocol writes it, in lower case.
  func identifier(_ name: String) throws(PushRefusal) -> String {
    let text = try text(name)
    guard UUID(uuidString: text)?.uuidString.lowercased() == text else { throw malformed }
    return text
  }

  /// A day, `2026-08-05`.
  func day(_ name: String) throws(PushRefusal) -> String {
    let text = try text(name)
    guard text.wholeMatch(of: #/[0-9]{4}-[0-9]{2}-[0-9]{2}/#) != nil,
      HistoryTime(day: text) != nil
    else { throw malformed }
    return text
  }

  func cursor(_ name: String) throws(PushRefusal) -> PushBatch.Cursor? {
    guard let value = object[name], value != .null else { return nil }
    guard let object = value.object else { throw malformed }
    let members = Members(object, line: line)
    let key = try members.text("keySha256")
    guard key.wholeMatch(of: #/[0-9a-f]{64}/#) != nil else { throw malformed }
    return PushBatch.Cursor(row: try members.integer("rowId", in: 0...Int64.max), key: key)
  }
}
