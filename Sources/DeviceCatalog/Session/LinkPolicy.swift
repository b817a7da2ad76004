import Foundation

/// Decides when an advertising device is connected to, and waits longer after each failure.
struct LinkPolicy: Sendable {
  /// Where the link is.
  enum State: Hashable, Sendable {
    case down
    case connecting(until: Date)
    case up
  }

  private(set) var state = State.down
  private var failures = 0
  private var notBefore: Date?

  /// How long a connection may take to come up.
  static let connectTime = 30.0
  /// How long to leave a device alone that has just been read; scales advertise on for seconds.
  static let restTime = 5.0

  /// Whether to connect now that the device was heard.
  mutating func heard(at time: Date) -> Bool {
    if case .connecting(let until) = state {
      guard time >= until else { return false }
      failed(at: time)
    }
    guard state == .down, notBefore.map({ $0 <= time }) ?? true else { return false }
    state = .connecting(until: time.addingTimeInterval(Self.connectTime))
    return true
  }

  /// The link is up, whoever asked for it.
  mutating func connected() {
    state = .up
    failures = 0
  }

  /// The link is down.
  mutating func disconnected(at time: Date) {
    if state == .up { notBefore = time.addingTimeInterval(Self.restTime) } else { failed(at: time) }
    state = .down
  }

  /// A connection did not come up: 1, 2, 4, … at most 60 seconds until the next.
  mutating func failed(at time: Date) {
    guard case .connecting = state else { return }
    failures = min(failures + 1, 7)
    notBefore = time.addingTimeInterval(min(60, Double(1 << (failures - 1))))
    state = .down
  }
}
