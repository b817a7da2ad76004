public import GATT

/// What a device session may ask of a radio.
public enum RadioCommand: Hashable, Sendable {
  /// Bring up a link, encrypted by a bond where the device needs one.
  case connect(DeviceAddress, bonded: Bool = false)
  /// Take it down.
  case disconnect(DeviceAddress)
  /// Ask for notifications or indications, whichever the characteristic offers.
  case subscribe(DeviceAddress, characteristic: BluetoothUUID)
  /// Read a value; it arrives as ``RadioEvent/value(_:)``.
  case read(DeviceAddress, characteristic: BluetoothUUID)
  /// Write a value.
  case write(DeviceAddress, characteristic: BluetoothUUID, data: [UInt8], withResponse: Bool)
  /// Confirm an indication, now that its value is durable.
  case confirm(Confirmation)
}
