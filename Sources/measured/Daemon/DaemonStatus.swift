import Foundation
import Radio
import Synchronization
import SystemBus

/// The state that `systemctl status` shows: what the service does, and what is wrong with its files.
final class DaemonStatus: Sendable {
  private let notification: ServiceNotification
  private let radio: RadioState
  private let state = Mutex(State())

  fileprivate struct State {
    var text = "starting"
    var faults: [String] = []
    /// Why the store cannot be used; `nil` while it can.
    var storeTrouble: String?
  }

  /// The beginning of what is shown while the store cannot be used.
  static let waitingForStore = "waiting for the store"

  init(_ notification: ServiceNotification, radio: RadioState = RadioState()) {
    self.notification = notification
    self.radio = radio
  }

  /// Whether the hub waits for the store, and reads no events meanwhile.
  var isWaiting: Bool { state.withLock { $0.storeTrouble != nil } }

  /// Shows why the store cannot be used; `nil` once it can.
  func wait(forStore trouble: String?) {
    let line = state.withLock { state in
      state.storeTrouble = trouble
      return state.line(radio)
    }
    notification.status(line)
  }

  /// Shows what the radio has reported of itself.
  func show(_ notice: RadioNotice) {
    radio.take(notice)
    notification.status(state.withLock { $0.line(radio) })
  }

  /// The service is ready, after the start or a reload, with these faults of its files.
  func ready(_ text: String, faults: [String]) {
    let line = state.withLock { state in
      (state.text, state.faults) = (text, faults)
      return state.line(radio)
    }
    notification.ready(status: line)
  }
}

extension DaemonStatus.State {
  /// `listening`; `degraded (plan.yaml:3: …; see measured doctor): listening`; while the store cannot
  /// be used, or no controller works, why.
  fileprivate func line(_ radio: RadioState) -> String {
    let text =
      storeTrouble.map { "\(DaemonStatus.waitingForStore): \($0)" }
      ?? radio.trouble.map { "waiting for the radio: \($0.message)" } ?? text
    guard let first = faults.first?.split(whereSeparator: \.isNewline).first else { return text }
    let rest = faults.count > 1 ? " and \(faults.count - 1) more" : ""
    return "degraded (\(first)\(rest); see measured doctor): \(text)"
  }
}
