package import Care
package import Foundation
import Localization

extension Event {
  /// Whether a person can still answer it: it is neither done nor declined, and not read-only.
  package var isOpen: Bool {
    task.kind != .readOnly && !progress.isCompleted && !isDeclined
  }

  /// Whether some of it is on a local day, `2026-11-20`.
  package func lasts(on day: String, in timeZone: TimeZone) -> Bool {
    let last = max(occurrence.start, occurrence.end).day(in: timeZone)
    return occurrence.start.day(in: timeZone) <= day && day <= last
  }

  /// Whether its time is over.
  package func isOver(at now: Date) -> Bool { occurrence.linkageEnd <= now }

  /// The outcome in a few words of the command's language: `81.95 kg`, `not done (headache)`;
  /// `nil` without an outcome.
  ///
  /// - Parameters:
  ///   - timeZone: The zone of times.
  ///   - units: The units of the person who reads it; `nil` for those of the task.
  /// - Returns: The words.
  package func result(in timeZone: TimeZone, for units: PreferredUnits? = nil) -> String? {
    Console.language.result(of: self, for: units, in: timeZone)
  }
}

extension EventState {
  /// The mark of an event: `✓` done.
  package var mark: String {
    switch self {
    case .done: "✓"
    case .notDone: "✗"
    case .skipped: "~"
    case .performed: "◐"
    case .open: "○"
    case .missed: "!"
    case .notNeeded: "–"
    case .later: "◌"
    case .readOnly: "·"
    }
  }

  /// The meaning of the mark.
  package var title: String { Console.language.name(of: self) }
}

extension Date {
  /// The time of day: `07:09`.
  package func clock(in timeZone: TimeZone) -> String {
    String(rfc3339(in: timeZone).dropFirst(11).prefix(5))
  }
}

extension Patient {
  /// The line above the events of a person, which says so if there are none.
  package func heading(isEmpty: Bool) -> String {
    let name = displayName.oneLine
    return isEmpty ? LocalizedText("day.nothingPlanned", ["name": "\(name)"]).message : name
  }
}
