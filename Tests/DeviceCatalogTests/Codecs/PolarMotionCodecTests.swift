import Care
import GATT
import Motion
import TestSupport
import Testing

@testable import DeviceCatalog

struct PolarMotionCodecTests {
  private func accelerations(_ content: FrameContent) -> [Vector3] {
    content.motion?.samples.map(\.acceleration) ?? []
  }

  private func vectors(_ samples: [[Int]], factor: Int32 = 1000) -> [Vector3] {
    samples.map {
      Vector3(x: Int32($0[0]) * factor, y: Int32($0[1]) * factor, z: Int32($0[2]) * factor)
    }
  }

  @Test(arguments: [(0 as UInt8, 1), (1, 2), (2, 3)])
  func `reads raw frames`(type: UInt8, width: Int) throws {
    let samples = [[18, -5, 100], [-128, 127, 0], [0, 0, 1]]
    let frame = PolarEncoder.raw(samples, type: type, width: width, time: 42)
    var codec = PolarMotionCodec()
    let content = try codec.decode(frame)
    #expect(accelerations(content) == vectors(samples))
    #expect(content.motion?.lastSampleNanoseconds == 42)
  }

  @Test(arguments: [1 as UInt64, 2, 3, 4, 5])
  func `reads what the encoder compresses`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<Rounds.count(200) {
      var samples = [(0..<3).map { _ in Int.random(in: -8000...8000, using: &generator) }]
      let step = 1 << Int.random(in: 1...10, using: &generator)
      for _ in 0..<Int.random(in: 0...80, using: &generator) {
        samples.append(
          (samples.last ?? []).map { $0 + Int.random(in: -step...step, using: &generator) })
      }
      let blocks = Int.random(in: 1...30, using: &generator)
      let frame = PolarEncoder.deltas(samples, type: 1, perBlock: blocks, time: generator.next())
      var codec = PolarMotionCodec()
      #expect(accelerations(try codec.decode(frame)) == vectors(samples))
    }
  }

  @Test func `counts in g use the sensors factor`() throws {
    let frame = PolarEncoder.deltas(
      [[4096, 0, -2048], [8192, 1, 0]], type: 0, perBlock: 1, time: 1)
    let quarter = [
      Vector3(x: 1_000_000, y: 0, z: -500_000), Vector3(x: 2_000_000, y: 244, z: 0),
    ]
    var codec = PolarMotionCodec()
    #expect(accelerations(try codec.decode(frame)) == quarter)
    // The response to a start has the factor 1/8192 between a rate and a number of channels.
    _ = try codec.decode(bytes("f0 02 02 00 00 00 01 3400 05 01 00000039 04 01 03"))
    #expect(
      accelerations(try codec.decode(frame))
        == [Vector3(x: 500_000, y: 0, z: -250_000), Vector3(x: 1_000_000, y: 122, z: 0)])
  }

  @Test(
    arguments: [
      ("f002020d", 13), ("f002020a", 10), ("f0020263", 99),
    ] as [(String, UInt8)])
  func `reports a refused stream`(hex: String, status: UInt8) throws {
    var codec = PolarMotionCodec()
    #expect(try codec.decode(bytes(hex)).note == .streamRefused(status: status))
  }

  @Test(arguments: ["f0020200", "f0020206", "f0010200", "f003020000"])
  func `other responses are ignored`(hex: String) throws {
    var codec = PolarMotionCodec()
    #expect(try codec.decode(bytes(hex)) == FrameContent())
  }

  @Test func `other measurements are ignored`() throws {
    var codec = PolarMotionCodec()
    for kind in 0..<0x40 as Range<UInt8> where kind != 2 && kind != 0x30 {
      #expect(try codec.decode([kind, 1, 2, 3]) == FrameContent())
    }
  }

  @Test(arguments: [
    "02", "02 0000000000000000", "02 0000000000000000 01", "02 0000000000000000 01 0102030405",
    "02 0000000000000000 03 000000", "02 0000000000000000 82 000000000000",
    "02 0000000000000000 81 0000000000", "02 0000000000000000 81 000000000000 08",
    "02 0000000000000000 81 000000000000 0801 0102", "02 0000000000000000 81 000000000000 2101",
    "02 0000000000000000 81 000000000000 00ff00ff00ff", "f0", "f002", "f002020000 0501 00",
  ])
  func `refuses malformed frames`(hex: String) {
    var codec = PolarMotionCodec()
    #expect(throws: FrameDefect.self) { try codec.decode(bytes(hex)) }
  }

  @Test func `samples of a session have the sensors time`() throws {
    let data = "FB005C82-02E7-F387-1CAD-8ACD2D8DF0C8"
    var bench = try SessionBench("polar-h10")
    let second: UInt64 = 1_000_000_000
    let first = PolarEncoder.raw([[0, 0, 1000], [0, 0, 1001]], time: 600 * second)
    let next = PolarEncoder.raw([[0, 0, 1002], [0, 0, 1003]], time: 600 * second + 42_000_000)
    let batch = try #require(try bench.value(data, first.hexString, at: 1).batches.first)
    #expect(batch.timeBase == .device)
    #expect(batch.milliHertz == 50_000)
    #expect(batch.device.address == "5C:CA:D3:70:D4:A2")
    let start = SessionBench.time(1).date.microseconds
    #expect(batch.samples.map { $0.time - start } == [-20_000, 0])
    let later = try #require(try bench.value(data, next.hexString, at: 1.3).batches.first)
    #expect(later.samples.map { $0.time - start } == [21_000, 42_000])
    #expect(later.samples.map(\.acceleration.z) == [1_002_000, 1_003_000])
  }
}

// MARK: - Encoder

/// An encoder by Polar's specification, independent of the decoder.
enum PolarEncoder {
  /// A frame of whole samples.
  static func raw(
    _ samples: [[Int]], type: UInt8 = 1, width: Int = 2, time: UInt64
  ) -> [UInt8] {
    var writer = header(time: time, type: type)
    for value in samples.joined() {
      writer.unsigned(UInt64(bitPattern: Int64(value)), width: width)
    }
    return writer.bytes
  }

  /// A frame of a first sample and blocks of differences, each block with the fewest bits.
  static func deltas(_ samples: [[Int]], type: UInt8, perBlock: Int, time: UInt64) -> [UInt8] {
    var writer = header(time: time, type: 0x80 | type)
    for value in samples.first ?? [] {
      writer.unsigned(UInt64(bitPattern: Int64(value)), width: 2)
    }
    let differences = zip(samples.dropFirst(), samples).map { zip($0, $1).map { $0 - $1 } }
    var start = 0
    while start < differences.count {
      let block = differences[start..<min(start + perBlock, differences.count)]
      let values = block.flatMap { $0 }
      let bits = values.map(Self.width).max() ?? 1
      writer.append([UInt8(bits), UInt8(block.count)])
      // A string of binary digits, the least significant of each value first.
      let digits = values.flatMap { value in (0..<bits).map { value >> $0 & 1 } }
      for byte in stride(from: 0, to: digits.count, by: 8) {
        let eight = digits[byte..<min(byte + 8, digits.count)]
        writer.u8(UInt8(eight.reversed().reduce(0) { $0 * 2 + $1 }))
      }
      start += perBlock
    }
    return writer.bytes
  }

  private static func header(time: UInt64, type: UInt8) -> ByteWriter {
    var writer = ByteWriter()
    writer.u8(2)
    writer.unsigned(time, width: 8)
    writer.u8(type)
    return writer
  }

  /// The number of bits of a number in two's complement.
  private static func width(_ value: Int) -> Int {
    var bits = 1
    while value < -(1 << (bits - 1)) || value >= 1 << (bits - 1) { bits += 1 }
    return bits
  }
}
