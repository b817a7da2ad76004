import Care
import GATT
import Motion

/// Reads Axivity's binary recordings (AX3, AX6) in constant memory.
///
/// A header of 1024 bytes and data blocks of 512, each with one time stamp and a checksum, as
/// documented by Open Movement (`Docs/ax3/cwa.h`, `ax3-technical.md`). Samples lie evenly between the
/// stamps of two blocks, because the sensor's rate is up to some per cent off its nominal one. The
/// device's clock has no zone.
struct CWAFile: MotionSource {
  private static let headerLength = 1024
  private static let blockLength = 512

  private var blocks: BlockReader
  /// The block whose samples come next; its end is known when its successor has been read.
  private var current: CWABlock?
  private var samples: ArraySlice<MotionSample> = []
  private(set) var start: RecordingStart?

  var bytesRead: Int { blocks.bytesRead }

  /// Whether a file begins as a recording does: `MD`, and the length of the rest of the header.
  static func isOne(_ prefix: [UInt8]) -> Bool { prefix.starts(with: [0x4D, 0x44, 0xFC, 0x03]) }

  /// Reads the header and the first block.
  init(_ stream: any ByteStream) throws(TraceError) {
    blocks = BlockReader(stream)
    let header = try blocks.take(Self.headerLength)
    guard header.count == Self.headerLength else {
      throw TraceError(
        file: stream.name, offset: 0,
        .shortRecord(length: Self.headerLength, missing: Self.headerLength - header.count))
    }
    current = try block()
    start = current.map { RecordingStart(microseconds: $0.begin, isLocal: true) }
  }

  mutating func next(upTo limit: Int) throws(TraceError) -> [MotionSample] {
    while samples.isEmpty, let block = current {
      current = try self.block()
      samples = block.samples(until: current, origin: start?.microseconds ?? 0)[...]
    }
    let taken = samples.prefix(limit)
    samples = samples.dropFirst(taken.count)
    return Array(taken)
  }

  /// The next block with samples; `nil` at the end.
  private mutating func block() throws(TraceError) -> CWABlock? {
    while true {
      let offset = blocks.offset
      let bytes = try blocks.take(Self.blockLength)
      guard !bytes.isEmpty else { return nil }
      do throws(TraceError.Problem) {
        guard bytes.count == Self.blockLength else {
          throw .shortRecord(length: Self.blockLength, missing: Self.blockLength - bytes.count)
        }
        // Memory that was never written.
        if bytes.allSatisfy({ $0 == 0xFF }) { continue }
        let block = try CWABlock(bytes)
        if block.count > 0 { return block }
      } catch {
        throw TraceError(file: blocks.name, offset: offset, error)
      }
    }
  }
}

/// A data block.
private struct CWABlock {
  /// How many samples it has.
  let count: Int
  /// When its first sample was taken, in microseconds since 1970 on the device's clock.
  let begin: Int64
  /// The nominal time from one sample to the next, in nanoseconds.
  private let period: Int64
  private let sequence: UInt32
  private let session: UInt32
  private let packing: Packing
  /// The acceleration's unit is 1/2^`accelerationBits` g.
  private let accelerationBits: Int
  /// The greatest angular rate in deg/s, for 32 768.
  private let gyroscopeRange: Int64
  private let data: [UInt8]

  /// How samples are stored.
  private enum Packing: UInt8 {
    /// Three numbers of 10 bits with an exponent of 2.
    case packed = 0x30
    /// Three numbers of 16 bits.
    case three = 0x32
    /// Angular rate and acceleration.
    case six = 0x62
    /// Angular rate, acceleration and magnetic field.
    case nine = 0x92

    /// The bytes of a sample.
    var size: Int {
      switch self {
      case .packed: 4
      case .three: 6
      case .six: 12
      case .nine: 18
      }
    }
  }

  init(_ bytes: [UInt8]) throws(TraceError.Problem) {
    func u16(_ offset: Int) -> UInt16 { UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8 }
    func u32(_ offset: Int) -> UInt32 { UInt32(u16(offset)) | UInt32(u16(offset + 2)) << 16 }
    guard u16(0) == 0x5841, u16(2) == 508 else {
      throw .invalidBlock(header: u16(0), length: Int(u16(2)))
    }
    guard stride(from: 0, to: 512, by: 2).reduce(UInt16(0), { $0 &+ u16($1) }) == 0 else {
      throw .checksum
    }
    guard let packing = Packing(rawValue: bytes[25]) else { throw .packing(bytes[25]) }
    self.packing = packing
    count = Int(u16(28))
    let most = 480 / packing.size
    guard count <= most else { throw .sampleCount(count, limit: most) }
    // 3200 Hz / 2^(15 − code); below 6.25 Hz no device records.
    let code = bytes[24] & 0x0F
    guard code >= 6 else { throw .sampleRate(millihertz: 3_200_000 >> Int64(15 - code)) }
    period = 312_500 << Int64(15 - code)
    session = u32(6)
    sequence = u32(10)
    let scale = u16(18)
    accelerationBits = packing == .packed ? 8 : 8 + Int(scale >> 13)
    gyroscopeRange = 8000 >> Int64(scale >> 10 & 7)
    data = Array(bytes[30..<510])

    let stamp = u32(14)
    guard
      let seconds = LocalDateTime(
        year: 2000 + Int(stamp >> 26), month: Int(stamp >> 22 & 0x0F), day: Int(stamp >> 17 & 0x1F),
        hour: Int(stamp >> 12 & 0x1F), minute: Int(stamp >> 6 & 0x3F), second: Int(stamp & 0x3F)
      ).secondsSince1970
    else { throw .invalidStamp(stamp) }
    var index = Int64(Int16(bitPattern: u16(26)))
    var fraction: Int64 = 0
    let fractional = u16(4)
    if fractional & 0x8000 != 0 {
      // The index was moved back by the whole samples of the fraction, for readers that ignore it.
      fraction = Int64(fractional & 0x7FFF) * 1_000_000 >> 15
      index += fraction * 1000 / period
    }
    begin = seconds * 1_000_000 + fraction - index * period / 1000
  }

  /// The samples, times counting from `origin`, spaced evenly up to the next block's begin.
  ///
  /// If a block is missing in between, or the spacing were more than a tenth off, it is the nominal one.
  func samples(until next: CWABlock?, origin: Int64) -> [MotionSample] {
    var length = period * Int64(count) / 1000
    if let next, next.session == session, next.sequence == sequence &+ 1 {
      let measured = next.begin - begin
      if abs(measured - length) <= length / 10 { length = measured }
    }
    return (0..<count).map { index in
      let time = begin - origin + length * Int64(index) / Int64(count)
      let first = index * packing.size
      switch packing {
      case .packed: return MotionSample(time: time, acceleration: packedVector(first))
      case .three: return MotionSample(time: time, acceleration: acceleration(first))
      case .six, .nine:
        return MotionSample(
          time: time, acceleration: acceleration(first + 6), angularRate: angularRate(first))
      }
    }
  }

  private func i16(_ offset: Int) -> Int64 {
    Int64(Int16(bitPattern: UInt16(data[offset]) | UInt16(data[offset + 1]) << 8))
  }

  private func vector(_ component: (Int) -> Int64) -> Vector3 {
    Vector3(
      x: Int32(clamping: component(0)), y: Int32(clamping: component(1)),
      z: Int32(clamping: component(2)))
  }

  private func acceleration(_ first: Int) -> Vector3 {
    vector { Self.microG(i16(first + 2 * $0), bits: accelerationBits) }
  }

  private func angularRate(_ first: Int) -> Vector3 {
    vector { i16(first + 2 * $0) * gyroscopeRange * 1000 / 32_768 }
  }

  /// `eezzzzzz zzzzyyyy yyyyyyxx xxxxxxxx`: three signed numbers, all shifted left by the exponent.
  private func packedVector(_ first: Int) -> Vector3 {
    let word = (0..<4).reduce(UInt32(0)) { $0 | UInt32(data[first + $1]) << (8 * UInt32($1)) }
    let exponent = Int64(word >> 30)
    return vector { axis in
      let bits = word >> (10 * UInt32(axis)) & 0x3FF
      let number = Int64(bits) - (bits & 0x200 == 0 ? 0 : 1024)
      return Self.microG(number << exponent, bits: accelerationBits)
    }
  }

  /// `number` / 2^`bits` g, rounded half up.
  private static func microG(_ number: Int64, bits: Int) -> Int64 {
    (number * 1_000_000 + (1 << Int64(bits - 1))) >> Int64(bits)
  }
}
