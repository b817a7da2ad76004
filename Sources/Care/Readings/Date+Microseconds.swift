public import Foundation

extension Date {
  /// Whole microseconds since 1970-01-01T00:00:00Z, rounded to the nearest, clamped to `Int64`.
  public var microseconds: Int64 {
    let scaled = (timeIntervalSinceReferenceDate * 1_000_000).rounded()
    guard let whole = Int64(exactly: scaled) else { return scaled < 0 ? .min : .max }
    let (sum, overflow) = whole.addingReportingOverflow(Self.referenceMicroseconds)
    return overflow ? .max : sum
  }

  /// The instant `microseconds` after 1970-01-01T00:00:00Z.
  public init(microseconds: Int64) {
    let (sinceReference, overflow) = microseconds.subtractingReportingOverflow(
      Self.referenceMicroseconds)
    self.init(
      timeIntervalSinceReferenceDate: Double(overflow ? .min : sinceReference) / 1_000_000)
  }

  /// 2001-01-01T00:00:00Z, Foundation's reference date, in microseconds since 1970.
  private static var referenceMicroseconds: Int64 { 978_307_200_000_000 }
}
