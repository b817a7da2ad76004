import Access
package import Care
package import Foundation

/// Notes that a person is at home, or away, for a span.
///
/// It is evidence of whose the weighings of that time are.
package struct SayPresence: Action {
  package var presence: Presence

  /// The longest span that is stated at once: a year.
  private static let longest = 366 * 86_400.0

  /// Makes the action.
  package init(_ presence: Presence) { self.presence = presence }

  /// - Returns: The effect on the owners of the weighings of that time.
  /// - Throws: As ``Action``; ``PresenceRefusal``.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> WeighingReview.Outcome {
    try performer.demand(.answer, on: .patient(presence.patient))
    let patients = try writer.patients()
    guard let patient = patients.first(where: { $0.id == presence.patient }) else {
      throw StoreError.unknown(.patient(presence.patient, known: patients.map(\.id)))
    }
    guard patient.saysPresence else { throw PresenceRefusal.notSaid(patient: patient.id) }
    let end = presence.to ?? max(presence.from, now)
    guard presence.from <= end, presence.to != presence.from,
      end.timeIntervalSince(presence.from) <= Self.longest
    else { throw PresenceRefusal.noSpan }
    try writer.keep(presence)
    let weighings = SampleQuery(
      quantity: .bodyMass, from: presence.from, to: presence.to, limit: 1,
      states: [.live, .disowned])
    guard try !writer.samples(weighings).isEmpty else { return WeighingReview.Outcome() }
    return try WeighingReview.update(in: writer, now: now)
  }
}

/// Why it is not taken down who is at home.
package enum PresenceRefusal: Error, Hashable {
  /// The plan does not say `presence: true` of the patient.
  case notSaid(patient: String)
  /// The span is empty, or longer than a year.
  case noSpan
}
