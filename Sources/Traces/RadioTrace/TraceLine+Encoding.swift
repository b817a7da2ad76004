import Care
import GATT
import Motion
import Radio

extension TraceLine {
  /// The line that spells `event`, `t` seconds from the trace's start.
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
    case .failed(let device, let kind, let reason):
      type = "failed"
      address = device.description
      self.kind = kind == .other ? nil : kind.rawValue
      self.reason = reason
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
