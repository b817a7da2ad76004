import Foundation
import Synchronization
import SystemBus

/// The state that `systemctl status` shows: what the service does, and what is wrong with its files.
final class DaemonStatus: Sendable {
  private let notification: ServiceNotification
  private let state = Mutex(State())

  fileprivate struct State {
    var text = "starting"
    var faults: [String] = []
    var isWaiting = false
  }

  /// The beginning of what is shown while the store cannot be used.
  static let waitingForStore = "waiting for the store"

  init(_ notification: ServiceNotification) {
    self.notification = notification
  }

  /// Whether the hub waits for the store, and reads no events meanwhile.
  var isWaiting: Bool {
    get { state.withLock { $0.isWaiting } }
    set { state.withLock { $0.isWaiting = newValue } }
  }

  /// Shows what the service does.
  func show(_ text: String) {
    let line = state.withLock { state in
      state.text = text
      return state.line
    }
    notification.status(line)
  }

  /// The service is ready, after the start or a reload, with these faults of its files.
  func ready(_ text: String, faults: [String]) {
    let line = state.withLock { state in
      (state.text, state.faults) = (text, faults)
      return state.line
    }
    notification.ready(status: line)
  }
}

extension DaemonStatus.State {
  /// `listening`; `degraded (plan.yaml:3: …; see measured doctor): listening`.
  fileprivate var line: String {
    guard let first = faults.first?.split(whereSeparator: \.isNewline).first else { return text }
    let rest = faults.count > 1 ? " and \(faults.count - 1) more" : ""
    return "degraded (\(first)\(rest); see measured doctor): \(text)"
  }
}
