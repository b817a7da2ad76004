public import Foundation

/// A statement that a person is at home, or away, for a span of time.
///
/// It is evidence of whose a weighing is, and nothing else is made of it: no page, answer or export
/// shows it.
public struct Presence: Hashable, Sendable {
  /// The patient.
  public var patient: String
  /// Whether the person is at home, and not away.
  public var isHome: Bool
  /// The first moment.
  public var from: Date
  /// The moment after the last; `nil` until a later statement.
  public var to: Date?

  /// Makes a statement.
  public init(patient: String, isHome: Bool, from: Date, to: Date?) {
    self.patient = patient
    self.isHome = isHome
    self.from = from
    self.to = to
  }

  /// Whether it is about a moment.
  public func contains(_ date: Date) -> Bool { from <= date && to.map { date < $0 } ?? true }
}
