import Care
import GATT

/// Gives a body composition the time and user of the weight that came just before it.
///
/// Scales send the two as two characteristics and often put the time and user into the weight only
/// (Body Composition Service §3.2).
struct CompositionPairing: Hashable, Sendable {
  private var time: LocalDateTime?
  private var userIndex: Int?

  private static let weight = RecordSource.characteristic(BluetoothUUID(0x2A9D))
  private static let composition = RecordSource.characteristic(BluetoothUUID(0x2A9C))

  /// Remembers a weight, completes a composition, and leaves everything else as it is.
  mutating func complete(_ content: inout FrameContent, from source: RecordSource) {
    if source == Self.weight, let weight = content.values.first {
      (time, userIndex) = (weight.time, weight.userIndex)
    } else if source == Self.composition {
      for index in content.values.indices {
        if content.values[index].time == nil { content.values[index].time = time }
        guard content.values[index].time == time, content.values[index].userIndex == nil else {
          continue
        }
        content.values[index].userIndex = userIndex
      }
    }
  }
}
