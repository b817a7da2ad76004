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
  @Nullable package var fraction: Double?

  package init(_ entry: Adherence.Entry, task: String?, in timeZone: TimeZone) {
    date = String(entry.start.rfc3339(in: timeZone).prefix(10))
    patient = entry.patient
    self.task = task
    switch entry.adherence {
    case .noTasks: status = "noTasks"
    case .noEvents: status = "noEvents"
    case .progress(let value): (status, fraction) = ("progress", value)
    }
  }
}
