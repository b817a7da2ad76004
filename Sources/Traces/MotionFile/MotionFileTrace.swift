import Care
public import Foundation
import Motion
public import Radio

/// Plays a motion file as a recorded sensor, starting at an absolute time.
public struct MotionFileTrace: TraceReader {
  private var reader: MotionFileReader
  private let sensor: String
  private let start: Date
  private var last: Date

  public var bytesRead: Int { reader.bytesRead }

  /// Plays `reader` as the sensor of that name; the file's `t` counts from `start`.
  public init(_ reader: MotionFileReader, sensor: String, start: Date) {
    self.reader = reader
    self.sensor = sensor
    self.start = start
    last = start
  }

  public mutating func next() throws(TraceError) -> TimedEvent? {
    // A quarter of a second of a 100 Hz sensor, as a notification would carry it.
    let block = try reader.next(upTo: 25)
    guard let first = block.first else { return nil }
    let time = max(last, start.addingTimeInterval(Double(first.time) / 1_000_000))
    last = time
    let origin = time.microseconds &- start.microseconds
    return TimedEvent(
      time: time,
      event: .motion(
        RecordedMotion(
          sensor: sensor,
          samples: block.map { $0.at($0.time &- origin) })))
  }
}
