/// One stand from a chair, and the way back where there was one; times of the samples' own, in
/// microseconds.
public struct StandRepetition: Hashable, Sendable {
  /// When the thigh began to rise.
  public var start: Int64
  /// When the person stood.
  public var standing: Int64
  /// When the thigh began to sink; `nil` where the recording ends with the person standing.
  public var sitting: Int64?
  /// When the person sat again; `nil` where the recording ends before.
  public var seated: Int64?

  /// Microseconds from the first movement until standing.
  public var rise: Int64 { standing - start }
  /// Microseconds from the first movement until seated again; `nil` where that was not seen.
  public var duration: Int64? { seated.map { $0 - start } }
}
