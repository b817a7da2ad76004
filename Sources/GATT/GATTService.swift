/// A service of a linked device.
public struct GATTService: Hashable, Sendable {
  /// The service's UUID.
  public var uuid: BluetoothUUID
  /// Its characteristics.
  public var characteristics: [GATTCharacteristic]

  /// Makes a service.
  public init(uuid: BluetoothUUID, characteristics: [GATTCharacteristic]) {
    self.uuid = uuid
    self.characteristics = characteristics
  }
}

/// A characteristic of a service.
public struct GATTCharacteristic: Hashable, Sendable {
  /// The characteristic's UUID.
  public var uuid: BluetoothUUID
  /// The allowed operations.
  public var properties: Set<CharacteristicProperty>

  /// Makes a characteristic.
  public init(uuid: BluetoothUUID, properties: Set<CharacteristicProperty>) {
    self.uuid = uuid
    self.properties = properties
  }
}

/// An allowed operation of a characteristic (Core Specification, Vol 3 Part G §3.3.1.1), named as
/// in BlueZ.
public enum CharacteristicProperty: String, Hashable, Sendable, CaseIterable {
  case broadcast
  case read
  case writeWithoutResponse = "write-without-response"
  case write
  case notify
  case indicate
  case authenticatedSignedWrites = "authenticated-signed-writes"
  case extendedProperties = "extended-properties"
}
