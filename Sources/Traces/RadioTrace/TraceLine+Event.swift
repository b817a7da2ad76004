import Care
import GATT
import Motion
import Radio

extension TraceLine {
  /// The event that the line spells.
  func event() throws(LineProblem) -> RadioEvent {
    switch type {
    case "advertisement":
      .advertisement(
        Advertisement(
          address: try device(), addressType: try kindOfAddress(), rssi: rssi,
          data: try bytes(), isConnectable: connectable ?? true))
    case "connected": .connected(try device())
    case "disconnected": .disconnected(try device())
    case "services": .services(try device(), try serviceList())
    case "value":
      .value(
        CharacteristicValue(
          address: try device(),
          service: try service.map { text throws(LineProblem) in try uuid(text) },
          characteristic: try uuid(try required(characteristic, "characteristic")),
          data: try bytes()))
    case "written":
      .written(
        try device(), characteristic: try uuid(try required(characteristic, "characteristic")))
    case "failed":
      .failed(
        try device(), kind: try kindOfFailure(), reason: reason ?? "no reason was recorded")
    case "lost": .lost(try device(), count: max(0, try required(count, "count")))
    case "motion":
      .motion(
        RecordedMotion(
          sensor: try required(sensor, "sensor"),
          samples: try required(samples, "samples").map { row throws(LineProblem) in
            try MotionSample(row: row)
          }))
    default:
      throw LineProblem(
        "there is no event type ‘\(type)’; it is one of advertisement, connected, services, value,"
          + " written, failed, lost, disconnected, motion")
    }
  }

  private func required<T>(_ value: T?, _ key: String) throws(LineProblem) -> T {
    guard let value else { throw LineProblem("‘\(key)’ is missing from this ‘\(type)’ event") }
    return value
  }

  private func device() throws(LineProblem) -> DeviceAddress {
    let text = try required(address, "address")
    guard let address = DeviceAddress(text) else {
      throw LineProblem("‘\(text)’ is no Bluetooth address; write it like 5C:CA:D3:70:D4:A2")
    }
    return address
  }

  private func kindOfAddress() throws(LineProblem) -> AddressType {
    guard let addressType else { return .public }
    guard let kind = AddressType(rawValue: addressType) else {
      throw LineProblem("‘\(addressType)’ is no address type; it is ‘public’ or ‘random’")
    }
    return kind
  }

  private func kindOfFailure() throws(LineProblem) -> LinkFailure {
    guard let kind else { return .other }
    guard let failure = LinkFailure(rawValue: kind) else {
      let known = LinkFailure.allCases.map(\.rawValue).joined(separator: ", ")
      throw LineProblem("‘\(kind)’ is no kind of failure; it is one of \(known)")
    }
    return failure
  }

  private func bytes() throws(LineProblem) -> [UInt8] {
    let text = try required(data, "data")
    guard let bytes = [UInt8](hex: text) else {
      throw LineProblem("‘data’ is not whole bytes in hex")
    }
    return bytes
  }

  private func uuid(_ text: String) throws(LineProblem) -> BluetoothUUID {
    guard let uuid = BluetoothUUID(text) else {
      throw LineProblem("‘\(text)’ is no Bluetooth UUID")
    }
    return uuid
  }

  private func serviceList() throws(LineProblem) -> [GATTService] {
    try required(services, "services").map { service throws(LineProblem) in
      GATTService(
        uuid: try uuid(service.uuid),
        characteristics: try (service.characteristics ?? []).map {
          characteristic throws(LineProblem) in
          GATTCharacteristic(
            uuid: try uuid(characteristic.uuid),
            properties: Set(
              (characteristic.properties ?? []).compactMap(CharacteristicProperty.init)))
        })
    }
  }
}

extension MotionSample {
  /// Reads `[dt, ax, ay, az]` or `[dt, ax, ay, az, gx, gy, gz]` in s, g and deg/s.
  init(row: [Double]) throws(LineProblem) {
    guard row.count == 4 || row.count == 7 else {
      throw LineProblem(
        "a motion sample has \(row.count) numbers; it has 4 (dt, ax, ay, az) or 7 (with gx, gy, gz)"
      )
    }
    func scaled(_ value: Double, _ factor: Double) throws(LineProblem) -> Int32 {
      guard let whole = Int32(exactly: (value * factor).rounded()) else {
        throw LineProblem("a motion sample holds \(value), which no sensor measures")
      }
      return whole
    }
    func vector(
      _ values: ArraySlice<Double>, _ factor: Double
    ) throws(LineProblem) -> Vector3 {
      let first = values.startIndex
      return Vector3(
        x: try scaled(values[first], factor), y: try scaled(values[first + 1], factor),
        z: try scaled(values[first + 2], factor))
    }
    guard let offset = Int64(exactly: (row[0] * 1_000_000).rounded()), abs(row[0]) < 86_400 else {
      throw LineProblem("a motion sample is \(row[0]) s from its event; at most a day is allowed")
    }
    self.init(
      time: offset,
      acceleration: try vector(row[1...3], 1_000_000),
      angularRate: row.count == 7 ? try vector(row[4...6], 1_000) : nil)
  }
}
