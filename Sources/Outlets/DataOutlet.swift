package import Care
package import Foundation

/// A kind of receiver to which measurements go by themselves.
///
/// A kind is one file: how a batch becomes requests, and what an answer means. What goes, when, and again
/// after a failure is the frame's: ``OutletCourse`` and ``OutletWindow``.
package protocol DataOutlet: Sendable {
  /// The most values of one batch; an hour of a stream with more is sent in parts.
  var mostValues: Int { get }
  /// Whether an hour of a stream is one value, however many it has.
  var takesHoursWhole: Bool { get }
  /// Whether it only notes what is to go: that it could do so says nothing of the receiver.
  var isNote: Bool { get }
  /// The name by which the receiver knows an item: it follows from what the item is, so that sending
  /// it again is no second one.
  func name(of item: FeedItem) -> String
  /// Sends a batch, and says what became of it.
  func send(_ batch: [OutletPiece]) async -> OutletAnswer
  /// Asks the receiver whether it would take something, without sending any measurement.
  func test() async -> DeliveryResult
}

extension DataOutlet {
  package var mostValues: Int { 100 }
  package var takesHoursWhole: Bool { false }
  package var isNote: Bool { false }

  package func name(of item: FeedItem) -> String { item.id.text }
}

extension FeedItem {
  /// The name that follows from what it is: the measurement and the person.
  ///
  /// A correction keeps it; what is moved to another person has another one.
  package var id: ItemID {
    ItemID(of: ["measurement", FeedOrigin.text(origin), patient])
  }
}

extension FeedOrigin {
  fileprivate static func text(_ origin: FeedOrigin) -> String { origin.bytes.hexString }
}

/// One change that a receiver is told of.
package enum OutletChange: Hashable, Sendable {
  /// The item as it stands now. `isKnown`: the receiver may have an earlier version of it.
  case put(FeedItem, name: String, isKnown: Bool)
  /// It stands no more: it was deleted, moved to another person, or erased.
  case remove(HeldItem)

  /// The name by which the receiver knows it.
  package var name: String {
    switch self {
    case .put(_, let name, _): name
    case .remove(let item): item.name
    }
  }
}

/// A change, or one part of the values of an hour.
package struct OutletPiece: Hashable, Sendable {
  package var change: OutletChange
  /// The number of the change in the store: of two versions of one name, the greater one is the newer.
  package var number: Int64
  /// Which part of how many it is, from 0.
  package var part: Int
  package var parts: Int
  /// The values of this part.
  package var samples: ArraySlice<Sample>

  /// Makes a piece.
  package init(
    _ change: OutletChange, number: Int64, part: Int = 0, parts: Int = 1,
    samples: ArraySlice<Sample> = []
  ) {
    (self.change, self.number) = (change, number)
    (self.part, self.parts, self.samples) = (part, parts, samples)
  }
}

/// The outcome of a batch.
package struct OutletAnswer: Hashable, Sendable {
  /// How the attempt ended; of `refused`, the frame finds out which change is to blame.
  package var result: DeliveryResult
  /// The pieces of a delivered batch that were not taken, by their place.
  package var refused: [Int: DeliveryFault]

  /// Makes an answer.
  package init(_ result: DeliveryResult, refused: [Int: DeliveryFault] = [:]) {
    self.result = result
    self.refused = refused
  }
}

/// The measurements that may leave by an outlet.
package struct OutletScope: Hashable, Sendable {
  /// Whose; `nil` for everyone's.
  package var people: Set<String>?
  /// Which quantities; `nil` for all.
  package var quantities: Set<Quantity>?
  /// The earliest start; `nil` for none.
  package var since: Date?
  /// The people whose consent is open or withdrawn.
  package var withheld: Set<String> = []

  /// Makes a scope.
  package init(
    people: Set<String>?, quantities: Set<Quantity>? = nil, since: Date? = nil,
    withheld: Set<String> = []
  ) {
    (self.people, self.quantities) = (people, quantities)
    (self.since, self.withheld) = (since, withheld)
  }

  /// Whether an item may leave.
  package func permits(_ item: FeedItem) -> Bool {
    (people?.contains(item.patient) ?? true) && !withheld.contains(item.patient)
      && (quantities?.contains(item.quantity) ?? true) && since.map { item.start >= $0 } ?? true
  }
}
