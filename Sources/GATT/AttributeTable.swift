/// A peer's services and characteristics by handle, from its responses to a discovery.
///
/// Both lists are sorted by handle and bounded together by ``mostEntries``.
package struct AttributeTable: Hashable, Sendable {
  /// How many services and characteristics a peer may have.
  package static let mostEntries = 1024

  package private(set) var services: [ServiceEntry] = []
  package private(set) var characteristics: [CharacteristicEntry] = []
  /// How many additions changed the table.
  package private(set) var revision = 0

  /// Makes an empty table.
  package init() {}

  /// Whether the table accepts no more entries.
  package var isFull: Bool { count >= Self.mostEntries }

  /// How many services and characteristics there are.
  package var count: Int { services.count + characteristics.count }

  /// The characteristic whose value has this handle.
  package func characteristic(ofValue handle: UInt16) -> CharacteristicEntry? {
    let index = characteristics.partition { $0.declaration < handle }
    guard index > 0, characteristics[index - 1].value == handle else { return nil }
    return characteristics[index - 1]
  }

  /// Whether the attribute describes a known characteristic of its service.
  package func isDescriptor(_ handle: UInt16) -> Bool {
    let index = characteristics.partition { $0.declaration < handle }
    guard index > 0, let service = service(around: handle) else { return false }
    let characteristic = characteristics[index - 1]
    return service.handles.contains(characteristic.declaration) && characteristic.value < handle
  }

  /// The service whose range contains this handle.
  package func service(around handle: UInt16) -> ServiceEntry? {
    let index = services.partition { $0.handles.lowerBound <= handle }
    guard index > 0, services[index - 1].handles.contains(handle) else { return nil }
    return services[index - 1]
  }

  /// Adds a service.
  ///
  /// Services that overlap it are removed with their characteristics: the peer's services changed.
  package mutating func learn(_ service: ServiceEntry) {
    guard self.service(around: service.handles.lowerBound) != service else { return }
    for stale in services where stale.handles.overlaps(service.handles) {
      characteristics.removeAll { stale.handles.contains($0.declaration) }
    }
    services.removeAll { $0.handles.overlaps(service.handles) }
    let start = service.handles.lowerBound
    services.insert(service, at: services.partition { $0.handles.lowerBound < start })
    revision &+= 1
  }

  /// Adds a characteristic; it replaces one that was declared at the same handle.
  package mutating func learn(_ characteristic: CharacteristicEntry) {
    let index = characteristics.partition { $0.declaration < characteristic.declaration }
    if index < characteristics.count,
      characteristics[index].declaration == characteristic.declaration
    {
      guard characteristics[index] != characteristic else { return }
      characteristics[index] = characteristic
    } else {
      characteristics.insert(characteristic, at: index)
    }
    revision &+= 1
  }

  /// The services with their characteristics, ordered by handle.
  package var described: [GATTService] {
    services.map { service in
      let start = characteristics.partition { $0.declaration < service.handles.lowerBound }
      let end = characteristics.partition { $0.declaration <= service.handles.upperBound }
      return GATTService(
        uuid: service.uuid,
        characteristics: characteristics[start..<end].map {
          GATTCharacteristic(uuid: $0.uuid, properties: $0.properties)
        })
    }
  }
}

extension Array {
  /// The index of the first element that does not `precede`.
  ///
  /// The list must be sorted so that all that precede come first; O(log n).
  fileprivate func partition(precede: (Element) -> Bool) -> Int {
    var range = startIndex..<endIndex
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      range = precede(self[middle]) ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return range.lowerBound
  }
}

/// A service with the range of its handles.
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

/// A characteristic with the handles of its declaration and its value.
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
  /// The properties of the declaration's bits (Vol 3 Part G §3.3.1.1), in the order of the cases.
  package static func set(bits: UInt8) -> Set<CharacteristicProperty> {
    Set(allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
  }

  /// The declaration's bits of the properties.
  package static func bits(of properties: Set<CharacteristicProperty>) -> UInt8 {
    allCases.enumerated().reduce(0) { bits, item in
      properties.contains(item.element) ? bits | 1 << UInt8(item.offset) : bits
    }
  }
}
