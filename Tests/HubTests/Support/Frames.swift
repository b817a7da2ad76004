import Foundation
import GATT
import Radio
import TestSupport

extension DeviceAddress {
  static let scale = DeviceAddress(rawValue: 0x5CCA_D370_D4A2)
  static let otherScale = DeviceAddress(rawValue: 0x5CCA_D370_D4A3)
  static let strap = DeviceAddress(rawValue: 0xA09E_1A00_0002)
}

/// An advertisement of a Mi Body Composition Scale 2 (service data 181B).
struct MiFrame {
  /// In 5 g.
  var weight: Int
  /// The scale's clock: `2026-11-20T07:10:00`.
  var clock: String
  var impedance: Int?
  var isStable = true
  var isRemoved = false

  init(
    kilograms: Double, clock: String, impedance: Int? = nil, isStable: Bool = true,
    isRemoved: Bool = false
  ) {
    weight = Int((kilograms * 200).rounded())
    self.clock = clock
    self.impedance = impedance
    self.isStable = isStable
    self.isRemoved = isRemoved
  }

  var payload: [UInt8] {
    let parts = clock.split { "-T:".contains($0) }.compactMap { Int($0) }
    let state =
      4 | (impedance == nil ? 0 : 2) | (isStable ? 0x20 : 0) | (isRemoved ? 0x80 : 0)
    return [0x02, UInt8(state)] + pair(parts[0]) + parts[1...].map { UInt8($0) }
      + pair(impedance ?? 0xFFFD) + pair(weight)
  }
}

/// A byte pair, little-endian.
func pair(_ value: Int) -> [UInt8] {
  let bits = UInt16(truncatingIfNeeded: value)
  return [UInt8(bits & 0xFF), UInt8(bits >> 8)]
}

extension TimedEvent {
  /// Service data of a 16-bit service in an advertisement.
  static func serviceData(
    _ service: UInt16, _ payload: [UInt8], from address: DeviceAddress = .scale, at time: Date
  ) -> TimedEvent {
    let data = [UInt8(payload.count + 3), 0x16] + pair(Int(service)) + payload
    return TimedEvent(
      time: time,
      event: .advertisement(
        Advertisement(address: address, addressType: .public, rssi: -60, data: data)))
  }

  /// A frame of a Mi Body Composition Scale 2.
  static func mi(
    _ frame: MiFrame, from address: DeviceAddress = .scale, at time: Date
  ) -> TimedEvent {
    .serviceData(0x181B, frame.payload, from: address, at: time)
  }

  /// A value of an adopted characteristic.
  static func value(
    _ characteristic: UInt16, of service: UInt16, _ hex: String, from address: DeviceAddress,
    at time: Date, confirmation: UInt64? = nil
  ) -> TimedEvent {
    TimedEvent(
      time: time,
      event: .value(
        CharacteristicValue(
          address: address, service: BluetoothUUID(service),
          characteristic: BluetoothUUID(characteristic), data: bytes(hex),
          confirmation: confirmation.map { Confirmation(address: address, number: $0) })))
  }

  /// A weight as the Weight Scale Service indicates it: user 1, in 5 g, at the scale's clock.
  static func weight(
    kilograms: Double, clock: String, user: UInt8? = nil, from address: DeviceAddress = .scale,
    at time: Date, confirmation: UInt64? = nil
  ) -> TimedEvent {
    let parts = clock.split { "-T:".contains($0) }.compactMap { Int($0) }
    let flags: UInt8 = 0x02 | (user == nil ? 0 : 0x04)
    let frame =
      [flags] + pair(Int((kilograms * 200).rounded())) + pair(parts[0])
      + parts[1...].map { UInt8($0) } + (user.map { [$0] } ?? [])
    return .value(
      0x2A9D, of: 0x181D, hex(frame), from: address, at: time, confirmation: confirmation)
  }
}

/// Two hex digits per byte.
func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
