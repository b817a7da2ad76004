package import Care
import Digests
import Foundation

/// A file of a person's day.
package struct DayFile: Hashable, Sendable {
  /// The end of its name, behind the day: `.csv`.
  package var end: String
  /// `text/csv; charset=utf-8`.
  package var type: String
  /// The file, which a day without anything may have, too; `nil` where there is none.
  package var bytes: [UInt8]?
  /// Whether nothing is in it.
  package var isEmpty: Bool

  /// Makes a file.
  package init(end: String, type: String, bytes: [UInt8]?, isEmpty: Bool) {
    (self.end, self.type, self.bytes, self.isEmpty) = (end, type, bytes, isEmpty)
  }
}

/// The files of a person's day, and how many values of which quantities they have.
package struct DayContent: Hashable, Sendable {
  package var files: [DayFile]
  package var counts: [Quantity: Int]

  /// Makes the content of a day.
  package init(files: [DayFile], counts: [Quantity: Int]) {
    (self.files, self.counts) = (files, counts)
  }

  /// Whether nothing is in the files.
  var isEmpty: Bool { files.allSatisfy(\.isEmpty) }

  /// A text that tells it from another content.
  var digest: String {
    ItemID(of: files.flatMap { [$0.end, SHA256.digest(of: $0.bytes ?? []).hexString] }).text
  }

  /// The bytes of all files.
  var size: Int { files.reduce(0) { $0 + ($1.bytes?.count ?? 0) } }
}

/// A day of a person, as the names of files have it.
struct DayName: Hashable, Comparable {
  var patient: String
  /// `2026-11-20`.
  var day: String

  init(_ patient: String, _ day: String) { (self.patient, self.day) = (patient, day) }

  /// Reads the name of a row of the ledger; `nil` for what is none.
  init?(_ text: String) {
    guard text.count > 11, text.dropLast(10).last == " " else { return nil }
    self.init(String(text.dropLast(11)), String(text.suffix(10)))
  }

  var text: String { "\(patient) \(day)" }

  /// The name of a file of it, which is the same whenever it goes: the id, as far as a name may have its
  /// characters, and the day.
  func file(_ end: String) -> String {
    patient.unicodeScalars.map { scalar in
      if scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "-" {
        return String(scalar)
      }
      return String(scalar).utf8.map { "%" + [$0].hexString }.joined()
    }.joined() + "-" + day + end
  }

  static func < (a: Self, b: Self) -> Bool { (a.day, a.patient) < (b.day, b.patient) }

  /// From its first moment to the next day's; `nil` for what is no day.
  func interval(in zone: TimeZone) -> DateInterval? {
    let parts = day.split(separator: "-").compactMap { Int($0) }
    guard parts.count == 3 else { return nil }
    let calendar = Calendar.gregorian(in: zone)
    // Not every day has a midnight.
    let noon = calendar.date(
      from: DateComponents(year: parts[0], month: parts[1], day: parts[2], hour: 12))
    return noon.flatMap { calendar.dateInterval(of: .day, for: $0) }
  }
}

extension Calendar {
  static func gregorian(in zone: TimeZone) -> Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = zone
    return calendar
  }
}
