package import Care
package import Foundation

// The frame of everything that leaves by itself.
//
// The store is the outbox. Every row of it has the number of its latest change, so that a reader who asks
// for the rows after the last number that it has seen misses none: a new value, a correction, another
// owner, a deletion and an erasure come in the order in which they happened, whatever time they are of.
//
//   OutletCourse   how far an outlet is: durable, a value without clock, store and transport. It says what to
//                  do next: wait, try again what was refused, go on from a number, or send the past.
//   OutletWindow   what one reading of the store comes to: changes, cut into batches, of which one is under
//                  way. It takes the answers, and says what to keep.
//   DataOutlet     one kind of receiver: a batch becomes requests, an answer a meaning.
//
// An item of a receiver is noted before the request and confirmed after the answer, by the name
// under which it went. A kill in between sends the same names again, and an item that is deleted
// meanwhile is still taken back.
//
// Home Assistant by MQTT has the course of it, and no window: it knows no past, so that what a broker is to
// have follows from the store as it is now (`HomeAssistantPicture`), and only what differs from what it has
// is sent (`HomeAssistantRun`).

/// How far an outlet is.
package struct OutletCourse: Hashable, Sendable, Codable {
  /// Everything up to this number was passed on, or was not to be; `nil` before it began.
  package private(set) var cursor: Int64?
  /// The past that is being sent.
  package private(set) var backfill: Backfill?
  /// The hours of streams that were not over when they were passed.
  package private(set) var openHours: [OpenHour] = []
  /// The measurements that leave: the digest of their scope when it last began.
  package private(set) var scope: String?
  /// The receiver and what is understood of it: the digest of it when it last began.
  package private(set) var receiver: String?
  package var isPaused = false
  private var backOff = BackOff()
  /// When it is tried again after a failure; `nil` if it works.
  package private(set) var next: Date?
  /// The delay after the last failure, in seconds.
  private var delay: TimeInterval = 0
  package private(set) var lastSuccess: Date?
  package private(set) var lastFailure: Date?
  /// Why the last attempt failed; `nil` after a success.
  package private(set) var fault: DeliveryFault?

  /// Rows that are sent, although the cursor has passed them.
  package struct Backfill: Hashable, Sendable, Codable {
    /// Everything up to this number was sent.
    package var cursor: Int64 = 0
    /// The last number that it sends.
    package var end: Int64
    /// The earliest start of what it sends; `nil` for all.
    package var from: Date?
    /// Whether it sends what the receiver has, too.
    package var isForced: Bool
  }

  /// An hour of a stream that was not over.
  package struct OpenHour: Hashable, Sendable, Codable {
    package var series: Int64
    /// Counted from 1970.
    package var hour: Int64

    package var place: FeedPlace { .hour(series: series, hour: hour) }

    /// When it is over.
    fileprivate var end: Date {
      Date(timeIntervalSince1970: Double(hour) * 3_600 + 3_600)
    }
  }

  /// The next step.
  package enum Step: Hashable, Sendable {
    /// Nothing, until a date or a change of the store.
    case rest(until: Date?)
    /// Try again what was refused and is to be tried again.
    case retry
    /// Send these hours, which are over.
    case hours([OpenHour])
    /// Send what changed after a number.
    case follow(after: Int64)
    /// Send the past.
    case past(Backfill)
  }

  /// The most open hours that are remembered; beyond them the oldest ones are sent as they are.
  static let mostOpenHours = 512

  /// Makes the course of an outlet that never began.
  package init() {}

  /// Makes the course of an outlet that passes on what is stored after a number.
  package init(after number: Int64) { cursor = number }

  // MARK: People and settings

  /// Begins, or goes on after a start of the program.
  ///
  /// An outlet with a date from which it sends begins with the past since that date, another one with what
  /// is stored from now on. Where more may leave than before, the past is sent of it.
  ///
  /// - Parameters:
  ///   - last: The number of the store's latest change.
  ///   - scope: A digest of what leaves.
  ///   - receiver: A digest of the receiver and its mapping.
  ///   - hasPast: Whether it sends the past, too.
  /// - Returns: Whether what was refused is to be tried again: the receiver is another one.
  package mutating func begin(
    last: Int64, scope: String, receiver: String, hasPast: Bool
  ) -> Bool {
    defer { (self.scope, self.receiver) = (scope, receiver) }
    guard let cursor, cursor <= last else {
      cursor = hasPast ? 0 : last
      openHours = []
      return false
    }
    if self.scope != scope, hasPast { sendPast(from: nil, isForced: false) }
    guard self.receiver != receiver else { return false }
    retryNow()
    return true
  }

  /// Sends the past.
  ///
  /// - Parameters:
  ///   - from: The earliest start of what is sent; `nil` for all.
  ///   - isForced: Whether what the receiver has is sent again.
  package mutating func sendPast(from: Date?, isForced: Bool) {
    guard let cursor else { return }
    backfill = Backfill(end: cursor, from: from, isForced: isForced)
    retryNow()
  }

  /// Lets the next attempt begin at once.
  package mutating func retryNow() { next = nil }

  // MARK: The next step

  /// Decides the next step at a time.
  ///
  /// - Parameters:
  ///   - last: The number of the store's latest change.
  ///   - hasDue: Whether something refused is to be tried again.
  ///   - now: The time.
  /// - Returns: The next thing to do.
  package func step(last: Int64, hasDue: Bool, now: Date) -> Step {
    guard !isPaused, let cursor else { return .rest(until: nil) }
    if let pause = pause(at: now) { return .rest(until: pause) }
    if hasDue { return .retry }
    let over = openHours.filter { $0.end <= now }
    if !over.isEmpty { return .hours(Array(over.prefix(64))) }
    let excess = openHours.count - Self.mostOpenHours
    if excess > 0 { return .hours(Array(openHours.prefix(excess))) }
    if cursor < last { return .follow(after: cursor) }
    if let backfill { return .past(backfill) }
    return .rest(until: openHours.map(\.end).min())
  }

  /// Until when nothing is sent after a failure; `nil` if something may be.
  package func pause(at now: Date) -> Date? { next.flatMap { isAhead($0, of: now) ? $0 : nil } }

  /// Whether a date is still to come: after the clock was set back, no date of before holds.
  private func isAhead(_ date: Date, of now: Date) -> Bool {
    date > now && date.timeIntervalSince(now) <= delay
  }

  /// The first hour that is not over, counted from 1970.
  package static func openHour(at now: Date) -> Int64 {
    Int64(saturating: (now.timeIntervalSince1970 / 3_600).rounded(.down))
  }

  // MARK: Results

  /// Notes hours that were passed, though they were not over.
  package mutating func note(open hours: [OpenHour]) {
    for hour in hours where !openHours.contains(hour) { openHours.append(hour) }
  }

  /// Takes over what another copy has passed since.
  package mutating func join(_ other: OutletCourse?) {
    guard let other, let ahead = other.cursor, let cursor, ahead > cursor else { return }
    self.cursor = ahead
    note(open: other.openHours)
  }

  /// Moves on.
  package mutating func advance(_ step: Step, to number: Int64, isDone: Bool) {
    switch step {
    case .rest, .retry: break
    case .hours(let hours): if isDone { openHours.removeAll(where: hours.contains) }
    case .follow: cursor = max(cursor ?? number, number)
    case .past(let past):
      guard backfill == past else { break }
      if isDone { backfill = nil } else { backfill?.cursor = max(past.cursor, number) }
    }
  }

  /// Takes the end of an attempt; `nil` where nothing was sent.
  package mutating func take(
    _ result: DeliveryResult?, now: Date, using random: inout some RandomNumberGenerator
  ) {
    switch result {
    case nil: break
    case .delivered, .refused:
      backOff.succeed()
      (next, lastSuccess, fault) = (nil, now, nil)
    case .later(let fault, let asked): fail(fault, asked, now, &random)
    case .unknown(let fault): fail(fault, nil, now, &random)
    }
  }

  private mutating func fail(
    _ fault: DeliveryFault, _ asked: Duration?, _ now: Date,
    _ random: inout some RandomNumberGenerator
  ) {
    delay = backOff.fail(asked: asked, using: &random) / .seconds(1)
    next = now + delay
    (lastFailure, self.fault) = (now, fault)
  }
}
