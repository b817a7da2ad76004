public import Foundation

/// How a device counts what adds up, if it sends a total instead of what was added: the steps of the
/// day, the metres since it was switched on.
///
/// What is stored of such a reading is the difference from the total before it.
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
  /// The total after which a continuous one starts again at 0, in the quantity's canonical unit; `nil`
  /// if it is not known.
  public var limit: Double?

  /// Makes a rule of counting.
  public init(_ period: Period, limit: Double? = nil) {
    self.period = period
    self.limit = limit
  }
}

/// The last total that a device sent: what is counted next is the difference from it.
public struct StoredTotal: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// What it counts.
  public var quantity: Quantity
  /// The user slot on the device, if it distinguishes several people.
  public var userIndex: Int?
  /// The total, in the quantity's canonical unit.
  public var total: Double
  /// When the device sent it.
  public var date: Date
  /// A later total that no person can have reached since, in the same unit; if the next one agrees
  /// with it, the device counts from there.
  public var doubtful: Double?

  /// Makes a total.
  public init(
    device: DeviceID, quantity: Quantity, userIndex: Int? = nil, total: Double, date: Date,
    doubtful: Double? = nil
  ) {
    self.device = device
    self.quantity = quantity
    self.userIndex = userIndex
    self.total = total
    self.date = date
    self.doubtful = doubtful
  }
}
