/// A heart rate that a sensor reported at one moment.
@frozen
public struct HeartRateSample: Hashable, Sendable {
  /// Microseconds since an origin that the stream keeps throughout.
  public var time: Int64
  /// Beats a minute; what no heart does (see `plausible`) is passed over by every measurement.
  public var rate: Int32

  /// Beats a minute that a heart can do: a strap that lost contact reads 0, noise reads hundreds.
  public static let plausible: ClosedRange<Int32> = 25...250

  /// Makes a heart rate of a time and beats a minute.
  @inlinable
  public init(time: Int64, rate: Int32) {
    self.time = time
    self.rate = rate
  }

  var isPlausible: Bool { Self.plausible.contains(rate) }
}
