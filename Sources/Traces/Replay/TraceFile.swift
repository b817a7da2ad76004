public import Foundation

/// Opens a recording of any kind, told apart by its first bytes.
public struct TraceFile {
  /// When a motion file starts; it does not say so itself.
  public var start: Date?
  /// The sensor that a motion file is of; `nil` for the file's own name.
  public var sensor: String?
  /// The unit of a motion file's acceleration.
  public var unit: MotionUnit

  /// Takes what a motion file does not say itself.
  public init(start: Date? = nil, sensor: String? = nil, unit: MotionUnit = .g) {
    self.start = start
    self.sensor = sensor
    self.unit = unit
  }

  /// Opens `stream`: a btsnoop capture, a radio trace, or else a motion file.
  ///
  /// - Throws: ``TraceError`` where it is none of these, or a motion file without a start.
  public func open(_ stream: any ByteStream) throws(TraceError) -> any TraceReader {
    let stream = try PrefixedStream(stream, looking: 64)
    let first = stream.first
    if BtsnoopReader.isCapture(prefix: first) { return try BtsnoopReader(stream) }
    if first.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "{") {
      return try RadioTraceReader(stream)
    }
    let reader = try MotionFileReader(stream, unit: unit)
    guard let start else {
      throw TraceError(
        file: stream.name,
        reason: "a motion file does not say when it was recorded; add --start with its time")
    }
    let name = (stream.name as NSString).lastPathComponent
    return MotionFileTrace(
      reader, sensor: sensor ?? (name as NSString).deletingPathExtension, start: start)
  }
}
