/// The way a device counts if it sends a total instead of the amounts added: the steps of the day,
/// the metres since it was switched on.
///
/// A store keeps the total of such a reading and the difference from the one before it: see
/// ``Reading/total``.
public struct RunningTotal: Hashable, Sendable {
  /// When the device starts again at 0.
  public enum Period: String, Hashable, Sendable, CaseIterable {
    /// At the midnight of its clock.
    case daily
    /// Only when it loses its memory, or at the ``RunningTotal/limit``.
    case continuous
  }

  /// When the device starts again at 0.
  public var period: Period
  /// The total after which a continuous one starts again at 0, in the quantity's canonical unit;
  /// `nil` if it is not known.
  public var limit: Double?

  /// Makes a rule of counting.
  public init(_ period: Period, limit: Double? = nil) {
    self.period = period
    self.limit = limit
  }
}

/// A running total as it was stored.
public struct BookedTotal: Hashable, Sendable {
  /// The sample, whose value is what the total added to the one before.
  public var sample: Sample
  /// Why that is nothing, although the total says more than the one before.
  public var reason: UncountedReason?

  /// Makes the result of storing a total.
  public init(sample: Sample, reason: UncountedReason? = nil) {
    self.sample = sample
    self.reason = reason
  }
}

/// Why nothing was counted of a running total that says more than the one before.
public enum UncountedReason: Hashable, Sendable {
  /// It is the first one of the device, or of the person who wears it now, or after an erasure:
  /// the owner of the amount counted before is unknown.
  case first
  /// The last one is more than a day old, and what was counted since belongs to no day.
  case gap
  /// Nobody can have done so much.
  case implausible
}
