import CSystemd
import Foundation

/// Tells systemd how the service is doing (sd_notify(3)); without systemd every message goes nowhere.
package struct ServiceNotification: Sendable {
  /// Where messages go; the system's own `sd_notify` unless a test listens.
  private let send: @Sendable (String) -> Void

  /// Speaks to the service manager that started this process (`NOTIFY_SOCKET`).
  package init() {
    self.init { message in _ = unsafe sd_notify(0, message) }
  }

  /// Speaks to `send`.
  package init(send: @escaping @Sendable (String) -> Void) {
    self.send = send
  }

  /// The service works, at the start and after a reload.
  package func ready(status: String) {
    send("READY=1\n" + line(status: status))
  }

  /// What `systemctl status` shows.
  package func status(_ text: String) {
    send(line(status: text))
  }

  /// Settings are read again; ``ready(status:)`` follows.
  package func reloading() {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    let microseconds = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
  }

  /// The service is on its way out.
  package func stopping() {
    send("STOPPING=1")
  }

  /// The service lives.
  package func watchdog() {
    send("WATCHDOG=1")
  }

  /// Within which time ``watchdog()`` has to come again and again; `nil` where nobody waits for it.
  package var watchdogInterval: Duration? {
    var microseconds: UInt64 = 0
    guard unsafe sd_watchdog_enabled(0, &microseconds) > 0, microseconds > 0 else { return nil }
    return .microseconds(Int64(clamping: microseconds))
  }

  /// A message is lines; a text of several would be several.
  private func line(status text: String) -> String {
    "STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
