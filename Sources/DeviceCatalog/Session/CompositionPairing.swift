import Care
import GATT

/// Gives a body composition the time and user of the weight that came just before it.
///
/// Scales send the two as two characteristics and often put the time and user into the weight only
/// (Body Composition Service §3.2). What the weight has said already is not said again: one weighing
/// must not become two.
struct CompositionPairing: Hashable, Sendable {
  private var time: LocalDateTime?
  private var userIndex: Int?
  private var said: Set<Quantity> = []

  private static let weight = RecordSource.characteristic(WeightMeasurement.uuid)
  private static let composition = RecordSource.characteristic(BodyCompositionMeasurement.uuid)

  /// Remembers a weight, completes a composition, and leaves everything else as it is.
  mutating func complete(_ content: inout FrameContent, from source: RecordSource) {
    if source == Self.weight {
      (time, userIndex) = (content.values.first?.time, content.values.first?.userIndex)
      said = Set(content.values.map(\.quantity))
    } else if source == Self.composition, !said.isEmpty {
      content.values = content.values.compactMap { value in
        guard value.time == nil || value.time == time else { return value }
        guard !said.contains(value.quantity) else { return nil }
        var value = value
        value.time = time
        value.userIndex = value.userIndex ?? userIndex
        return value
      }
    }
  }
}
