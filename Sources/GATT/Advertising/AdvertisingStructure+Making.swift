// For those who have an advertisement's fields and need its bytes: traces that are recorded from
// bluetoothd, which hands out fields only, and tests.
extension AdvertisingStructure {
  /// How the device can be discovered.
  public static func flags(_ flags: AdvertisingFlags) -> AdvertisingStructure {
    AdvertisingStructure(.flags, fitting: [flags.rawValue])
  }

  /// The device's name, or the beginning of it, in UTF-8.
  ///
  /// - Throws: ``GATTError/oversized(count:limit:)`` above 254 bytes.
  public static func localName(
    _ name: String, isComplete: Bool = true
  ) throws(GATTError) -> AdvertisingStructure {
    try AdvertisingStructure(
      type: isComplete ? .completeLocalName : .shortenedLocalName, data: Array(name.utf8))
  }

  /// Lists of services: one for each length of UUID that occurs, more where one list is full.
  public static func serviceUUIDs(
    _ uuids: [BluetoothUUID], isComplete: Bool = true
  ) -> [AdvertisingStructure] {
    let kinds: [(width: Int, kind: Kind)] = [
      (2, isComplete ? .completeServices16 : .incompleteServices16),
      (4, isComplete ? .completeServices32 : .incompleteServices32),
      (16, isComplete ? .completeServices128 : .incompleteServices128),
    ]
    return kinds.flatMap { width, kind in
      let spelled = uuids.map(\.shortestBytes).filter { $0.count == width }
      let perList = maximumDataLength / width
      return stride(from: 0, to: spelled.count, by: perList).map { start in
        AdvertisingStructure(
          kind, fitting: Array(spelled[start..<min(start + perList, spelled.count)].joined()))
      }
    }
  }

  /// Data of a service.
  ///
  /// - Throws: ``GATTError/oversized(count:limit:)`` where UUID and data exceed 254 bytes.
  public static func serviceData(
    _ uuid: BluetoothUUID, _ data: [UInt8]
  ) throws(GATTError) -> AdvertisingStructure {
    let spelled = uuid.shortestBytes
    let kind: Kind =
      switch spelled.count {
      case 2: .serviceData16
      case 4: .serviceData32
      default: .serviceData128
      }
    return try AdvertisingStructure(type: kind, data: spelled + data)
  }

  /// Data of a manufacturer, by its company identifier.
  ///
  /// - Throws: ``GATTError/oversized(count:limit:)`` above 252 bytes of data.
  public static func manufacturerData(
    _ company: UInt16, _ data: [UInt8]
  ) throws(GATTError) -> AdvertisingStructure {
    var writer = ByteWriter()
    writer.u16(company)
    writer.append(data)
    return try AdvertisingStructure(type: .manufacturerData, data: writer.bytes)
  }

  /// The transmission power in dBm.
  public static func txPower(_ power: Int8) -> AdvertisingStructure {
    AdvertisingStructure(.txPower, fitting: [UInt8(bitPattern: power)])
  }

  /// What the device looks like (Bluetooth SIG Assigned Numbers §2.6).
  public static func appearance(_ appearance: UInt16) -> AdvertisingStructure {
    var writer = ByteWriter()
    writer.u16(appearance)
    return AdvertisingStructure(.appearance, fitting: writer.bytes)
  }
}
