import Access
package import Care
package import Foundation
import Outlets

/// The word that somebody has seen the alerts of a patient and looks after them: nobody else is told.
package struct AcknowledgeAlerts: Action {
  /// The patient.
  package var patient: String
  /// The event whose alerts are meant; `nil` for all that nobody has seen.
  package var event: EventKey?
  /// The name of who has seen them; `nil` where nobody signs in.
  package var name: String?

  /// How far back alerts are looked for, in seconds: as far as the morning shows them.
  package static let reach: TimeInterval = 3 * 86_400

  /// Makes the action.
  package init(of patient: String, event: EventKey? = nil, by name: String?) {
    (self.patient, self.event, self.name) = (patient, event, name)
  }

  /// - Returns: How many events had alerts that nobody had seen.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Int {
    try performer.demand(.correct, on: .patient(patient))
    let open = try writer.alerts(of: patient, since: now - Self.reach)
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
        Firing(Firing.Key(.seen, event, number: earlier), due: now, date: now, by: shownName),
        making: nil, now: now)
    }
    return events.count
  }
}
