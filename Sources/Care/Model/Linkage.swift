/// What ties a task to a quantity, so that samples complete its events.
public struct Linkage: Hashable, Sendable, Codable {
  /// The quantity.
  public var quantity: Quantity
  /// Whether each sample is a value (discrete) or their sum is one (cumulative).
  public var type: Aggregation
  /// The unit of the outcome's values.
  public var unit: UnitOfMeasure
  /// Takes samples of this device only; `nil` for any.
  public var device: DeviceID?

  /// Makes a linkage.
  public init(quantity: Quantity, type: Aggregation, unit: UnitOfMeasure, device: DeviceID? = nil) {
    self.quantity = quantity
    self.type = type
    self.unit = unit
    self.device = device
  }
}
