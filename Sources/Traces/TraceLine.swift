import Care
import Foundation
import GATT
import Motion
import Radio

/// One line of a radio trace as JSON; its keys depend on `type`.
struct TraceLine: Codable {
  var t: Double
  var type: String
  var address: String?
  var addressType: String?
  var rssi: Int?
  var data: String?
  var connectable: Bool?
  var services: [Service]?
  var service: String?
  var characteristic: String?
  var kind: String?
  var reason: String?
  var count: Int?
  var sensor: String?
  var samples: [[Double]]?

  struct Service: Codable {
    var uuid: String
    var characteristics: [Characteristic]?
  }

  struct Characteristic: Codable {
    var uuid: String
    var properties: [String]?
  }
}

/// The first line of a radio trace.
struct TraceHeader: Codable {
  var version: Int
  var start: String
  var adapter: String?

  enum CodingKeys: String, CodingKey {
    case version = "measured-trace"
    case start, adapter
  }
}

// MARK: - From an event

extension TraceLine {
  /// The line of `event`, `t` seconds from the trace's start.
  init(_ event: RadioEvent, t: Double) {
    self.init(t: t, type: "")
    switch event {
    case .advertisement(let advertisement):
      type = "advertisement"
      address = advertisement.address.description
      addressType = advertisement.addressType.rawValue
      rssi = advertisement.rssi
      data = advertisement.data.hexString
      connectable = advertisement.isConnectable ? nil : false
    case .connected(let device):
      type = "connected"
      address = device.description
    case .disconnected(let device):
      type = "disconnected"
      address = device.description
    case .services(let device, let list):
      type = "services"
      address = device.description
      services = list.map(Service.init)
    case .value(let value):
      type = "value"
      address = value.address.description
      service = value.service?.description
      characteristic = value.characteristic.description
      data = value.data.hexString
    case .written(let device, let uuid):
      type = "written"
      address = device.description
      characteristic = uuid.description
    case .failed(let device, let error):
      type = "failed"
      address = device.description
      kind = error.kind == .other ? nil : error.kind.rawValue
      reason = error.description
    case .bondChanged(let device):
      type = "bondChanged"
      address = device.description
    case .lost(let device, let count):
      type = "lost"
      address = device.description
      self.count = count
    case .motion(let motion):
      type = "motion"
      sensor = motion.sensor
      samples = motion.samples.map(\.row)
    }
  }
}

extension TraceLine.Service {
  init(_ service: GATTService) {
    self.init(
      uuid: service.uuid.description,
      characteristics: service.characteristics.map { characteristic in
        TraceLine.Characteristic(
          uuid: characteristic.uuid.description,
          properties: characteristic.properties.map(\.rawValue).sorted())
      })
  }
}

extension MotionSample {
  /// The sample in s, g and deg/s, as a trace spells it.
  fileprivate var row: [Double] {
    func row(_ vector: Vector3, per unit: Double) -> [Double] {
      [vector.x, vector.y, vector.z].map { Double($0) / unit }
    }
    return [Double(time) / 1_000_000] + row(acceleration, per: 1_000_000)
      + (angularRate.map { row($0, per: 1_000) } ?? [])
  }
}

// MARK: - To an event

extension TraceLine {
  /// The line's event.
  func event() throws(TraceError.Problem) -> RadioEvent {
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
          service: try service.map { text throws(TraceError.Problem) in try uuid(text) },
          characteristic: try uuid(try required(characteristic, "characteristic")),
          data: try bytes()))
    case "written":
      .written(
        try device(), characteristic: try uuid(try required(characteristic, "characteristic")))
    case "failed":
      .failed(
        try device(), LinkError(try kindOfFailure(), reason: reason ?? "no reason was recorded"))
    case "bondChanged": .bondChanged(try device())
    case "lost": .lost(try device(), count: max(0, try required(count, "count")))
    case "motion":
      .motion(
        RecordedMotion(
          sensor: try required(sensor, "sensor"),
          samples: try required(samples, "samples").map { row throws(TraceError.Problem) in
            try MotionSample(row: row)
          }))
    default:
      throw .unknownEvent(type)
    }
  }

  private func required<T>(_ value: T?, _ key: String) throws(TraceError.Problem) -> T {
    guard let value else { throw .missingEventKey(key, event: type) }
    return value
  }

  private func device() throws(TraceError.Problem) -> DeviceAddress {
    let text = try required(address, "address")
    guard let address = DeviceAddress(text) else {
      throw .invalidAddress(text)
    }
    return address
  }

  private func kindOfAddress() throws(TraceError.Problem) -> AddressType {
    guard let addressType else { return .public }
    guard let kind = AddressType(rawValue: addressType) else {
      throw .invalidAddressType(addressType)
    }
    return kind
  }

  private func kindOfFailure() throws(TraceError.Problem) -> LinkFailure {
    guard let kind else { return .other }
    guard let failure = LinkFailure(rawValue: kind) else {
      throw .invalidFailureKind(kind)
    }
    return failure
  }

  private func bytes() throws(TraceError.Problem) -> [UInt8] {
    let text = try required(data, "data")
    guard let bytes = [UInt8](hex: text) else {
      throw .invalidHex(key: "data")
    }
    return bytes
  }

  private func uuid(_ text: String) throws(TraceError.Problem) -> BluetoothUUID {
    guard let uuid = BluetoothUUID(text) else {
      throw .invalidUUID(text)
    }
    return uuid
  }

  private func serviceList() throws(TraceError.Problem) -> [GATTService] {
    try required(services, "services").map { service throws(TraceError.Problem) in
      GATTService(
        uuid: try uuid(service.uuid),
        characteristics: try (service.characteristics ?? []).map {
          characteristic throws(TraceError.Problem) in
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
  init(row: [Double]) throws(TraceError.Problem) {
    guard row.count == 4 || row.count == 7 else {
      throw .motionSampleLength(row.count)
    }
    func scaled(_ value: Double, _ factor: Double) throws(TraceError.Problem) -> Int32 {
      guard let whole = Int32(exactly: (value * factor).rounded()) else {
        throw .motionSampleRange(value)
      }
      return whole
    }
    func vector(
      _ values: ArraySlice<Double>, _ factor: Double
    ) throws(TraceError.Problem) -> Vector3 {
      let first = values.startIndex
      return Vector3(
        x: try scaled(values[first], factor), y: try scaled(values[first + 1], factor),
        z: try scaled(values[first + 2], factor))
    }
    guard let offset = Int64(exactly: (row[0] * 1_000_000).rounded()), abs(row[0]) < 86_400 else {
      throw .motionSampleTime(row[0])
    }
    self.init(
      time: offset,
      acceleration: try vector(row[1...3], 1_000_000),
      angularRate: row.count == 7 ? try vector(row[4...6], 1_000) : nil)
  }
}
