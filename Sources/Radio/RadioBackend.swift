package import Foundation

/// One way to the controllers: bluetoothd, or the kernel's own sockets.
///
/// A backend pushes its events to an ``EventBuffer`` and reports changes of itself as
/// ``RadioNotice``s. It lives on its event loop.
package protocol RadioBackend: Actor {
  /// Begins to work. A missing controller, daemon or permission is reported as a notice; the
  /// backend begins by itself when it appears.
  ///
  /// - Throws: ``RadioError`` if it can never work on this machine.
  func start() async throws(RadioError)

  /// Performs a session's command.
  ///
  /// - Throws: ``RadioError`` if it cannot be accepted; the device's answer comes as an event.
  func send(_ command: RadioCommand) async throws(RadioError)

  /// The controllers that are there now.
  func controllers() async -> [Controller]

  /// The devices that are bonded with this machine.
  func bonds() async throws(RadioError) -> [BondedDevice]

  /// Pairs with a device; `prompt` asks the person.
  ///
  /// - Throws: ``RadioError/pairing(_:_:)``.
  func pair(_ address: DeviceAddress, prompt: any PairingPrompt) async throws(RadioError)

  /// Forgets a device and its bond.
  ///
  /// - Returns: Whether it was known.
  func forget(_ address: DeviceAddress) async throws(RadioError) -> Bool

  /// Ends links and discovery.
  func stop() async
}

/// The person's part of a pairing.
package protocol PairingPrompt: Sendable {
  /// The six digits that the device shows; `nil` if the person gives up.
  func passkey(for device: DeviceAddress) async -> UInt32?
  /// Shows the six digits that are to be entered on the device.
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
  /// The rfkill switch that keeps it off.
  package var block: Block?

  /// The kind of an rfkill switch.
  package enum Block: String, Hashable, Sendable {
    /// By software: `rfkill unblock bluetooth` lifts it.
    case soft
    /// By a switch of the machine.
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

/// A device that is bonded with this machine.
package struct BondedDevice: Hashable, Sendable {
  /// Its address: the identity, where it has private ones.
  package var address: DeviceAddress
  /// Its own name, if known.
  package var name: String?

  package init(address: DeviceAddress, name: String? = nil) {
    self.address = address
    self.name = name
  }
}

/// The way to the controllers; one for the whole machine, never mixed.
package enum RadioMode: String, Hashable, Sendable, CaseIterable {
  /// Over the system bus, beside other users of Bluetooth.
  case bluetoothd
  /// Over the kernel's own sockets, as the controllers' only owner.
  case kernel

  /// What a machine says about its bluetoothd.
  package struct Evidence: Hashable, Sendable {
    /// Whether `org.bluez` has an owner on the system bus now.
    package var isOwned: Bool
    /// Whether its unit is installed and not masked: it may start later, when a controller appears.
    package var isInstalled: Bool

    package init(isOwned: Bool, isInstalled: Bool) {
      self.isOwned = isOwned
      self.isInstalled = isInstalled
    }
  }

  /// The default mode: bluetoothd wherever it may run, since the two cannot share a controller, and
  /// bluetoothd takes it whenever it starts.
  package static func automatic(_ evidence: Evidence) -> RadioMode {
    evidence.isOwned || evidence.isInstalled ? .bluetoothd : .kernel
  }
}

/// The radio of this machine, through bluetoothd or through the kernel.
package final class LiveRadio: Radio, Sendable {
  /// The backend.
  package let backend: any RadioBackend
  private let events: EventBuffer

  /// Makes a radio of a backend and the buffer that the backend fills.
  package init(backend: any RadioBackend, events: EventBuffer) {
    self.backend = backend
    self.events = events
  }

  package func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    await events.next(until: deadline)
  }

  package var hasNext: Bool { events.hasNext }

  /// Reports an end to the consumer after all events up to now.
  package func interrupt() { events.interrupt() }

  /// How long the consumer has been busy with one event.
  package var stall: Duration { events.stall }

  package func send(_ command: RadioCommand) async throws(RadioError) {
    try await backend.send(command)
  }
}
