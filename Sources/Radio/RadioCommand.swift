public import GATT

/// A request that a device session may make to a radio.
public enum RadioCommand: Hashable, Sendable {
  /// Connect, encrypted by a bond if the device requires one.
  case connect(DeviceAddress, bonded: Bool = false)
  /// Disconnect.
  case disconnect(DeviceAddress)
  /// Enable notifications or indications, as the characteristic offers; the values of a motion
  /// sensor are so many that a radio may take them another way.
  case subscribe(DeviceAddress, characteristic: BluetoothUUID, isMotion: Bool = false)
  /// Read a value; it arrives as ``RadioEvent/value(_:)``.
  case read(DeviceAddress, characteristic: BluetoothUUID)
  /// Write a value.
  case write(DeviceAddress, characteristic: BluetoothUUID, data: [UInt8], withResponse: Bool)
  /// Confirm an indication, now that its value is durable.
  case confirm(Confirmation)
}
