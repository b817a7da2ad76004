import Care
import GATT
import Radio

extension DefinitionVector.Frame {
  /// The frame as the radio would give it of a made-up device.
  var event: RadioEvent? { event(of: DefinitionVector.madeUpAddress) }

  /// The frame as the radio would give it; `nil` where no advertisement can hold it.
  func event(of address: DeviceAddress) -> RadioEvent? {
    switch content {
    case .advertisement(let data): return .advertisement(Self.advertisement(data, of: address))
    case .source(.characteristic(let uuid), let bytes):
      return .value(
        CharacteristicValue(
          address: address, service: nil, characteristic: uuid, data: bytes))
    case .source(.serviceData(let uuid), let bytes):
      return (try? AdvertisingStructure.serviceData(uuid, bytes)).flatMap {
        Self.event($0, of: address)
      }
    case .source(.manufacturerData(let company), let bytes):
      return (try? AdvertisingStructure.manufacturerData(company, bytes)).flatMap {
        Self.event($0, of: address)
      }
    }
  }

  private static func event(
    _ structure: AdvertisingStructure, of address: DeviceAddress
  ) -> RadioEvent? {
    (try? AdvertisingData(structures: [structure])).map {
      .advertisement(advertisement($0.encoded, of: address))
    }
  }

  private static func advertisement(
    _ data: [UInt8], of address: DeviceAddress
  ) -> Advertisement {
    Advertisement(address: address, addressType: .public, rssi: nil, data: data)
  }
}

extension DefinitionVector.Expected {
  /// How far a value may be off, relative to it: a decimal number is never quite a binary one.
  private static let tolerance = 1e-9

  /// What is wrong with a reading; `nil` where it is as expected.
  func difference(from reading: Reading) -> String? {
    guard case .reading(let quantity, let value, let time, let source, let user) = self else {
      return nil
    }
    func isNear(_ a: Double, _ b: Double) -> Bool { abs(a - b) <= Self.tolerance * max(1, abs(b)) }
    guard reading.quantity == quantity, isNear(reading.value, value) else {
      return
        "\(reading.quantity.rawValue) \(reading.value) instead of \(quantity.rawValue) \(value)"
    }
    guard reading.deviceTime == time else {
      return "\(quantity.rawValue) has the time \(reading.deviceTime.map(\.description) ?? "none")"
        + " instead of \(time.map(\.description) ?? "none")"
    }
    guard reading.userIndex == user else {
      return "\(quantity.rawValue) has the user \(reading.userIndex.map(String.init) ?? "none")"
        + " instead of \(user.map(String.init) ?? "none")"
    }
    guard let source else { return nil }
    guard let actual = reading.sourceValue, actual.unit == source.unit,
      isNear(actual.value, source.value)
    else {
      return "\(quantity.rawValue) was sent as \(reading.sourceValue?.value ?? reading.value)"
        + " instead of \(source.value) \(source.unit.code)"
    }
    return nil
  }
}
