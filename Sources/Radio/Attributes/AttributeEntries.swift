package import GATT

/// A service: the handles that belong to it.
package struct ServiceEntry: Hashable, Sendable {
  package let handles: ClosedRange<UInt16>
  package let uuid: BluetoothUUID

  /// Makes an entry.
  package init(handles: ClosedRange<UInt16>, uuid: BluetoothUUID) {
    self.handles = handles
    self.uuid = uuid
  }

  /// Reads an item of a Read By Group Type Response for 0x2800 (Vol 3 Part G §4.4.1).
  package init(item: [UInt8]) throws(GATTError) {
    var reader = ByteReader(item)
    let first = try reader.u16("attribute handle")
    let last = try reader.u16("end group handle")
    guard first > 0, first <= last else {
      throw .invalid(field: "end group handle", reason: "the service ends before it begins")
    }
    self.init(handles: first...last, uuid: try reader.lastUUID("service UUID"))
  }
}

/// A characteristic: where it is declared, and where its value is.
package struct CharacteristicEntry: Hashable, Sendable {
  package let declaration: UInt16
  package let value: UInt16
  package let properties: Set<CharacteristicProperty>
  package let uuid: BluetoothUUID

  /// Makes an entry.
  package init(
    declaration: UInt16, value: UInt16, properties: Set<CharacteristicProperty>,
    uuid: BluetoothUUID
  ) {
    self.declaration = declaration
    self.value = value
    self.properties = properties
    self.uuid = uuid
  }

  /// Reads an item of a Read By Type Response for 0x2803 (Vol 3 Part G §4.6.1).
  package init(item: [UInt8]) throws(GATTError) {
    var reader = ByteReader(item)
    let declaration = try reader.u16("attribute handle")
    let properties = CharacteristicProperty.set(bits: try reader.u8("properties"))
    let value = try reader.u16("value handle")
    guard declaration > 0, value > declaration else {
      throw .invalid(field: "value handle", reason: "the value stands before its declaration")
    }
    self.init(
      declaration: declaration, value: value, properties: properties,
      uuid: try reader.lastUUID("characteristic UUID"))
  }
}

extension CharacteristicProperty {
  /// The properties that the declaration's bits stand for (Vol 3 Part G §3.3.1.1), which are the
  /// cases in their order.
  fileprivate static func set(bits: UInt8) -> Set<CharacteristicProperty> {
    Set(allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
  }
}
