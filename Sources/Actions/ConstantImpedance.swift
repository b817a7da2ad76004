/// The impedances that one device sent with its weights.
///
/// A scale without electrodes, or one that is stepped on with shoes, may send a constant for none. What
/// never varies over changing weights is no measurement, and no evidence of whose weighing it is.
package struct ConstantImpedance: Hashable, Sendable {
  /// How many weighings have to have the same impedance: of a person it varies by some ohms each day.
  package static let least = 5

  private var count = 0
  private var value: Double?
  private var varies = false
  private var weights: Set<Double> = []

  /// Makes one that knows of nothing.
  package init() {}

  /// Adds an impedance and the weight that it came with.
  package mutating func add(_ impedance: Double, with weight: Double) {
    count += 1
    varies = varies || value.map { $0 != impedance } ?? false
    value = value ?? impedance
    if weights.count < 2 { weights.insert(weight) }
  }

  /// The constant; `nil` if what was sent may be measurements.
  package var constant: Double? {
    count >= Self.least && !varies && weights.count > 1 ? value : nil
  }
}
