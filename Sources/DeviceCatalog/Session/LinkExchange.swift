import Care
import Digests
import Foundation
import GATT
import Radio

/// A codec's exchange on a link, beside the definition's steps.
///
/// A value state machine like the session: it reads no clock, and its driver wakes it.
protocol LinkExchange: Sendable {
  /// The time of the next action that does not wait for the device.
  var wakeAt: SteadyTime? { get }
  /// Whether nothing more is sent.
  var isFinished: Bool { get }

  /// The first commands, when the definition's steps are done.
  mutating func begin(at time: SteadyTime) -> [ScriptRun.Output]
  /// Returns the steps after a value, or after a reply that was put together.
  mutating func value(
    _ bytes: [UInt8], of characteristic: BluetoothUUID, at time: SteadyTime
  ) -> [ScriptRun.Output]
  /// Returns the due steps.
  mutating func wake(at time: SteadyTime) -> [ScriptRun.Output]
  /// The writes that must precede an early end of the link.
  var lastWrites: [RadioCommand] { get }
}

/// The device and its link as an exchange knows them.
struct LinkEnd: Sendable {
  /// The device's address.
  var address: DeviceAddress
  /// Its characteristics.
  var available: Set<BluetoothUUID>
  /// Those of its characteristics that acknowledge what is written.
  var acknowledging: Set<BluetoothUUID>
  /// The credentials in the plan.
  var credentials: DeviceCredentials

  /// A write, acknowledged if the device can.
  func write(_ bytes: [UInt8], to uuid: BluetoothUUID) -> RadioCommand {
    .write(
      address, characteristic: uuid, data: bytes, withResponse: acknowledging.contains(uuid))
  }

  /// Sixteen bytes by which a device knows this software again.
  ///
  /// They are the same on every machine, so that two of a household can read one device, and
  /// nothing has to be kept. They are no secret: the link is encrypted by the pairing.
  var ownKey: [UInt8] {
    Array(SHA256.digest(of: Array("measured \(address)".utf8)).prefix(16))
  }
}
