import Foundation
import Radio

/// Writes what keeps a link up, again and again.
struct KeepAliveRun: Hashable, Sendable {
  private let rule: SessionScript.KeepAlive
  private let address: DeviceAddress
  /// When the next write is due.
  private(set) var wakeAt: Date

  /// Begins at `time`: the first write is due one pause later.
  init(_ rule: SessionScript.KeepAlive, of address: DeviceAddress, from time: Date) {
    self.rule = rule
    self.address = address
    wakeAt = time.addingTimeInterval(rule.seconds)
  }

  /// The write that is due; one, however long nobody asked.
  mutating func wake(at time: Date) -> RadioCommand? {
    guard wakeAt <= time else { return nil }
    wakeAt = time.addingTimeInterval(rule.seconds)
    return .write(
      address, characteristic: rule.characteristic, data: rule.bytes,
      withResponse: rule.withResponse)
  }
}
