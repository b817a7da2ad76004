import Foundation
import GATT
import Measurement
import Motion
import Radio
import Traces

/// Motion of a sensor that is known by name, one second of samples per event.
func motion(of sensor: String, _ samples: [MotionSample], at start: Date) -> [TimedEvent] {
  Dictionary(grouping: samples) { $0.time / 1_000_000 }.sorted { $0.key < $1.key }
    .map { second, batch in
      TimedEvent(
        time: start + Double(second),
        event: .motion(
          RecordedMotion(
            sensor: sensor, samples: batch.map { $0.at($0.time - second * 1_000_000) })))
    }
}

/// Notifications of a Polar sensor: raw acceleration (type 1), or 16-bit deltas of it (type 0x81),
/// 36 samples a frame, 50 a second.
func polar(_ samples: [MotionSample], compressed: Bool, at start: Date) -> [TimedEvent] {
  let service = BluetoothUUID(high: 0xFB00_5C80_02E7_F387, low: 0x1CAD_8ACD_2D8D_F0C8)
  let data = BluetoothUUID(high: 0xFB00_5C82_02E7_F387, low: 0x1CAD_8ACD_2D8D_F0C8)
  return stride(from: 0, to: samples.count, by: 36).map { first in
    let batch = samples[first..<min(first + 36, samples.count)]
    let last = batch.last?.time ?? 0
    let frame =
      [0x02] + littleEndian(UInt64(clamping: 700_000_000_000_000_000 + last * 1000))
      + (compressed ? deltas(batch) : [0x01] + batch.flatMap { milliG($0).flatMap(pair) })
    return TimedEvent(
      time: start + Double(last) / 1_000_000,
      event: .value(
        CharacteristicValue(
          address: .strap, service: service, characteristic: data, data: frame)))
  }
}

private func milliG(_ sample: MotionSample) -> [Int] {
  let vector = sample.acceleration
  return [vector.x, vector.y, vector.z].map { Int($0) / 1000 }
}

private func deltas(_ batch: ArraySlice<MotionSample>) -> [UInt8] {
  let values = batch.map(milliG)
  let steps = zip(values, values.dropFirst()).flatMap { before, after in
    zip(before, after).flatMap { pair($1 - $0) }
  }
  return [0x81] + (values.first ?? []).flatMap(pair)
    + (steps.isEmpty ? [] : [16, UInt8(values.count - 1)] + steps)
}

private func littleEndian(_ value: UInt64) -> [UInt8] {
  (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
}

/// The total number of steps that a counter for a place finds.
func steps(in samples: [MotionSample], on segment: Segment? = nil) -> Int {
  var counter = StepCounter(on: segment)
  _ = counter.add(contentsOf: samples)
  _ = counter.finish()
  return counter.total
}
