import Care
import Foundation

// The lines of an exported store, as values: each says itself as text and reads itself from it.

/// The format of an exported store.
///
/// The first line is ``header``. Each further line is a JSON object with sorted keys, of which
/// `kind` names the kind. Instants are whole microseconds since 1970, bytes are hex digits, and
/// what is empty or `false` is left out. Lines are sorted by kind and id; ``ExportedEnd`` is the
/// last one.
enum Export {
  /// The version of the format.
  static let version = 1
  /// The first line.
  static let header = #"{"measured-store":\#(version)}"#
  /// The most bytes of a line: a part of a picture, or an hour's samples, with room to spare.
  static let longestLine = 1 << 25
  /// The most values of a line: each takes many times its bytes while it is read.
  static let mostValues = 1 << 18
  /// The most samples of a line; those of an hour with more follow on further lines.
  static let longestBlock = 4096
  /// The instants that a line may contain: the years 1 to 9999, µs since 1970.
  static let dates = Int64(-62_135_769_600_000_000)...253_402_300_799_999_999
}

/// The stamp of a row: the writer's own name, and the row's number among the writer's.
struct ExportedStamp: Hashable, Comparable {
  var writer: String
  var clock: Int64

  static func < (a: Self, b: Self) -> Bool { (a.writer, a.clock) < (b.writer, b.clock) }
}

/// A version of a thing of the plan, with what it follows and whether it was taken back.
struct ExportedVersion: Decodable, Hashable {
  var uuid: UUID
  var type: String
  var patient: String
  var id: String
  var effective: Int64
  var created: Int64
  var deleted: Int64?
  var ended: Bool?
  var closesLater: Bool?
  var imported: Bool?
  var payload: String
  /// The uuids of the versions that it follows, sorted.
  var parents: [String]?
  /// When it was taken back (1) or counted again (0), by date.
  var withdrawals: [[Int64]]?
  var writer: String
  var clock: Int64

  var stamp: ExportedStamp {
    get { ExportedStamp(writer: writer, clock: clock) }
    set { (writer, clock) = (newValue.writer, newValue.clock) }
  }

  var line: String {
    var line = JSONLine(kind: "version")
    line.set("uuid", uuid.uuidString)
    line.set("type", type)
    line.set("patient", patient)
    line.set("id", id)
    line.set("effective", effective)
    line.set("created", created)
    line.set("deleted", deleted)
    line.set("ended", ended == true)
    line.set("closesLater", closesLater == true)
    line.set("imported", imported == true)
    line.set("payload", payload)
    line.set("parents", array: (parents ?? []).map(JSONLine.quoted))
    line.set("withdrawals", array: (withdrawals ?? []).map { "[\($0[0]),\($0[1])]" })
    line.set("writer", writer)
    line.set("clock", clock)
    return line.text
  }
}

/// A version of an event's outcome.
struct ExportedOutcome: Decodable, Hashable {
  var uuid: UUID
  var patient: String
  var task: String
  var start: Int64
  var ordinal: Int?
  var end: Int64
  var taskVersion: UUID
  var occurrence: Int
  var answer: String
  var reason: String?
  var answered: Int64?
  var created: Int64
  var deleted: Int64?
  var parents: [String]?
  var values: [Entry]?
  var writer: String
  var clock: Int64

  /// A value: the field that is set is its type.
  struct Entry: Decodable, Hashable {
    var integer: Int64?
    var double: Double?
    var boolean: Bool?
    var text: String?
    var binary: String?
    var date: Int64?
    /// The SHA-256 digest of a picture or video, whose bytes are lines of their own.
    var attachment: String?
    var media: String?
    var bytes: Int?
    var unit: String?
    var part: String?
    var time: Int64
    var provenance: Provenance

    var line: String {
      var line = JSONLine()
      line.set("integer", integer)
      line.set("double", double)
      if let boolean { line.set("boolean", json: boolean ? "true" : "false") }
      line.set("text", text)
      line.set("binary", binary)
      line.set("date", date)
      line.set("attachment", attachment)
      line.set("media", media)
      line.set("bytes", bytes)
      line.set("unit", unit)
      line.set("part", part)
      line.set("time", time)
      line.set("provenance", provenance.rawValue)
      return line.text
    }
  }

  var line: String {
    var line = JSONLine(kind: "outcome")
    line.set("uuid", uuid.uuidString)
    line.set("patient", patient)
    line.set("task", task)
    line.set("start", start)
    line.set("ordinal", ordinal.flatMap { $0 == 0 ? nil : $0 })
    line.set("end", end)
    line.set("taskVersion", taskVersion.uuidString)
    line.set("occurrence", occurrence)
    line.set("answer", answer)
    line.set("reason", reason)
    line.set("answered", answered)
    line.set("created", created)
    line.set("deleted", deleted)
    line.set("parents", array: (parents ?? []).map(JSONLine.quoted))
    line.set("values", array: (values ?? []).map(\.line))
    line.set("writer", writer)
    line.set("clock", clock)
    return line.text
  }
}

/// A single measurement, and whose it was found to be on arrival.
struct ExportedSample: Decodable, Hashable {
  var identity: String
  var device: String
  var quantity: String
  var user: Int?
  var ordinal: Int?
  var definition: String?
  /// Which of a measurement's values it is.
  var part: String?
  var provenance: Provenance
  var value: Double
  var unit: String?
  var sourceValue: Double?
  var start: Int64
  var end: Int64?
  var arrival: Int64
  var deviceTime: String?
  var untrustedClock: Bool?
  var broadcast: Bool?
  var raw: String?
  /// The device's remarks on the measurement, as names.
  var context: [String]?
  /// The total that the device sent, and how it counts.
  var total: Double?
  var counter: String?
  var corrects: String?
  var attributed: String?
  var reason: String?

  var line: String {
    var line = JSONLine(kind: "sample")
    line.set("identity", identity)
    line.set("device", device)
    line.set("quantity", quantity)
    line.set("user", user)
    line.set("ordinal", ordinal.flatMap { $0 == 0 ? nil : $0 })
    line.set("definition", definition)
    line.set("part", part)
    line.set("provenance", provenance.rawValue)
    line.set("value", value)
    line.set("unit", unit)
    line.set("sourceValue", sourceValue)
    line.set("start", start)
    line.set("end", end.flatMap { $0 == start ? nil : $0 })
    line.set("arrival", arrival)
    line.set("deviceTime", deviceTime)
    line.set("untrustedClock", untrustedClock == true)
    line.set("broadcast", broadcast == true)
    line.set("raw", raw?.nonEmpty)
    line.set("context", array: (context ?? []).map(JSONLine.quoted))
    line.set("total", total)
    line.set("counter", counter)
    line.set("corrects", corrects)
    line.set("attributed", attributed)
    line.set("reason", reason)
    return line.text
  }
}

/// The streamed samples of one series, source, hour and attribution, by start and ordinal.
struct ExportedBlock: Decodable {
  var device: String
  var quantity: String
  var user: Int?
  var definition: String?
  var provenance: Provenance
  var attributed: String?
  var reason: String?
  /// One element for each sample; `length` and `ordinal` are left out if all are 0, `raw` if all
  /// are empty.
  var start: [Int64]
  var length: [Int64]?
  var arrival: [Int64]
  var ordinal: [Int]?
  var value: [Double]
  var raw: [String]?

  /// The line of samples that have the rest in common.
  static func line(_ key: HourKey, _ samples: ArraySlice<StreamedSample>) -> String {
    var line = JSONLine(kind: "block")
    line.set("device", key.device)
    line.set("quantity", key.quantity)
    line.set("user", key.user < 0 ? nil : key.user)
    line.set("definition", key.definition.nonEmpty)
    line.set("provenance", key.provenance)
    line.set("attributed", key.attributed)
    line.set("reason", key.reason)
    line.set("start", array: samples.map { String($0.start) })
    if samples.contains(where: { $0.end != $0.start }) {
      line.set("length", array: samples.map { String($0.end &- $0.start) })
    }
    line.set("arrival", array: samples.map { String($0.arrival) })
    if samples.contains(where: { $0.ordinal != 0 }) {
      line.set("ordinal", array: samples.map { String($0.ordinal) })
    }
    line.set("value", array: samples.map { String($0.value) })
    if samples.contains(where: { !$0.raw.isEmpty }) {
      line.set("raw", array: samples.map { "\"\($0.raw.hexString)\"" })
    }
    return line.text
  }
}

/// The fields that the samples of exported blocks have in common.
struct HourKey: Hashable {
  var device: String
  var quantity: String
  /// -1 without a user slot.
  var user: Int
  var hour: Int64
  var definition: String
  var provenance: String
  var attributed: String?
  var reason: String?
}

/// A change of samples.
struct ExportedChange: Decodable, Hashable {
  var uuid: UUID
  var identity: String?
  var device: String
  var from: Int64?
  var to: Int64?
  var change: String
  var patient: String?
  var decidedBy: String
  var reason: String?
  var created: Int64
  var writer: String
  var clock: Int64

  var line: String {
    var line = JSONLine(kind: "change")
    line.set("uuid", uuid.uuidString)
    line.set("identity", identity)
    line.set("device", device)
    line.set("from", from)
    line.set("to", to)
    line.set("change", change)
    line.set("patient", patient)
    line.set("decidedBy", decidedBy)
    line.set("reason", reason)
    line.set("created", created)
    line.set("writer", writer)
    line.set("clock", clock)
    return line.text
  }
}

/// A patient's change of id.
struct ExportedAlias: Decodable, Hashable {
  var old: String
  var date: Int64
  var new: String

  var line: String {
    var line = JSONLine(kind: "alias")
    line.set("old", old)
    line.set("date", date)
    line.set("new", new)
    return line.text
  }
}

/// The mark of what was erased.
struct ExportedErasure: Decodable, Hashable {
  var mark: String
  var date: Int64

  var line: String {
    var line = JSONLine(kind: "erasure")
    line.set("mark", mark)
    line.set("date", date)
    return line.text
  }
}

/// A version that was taken back, or counted again, without the version itself.
struct ExportedWithdrawal: Decodable, Hashable {
  var version: UUID
  var date: Int64
  var withdrawn: Bool?

  var line: String {
    var line = JSONLine(kind: "withdrawal")
    line.set("version", version.uuidString)
    line.set("date", date)
    line.set("withdrawn", withdrawn == true)
    return line.text
  }
}

/// A store that wrote rows, and the highest clock of its rows.
struct ExportedWriter: Decodable, Hashable {
  var uuid: UUID
  var clock: Int64

  var line: String {
    var line = JSONLine(kind: "writer")
    line.set("uuid", uuid.uuidString)
    line.set("clock", clock)
    return line.text
  }
}

/// The zone of the plan that was imported last.
struct ExportedZone: Decodable, Hashable, Comparable {
  /// When it was imported: of two zones the later one holds, of one date the greater name.
  var date: Int64
  /// The IANA name; `nil` if the first import was taken back.
  var zone: String?

  var line: String {
    var line = JSONLine(kind: "zone")
    line.set("date", date)
    line.set("zone", zone)
    return line.text
  }

  static func < (a: Self, b: Self) -> Bool { (a.date, a.zone ?? "") < (b.date, b.zone ?? "") }
}

/// A line of an exported store.
enum ExportedRow: Decodable {
  case version(ExportedVersion)
  case outcome(ExportedOutcome)
  case sample(ExportedSample)
  case block(ExportedBlock)
  case change(ExportedChange)
  case alias(ExportedAlias)
  case attachment(ExportedAttachment)
  case erasure(ExportedErasure)
  case firing(ExportedFiring)
  case withdrawal(ExportedWithdrawal)
  case writer(ExportedWriter)
  case zone(ExportedZone)
  case end(ExportedEnd)

  private enum CodingKeys: CodingKey {
    case kind
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let kind = try container.decode(String.self, forKey: .kind)
    self =
      switch kind {
      case "version": .version(try ExportedVersion(from: decoder))
      case "outcome": .outcome(try ExportedOutcome(from: decoder))
      case "sample": .sample(try ExportedSample(from: decoder))
      case "block": .block(try ExportedBlock(from: decoder))
      case "change": .change(try ExportedChange(from: decoder))
      case "alias": .alias(try ExportedAlias(from: decoder))
      case "attachment": .attachment(try ExportedAttachment(from: decoder))
      case "erasure": .erasure(try ExportedErasure(from: decoder))
      case "firing": .firing(try ExportedFiring(from: decoder))
      case "withdrawal": .withdrawal(try ExportedWithdrawal(from: decoder))
      case "writer": .writer(try ExportedWriter(from: decoder))
      case "zone": .zone(try ExportedZone(from: decoder))
      case "end": .end(try ExportedEnd(from: decoder))
      default: throw StoreError.ExportDamage.unknownKind(kind)
      }
  }
}
