import Access
package import CareStore
package import Foundation
package import Outlets

/// One thing that a person or a program does with the messages on their way: as ``Action``, on a store
/// that keeps them.
package protocol MessageAction<Result>: Sendable {
  /// The result, for the caller.
  associatedtype Result: Sendable

  /// Performs the action.
  ///
  /// - Throws: ``AccessDenied``, ``UnknownOutlet``, `StoreError`; nothing is then changed.
  func perform(in writer: any MessageWriter, by performer: Performer, now: Date) throws -> Result
}

/// Stops the messages to a person, or the measurements to a receiver, or goes on with them.
package struct PauseOutlet: MessageAction {
  package var name: String
  package var isPaused: Bool

  /// Makes the action.
  package init(_ name: String, _ isPaused: Bool) { (self.name, self.isPaused) = (name, isPaused) }

  package func perform(in writer: any MessageWriter, by performer: Performer, now: Date) throws {
    try performer.demand(.plan, on: .box)
    guard try !writer.isReceiver(name) else {
      return try writer.changeReceiver(name) { course in
        course.isPaused = isPaused
        course.retryNow()
      }
    }
    var outbox = try Outbox(writer, now: now, since: .distantPast)
    let recipient = try outbox.recipient(named: name)
    // Those that were tried, and the first one in any case.
    let ways = Set(
      outbox.ways.keys.filter { $0.recipient == recipient } + [WayID(recipient, 0)])
    for way in ways.sorted() { outbox.pause(way, isPaused) }
    try outbox.keep(in: writer)
  }
}

/// Tries again what the ways to a person, or a receiver, refused.
package struct RetryRefused: MessageAction {
  package var name: String

  /// Makes the action.
  package init(_ name: String) { self.name = name }

  /// - Returns: How many messages or values.
  package func perform(
    in writer: any MessageWriter, by performer: Performer, now: Date
  ) throws -> Int {
    try performer.demand(.plan, on: .box)
    guard try !writer.isReceiver(name) else {
      try writer.changeReceiver(name) { $0.retryNow() }
      return try writer.retryRefused(by: name)
    }
    var outbox = try Outbox(writer, now: now, since: .distantPast)
    let count = outbox.retryRefused(try outbox.recipient(named: name), now: now)
    try outbox.keep(in: writer)
    return count
  }
}

/// Nothing ever went to an outlet of that name.
package struct UnknownOutlet: Error, Hashable {
  package var name: String
  /// The names that there are.
  package var known: [String]

  /// Makes the refusal.
  package init(name: String, known: [String]) { (self.name, self.known) = (name, known) }
}

extension Outbox {
  /// The people to whom something went, or is to go.
  package var recipients: [Recipient] {
    Set(items.values.map(\.recipient) + ways.keys.map(\.recipient)).sorted()
  }

  /// The person of an outlet's name.
  ///
  /// - Throws: ``UnknownOutlet``.
  fileprivate func recipient(named name: String) throws(UnknownOutlet) -> Recipient {
    let known = recipients
    guard let recipient = known.named(name) else {
      throw UnknownOutlet(name: name, known: known.map(\.text))
    }
    return recipient
  }
}

extension [Recipient] {
  /// The one whose outlet has that name, or whose own id it is, if it is one's alone: `nora` for
  /// `john/nora`, `john` for `john/`.
  package func named(_ name: String) -> Recipient? {
    if let exact = first(where: { $0.text == name }) { return exact }
    let found = filter { ($0.contact ?? $0.patient) == name }
    return found.count == 1 ? found.first : nil
  }
}

/// How the messages to a person do.
package struct OutletStatus: Hashable, Sendable {
  /// The state of an outlet.
  package enum State: String, Hashable, Sendable {
    /// Nothing waits, or it was not tried yet.
    case ready
    /// Every way failed last, and is tried again.
    case failing
    /// A person stopped it.
    case paused
  }

  /// A message that no way took.
  package struct Refused: Hashable, Sendable {
    package var id: ItemID
    package var kind: Occasion.Kind
    package var due: Date
    /// Why; `nil` for one that was tried for a week.
    package var fault: DeliveryFault?
  }

  package var recipient: Recipient
  package let kind = "messages"
  package var state: State
  package var oldestUnsent: Date?
  package var lastSuccess: Date?
  /// Why the last attempt of the way that failed last did; `nil` while one works.
  package var fault: DeliveryFault?
  /// The refused messages, by due date.
  package var refused: [Refused]

  /// Those of a store, by name.
  ///
  /// - Throws: `StoreError`.
  package static func all(in reader: any MessageReader, now: Date) throws -> [OutletStatus] {
    let outbox = try Outbox(reader, now: now, since: .distantPast)
    return outbox.recipients.map { OutletStatus(of: $0, in: outbox, now: now) }
  }

  private init(of recipient: Recipient, in outbox: Outbox, now: Date) {
    let ways = outbox.ways.filter { $0.key.recipient == recipient }.map(\.value)
    let own = outbox.items.values.filter { $0.recipient == recipient }
    let isPaused = !ways.isEmpty && ways.allSatisfy(\.isPaused)
    let isFailing = !ways.isEmpty && ways.allSatisfy { $0.fault != nil }
    self.recipient = recipient
    state = isPaused ? .paused : isFailing ? .failing : .ready
    oldestUnsent =
      own.filter { $0.due <= now && ($0.state == .waiting || $0.state == .trying) }
      .map(\.due).min()
    lastSuccess = ways.compactMap(\.lastSuccess).max()
    fault =
      isFailing
      ? ways.max { ($0.lastFailure ?? .distantPast) < ($1.lastFailure ?? .distantPast) }?.fault
      : nil
    // A part of a message of several is refused with it.
    refused = own.filter { $0.state == .refused && $0.within == nil }
      .sorted { ($0.due, $0.id) < ($1.due, $1.id) }
      .map { Refused(id: $0.id, kind: $0.key.kind, due: $0.due, fault: $0.fault) }
  }
}
