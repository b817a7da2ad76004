package import Care
package import Foundation

/// The adherence of one person in one period as JSON.
package struct AdherenceOutput: Encodable {
  /// The first day.
  package var date: String
  package var patient: String
  package var task: String?
  /// `progress`, `noEvents` or `noTasks`.
  package var status: String
  /// The mean share of what was due: of a sum the part of its goal, else 1 if performed.
  @Nullable package var fraction: Double?
  /// How many of the events that were due have a value or the answer that they were done.
  package var performed: Int
  /// How many met their target.
  package var reached: Int
  package var due: Int
  /// How many were skipped for a reason, and so were not due.
  package var excused: Int

  package init(_ entry: Adherence.Entry, task: String?, in timeZone: TimeZone) {
    date = String(entry.start.rfc3339(in: timeZone).prefix(10))
    patient = entry.patient
    self.task = task
    performed = entry.counts.performed
    reached = entry.counts.reached
    due = entry.counts.due
    excused = entry.counts.excused
    switch entry.adherence {
    case .noTasks: status = "noTasks"
    case .noEvents: status = "noEvents"
    case .progress(let value): (status, fraction) = ("progress", value)
    }
  }
}
