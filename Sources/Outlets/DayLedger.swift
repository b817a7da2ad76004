import Care
package import CareStore
package import Foundation
import Interchange
import Synchronization

/// The state of a person's day: since when it waits for a mail, and what the receiver has of it.
struct DayRecord: Hashable, Codable {
  /// Since when it waits; `nil` if the receiver has it as it is.
  var waits: Date?
  /// Whether it goes although the receiver has it, and at once.
  var isForced = false
  /// How often it went, and to whom, and the digest of what went last.
  var sent = 0
  var receiver: String?
  var digest: String?

  init() {}

  /// Reads a row of a ledger; `nil` for what is none.
  init?(_ item: PublishedItem) {
    guard let text = item.digest,
      let record = try? JSONDecoder().decode(Self.self, from: Data(text.utf8))
    else { return nil }
    self = record
  }

  /// Stores it.
  ///
  /// - Throws: ``StoreError``, `EncodingError`.
  func keep(_ day: DayName, by outlet: String, in writer: any OutletWriter, now: Date) throws {
    guard waits != nil || sent > 0 else { return try writer.removePublished(day.text, by: outlet) }
    let text = String(decoding: try JSONText.of(self), as: UTF8.self)
    try writer.putPublished(
      PublishedItem(name: day.text, digest: text, date: waits ?? now), by: outlet)
  }
}

/// The days of people that changed and wait for a mail, and those that a receiver has.
///
/// It stands where a broker's topics stand in the store: the row of a day is named by person and day.
package final class DayLedger: Sendable {
  let outlet: String
  let store: SQLStore
  let zone: TimeZone
  let now: @Sendable () -> Date
  private let news = Mutex(true)

  /// Makes the ledger of an outlet, with the zone of its days.
  package init(
    of outlet: String, in store: SQLStore, zone: TimeZone, now: @escaping @Sendable () -> Date
  ) {
    (self.outlet, self.store, self.zone, self.now) = (outlet, store, zone, now)
  }

  /// Whether a day was noted, or is tried again, since somebody looked.
  var hasNews: Bool {
    get { news.withLock { $0 } }
    set { news.withLock { $0 = newValue } }
  }

  /// Notes that a day has changed; one that was refused is tried again.
  func note(_ patient: String, on date: Date) async -> DeliveryResult {
    let day = DayName(patient, String(date.rfc3339(in: zone).prefix(10)))
    hasNews = true
    do {
      try await store.writeOutlets { [outlet, now = now()] writer in
        let item = try writer.published(by: outlet, named: day.text)
        var record = item.flatMap(DayRecord.init) ?? DayRecord()
        // A day that changes again and again does not wait longer for it.
        record.waits = record.waits ?? now
        let past = try OutletCourse(outlet, in: writer).backfill
        record.isForced = record.isForced || past?.isForced ?? false
        try record.keep(day, by: outlet, in: writer, now: now)
        try writer.removeRefused(day.text, by: outlet)
      }
      return .delivered
    } catch {
      return .later(.unexpected(detail: "\(error)"), after: nil)
    }
  }

  /// Since when the day waits that waits longest; `nil` if none does.
  ///
  /// - Throws: ``StoreError``.
  package static func oldest(of outlet: String, in reader: any OutletReader) throws -> Date? {
    try reader.published(by: outlet).compactMap { DayRecord($0)?.waits }.min()
  }
}
