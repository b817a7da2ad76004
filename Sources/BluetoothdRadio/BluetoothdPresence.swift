import Foundation
import Synchronization
package import SystemBus

/// Whether `org.bluez` has an owner on the system bus, and changes of that.
///
/// It runs on its loop's thread.
package actor BluetoothdPresence {
  /// Whether it has an owner now; `false` without a bus.
  package nonisolated var isOwned: Bool { owned.withLock { $0 } }

  private let owned = Mutex(false)
  private let loop: EventLoop
  private let address: BusAddress
  /// How long it waits before it asks for a lost bus again.
  private let pause: Duration
  private var bus: BusConnection?
  private var reconnection: EventLoop.Watch?
  private var listener: (@Sendable (Bool) -> Void)?

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// Makes a monitor that is not started yet.
  package init(loop: EventLoop, bus: BusAddress = .system, pause: Duration = .seconds(10)) {
    self.loop = loop
    address = bus
    self.pause = pause
  }

  /// Starts monitoring, and reports every later change to `listener`.
  package func watch(_ listener: @escaping @Sendable (Bool) -> Void = { _ in }) async {
    let isOwned = await connect()
    owned.withLock { $0 = isOwned ?? false }
    self.listener = listener
    if isOwned == nil { reconnectLater() }
  }

  /// Connects to the bus, and asks whether the name has an owner; `nil` without a bus.
  private func connect() async -> Bool? {
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
        .bus("NameHasOwner", .string("org.bluez")), timeout: .seconds(5))
      return answer.first == .boolean(true)
    } catch {
      // A machine without a system bus has no bluetoothd either.
      bus = nil
      return nil
    }
  }

  /// Connects again after a pause, until there is a bus.
  private func reconnectLater() {
    if let reconnection { loop.cancel(reconnection) }
    reconnection = loop.schedule(after: pause) { [weak self] in
      self?.assumeIsolated { presence in
        _ = Task { await presence.reconnect() }
      }
    }
  }

  private func reconnect() async {
    guard listener != nil else { return }
    guard let isOwned = await connect() else { return lose() }
    guard listener != nil else { return await stop() }
    report(isOwned)
  }

  /// Takes note that the bus has ended, and bluetoothd with it.
  private func lose() {
    bus = nil
    report(false)
    if listener != nil { reconnectLater() }
  }

  private func report(_ isOwned: Bool) {
    let isNew = owned.withLock { owned in
      defer { owned = isOwned }
      return owned != isOwned
    }
    if isNew { listener?(isOwned) }
  }

  /// Stops monitoring.
  package func stop() async {
    listener = nil
    if let reconnection { loop.cancel(reconnection) }
    await bus?.close()
    bus = nil
  }

  private func take(_ event: BusConnection.Event) {
    switch event {
    case .message(let message):
      guard message.member == "NameOwnerChanged", message.argument(0)?.text == "org.bluez",
        let owner = message.argument(2)?.text
      else { return }
      report(!owner.isEmpty)
    case .ended: lose()
    }
  }
}

/// Whether bluetoothd's service is installed on this machine, and not masked (systemd.unit(5)).
package struct BluetoothdUnit {
  /// A file or a link at a path of this machine.
  enum Entry: Hashable {
    case file
    case link(to: String)
  }

  /// The entry at a path; `nil` if there is none.
  var entry: (String) -> Entry?

  /// Reads the files below `root`.
  package init(root: String = "") {
    self.init { path in
      let files = FileManager.default
      if let target = try? files.destinationOfSymbolicLink(atPath: root + path) {
        return .link(to: target)
      }
      return files.fileExists(atPath: root + path) ? .file : nil
    }
  }

  init(entry: @escaping (String) -> Entry?) {
    self.entry = entry
  }

  /// The unit folders in order of precedence.
  private static let folders = [
    "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
    "/usr/lib/systemd/system", "/lib/systemd/system",
  ]

  /// Whether systemd can start it.
  package var isInstalled: Bool { unit.map { $0 != Self.mask } ?? false }

  /// Whether it is masked, so that nobody can start it.
  package var isMasked: Bool { unit == Self.mask }

  private static let mask = Entry.link(to: "/dev/null")

  /// The unit in the folder with precedence.
  private var unit: Entry? {
    Self.folders.lazy.compactMap { entry("\($0)/bluetooth.service") }.first
  }
}
