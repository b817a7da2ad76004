package import Foundation

// The changes of a store's measurements in the order of storing, as whoever passes them on reads them.

/// The name of a measurement, or of one hour of a stream, that outlives it: the mark of its erasure.
package struct FeedOrigin: Hashable, Sendable {
  /// 16 bytes of a digest.
  package let bytes: [UInt8]

  /// Takes the bytes of a digest.
  package init(bytes: [UInt8]) { self.bytes = bytes }
}

/// The values that stand for one measurement, or for one hour of a stream, as one person's.
package struct FeedItem: Hashable, Sendable {
  package var origin: FeedOrigin
  package var patient: String
  /// The value; the pressures of one measurement, the systolic one first; the values of an hour by start.
  package var samples: [Sample]
  /// The hour of a stream; `nil` for a measurement.
  package var hour: Date?
  package var quantity: Quantity
  package var start: Date

  /// Makes an item; `nil` without samples.
  package init?(origin: FeedOrigin, patient: String, samples: [Sample], hour: Date? = nil) {
    guard let first = samples.first else { return nil }
    self.origin = origin
    self.patient = patient
    self.samples = samples
    self.hour = hour
    quantity = first.quantity
    start = hour ?? first.start
  }
}

/// Where an entry of a feed is read again.
package enum FeedPlace: Hashable, Sendable, Codable {
  /// The row of a sample.
  case sample(Int64)
  /// An hour of a series, counted from 1970.
  case hour(series: Int64, hour: Int64)
}

/// One change of a store, with everything that stands for it now.
package struct FeedEntry: Sendable {
  /// Its place in the order of storing.
  package var number: Int64
  /// The number of the latest change of what it shows.
  package var latest: Int64
  /// `nil` of an erasure, which leaves nothing to read.
  package var place: FeedPlace?
  /// The origins: a receiver that holds something of these and finds no item of it takes it back.
  package var origins: [FeedOrigin]
  package var items: [FeedItem]
  /// The mark of a person or a stream that was erased.
  package var erasure: String?
  /// Whether it is an hour of a stream that is not over, and was not read.
  package var isOpen: Bool

  /// Makes an entry.
  package init(
    number: Int64, latest: Int64, place: FeedPlace?, origins: [FeedOrigin] = [],
    items: [FeedItem] = [], erasure: String? = nil, isOpen: Bool = false
  ) {
    (self.number, self.latest, self.place) = (number, latest, place)
    (self.origins, self.items) = (origins, items)
    (self.erasure, self.isOpen) = (erasure, isOpen)
  }
}

/// The part of a feed that was read at once.
package struct FeedPage: Sendable {
  package var entries: [FeedEntry] = []
  /// Everything up to this number was read.
  package var end: Int64
  /// Whether there is nothing after it.
  package var isLast: Bool

  /// Makes a page.
  package init(entries: [FeedEntry] = [], end: Int64, isLast: Bool) {
    (self.entries, self.end, self.isLast) = (entries, end, isLast)
  }
}

/// A thing that a receiver holds, or may hold.
package struct HeldItem: Hashable, Sendable {
  package var origin: FeedOrigin
  package var patient: String
  /// The name under which it was sent.
  package var name: String
  package var quantity: Quantity
  package var start: Date
  /// Whether it is an hour of a stream.
  package var isHour: Bool
  /// The number of the change that the receiver has confirmed; `nil` before the first.
  package var confirmed: Int64?
  /// Whether the receiver refused to give it back.
  package var isKept: Bool

  /// Makes one.
  package init(
    origin: FeedOrigin, patient: String, name: String, quantity: Quantity, start: Date,
    isHour: Bool, confirmed: Int64? = nil, isKept: Bool = false
  ) {
    (self.origin, self.patient, self.name) = (origin, patient, name)
    (self.quantity, self.start, self.isHour) = (quantity, start, isHour)
    (self.confirmed, self.isKept) = (confirmed, isKept)
  }
}

/// An item that a receiver did not take, with its words.
package struct RefusedItem: Hashable, Sendable {
  package var name: String
  /// `nil` of a removal of what was erased.
  package var place: FeedPlace?
  package var date: Date
  /// Why, as JSON.
  package var fault: String
  /// Whether it is to be tried again.
  package var isDue: Bool

  /// Makes one.
  package init(
    name: String, place: FeedPlace?, date: Date, fault: String, isDue: Bool = false
  ) {
    (self.name, self.place, self.date) = (name, place, date)
    (self.fault, self.isDue) = (fault, isDue)
  }
}

/// A retained topic that a broker has, or may have, or an event that it was told of.
package struct PublishedItem: Hashable, Sendable {
  /// The topic, or the event's id.
  package var name: String
  package var isEvent: Bool
  /// The digest of the payload that the broker answered; `nil` while no answer has come.
  package var digest: String?
  /// Whether that answer was a refusal.
  package var isRefused: Bool
  /// When it was noted.
  package var date: Date

  /// Makes one.
  package init(
    name: String, isEvent: Bool = false, digest: String? = nil, isRefused: Bool = false, date: Date
  ) {
    (self.name, self.isEvent, self.digest) = (name, isEvent, digest)
    (self.isRefused, self.date) = (isRefused, date)
  }
}
