import Radio
import SystemBus

/// Tells systemd that the daemon lives, for as long as it does: the radio's thread beats, and the
/// hub is not stuck with one event.
final class Watchdog: Sendable {
  private let loop: EventLoop
  private let radio: LiveRadio
  private let notification: ServiceNotification
  private let interval: Duration

  /// Makes a watchdog.
  ///
  /// - Returns: `nil` where systemd does not ask for one (`WatchdogSec=`).
  init?(loop: EventLoop, radio: LiveRadio, notification: ServiceNotification) {
    guard let interval = notification.watchdogInterval else { return nil }
    self.loop = loop
    self.radio = radio
    self.notification = notification
    self.interval = interval
  }

  /// Beats now and twice in every interval from now on.
  func beat() {
    if radio.stall < interval { notification.watchdog() }
    _ = loop.schedule(after: interval / 2) { [self] in beat() }
  }
}
