import Care
import Foundation
import Motion

/// Reads ActiGraph's binary recordings in constant memory.
///
/// A ZIP archive with `info.txt` and `log.bin`, whose records have a separator, a type, a time, a
/// length and a checksum, as documented by ActiGraph (GitHub, actigraph/GT3X-File-Format). Read are
/// the records ACTIVITY, ACTIVITY2 and PARAMETERS; a second without a record is a gap. The device's
/// clock has no zone.
struct GT3XFile: MotionSource {
  private static let separator: UInt8 = 0x1E
  /// The limit of `info.txt`, in bytes.
  private static let longestInfo = 1 << 16
  /// The limit of zeros between two records; a few may stand there.
  private static let mostPadding = 4096

  private var archive: ZipStream
  private let name: String
  private let info: GT3XInfo
  private var countsPerG: Double?
  private var buffer: ArraySlice<UInt8> = []
  private var isAtEnd = false
  /// Where in `log.bin` the buffer begins.
  private var offset = 0
  private var samples: ArraySlice<MotionSample> = []
  private(set) var start: RecordingStart?

  var bytesRead: Int { archive.bytesRead }

  /// Reads `info.txt` and finds `log.bin`.
  init(_ stream: any ByteStream) throws(TraceError) {
    var stream = stream
    name = stream.name
    var archive = ZipStream(stream)
    var info: GT3XInfo?
    var hasPassedLog = false
    var files: [String] = []
    while info == nil, let file = try archive.nextFile() {
      files.append(file)
      guard files.count <= 64 else { break }
      if file == "log.bin" {
        hasPassedLog = true
      } else if file == "info.txt" {
        info = try Self.info(&archive, name)
      }
    }
    guard let info else { throw TraceError(file: name, .archive(.missing("info.txt"))) }
    self.info = info
    countsPerG = info.countsPerG
    if hasPassedLog {
      guard try stream.rewind() else { throw TraceError(file: name, .archive(.pipe)) }
      archive = ZipStream(stream)
    }
    var isFound = false
    while !isFound, let file = try archive.nextFile() { isFound = file == "log.bin" }
    guard isFound else { throw TraceError(file: name, .archive(.missing("log.bin"))) }
    self.archive = archive
  }

  private static func info(_ archive: inout ZipStream, _ name: String) throws(TraceError)
    -> GT3XInfo
  {
    var text: [UInt8] = []
    while case let block = try archive.read(), !block.isEmpty {
      text += block
      guard text.count <= longestInfo else {
        throw TraceError(file: "\(name): info.txt", .longLine(limit: longestInfo))
      }
    }
    do {
      return try GT3XInfo(String(decoding: text, as: UTF8.self))
    } catch {
      throw TraceError(file: "\(name): info.txt", error)
    }
  }

  mutating func next(upTo limit: Int) throws(TraceError) -> [MotionSample] {
    while samples.isEmpty, let record = try record() {
      do {
        samples = try take(record)[...]
      } catch {
        throw TraceError(file: "\(name): log.bin", offset: record.offset, error)
      }
    }
    let taken = samples.prefix(limit)
    samples = samples.dropFirst(taken.count)
    return Array(taken)
  }

  // MARK: Records

  private struct Record {
    var offset: Int
    var type: UInt8
    var time: UInt32
    var payload: ArraySlice<UInt8>
  }

  /// The next record; `nil` at the end.
  private mutating func record() throws(TraceError) -> Record? {
    var padding = 0
    while try fill(1), buffer.first == 0 {
      padding += 1
      guard padding <= Self.mostPadding else { throw problem(.padding(limit: Self.mostPadding)) }
      drop(1)
    }
    guard let first = buffer.first else { return nil }
    guard first == Self.separator else { throw problem(.invalidSeparator(first)) }
    guard try fill(9) else { throw problem(.shortRecordHeader) }
    let header = Array(buffer.prefix(8))
    let length = Int(header[6]) | Int(header[7]) << 8
    guard try fill(9 + length) else {
      throw problem(.shortRecord(length: 9 + length, missing: 9 + length - buffer.count))
    }
    guard
      buffer.prefix(8 + length).reduce(UInt8(0), ^) ^ 0xFF == buffer[buffer.startIndex + 8 + length]
    else { throw problem(.checksum) }
    let time = (0..<4).reduce(UInt32(0)) { $0 | UInt32(header[2 + $1]) << (8 * UInt32($1)) }
    let record = Record(
      offset: offset, type: header[1], time: time, payload: buffer.dropFirst(8).prefix(length))
    drop(9 + length)
    return record
  }

  /// Whether so many bytes could be read ahead.
  private mutating func fill(_ count: Int) throws(TraceError) -> Bool {
    while buffer.count < count, !isAtEnd {
      let block = try archive.read()
      isAtEnd = block.isEmpty
      buffer = Array(buffer)[...] + block
    }
    return buffer.count >= count
  }

  private mutating func drop(_ count: Int) {
    buffer = buffer.dropFirst(count)
    offset += count
  }

  private func problem(_ problem: TraceError.Problem) -> TraceError {
    TraceError(file: "\(name): log.bin", offset: offset, problem)
  }

  // MARK: Samples

  private mutating func take(_ record: Record) throws(TraceError.Problem) -> [MotionSample] {
    let counts: [(Int, Int, Int)]
    switch record.type {
    // A payload of one byte reports that the device was connected to a computer.
    case 0 where record.payload.count > 1: counts = Self.packed(record.payload)
    case 26 where record.payload.count > 1: counts = Self.plain(record.payload)
    case 21:
      if let scale = Self.scale(record.payload) { countsPerG = scale }
      return []
    default: return []
    }
    guard let countsPerG else { throw .unknownScale(serial: info.serial) }
    let most = Int(GT3XInfo.rates.upperBound)
    guard counts.count <= most else { throw .sampleCount(counts.count, limit: most) }
    let time = Int64(record.time) * 1_000_000
    if start == nil { start = RecordingStart(microseconds: time, isLocal: true) }
    let first = time - (start?.microseconds ?? 0)
    let rate = max(Int64(counts.count), info.rate)
    func microG(_ count: Int) -> Int32 {
      Int32(saturating: (Double(count) * 1_000_000 / countsPerG).rounded())
    }
    return counts.enumerated().map { index, axes in
      MotionSample(
        time: first + Int64(index) * 1_000_000 / rate,
        acceleration: Vector3(x: microG(axes.0), y: microG(axes.1), z: microG(axes.2)))
    }
  }

  /// Numbers of 12 bits, the highest first, in the order y, x, z.
  private static func packed(_ bytes: ArraySlice<UInt8>) -> [(Int, Int, Int)] {
    let first = bytes.startIndex
    func number(_ index: Int) -> Int {
      let byte = first + index * 3 / 2
      let bits =
        index.isMultiple(of: 2)
        ? Int(bytes[byte]) << 4 | Int(bytes[byte + 1]) >> 4
        : Int(bytes[byte] & 0x0F) << 8 | Int(bytes[byte + 1])
      return bits >= 2048 ? bits - 4096 : bits
    }
    return (0..<(bytes.count * 2 / 9)).map {
      (number(3 * $0 + 1), number(3 * $0), number(3 * $0 + 2))
    }
  }

  /// Numbers of 16 bits, the lowest byte first, in the order x, y, z.
  private static func plain(_ bytes: ArraySlice<UInt8>) -> [(Int, Int, Int)] {
    let first = bytes.startIndex
    func number(_ index: Int) -> Int {
      let byte = first + 2 * index
      return Int(Int16(bitPattern: UInt16(bytes[byte]) | UInt16(bytes[byte + 1]) << 8))
    }
    return (0..<(bytes.count / 6)).map { (number(3 * $0), number(3 * $0 + 1), number(3 * $0 + 2)) }
  }

  /// ACCEL_SCALE (address space 0, identifier 55): a fraction of 24 bits and an exponent of 8.
  private static func scale(_ bytes: ArraySlice<UInt8>) -> Double? {
    let bytes = Array(bytes)
    for first in stride(from: 0, to: bytes.count - 7, by: 8)
    where bytes[first..<(first + 4)] == [0, 0, 55, 0] {
      let fraction =
        Int(bytes[first + 4]) | Int(bytes[first + 5]) << 8 | Int(bytes[first + 6]) << 16
      let exponent = Int(Int8(bitPattern: bytes[first + 7]))
      guard (1..<0x80_0000).contains(fraction), (0...16).contains(exponent) else { return nil }
      return Double(fraction) / Double(1 << (23 - min(exponent, 16)))
    }
    return nil
  }
}

/// The properties of a recording in `info.txt`.
struct GT3XInfo {
  /// The rates that a device may have, in samples a second.
  static let rates: ClosedRange<Int64> = 1...256

  /// The device's serial number.
  let serial: String
  /// Samples a second.
  let rate: Int64

  /// Reads lines of the form `Sample Rate: 30`.
  init(_ text: String) throws(TraceError.Problem) {
    var values: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let key = line[..<colon].filter { $0 != "\u{FEFF}" }
      values[key] = line[line.index(after: colon)...].filter { $0 != " " }
    }
    serial = String((values["Serial Number"] ?? "").prefix(40))
    guard let text = values["Sample Rate"], let rate = Double(text.replacing(",", with: ".")),
      rate.isFinite
    else { throw .missingKey("Sample Rate") }
    guard let whole = Int64(exactly: rate), Self.rates.contains(whole) else {
      throw .sampleRate(millihertz: Int64(exactly: (rate * 1000).rounded()) ?? .max)
    }
    self.rate = whole
  }

  /// The counts to 1 g by the serial number; `nil` for a device whose log says it.
  var countsPerG: Double? {
    switch serial.prefix(3) {
    case "NEO", "CLE", "MRA": 341
    case "MOS", "TAS": 256
    default: nil
    }
  }
}
