import Synchronization

/// Whether somebody owns `org.bluez` on the system bus, and the news of it.
///
/// It lives on the thread of its loop.
package actor BluetoothdPresence {
  /// Whether it is owned now; without a bus it is not.
  package nonisolated var isOwned: Bool { owned.withLock { $0 } }

  private let owned = Mutex(false)
  private let loop: EventLoop
  private let address: BusAddress
  private var bus: BusConnection?
  private var listener: (@Sendable (Bool) -> Void)?

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// Makes a watch that has not looked yet.
  package init(loop: EventLoop, bus: BusAddress = .system) {
    self.loop = loop
    address = bus
  }

  /// Looks, and tells `listener` whenever it changes from then on.
  package func watch(_ listener: @escaping @Sendable (Bool) -> Void = { _ in }) async {
    self.listener = listener
    do throws(BusError) {
      let bus = try BusConnection(loop: loop, address: address) { [weak self] event in
        self?.assumeIsolated { $0.take(event) }
      }
      self.bus = bus
      await bus.start()
      try await bus.addMatch(
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
          + "member='NameOwnerChanged',arg0='org.bluez'")
      let answer = try await bus.call(
        BusCall(
          destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus",
          interface: "org.freedesktop.DBus", member: "NameHasOwner",
          arguments: [.string("org.bluez")]),
        timeout: .seconds(5))
      owned.withLock { $0 = answer.first == .boolean(true) }
    } catch {
      // A machine without a system bus has no bluetoothd that could be asked either.
      bus = nil
    }
  }

  /// Looks no more.
  package func stop() async {
    listener = nil
    await bus?.close()
    bus = nil
  }

  private func take(_ event: BusConnection.Event) {
    guard case .message(let message) = event, message.member == "NameOwnerChanged",
      message.argument(0)?.text == "org.bluez", let owner = message.argument(2)?.text
    else { return }
    let isOwned = !owner.isEmpty
    owned.withLock { $0 = isOwned }
    listener?(isOwned)
  }
}
