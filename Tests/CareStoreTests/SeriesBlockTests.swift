import TestSupport
import Testing

@testable import CareStore

/// The coding of dense series: lossless, small, and safe with any bytes.
struct SeriesBlockTests {
  // MARK: - Lossless

  @Test(arguments: 0..<60)
  func `a block gives back the samples of any series, bit by bit`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let samples = Series(using: &random).samples(.random(in: 0...400, using: &random), &random)
    let decoded = try SeriesBlock.decode(SeriesBlock.encode(samples))
    #expect(decoded.map(Exact.init) == samples.map(Exact.init))
  }

  @Test(
    arguments: [
      [0, -0.0], [-0.0], [.leastNonzeroMagnitude, 1, -.leastNonzeroMagnitude],
      [.greatestFiniteMagnitude, -.greatestFiniteMagnitude], [.ulpOfOne, 0.1 + 0.2, 1 / 3],
      [0x1p53, -0x1p53, 0x1p53 + 2], [1e-6, -1e-6, 9_007_199_254.740_993], [.infinity, 1],
      [819 / 1024, 0.5, 1], [72.45, 72.5, -0.05],
    ] as [[Double]])
  func `every number keeps its bits`(_ values: [Double]) throws {
    let samples = values.map { StreamedSample.at(0, $0) }
    let decoded = try SeriesBlock.decode(SeriesBlock.encode(samples))
    #expect(decoded.map(\.value.bitPattern) == values.map(\.bitPattern))
  }

  @Test
  func `every time and every ordinal is preserved`() throws {
    let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
    var samples: [StreamedSample] = []
    for (index, start) in extremes.enumerated() {
      for end in extremes {
        for arrival in extremes {
          samples.append(
            StreamedSample(
              start: start, end: end, arrival: arrival,
              ordinal: Int(truncatingIfNeeded: extremes[extremes.count - 1 - index]), value: 1,
              raw: []))
        }
      }
    }
    #expect(try SeriesBlock.decode(SeriesBlock.encode(samples)) == samples)
  }

  @Test
  func `an empty block and the longest block are encoded; a longer one is refused`() throws {
    #expect(try SeriesBlock.decode(SeriesBlock.encode([])) == [])
    let longest = [StreamedSample](repeating: .at(1, 60), count: SeriesBlock.longest)
    #expect(try SeriesBlock.decode(SeriesBlock.encode(longest)) == longest)
    #expect(throws: BlockRefusal.tooManySamples(SeriesBlock.longest + 1)) {
      try SeriesBlock.encode(longest + [.at(1, 60)])
    }
    var sample = StreamedSample.at(1, 60)
    sample.raw = [UInt8](repeating: 7, count: SeriesBlock.longestFrame)
    #expect(try SeriesBlock.decode(SeriesBlock.encode([sample])) == [sample])
    sample.raw.append(7)
    #expect(throws: BlockRefusal.longFrame(bytes: 513)) { try SeriesBlock.encode([sample]) }
  }

  // MARK: - Small

  @Test(
    arguments: [(0, 0.3), (1000, 2), (5000, 2.3), (20_000, 2.5)] as [(Int64, Double)])
  func `an hour of heart rate at 1 Hz takes few bytes a sample: a year of it`(
    _ jitter: Int64, _ most: Double
  ) throws {
    var random = SeededGenerator(seed: 1)
    let block = try SeriesBlock.encode(.heartRate(3600, jitter: jitter, &random))
    #expect(Double(block.count) / 3600 <= most)
  }

  @Test
  func `the place of the value in its frame costs nothing, in either byte order`() throws {
    var random = SeededGenerator(seed: 2)
    let numbers = (0..<1000).map { _ in Int.random(in: 300...900, using: &random) }
    func size(_ frame: (UInt8, UInt8) -> [UInt8]) throws -> Int {
      let samples = numbers.enumerated().map { index, number in
        var sample = StreamedSample.at(Int64(index), Double(number) / 1024)
        sample.raw = frame(UInt8(number & 0xFF), UInt8(number >> 8))
        return sample
      }
      let block = try SeriesBlock.encode(samples)
      #expect(try SeriesBlock.decode(block) == samples)
      return block.count
    }
    let plain = try size { _, _ in [0x10, 60] }
    #expect(try size { low, high in [0x10, 60, low, high] } <= plain + 40)
    #expect(try size { low, high in [0x10, 60, high, low, 1] } <= plain + 40)
  }

  // MARK: - Safe

  @Test
  func `a byte that is changed anywhere is found`() throws {
    var random = SeededGenerator(seed: 3)
    let block = try SeriesBlock.encode(.heartRate(300, jitter: 5000, &random))
    for index in block.indices {
      var damaged = block
      damaged[index] ^= 1 << UInt8.random(in: 0...7, using: &random)
      #expect(throws: BlockDamage.self) { try SeriesBlock.decode(damaged) }
    }
  }

  @Test
  func `a block without its end, or with more behind it, is refused`() throws {
    var random = SeededGenerator(seed: 4)
    let block = try SeriesBlock.encode(.heartRate(50, jitter: 5000, &random))
    for length in block.indices {
      let expected: BlockDamage = length < 5 ? .truncated : .wrongChecksum
      #expect(throws: expected) { try SeriesBlock.decode(Array(block[..<length])) }
    }
    #expect(throws: BlockDamage.wrongChecksum) { try SeriesBlock.decode(block + [0]) }
    #expect(throws: BlockDamage.notInflatable) { try SeriesBlock.decode(sealed(block + [0])) }
    #expect(throws: BlockDamage.notInflatable) {
      try SeriesBlock.decode(sealed(Array(block.dropLast(3))))
    }
  }

  @Test
  func `a block of another version, or one that claims too much`() throws {
    let block = try SeriesBlock.encode([.at(0, 60), .at(1, 61)])
    var other = block
    other[0] = 2
    #expect(throws: BlockDamage.unknownVersion(2)) { try SeriesBlock.decode(other) }
    let size = block[9..<13].reversed().reduce(0) { $0 << 8 | Int($1) }
    var many = block
    many[7] = 1
    #expect(throws: BlockDamage.tooLong(samples: 0x10002, bytes: size)) {
      try SeriesBlock.decode(sealed(many))
    }
    var long = block
    long[11] = 1
    #expect(throws: BlockDamage.tooLong(samples: 2, bytes: size | 0x10000)) {
      try SeriesBlock.decode(sealed(long))
    }
    var fewer = block
    fewer[5] = 1
    #expect(throws: BlockDamage.self) { try SeriesBlock.decode(sealed(fewer)) }
  }

  @Test(arguments: 0..<20)
  func `damaged blocks give the samples or a typed error`(_ seed: UInt64) throws {
    var random = SeededGenerator(seed: 100 + seed)
    var series = Series(using: &random)
    // A short block: its damage is in its fields more often than in its frames.
    series.frames = min(series.frames, 12)
    let samples = series.samples(24, &random)
    let block = try SeriesBlock.encode(samples)
    for round in 0..<Rounds.count(1000) {
      var damaged = block
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        damaged[.random(in: damaged.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      if round.isMultiple(of: 4) { damaged.removeLast(.random(in: 0..<20, using: &random)) }
      do {
        let decoded = try SeriesBlock.decode(damaged)
        #expect(decoded.map(Exact.init) == samples.map(Exact.init))
      } catch let damage {
        #expect(damage != .noMemory)
      }
      // With a matching checksum the content is read, and may be another series.
      do {
        let decoded = try SeriesBlock.decode(sealed(damaged))
        #expect(decoded.count <= SeriesBlock.longest)
        #expect(decoded.allSatisfy { $0.raw.count <= SeriesBlock.longestFrame })
      } catch let damage {
        #expect(damage != .noMemory)
      }
    }
  }
}

// MARK: - Support

/// A sample with its number as bits, so that 0 and −0 differ.
private struct Exact: Hashable {
  var sample: StreamedSample
  var bits: UInt64

  init(_ sample: StreamedSample) {
    self.sample = sample
    self.sample.value = 0
    bits = sample.value.bitPattern
  }
}

/// How the samples of a random series follow each other.
private struct Series {
  let period: Int64
  let jitter: Int64
  let gaps: Bool
  let scale: Double?
  let delay: Int64
  var frames: Int
  let ordinals: Int

  init(using random: inout SeededGenerator) {
    period = [0, 1, 1_000_000, 60_000_000, .max / 3].randomElement(using: &random) ?? 0
    jitter = [0, 5000, 900_000].randomElement(using: &random) ?? 0
    gaps = .random(using: &random)
    scale = [nil, 1, 10, 1000, 1e6, 1024].randomElement(using: &random) ?? nil
    delay = [0, 0, 250_000, .max].randomElement(using: &random) ?? 0
    frames = [0, 2, 12, 512].randomElement(using: &random) ?? 0
    ordinals = [1, 1, 3].randomElement(using: &random) ?? 1
  }

  func samples(_ count: Int, _ random: inout SeededGenerator) -> [StreamedSample] {
    var start: Int64 = 1_780_000_000_000_000
    var frame = random.bytes(frames)
    return (0..<count).map { index in
      if index.isMultiple(of: ordinals) {
        start &+= period &+ .random(in: -jitter...jitter, using: &random)
        if gaps, .random(in: 0..<20, using: &random) == 0 { start &+= 86_400_000_000 }
      }
      let number = Int64.random(in: -300...1000, using: &random)
      let bits = UInt64.random(in: 0...UInt64.max, using: &random)
      if !frame.isEmpty {
        frame[.random(in: frame.indices, using: &random)] = .random(in: 0...9, using: &random)
        frame[0] = UInt8(truncatingIfNeeded: number)
      }
      let length = index.isMultiple(of: 5) ? Int.random(in: 0...frames, using: &random) : frames
      return StreamedSample(
        start: start, end: start &+ delay, arrival: start &+ Int64(index % 3) &* delay,
        ordinal: index % ordinals, value: scale.map { Double(number) / $0 } ?? finite(bits),
        raw: Array(frame.prefix(length)))
    }
  }

  private func finite(_ bits: UInt64) -> Double {
    let value = Double(bitPattern: bits)
    return value.isFinite ? value : -0.0
  }
}

extension StreamedSample {
  /// A sample at a second.
  fileprivate static func at(_ second: Int64, _ value: Double) -> StreamedSample {
    let time = 1_780_000_000_000_000 + second * 1_000_000
    return StreamedSample(start: time, end: time, arrival: time, ordinal: 0, value: value, raw: [])
  }
}

extension [StreamedSample] {
  /// A heart rate at 1 Hz that wanders, with its frames; arrivals vary by ±`jitter` µs.
  fileprivate static func heartRate(
    _ count: Int, jitter: Int64, _ random: inout SeededGenerator
  ) -> [StreamedSample] {
    var rate: UInt8 = 72
    return (0..<count).map { second in
      switch UInt8.random(in: 0..<5, using: &random) {
      case 0: rate = Swift.min(rate + 1, 180)
      case 1: rate = Swift.max(rate - 1, 40)
      default: break
      }
      var sample = StreamedSample.at(Int64(second), Double(rate))
      sample.start += .random(in: -jitter...jitter, using: &random)
      sample.end = sample.start
      sample.arrival = sample.start
      sample.raw = [0, rate]
      return sample
    }
  }
}

/// The block with a checksum that matches its bytes.
private func sealed(_ block: [UInt8]) -> [UInt8] {
  guard block.count >= 5 else { return block }
  let sum = block[5...].reduce(UInt32.max) { sum, byte in
    sum >> 8 ^ remainders[Int(UInt8(truncatingIfNeeded: sum) ^ byte)]
  }
  var result = block
  for index in 0..<4 { result[1 + index] = UInt8(truncatingIfNeeded: ~sum >> (8 * index)) }
  return result
}

/// The CRC-32 remainders of single bytes.
private let remainders: [UInt32] = (0..<256).map { byte in
  (0..<8).reduce(UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
}
