package import Foundation

/// The people of a plan, and when they are away.
package struct PlanPeople {
  /// The people, by id.
  package let people: [String: Patient]
  /// The plan's zone.
  package let zone: TimeZone

  /// Reads the people.
  ///
  /// - Throws: ``StoreError``.
  package init(_ reader: any StoreReader) throws {
    people = Dictionary(
      try reader.patients().map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    zone = try reader.zone()
  }

  /// Whether a person is away at a time, so that nothing is expected.
  package func isAway(_ patient: String, at date: Date) -> Bool {
    people[patient]?.isAway(at: date, in: zone) ?? false
  }

  /// When the last absence that began since a time is over; the time itself without one.
  package func lastReturn(of patient: String, since date: Date, until now: Date) -> Date {
    guard let person = people[patient] else { return date }
    let zone = person.timeZone(at: now, in: zone)
    return person.away.compactMap { absence in
      guard let begin = absence.from.midnight(in: zone), begin <= now else { return nil }
      return absence.to.midnight(in: zone).map {
        Adherence.Period.day.span(around: $0, in: zone).upperBound
      }
    }.filter { $0 > date }.max() ?? date
  }
}
