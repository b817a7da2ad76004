import Foundation
import Radio
import ServiceLifecycle
import SystemBus
import UnixSignals

/// Reads settings, definitions and plan again on SIGHUP (`systemctl reload measured`).
struct ReloadService: Service {
  let radio: LiveRadio
  let notification: ServiceNotification

  func run() async throws {
    let signals = await UnixSignalsSequence(trapping: .sighup)
    for await _ in signals.cancelOnGracefulShutdown() {
      notification.reloading()
      radio.interrupt()
    }
  }
}
