/// How far somebody walked, and what that rests on.
///
/// A body-worn sensor cannot measure a distance; it is estimated from what the caller states.
public struct WalkDistance: Hashable, Sendable {
  /// What a distance rests on.
  public enum Basis: Hashable, Sendable {
    /// Steps of this length in millimetres, as measured before: an estimate, good to a tenth at
    /// best, as a tired person's steps grow shorter.
    case stepLength(Int64)
    /// So many laps of this length in millimetres, as somebody counted them, and what was walked of
    /// the last one.
    case laps(count: Int, length: Int64, rest: Int64)
  }

  /// The distance in millimetres; none below zero, held at the end of Int64.
  public var millimetres: Int64
  /// What it rests on.
  public var basis: Basis

  /// Whether no one measured the track: the figure must then be shown as an estimate.
  public var isEstimate: Bool {
    if case .stepLength = basis { true } else { false }
  }

  /// The distance of so many steps on this basis.
  init(steps: Int, basis: Basis) {
    self.basis = basis
    switch basis {
    case .stepLength(let length):
      millimetres = Self.product(Int64(steps), length)
    case .laps(let count, let length, let rest):
      let (sum, overflow) = Self.product(Int64(count), length)
        .addingReportingOverflow(max(rest, 0))
      millimetres = overflow ? .max : sum
    }
  }

  private static func product(_ count: Int64, _ length: Int64) -> Int64 {
    let (product, overflow) = max(count, 0).multipliedReportingOverflow(by: max(length, 0))
    return overflow ? .max : product
  }
}
