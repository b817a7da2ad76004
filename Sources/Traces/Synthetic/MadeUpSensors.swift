import Care
public import Foundation
import GATT
import Motion
public import Radio

/// The sensors of a made-up patient, and what they send.
///
/// Each function gives the events of one use of a sensor, oldest first. Nothing in them was
/// measured on anybody.
public struct MadeUpSensors: Sendable {
  /// A body composition scale that advertises.
  public static let scale = DeviceAddress(rawValue: 0x5CCA_D370_0001)
  /// A chest strap with heart rate and acceleration.
  public static let strap = DeviceAddress(rawValue: 0xA09E_1A00_0002)
  /// A motion sensor on the shank.
  public static let shank = DeviceAddress(rawValue: 0xD24F_7100_0003)

  private let timeZone: TimeZone

  /// Makes sensors whose clocks keep `timeZone`.
  public init(timeZone: TimeZone) {
    self.timeZone = timeZone
  }

  /// Somebody steps on the scale at `start`, stands for a few seconds, and steps off.
  public func weighIn(at start: Date, halfDecagrams: Int, impedance: Int?) -> [TimedEvent] {
    let clock = dateTime(start.addingTimeInterval(4))
    return (0..<14).map { index in
      let isStable = index >= 4
      let settling = isStable ? 0 : (4 - index) * (index.isMultiple(of: 2) ? 37 : -29)
      let frame = SensorFrames.miScale2(
        time: clock, halfDecagrams: halfDecagrams + settling, isStable: isStable,
        isRemoved: index >= 10, impedance: index >= 7 ? impedance : nil)
      return TimedEvent(
        time: start.addingTimeInterval(Double(index)),
        event: .advertisement(
          Advertisement(address: Self.scale, addressType: .public, rssi: -61, data: frame)))
    }
  }

  /// A walk with the chest strap on: heart beats and acceleration.
  public func walk(at start: Date, seconds: Int, cadence: Int, heartRate: Int) -> [TimedEvent] {
    let samples = GaitModel(cadence: cadence).samples(seconds: seconds)
    let measurement = BluetoothUUID(0x2A37)
    var events = connection(
      Self.strap, at: start,
      services: [
        service(BluetoothUUID(0x180D), measurement, .notify),
        service(Self.polarService, Self.polarData, .notify),
      ])
    let origin = start.addingTimeInterval(1)
    // 2000-01-01T00:00:00Z, from which the strap counts.
    let epoch: Int64 = 946_684_800_000_000
    for (index, batch) in samples.chunks(of: 36).enumerated() {
      guard let last = batch.last else { continue }
      let time = Date(microseconds: origin.microseconds + last.time)
      let nanoseconds = UInt64(clamping: (time.microseconds - epoch) * 1000)
      events.append(
        value(
          Self.strap, Self.polarService, Self.polarData,
          SensorFrames.polarAcceleration(batch, nanoseconds: nanoseconds), at: time))
      guard index.isMultiple(of: 2) else { continue }
      let beat = heartRate + Int(Wave.sine(Int64(index) * 900, amplitude: 9))
      events.append(
        value(
          Self.strap, BluetoothUUID(0x180D), measurement, SensorFrames.heartRate(beat), at: time))
    }
    let end = events.last?.time ?? start
    return events + [
      TimedEvent(time: end.addingTimeInterval(1), event: .disconnected(Self.strap))
    ]
  }

  /// A few bends of the knee with the sensor on the shank.
  public func kneeBends(at start: Date, range: Int, repetitions: Int) -> [TimedEvent] {
    var events = connection(
      Self.shank, at: start, services: [service(Self.witMotionService, Self.witMotionData, .notify)]
    )
    let origin = start.addingTimeInterval(1)
    for sample in BendModel(range: range, repetitions: repetitions).samples {
      events.append(
        value(
          Self.shank, Self.witMotionService, Self.witMotionData, SensorFrames.witMotion(sample),
          at: Date(microseconds: origin.microseconds + sample.time)))
    }
    let end = events.last?.time ?? start
    return events + [
      TimedEvent(time: end.addingTimeInterval(1), event: .disconnected(Self.shank))
    ]
  }

  private static let polarService = BluetoothUUID(
    high: 0xFB00_5C80_02E7_F387, low: 0x1CAD_8ACD_2D8D_F0C8)
  private static let polarData = BluetoothUUID(
    high: 0xFB00_5C82_02E7_F387, low: 0x1CAD_8ACD_2D8D_F0C8)
  private static let witMotionService = BluetoothUUID(
    high: 0x0000_FFE5_0000_1000, low: 0x8000_0080_5F9A_34FB)
  private static let witMotionData = BluetoothUUID(
    high: 0x0000_FFE4_0000_1000, low: 0x8000_0080_5F9A_34FB)

  private func service(
    _ uuid: BluetoothUUID, _ characteristic: BluetoothUUID, _ property: CharacteristicProperty
  ) -> GATTService {
    GATTService(
      uuid: uuid,
      characteristics: [GATTCharacteristic(uuid: characteristic, properties: [property])])
  }

  private func connection(
    _ address: DeviceAddress, at start: Date, services: [GATTService]
  ) -> [TimedEvent] {
    [
      TimedEvent(time: start, event: .connected(address)),
      TimedEvent(time: start.addingTimeInterval(0.4), event: .services(address, services)),
    ]
  }

  private func value(
    _ address: DeviceAddress, _ service: BluetoothUUID, _ characteristic: BluetoothUUID,
    _ data: [UInt8], at time: Date
  ) -> TimedEvent {
    TimedEvent(
      time: time,
      event: .value(
        CharacteristicValue(
          address: address, service: service, characteristic: characteristic, data: data)))
  }

  /// What a clock in the patient's home shows, as Date Time.
  private func dateTime(_ date: Date) -> [UInt8] {
    let local = LocalDateTime(date, in: timeZone)
    return [
      UInt8(truncatingIfNeeded: local.year), UInt8(truncatingIfNeeded: local.year >> 8),
      UInt8(clamping: local.month), UInt8(clamping: local.day), UInt8(clamping: local.hour),
      UInt8(clamping: local.minute), UInt8(clamping: local.second),
    ]
  }
}

extension Array {
  /// Consecutive slices of `count` elements, the last perhaps shorter.
  fileprivate func chunks(of count: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
  }
}
