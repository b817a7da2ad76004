/// One step that somebody took.
@frozen
public struct Step: Hashable, Sendable {
  /// When it was taken, in microseconds of the samples' own time; good to about a step.
  public var time: Int64
  /// The time from one step to the next around it, in microseconds: 280 000...1 100 000.
  public var period: Int64

  /// Makes a step.
  @inlinable
  public init(time: Int64, period: Int64) {
    self.time = time
    self.period = period
  }
}
