import Access
package import Care
package import Foundation
import Outlets

/// The word that somebody has seen the alerts of a patient and looks after them, or that they are put off for
/// a reason: nobody else is told until then.
package struct AcknowledgeAlerts: Action {
  /// The patient.
  package var patient: String
  /// The event whose alerts are meant; `nil` for all that nobody has seen.
  package var event: EventKey?
  /// The name of who has seen them; `nil` where nobody signs in.
  package var name: String?
  /// For how many days they are put off, and why; `nil` if somebody looks after them.
  package var delay: Delay?

  /// A time in which nobody has to look after alerts.
  package struct Delay: Hashable, Sendable {
    package var days: Int
    package var reason: String

    /// Makes a delay; `nil` of no day, of more than ``most``, or without a reason.
    package init?(days: Int, reason: String) {
      let text = reason.trimmingCharacters(in: .whitespacesAndNewlines)
      guard (1...Self.most).contains(days), !text.isEmpty else { return nil }
      (self.days, self.reason) = (days, text)
    }

    /// The most days: the alerts are among those that the morning reads when they are over.
    package static let most = 3
  }

  /// How far back alerts are looked for, in seconds: as far as the morning reads them.
  ///
  /// It shows those of three days, and older ones whose delay is over.
  package static let reach: TimeInterval = 7 * 86_400

  /// Makes the action.
  package init(
    of patient: String, event: EventKey? = nil, by name: String?, delay: Delay? = nil
  ) {
    (self.patient, self.event, self.name, self.delay) = (patient, event, name, delay)
  }

  /// - Returns: How many events had alerts that nobody had seen.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Int {
    try performer.demand(.correct, on: .patient(patient))
    let open = try writer.alerts(of: patient, since: now - Self.reach, now: now)
      .filter { $0.seen == nil && (event == nil || $0.firing.event == event) }
    let events = Set(open.map(\.firing.event)).sorted {
      ($0.start, $0.task, $0.ordinal) < ($1.start, $1.task, $1.ordinal)
    }
    let shownName = name?.shortened(toBytes: Firing.longestName)
    for event in events {
      let earlier = try writer.firings(
        FiringQuery(
          patient: patient, task: event.task, kinds: [.seen], eventsFrom: event.start)
      ).count { $0.firing.event == event }
      _ = try writer.record(
        Firing(
          Firing.Key(.seen, event, number: earlier),
          due: now + Double(delay?.days ?? 0) * 86_400, date: now, by: shownName,
          reason: delay?.reason.shortened(toBytes: Firing.longestName)), making: nil, now: now)
    }
    return events.count
  }
}
