import CSystemd
import Foundation

/// Reports the service's state to systemd (sd_notify(3)); without systemd messages are dropped.
package struct ServiceNotification: Sendable {
  /// Sends a message: `sd_notify`, except in tests.
  private let send: @Sendable (String) -> Void

  /// Reports to the service manager that started this process (`NOTIFY_SOCKET`).
  package init() {
    self.init { message in _ = unsafe sd_notify(0, message) }
  }

  /// Reports to `send`.
  package init(send: @escaping @Sendable (String) -> Void) {
    self.send = send
  }

  /// The service is ready, after the start or a reload.
  package func ready(status: String) {
    send("READY=1\n" + line(status: status))
  }

  /// The text that `systemctl status` shows.
  package func status(_ text: String) {
    send(line(status: text))
  }

  /// Settings are being reloaded; ``ready(status:)`` follows.
  package func reloading() {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    let microseconds = Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
    send("RELOADING=1\nMONOTONIC_USEC=\(microseconds)")
  }

  /// The service is stopping.
  package func stopping() {
    send("STOPPING=1")
  }

  /// The service is alive.
  package func watchdog() {
    send("WATCHDOG=1")
  }

  /// The longest time between two calls of ``watchdog()``; `nil` if systemd expects none.
  package var watchdogInterval: Duration? {
    var microseconds: UInt64 = 0
    guard unsafe sd_watchdog_enabled(0, &microseconds) > 0, microseconds > 0 else { return nil }
    return .microseconds(Int64(clamping: microseconds))
  }

  /// A message consists of lines, so a status must be one line.
  private func line(status text: String) -> String {
    "STATUS=" + text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
