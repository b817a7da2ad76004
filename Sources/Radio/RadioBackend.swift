package import Foundation

/// Access to the controllers: through bluetoothd, or through the kernel's own sockets.
///
/// A backend pushes its events to an ``EventBuffer`` and reports changes of its own state as
/// ``RadioNotice``s. It runs on its event loop.
package protocol RadioBackend: Actor {
  /// Starts the backend. A missing controller, daemon or permission is reported as a notice; the
  /// backend continues by itself when it becomes available.
  ///
  /// - Throws: ``RadioError`` if it can never work on this machine.
  func start() async throws(RadioError)

  /// Performs a session's command.
  ///
  /// - Throws: ``RadioError`` if it cannot be accepted; the device's response is reported as an
  ///   event.
  func send(_ command: RadioCommand) async throws(RadioError)

  /// The controllers that are present.
  func controllers() async -> [Controller]

  /// The devices that have a bond with this machine.
  func bonds() async throws(RadioError) -> [BondedDevice]

  /// Pairs with a device; `prompt` asks the user.
  ///
  /// - Throws: ``RadioError/pairing(_:_:)``.
  func pair(_ address: DeviceAddress, prompt: any PairingPrompt) async throws(RadioError)

  /// Deletes a device and its bond.
  ///
  /// - Returns: Whether the device was known.
  func forget(_ address: DeviceAddress) async throws(RadioError) -> Bool

  /// Ends links and discovery.
  func stop() async
}

/// The user's part of a pairing.
package protocol PairingPrompt: Sendable {
  /// The six digits that the device shows; `nil` if the user cancels.
  func passkey(for device: DeviceAddress) async -> UInt32?
  /// Shows the six digits to enter on the device.
  func display(passkey: UInt32, for device: DeviceAddress) async
  /// Whether the device shows the same six digits.
  func confirm(passkey: UInt32, for device: DeviceAddress) async -> Bool
}

/// A Bluetooth controller of this machine.
package struct Controller: Hashable, Sendable {
  /// The kernel's name: `hci0`.
  package var name: String
  /// Its own address; `nil` if it is not known yet.
  package var address: DeviceAddress?
  /// Whether it is switched on.
  package var isPowered: Bool
  /// How it is attached, if udev knows: `usb`, `uart`, `virtual`.
  package var bus: String?
  /// The rfkill switch that blocks it, if any.
  package var block: Block?

  /// The kind of an rfkill switch.
  package enum Block: String, Hashable, Sendable {
    /// In software: `rfkill unblock bluetooth` releases it.
    case soft
    /// A hardware switch of the machine.
    case hard
  }

  package init(
    name: String, address: DeviceAddress? = nil, isPowered: Bool = false, bus: String? = nil,
    block: Block? = nil
  ) {
    self.name = name
    self.address = address
    self.isPowered = isPowered
    self.bus = bus
    self.block = block
  }
}

/// A device that has a bond with this machine.
package struct BondedDevice: Hashable, Sendable {
  /// Its address; the identity address if it uses private ones.
  package var address: DeviceAddress
  /// Its name, if known.
  package var name: String?

  package init(address: DeviceAddress, name: String? = nil) {
    self.address = address
    self.name = name
  }
}

/// How the controllers are accessed; one mode for the whole machine.
package enum RadioMode: String, Hashable, Sendable, CaseIterable {
  /// Over the system bus, shared with other users of Bluetooth.
  case bluetoothd
  /// Over the kernel's own sockets, as the only user of the controllers.
  case kernel

  /// The state of bluetoothd on a machine.
  package struct Evidence: Hashable, Sendable {
    /// Whether `org.bluez` has an owner on the system bus now.
    package var isOwned: Bool
    /// Whether its unit is installed and not masked: it may be started later, when a controller
    /// appears.
    package var isInstalled: Bool

    package init(isOwned: Bool, isInstalled: Bool) {
      self.isOwned = isOwned
      self.isInstalled = isInstalled
    }
  }

  /// The default mode: bluetoothd where it may run, since the two cannot share a controller and
  /// bluetoothd claims it on start.
  package static func automatic(_ evidence: Evidence) -> RadioMode {
    evidence.isOwned || evidence.isInstalled ? .bluetoothd : .kernel
  }
}

/// The radio of this machine, through bluetoothd or through the kernel.
package final class LiveRadio: Radio, Sendable {
  /// The backend.
  package let backend: any RadioBackend
  private let events: EventBuffer

  /// Makes a radio from a backend and the buffer that the backend fills.
  package init(backend: any RadioBackend, events: EventBuffer) {
    self.backend = backend
    self.events = events
  }

  package func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    await events.next(until: deadline)
  }

  package var hasNext: Bool { events.hasNext }

  /// Reports an end to the consumer after all events so far.
  package func interrupt() { events.interrupt() }

  /// How long the consumer has been processing one event.
  package var stall: Duration { events.stall }

  package func send(_ command: RadioCommand) async throws(RadioError) {
    try await backend.send(command)
  }
}
