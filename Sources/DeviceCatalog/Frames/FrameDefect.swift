public import GATT

/// Why bytes did not become readings.
public enum DecodeError: Error, Hashable, Sendable {
  /// Neither the catalogue nor the Bluetooth SIG's list in this library knows the characteristic.
  case unknownCharacteristic(BluetoothUUID)
  /// The catalogue has no definition of that id.
  case unknownDefinition(String)
  /// The bytes are not what the source sends; the reason names the field and the bytes.
  case malformed(reason: String)
}

extension DecodeError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownCharacteristic(let uuid):
      "nothing here decodes \(uuid); name the device's definition, or add one to Devices/"
    case .unknownDefinition(let id):
      "there is no device definition ‘\(id)’; see `measured devices list`"
    case .malformed(let reason): reason
    }
  }
}
