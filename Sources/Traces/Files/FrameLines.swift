import Care
package import Foundation
package import GATT
package import Radio

/// One frame on a line of JSON.
package struct FrameLine: Hashable, Sendable {
  /// Which line, from 1.
  package var number: Int
  /// The text of `t` or `time`, as it stands in the line; `nil` without one.
  package var time: String?
  /// The device; `nil` without one.
  package var address: DeviceAddress?
  /// The characteristic of a value; `nil` for an advertisement.
  package var characteristic: BluetoothUUID?
  /// The bytes: AD structures, or the value.
  package var data: [UInt8]

  /// Makes a frame.
  package init(
    number: Int = 0, time: String? = nil, address: DeviceAddress?,
    characteristic: BluetoothUUID? = nil, data: [UInt8]
  ) {
    self.number = number
    self.time = time
    self.address = address
    self.characteristic = characteristic
    self.data = data
  }
}

/// Reads frames as JSON Lines in constant memory: `{"address":"…","data":"0201…"}`.
///
/// Lines are as in a radio trace, but only `data` (or `hex`) is required; with `characteristic` it is a
/// value, else an advertisement. A trace's first line and its other events are skipped.
package struct FrameLines {
  private var lines: LineReader

  /// How many bytes have been read.
  package var bytesRead: Int { lines.bytesRead }

  /// Reads `stream`.
  package init(_ stream: any ByteStream) {
    lines = LineReader(stream)
  }

  /// The next frame; `nil` after the last.
  ///
  /// - Throws: ``TraceError`` with the line; the next call goes on behind it.
  package mutating func next() throws(TraceError) -> FrameLine? {
    while let line = try lines.nextRange() {
      do throws(TraceError.Problem) {
        if let frame = try Self.frame(lines.bytes.span, in: line, lines.lineNumber) {
          return frame
        }
      } catch {
        throw TraceError(file: lines.name, line: lines.lineNumber, error)
      }
    }
    return nil
  }

  private static func frame(
    _ bytes: Span<UInt8>, in line: Range<Int>, _ number: Int
  ) throws(TraceError.Problem) -> FrameLine? {
    var fields = FlatObject(line)
    guard fields.begin(bytes) else {
      return try line.contains { bytes[$0] > UInt8(ascii: " ") }
        ? slowFrame(bytes, in: line, number) : nil
    }
    var frame = FrameLine(number: number, address: nil, data: [])
    var hasData = false
    while let (key, value) = fields.next(bytes) {
      switch key.count {
      case 4 where equals(bytes, key, "data"), 3 where equals(bytes, key, "hex"):
        guard let data = hex(bytes, in: value) ?? spacedHex(text(bytes, in: value)) else {
          throw .invalidHex(key: text(bytes, in: key))
        }
        frame.data = data
        hasData = true
      case 4 where equals(bytes, key, "type"):
        guard equals(bytes, value, "advertisement") || equals(bytes, value, "value") else {
          return nil
        }
      case 7 where equals(bytes, key, "address"):
        guard let address = address(bytes, in: value) else {
          throw .invalidAddress(text(bytes, in: value))
        }
        frame.address = address
      case 1 where equals(bytes, key, "t"), 4 where equals(bytes, key, "time"):
        frame.time = text(bytes, in: value)
      case 14 where equals(bytes, key, "characteristic"):
        let text = text(bytes, in: value)
        guard let uuid = BluetoothUUID(text) else { throw .invalidUUID(text) }
        frame.characteristic = uuid
      case 14 where equals(bytes, key, "measured-trace"): return nil
      default: break
      }
    }
    guard fields.isComplete else { return try slowFrame(bytes, in: line, number) }
    guard hasData else { throw .missingKey("data") }
    return frame
  }

  /// The bytes of hex digits with spaces between them, as the vectors of definitions have them.
  private static func spacedHex(_ text: String) -> [UInt8]? {
    [UInt8](hex: text.filter { $0 != " " })
  }

  /// Reads a line with nested or escaped values.
  private static func slowFrame(
    _ bytes: Span<UInt8>, in line: Range<Int>, _ number: Int
  ) throws(TraceError.Problem) -> FrameLine? {
    struct Line: Decodable {
      var data: String?
      var hex: String?
      var type: String?
      var address: String?
      var characteristic: String?
      var t: Double?
    }
    guard let fields = try? JSONDecoder().decode(Line.self, from: Data(line.map { bytes[$0] }))
    else {
      throw .notJSON
    }
    if let type = fields.type, type != "advertisement", type != "value" { return nil }
    guard let text = fields.data ?? fields.hex else { throw .missingKey("data") }
    guard let data = spacedHex(text) else {
      throw .invalidHex(key: fields.data == nil ? "hex" : "data")
    }
    var frame = FrameLine(
      number: number, time: fields.t.map { "\($0)" }, address: nil, data: data)
    if let text = fields.address {
      guard let address = DeviceAddress(text) else { throw .invalidAddress(text) }
      frame.address = address
    }
    if let text = fields.characteristic {
      guard let uuid = BluetoothUUID(text) else { throw .invalidUUID(text) }
      frame.characteristic = uuid
    }
    return frame
  }

  // MARK: Fields

  private static func equals(
    _ bytes: Span<UInt8>, _ range: Range<Int>, _ word: StaticString
  ) -> Bool {
    guard range.count == word.utf8CodeUnitCount else { return false }
    var place = range.lowerBound
    return unsafe UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
      .allSatisfy { byte in
        defer { place += 1 }
        return bytes[place] == byte
      }
  }

  private static func text(_ bytes: Span<UInt8>, in range: Range<Int>) -> String {
    String(decoding: range.map { bytes[$0] }, as: UTF8.self)
  }

  private static func nibble(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }

  private static func hex(_ bytes: Span<UInt8>, in range: Range<Int>) -> [UInt8]? {
    guard range.count.isMultiple(of: 2) else { return nil }
    var data: [UInt8] = []
    data.reserveCapacity(range.count / 2)
    var place = range.lowerBound
    while place < range.upperBound {
      guard let high = nibble(bytes[place]), let low = nibble(bytes[place + 1]) else { return nil }
      data.append(high << 4 | low)
      place += 2
    }
    return data
  }

  private static func address(_ bytes: Span<UInt8>, in range: Range<Int>) -> DeviceAddress? {
    guard range.count == 17 else { return nil }
    var value: UInt64 = 0
    for index in 0..<17 {
      let byte = bytes[range.lowerBound + index]
      if index % 3 == 2 {
        guard byte == UInt8(ascii: ":") else { return nil }
      } else {
        guard let nibble = nibble(byte) else { return nil }
        value = value << 4 | UInt64(nibble)
      }
    }
    return DeviceAddress(rawValue: value)
  }
}

/// Walks over the keys and values of a JSON object without nested values and escapes.
private struct FlatObject {
  private var index: Int
  private let end: Int
  /// Whether the object has been read to its end.
  private(set) var isComplete = false
  private var isFirst = true

  init(_ line: Range<Int>) {
    index = line.lowerBound
    end = line.upperBound
  }

  /// Reads the first brace.
  mutating func begin(_ bytes: Span<UInt8>) -> Bool { take(bytes, UInt8(ascii: "{")) }

  /// The next key and value, a text without its quotes; `nil` at the end, and for what is not flat.
  mutating func next(_ bytes: Span<UInt8>) -> (key: Range<Int>, value: Range<Int>)? {
    if take(bytes, UInt8(ascii: "}")) {
      skipBlanks(bytes)
      isComplete = index == end
      return nil
    }
    guard isFirst || take(bytes, UInt8(ascii: ",")) else { return nil }
    isFirst = false
    guard let key = quoted(bytes), take(bytes, UInt8(ascii: ":")) else { return nil }
    skipBlanks(bytes)
    guard index < end else { return nil }
    if bytes[index] == UInt8(ascii: "\"") { return quoted(bytes).map { (key, $0) } }
    let first = index
    while index < end, bytes[index] != UInt8(ascii: ","), bytes[index] != UInt8(ascii: "}"),
      bytes[index] > UInt8(ascii: " ")
    {
      guard bytes[index] != UInt8(ascii: "{"), bytes[index] != UInt8(ascii: "[") else { return nil }
      index += 1
    }
    return index > first ? (key, first..<index) : nil
  }

  private mutating func quoted(_ bytes: Span<UInt8>) -> Range<Int>? {
    guard take(bytes, UInt8(ascii: "\"")) else { return nil }
    let first = index
    while index < end, bytes[index] != UInt8(ascii: "\"") {
      guard bytes[index] != UInt8(ascii: "\\") else { return nil }
      index += 1
    }
    guard index < end else { return nil }
    index += 1
    return first..<(index - 1)
  }

  private mutating func take(_ bytes: Span<UInt8>, _ byte: UInt8) -> Bool {
    skipBlanks(bytes)
    guard index < end, bytes[index] == byte else { return false }
    index += 1
    return true
  }

  private mutating func skipBlanks(_ bytes: Span<UInt8>) {
    while index < end, bytes[index] <= UInt8(ascii: " ") { index += 1 }
  }
}

// MARK: - Lines or a capture

/// Reads frames from JSON Lines, a radio trace or a Bluetooth capture, which it tells by the first bytes.
package struct FrameReader {
  private var lines: FrameLines?
  private var capture: (any TraceReader)?
  private var count = 0

  /// How many packets of a capture became no frame so far, by reason.
  package var skipped: [CaptureSkip: Int] { capture?.skipped ?? [:] }

  /// Whether the input is a capture, so that frames are numbered instead of lines.
  package var isCapture: Bool { capture != nil }

  /// Reads the beginning of `stream`.
  ///
  /// - Throws: ``TraceError`` for a damaged header of a capture.
  package init(_ stream: any ByteStream) throws(TraceError) {
    let stream = try PrefixedStream(stream, looking: 64)
    capture = try TraceFile.capture(stream)
    if capture == nil { lines = FrameLines(stream) }
  }

  /// The next frame, with its time in a capture; `nil` after the last.
  ///
  /// - Throws: ``TraceError``. Behind a bad line the next call goes on; behind a damaged record of a
  ///   capture it throws again.
  package mutating func next() throws(TraceError) -> (frame: FrameLine, date: Date?)? {
    if let frame = try lines?.next() { return (frame, nil) }
    while let event = try capture?.next() {
      switch event.event {
      case .advertisement(let advertisement):
        count += 1
        return (
          FrameLine(number: count, address: advertisement.address, data: advertisement.data),
          event.time
        )
      case .value(let value):
        count += 1
        return (
          FrameLine(
            number: count, address: value.address, characteristic: value.characteristic,
            data: value.data), event.time
        )
      default: continue
      }
    }
    return nil
  }
}
