import Foundation
import Radio
import Synchronization
import SystemBus
import Terminal

/// The state that `systemctl status` shows: the service's activity and the faults of its files.
final class DaemonStatus: Sendable {
  private let notification: ServiceNotification
  private let radio: RadioState
  private let state = Mutex(State())

  fileprivate struct State {
    /// Whether it is ready: it listens.
    var isReady = false
    /// The faults of the files.
    var faults: [String] = []
    /// Why the page is not served; `nil` while it is, or without one.
    var pageTrouble: String?
    /// Why the store cannot be used; `nil` while it can.
    var storeTrouble: String?
  }

  init(_ notification: ServiceNotification, radio: RadioState = RadioState()) {
    self.notification = notification
    self.radio = radio
  }

  /// Whether the hub waits for the store, and reads no events meanwhile.
  var isWaiting: Bool { state.withLock { $0.storeTrouble != nil } }

  /// The faults of the files and the page.
  var faults: [String] { state.withLock(\.allFaults) }

  /// Shows why the page is not served.
  func miss(page trouble: String) {
    tell(notification.status) { $0.pageTrouble = trouble }
  }

  /// Shows why the store cannot be used; `nil` once it can.
  func wait(forStore trouble: String?) {
    tell(notification.status) { $0.storeTrouble = trouble }
  }

  /// Shows what the radio has reported of itself.
  func show(_ notice: RadioNotice) {
    radio.take(notice)
    tell(notification.status) { _ in }
  }

  /// The service is ready, after the start or a reload, with these faults of its files.
  func ready(faults: [String]) {
    tell(notification.ready) { ($0.isReady, $0.faults) = (true, faults) }
  }

  /// Sends what is shown after a change.
  ///
  /// It is sent within the lock: of two changes at a time, the later one is shown last.
  private func tell(_ send: (String) -> Void, after change: (inout State) -> Void) {
    state.withLock { state in
      change(&state)
      send(state.line(radio))
    }
  }
}

extension DaemonStatus.State {
  fileprivate var allFaults: [String] { faults + [pageTrouble].compactMap(\.self) }

  /// `listening`; `degraded (plan.yaml:3: …; see measured doctor): listening`; while the store
  /// cannot be used, or no controller works, why.
  fileprivate func line(_ radio: RadioState) -> String {
    let text =
      storeTrouble.map { "\(UnitSurvey.waitingForStore): \($0)" }
      ?? radio.trouble.map { "\(UnitSurvey.waitingForRadio): \($0.message)" }
      ?? (isReady ? "listening" : "starting")
    let faults = allFaults
    guard let first = faults.first?.split(whereSeparator: \.isNewline).first else { return text }
    let rest = faults.count > 1 ? " and \(faults.count - 1) more" : ""
    return "degraded (\(first)\(rest); see measured doctor): \(text)"
  }
}
