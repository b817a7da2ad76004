package import Agenda
package import Care
package import Foundation

extension Morning {
  /// Reads the morning of a store to which boxes speak.
  ///
  /// - Throws: ``StoreError``.
  package init(_ reader: any StoreReader, boxes: [Enrolment.Known], now: Date) throws {
    var news: [String: [BoxNews]] = [:]
    for box in boxes where !box.membership.isRevoked {
      for person in box.membership.people { news[person, default: []].append(BoxNews(box)) }
    }
    try self.init(reader, boxes: news, longestPause: SyncPace.longest, now: now)
  }
}

extension BoxNews {
  init(_ box: Enrolment.Known) {
    self.init(
      contact: box.contact, program: box.report?.program, faults: box.report?.faults ?? [],
      radioFailedSince: box.report?.radioFailedSince,
      offs: box.report?.spans ?? [], clock: box.clock)
  }
}
