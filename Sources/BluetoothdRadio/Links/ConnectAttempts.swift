import Radio

/// How often, and after which pauses, a link is tried before the session is told.
struct ConnectAttempts: Hashable, Sendable {
  /// The pauses after failures that pass; as other users of BlueZ found them to work.
  private static let pauses: [Duration] = [
    .milliseconds(250), .milliseconds(500), .milliseconds(1000),
  ]
  /// A controller without room for a link needs longer: another device has to hang up.
  private static let pauseForRoom = Duration.seconds(4)

  /// How long a failure may take that passes: what takes longer was waiting for a device that does
  /// not answer, whatever bluetoothd calls it.
  static let longest = Duration.seconds(8)

  private var failures = 0

  /// How long to wait before the next attempt; `nil` where there is to be none.
  mutating func pause(after failure: LinkFailure) -> Duration? {
    guard failures < Self.pauses.count else { return nil }
    defer { failures += 1 }
    switch failure {
    case .transient: return Self.pauses[failures]
    case .outOfSlots: return Self.pauseForRoom
    case .gone, .staleBond, .unauthorized, .other: return nil
    }
  }
}
