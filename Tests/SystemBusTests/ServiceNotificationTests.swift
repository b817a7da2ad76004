import Synchronization
import Testing

@testable import SystemBus

@Suite struct ServiceNotificationTests {
  /// The sent messages.
  final class Listener: Sendable {
    let messages = Mutex<[String]>([])
  }

  @Test func `follows the protocol`() {
    let listener = Listener()
    let notification = ServiceNotification { message in
      listener.messages.withLock { $0.append(message) }
    }
    notification.ready(status: "two\nlines")
    notification.status("hci0 is gone")
    notification.watchdog()
    notification.stopping()
    #expect(
      listener.messages.withLock { $0 }
        == ["READY=1\nSTATUS=two lines", "STATUS=hci0 is gone", "WATCHDOG=1", "STOPPING=1"])
    notification.reloading()
    let reloading = listener.messages.withLock { $0.last ?? "" }
    #expect(reloading.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]*/) != nil)
  }
}
