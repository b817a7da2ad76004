public import Foundation

/// The completed part of a day's plan.
public enum Adherence: Hashable, Sendable {
  /// No task was effective yet.
  case noTasks
  /// Nothing was due.
  case noEvents
  /// The mean fraction of what was due, 0…1.
  case progress(Double)

  /// Whether an event counts: optional and read-only tasks do not.
  public static func counts(_ event: Event) -> Bool {
    !event.task.isOptional && event.task.kind != .readOnly
  }

  /// The mean fraction of the events that count; 1 if none does.
  public static func fraction(of events: some Sequence<Event>) -> Double {
    EventProgress.mean(of: events.filter(counts).map(\.progress))
  }

  /// One entry for each local day that begins in [from, to), and for the one that holds `from`.
  ///
  /// An event counts on the day of its start, or on the first of these days if it started earlier.
  ///
  /// - Parameters:
  ///   - events: The events of [from, to).
  ///   - versions: The tasks: before the first is effective there are none.
  ///   - from: The beginning.
  ///   - to: The end, at most 100 years later.
  ///   - timeZone: The zone whose days they are.
  /// - Returns: The days' starts with their adherence, in order.
  public static func days(
    events: [Event], versions: [CareTask], from: Date, to: Date, timeZone: TimeZone
  ) -> [(day: Date, adherence: Adherence)] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let counted = Dictionary(grouping: events.filter(counts)) {
      calendar.startOfDay(for: max($0.occurrence.start, from))
    }
    let first = versions.map(\.effectiveDate).min() ?? .distantFuture
    var days: [(day: Date, adherence: Adherence)] = []
    var day = calendar.startOfDay(for: from)
    while day < to, days.count <= 36_600 {
      guard let next = calendar.date(byAdding: .day, value: 1, to: day) else { break }
      let following = calendar.startOfDay(for: next)
      if let due = counted[day] {
        days.append((day, .progress(EventProgress.mean(of: due.map(\.progress)))))
      } else {
        days.append((day, first < following ? .noEvents : .noTasks))
      }
      day = following
    }
    return days
  }
}
