/// Tells a characteristic's notifications from the echo of our own reading.
///
/// While a characteristic is subscribed to by `StartNotify`, bluetoothd tells the value that was
/// read the same way as a notification, just before it answers the read. So the notifications that
/// come while a read waits are kept back, and one that says what the read says is its echo.
struct ReadEcho: Hashable, Sendable {
  /// How many notifications are kept back at most; then they are told, echo or not.
  private static let limit = 64

  private var reads = 0
  private var keptBack: [[UInt8]] = []

  /// A read begins.
  mutating func begin() { reads += 1 }

  /// A notification came.
  ///
  /// - Returns: The values to tell now.
  mutating func notified(_ value: [UInt8]) -> [[UInt8]] {
    guard reads > 0 else { return [value] }
    keptBack.append(value)
    guard keptBack.count > Self.limit else { return [] }
    defer { keptBack = [] }
    return keptBack
  }

  /// A read ended, with a value where it succeeded.
  ///
  /// - Returns: The notifications to tell now, before the value.
  mutating func end(_ value: [UInt8]?) -> [[UInt8]] {
    reads = max(0, reads - 1)
    if let value, let echo = keptBack.lastIndex(of: value) { keptBack.remove(at: echo) }
    guard reads == 0 else { return [] }
    defer { keptBack = [] }
    return keptBack
  }
}
