import Care
public import Foundation
import Motion
public import Radio

/// Opens a recording of any format, which it detects by the first bytes.
public struct TraceFile {
  /// The start of a motion file; `nil` for the one that it contains.
  public var start: Date?
  /// The sensor of a motion file; `nil` for the file's name.
  public var sensor: String?
  /// The properties of a motion file's columns that it does not contain.
  public var format: MotionFormat
  /// The zone of a motion file's dates, if they have none.
  public var timeZone: TimeZone

  /// Sets what a motion file does not contain.
  public init(
    start: Date? = nil, sensor: String? = nil, format: MotionFormat = MotionFormat(),
    timeZone: TimeZone = .gmt
  ) {
    self.start = start
    self.sensor = sensor
    self.format = format
    self.timeZone = timeZone
  }

  /// Opens `stream` if it is a Bluetooth capture, by its first bytes; else `nil`.
  static func capture(_ stream: PrefixedStream) throws(TraceError) -> (any TraceReader)? {
    if BtsnoopReader.isCapture(prefix: stream.first) { return try BtsnoopReader(stream) }
    if PacketCaptureReader.isCapture(prefix: stream.first) {
      return try PacketCaptureReader(stream)
    }
    return nil
  }

  /// Opens `stream`: a Bluetooth capture (btsnoop, pcapng, pcap or PacketLogger), a radio trace, or
  /// else a motion file.
  ///
  /// - Throws: ``TraceError`` if it is none of these, or a motion file without a start.
  public func open(_ stream: any ByteStream) throws(TraceError) -> any TraceReader {
    let stream = try PrefixedStream(stream, looking: 64)
    let first = stream.first
    if let capture = try Self.capture(stream) { return capture }
    let text = first.starts(with: byteOrderMark) ? first.dropFirst(byteOrderMark.count) : first[...]
    if text.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") {
      return try RadioTraceReader(stream)
    }
    let reader = try MotionFileReader(stream, format)
    guard let start = start ?? reader.start?.date(in: timeZone) else {
      throw TraceError(file: stream.name, .unknownStart)
    }
    let name = (stream.name as NSString).lastPathComponent
    return MotionFileTrace(
      reader, sensor: sensor ?? (name as NSString).deletingPathExtension, start: start)
  }
}

// MARK: - Motion files

/// Replays a motion file as a recorded sensor that starts at an absolute time.
public struct MotionFileTrace: TraceReader {
  private var reader: MotionFileReader
  private let sensor: String
  private let start: Date
  private var last: Date

  public var bytesRead: Int { reader.bytesRead }

  /// Replays `reader` as the sensor of that name; the file's `t` counts from `start`.
  public init(_ reader: MotionFileReader, sensor: String, start: Date) {
    self.reader = reader
    self.sensor = sensor
    self.start = start
    last = start
  }

  public mutating func next() throws(TraceError) -> TimedEvent? {
    // A quarter of a second of a 100 Hz sensor, as in one notification.
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
