import Care
public import Foundation
import GATT
import Motion
public import Radio

/// The sensors of a synthetic patient.
///
/// Each function gives the events of one use of a sensor, oldest first. None of the data was
/// measured on a person.
public struct SyntheticSensors: Sendable {
  /// A body composition scale that advertises.
  public static let scale = DeviceAddress(rawValue: 0x5CCA_D370_0001)
  /// A chest strap with heart rate and acceleration.
  public static let strap = DeviceAddress(rawValue: 0xA09E_1A00_0002)
  /// A motion sensor on the shank.
  public static let shank = DeviceAddress(rawValue: 0xD24F_7100_0003)

  private let timeZone: TimeZone

  /// Makes sensors with clocks in `timeZone`.
  public init(timeZone: TimeZone) {
    self.timeZone = timeZone
  }

  /// A person steps on the scale at `start`, stands for ten seconds, and steps off.
  ///
  /// The weight is in steps of 5 g; the impedance is in ohms, `nil` if it is not measured.
  public func weighIn(at start: Date, steps5g: Int, impedance: Int?) -> [TimedEvent] {
    let clock = dateTime(start.addingTimeInterval(4))
    return (0..<14).map { index in
      let isStable = index >= 4
      let settling = isStable ? 0 : (4 - index) * (index.isMultiple(of: 2) ? 37 : -29)
      let frame = SensorFrames.miScale2(
        time: clock, steps5g: steps5g + settling, isStable: isStable,
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

  /// Bends of the knee with the sensor on the shank.
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

  /// The local time in the layout of Date Time.
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

// MARK: - Frames

/// The frames of the synthetic sensors, in the layouts of real ones.
enum SensorFrames {
  /// A byte pair, little-endian.
  private static func pair(_ value: Int) -> [UInt8] {
    let bits = UInt16(truncatingIfNeeded: value)
    return [UInt8(bits & 0xFF), UInt8(bits >> 8)]
  }

  /// The advertisement of a Mi Body Composition Scale 2: service data 181B of 13 bytes.
  ///
  /// `time` is the scale's clock, 7 bytes of Date Time; the weight is in steps of 5 g, the impedance
  /// in ohms, `nil` if it is not measured.
  static func miScale2(
    time: [UInt8], steps5g: Int, isStable: Bool, isRemoved: Bool, impedance: Int?
  ) -> [UInt8] {
    let control: UInt8 =
      (impedance == nil ? 0 : 0x02) | (isStable ? 0x20 : 0) | (isRemoved ? 0x80 : 0) | 0x04
    let payload =
      [0x02, control] + time + pair(impedance ?? 0xFFFD) + pair(steps5g)
    return [0x02, 0x01, 0x06, UInt8(payload.count + 3), 0x16, 0x1B, 0x18] + payload
  }

  /// A Heart Rate Measurement with skin contact and one RR interval.
  static func heartRate(_ beatsPerMinute: Int) -> [UInt8] {
    [0x16, UInt8(clamping: beatsPerMinute)] + pair(60 * 1024 / max(1, beatsPerMinute))
  }

  /// A Polar measurement data frame: raw acceleration, type 1, three `Int16` in mg; `nanoseconds` is
  /// the time of the last sample, from 2000-01-01.
  static func polarAcceleration(
    _ samples: some Collection<MotionSample>, nanoseconds: UInt64
  ) -> [UInt8] {
    var frame: [UInt8] = [0x02]
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      frame.append(UInt8(truncatingIfNeeded: nanoseconds >> shift))
    }
    frame.append(0x01)
    for sample in samples {
      let vector = sample.acceleration
      for component in [vector.x, vector.y, vector.z] { frame += pair(Int(component) / 1000) }
    }
    return frame
  }

  /// A WitMotion frame: acceleration at ±16 g, angular rate at ±2000 °/s, angles left at zero.
  static func witMotion(_ sample: MotionSample) -> [UInt8] {
    let vector = sample.acceleration
    let rate = sample.angularRate ?? Vector3(x: 0, y: 0, z: 0)
    let accelerations = [vector.x, vector.y, vector.z].map { Int($0) * 32_768 / 16_000_000 }
    let rates = [rate.x, rate.y, rate.z].map { Int($0) * 32_768 / 2_000_000 }
    return [0x55, 0x61] + (accelerations + rates + [0, 0, 0]).flatMap(pair)
  }
}

// MARK: - The recording

/// A synthetic recording.
///
/// Each part is made after the previous one was read, so that a week takes no more memory than its
/// longest part.
public struct SyntheticTrace: TraceReader {
  private var parts: [@Sendable () -> [TimedEvent]]
  private var events: ArraySlice<TimedEvent> = []

  /// Always 0: there is no file.
  public var bytesRead: Int { 0 }

  /// Makes a recording of `parts`; each starts no earlier than the previous one ends.
  public init(_ parts: [@Sendable () -> [TimedEvent]]) {
    self.parts = parts.reversed()
  }

  /// Makes a recording of `events`.
  public init(_ events: [TimedEvent]) {
    parts = []
    self.events = events[...]
  }

  public mutating func next() throws(TraceError) -> TimedEvent? {
    while events.isEmpty {
      guard let part = parts.popLast() else { return nil }
      events = part()[...]
    }
    return events.popFirst()
  }
}
