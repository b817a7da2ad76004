import GATT
import Motion
import Radio

/// What the made-up sensors put on the air: frames in the layouts of real ones.
enum SensorFrames {
  /// A byte pair, little-endian.
  private static func pair(_ value: Int) -> [UInt8] {
    let bits = UInt16(truncatingIfNeeded: value)
    return [UInt8(bits & 0xFF), UInt8(bits >> 8)]
  }

  /// The advertisement of a Mi Body Composition Scale 2: service data 181B of 13 bytes.
  ///
  /// `time` is the scale's clock, 7 bytes of Date Time; the weight is in units of 5 g, the impedance
  /// in ohms, where it was found.
  static func miScale2(
    time: [UInt8], halfDecagrams: Int, isStable: Bool, isRemoved: Bool, impedance: Int?
  ) -> [UInt8] {
    let control: UInt8 =
      (impedance == nil ? 0 : 0x02) | (isStable ? 0x20 : 0) | (isRemoved ? 0x80 : 0) | 0x04
    let payload =
      [0x02, control] + time + pair(impedance ?? 0xFFFD) + pair(halfDecagrams)
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
