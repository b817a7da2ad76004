public import Foundation

/// A message to one person, on its way or at its end.
public struct OutboxItem: Hashable, Sendable, Identifiable, Codable {
  /// How far a message is.
  public enum State: String, Hashable, Sendable, Codable, CaseIterable {
    /// It is due later, or is tried again.
    case waiting
    /// An attempt is under way, or was when the program ended.
    case trying
    /// The other side has it.
    case sent
    /// The other side has it, and perhaps shows it twice.
    case perhaps
    /// No way takes it.
    case refused
    /// It was answered or of no use any more before it was sent, or is taken back.
    case withdrawn
  }

  public var id: ItemID
  /// The occasion; `nil` for a message that holds several.
  public var occasion: ItemID?
  public var key: Occasion.Key
  public var recipient: Recipient
  /// When it was measured, or became due.
  public var happened: Date
  /// How long nobody had answered, in seconds.
  public var after: TimeInterval
  /// When it is sent.
  public var due: Date
  /// From when on it is of no use; `nil` for never.
  public var until: Date?
  public var isUrgent: Bool
  public var showsValue: Bool
  public var state = State.waiting
  /// The message that holds it, in place of one of its own.
  public var within: ItemID?
  /// The way that may have it, or has it.
  public var way: Int?
  /// The ways that do not take it.
  public var refusedBy: Set<Int> = []
  /// The ways whose answers were lost several times in a row.
  ///
  /// They are tried again after the others. An item of an earlier program has none.
  public var unsureBy: Set<Int>?
  public var attempts = 0
  /// The attempts in a row whose answer was lost.
  public var unknowns = 0
  /// Whether a way that shows everything it gets may have got it before.
  public var isPerhapsTwice = false
  /// When somebody answered, or it held no longer.
  public var answered: Date?
  /// Whether the other side took it back; `nil` if it was not asked, or has not answered.
  public var isTakenBack: Bool?
  /// When it came to its end.
  public var finished: Date?
  /// Why the last attempt failed.
  public var fault: DeliveryFault?

  /// Makes an item that waits.
  public init(
    id: ItemID, occasion: ItemID?, key: Occasion.Key, recipient: Recipient, happened: Date,
    after: TimeInterval = 0, due: Date, until: Date? = nil, isUrgent: Bool = false,
    showsValue: Bool = false
  ) {
    self.id = id
    self.occasion = occasion
    self.key = key
    self.recipient = recipient
    self.happened = happened
    self.after = after
    self.due = due
    self.until = until
    self.isUrgent = isUrgent
    self.showsValue = showsValue
  }

  /// The same message about a person who has another id by now.
  ///
  /// Its own name stays: the other side knows it by that.
  package func about(_ patient: String?) -> OutboxItem {
    guard key.patient != nil, key.patient != patient else { return self }
    var item = self
    item.key.patient = patient
    if occasion != nil { item.occasion = item.key.id }
    return item
  }

  /// Whether it holds several messages.
  public var isGroup: Bool { occasion == nil }

  /// Whether the other side is to take it back.
  public var awaitsTakingBack: Bool { state == .withdrawn && way != nil && isTakenBack == nil }

  /// Whether the other side has it.
  public var hasArrived: Bool { state == .sent || state == .perhaps }

  /// Whether something is still to be done with it.
  public var isActive: Bool { state == .waiting || state == .trying || awaitsTakingBack }
}

/// One way to one person.
public struct WayID: Hashable, Comparable, Sendable {
  public var recipient: Recipient
  /// Its place among the ways of the person, from 0.
  public var index: Int

  /// Makes an id.
  public init(_ recipient: Recipient, _ index: Int) {
    self.recipient = recipient
    self.index = index
  }

  public static func < (one: Self, other: Self) -> Bool {
    (one.recipient, one.index) < (other.recipient, other.index)
  }
}

/// How one way has done so far.
public struct WayState: Hashable, Sendable, Codable {
  public var backOff = BackOff()
  /// When it is tried again after a failure; `nil` if it works.
  public var next: Date?
  public var isPaused = false
  public var lastSuccess: Date?
  public var lastFailure: Date?
  /// Why the last attempt failed; `nil` after a success.
  public var fault: DeliveryFault?

  /// Makes the state of a way that was never tried.
  public init() {}
}

/// One thing to do: a message to send, or to take back.
public struct OutboxAttempt: Hashable, Sendable {
  public var item: OutboxItem
  /// The messages that it holds, by due date.
  public var members: [OutboxItem]
  public var way: WayID
  /// Whether the other side is to take it back.
  public var takesBack: Bool
}
