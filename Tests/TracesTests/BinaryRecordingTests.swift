import Foundation
import Measurement
import Motion
import TestSupport
import Testing
import Traces

/// Axivity's CWA and ActiGraph's GT3X.
@Suite struct BinaryRecordingTests {
  private static func samples(_ bytes: [UInt8]) throws -> [MotionSample] {
    try MotionLayoutTests.samples(
      MotionFileReader(MemoryStream(name: "walk", bytes: bytes)))
  }

  private static func error(_ bytes: [UInt8]) -> TraceError? {
    do {
      _ = try samples(bytes)
      return nil
    } catch {
      return error as? TraceError
    }
  }

  private static let steps = MotionLayoutTests.steps(VendorRecordings.walk)

  /// Whether samples are those of the walk, to a step of the sensor.
  private static func expectWalk(_ samples: [MotionSample], step: Int32, time: Int64) {
    #expect(samples.count == VendorRecordings.walk.count)
    for (sample, expected) in zip(samples, VendorRecordings.walk) {
      #expect(abs(sample.time - expected.time) <= time)
      #expect(abs(sample.acceleration.x - expected.acceleration.x) <= step)
      #expect(abs(sample.acceleration.y - expected.acceleration.y) <= step)
      #expect(abs(sample.acceleration.z - expected.acceleration.z) <= step)
    }
    #expect(MotionLayoutTests.steps(samples) == steps)
  }

  @Test(arguments: [
    MotionFormat(unit: .milliG), MotionFormat(columns: MotionColumnNames("x=x,y=y,z=z")),
    MotionFormat(rate: 50_000),
  ])
  func `a binary file has its own format`(format: MotionFormat) {
    for bytes in [VendorRecordings.cwa(packing: 0x30), VendorRecordings.gt3x(isPacked: false)] {
      #expect(throws: TraceError(file: "walk", .fixedFormat)) {
        try MotionFileReader(MemoryStream(name: "walk", bytes: bytes), format)
      }
    }
  }

  // MARK: CWA

  @Test(arguments: [(0x30, 4000), (0x32, 1960), (0x62, 130)] as [(UInt8, Int32)])
  func `reads CWA`(packing: UInt8, step: Int32) throws {
    let bytes = VendorRecordings.cwa(packing: packing)
    let reader = try MotionFileReader(MemoryStream(name: "walk.cwa", bytes: bytes))
    #expect(reader.start == RecordingStart(microseconds: VendorRecordings.start, isLocal: true))
    #expect(reader.hasAngularRate == (packing == 0x62))
    let samples = try MotionLayoutTests.samples(reader)
    Self.expectWalk(samples, step: step, time: 1)
    // 328 of 32 768, of 1000 deg/s.
    let rate: Int32? = packing == 0x62 ? 10_009 : nil
    #expect(samples[0].angularRate?.x == rate)
  }

  @Test func `refuses damaged CWA`() {
    let good = VendorRecordings.cwa(packing: 0x32)
    func changed(_ change: (inout [UInt8]) -> Void) -> TraceError? {
      var bytes = good
      change(&bytes)
      return Self.error(bytes)
    }
    func problem(_ offset: Int, _ problem: TraceError.Problem) -> TraceError {
      TraceError(file: "walk", offset: offset, problem)
    }
    #expect(
      changed { $0.removeLast($0.count - 500) }
        == problem(0, .shortRecord(length: 1024, missing: 524)))
    #expect(
      changed { $0.removeLast(512 + 100) }?.problem == .shortRecord(length: 512, missing: 100))
    #expect(changed { $0[1536 + 40] ^= 1 } == problem(1536, .checksum))
    #expect(
      changed { $0[1536] = 0x42 } == problem(1536, .invalidBlock(header: 0x5842, length: 508)))
    #expect(
      Self.error(VendorRecordings.cwa(packing: 0x32, rate: 0x42))
        == problem(1024, .sampleRate(millihertz: 390)))
    #expect(Self.error(VendorRecordings.cwa(packing: 0x52)) == problem(1024, .packing(0x52)))
    /// Adds to a word of the first block, and keeps the block's sum.
    func shifted(_ offset: Int, _ amount: UInt16) -> TraceError? {
      changed { bytes in
        for (place, added) in [(offset, amount), (510, 0 &- amount)] {
          let index = 1024 + place
          let word = UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8
          bytes[index] = UInt8(truncatingIfNeeded: word &+ added)
          bytes[index + 1] = UInt8(truncatingIfNeeded: (word &+ added) >> 8)
        }
      }
    }
    #expect(shifted(28, 1) == problem(1024, .sampleCount(81, limit: 80)))
    #expect(
      shifted(14, 63) == problem(1024, .invalidStamp(26 << 26 | 11 << 22 | 20 << 17 | 9 << 12 | 63))
    )
  }

  // MARK: GT3X

  @Test(arguments: [true, false])
  func `reads GT 3 x`(isPacked: Bool) throws {
    let bytes = VendorRecordings.gt3x(isPacked: isPacked)
    let reader = try MotionFileReader(MemoryStream(name: "walk.gt3x", bytes: bytes))
    #expect(reader.start == RecordingStart(microseconds: VendorRecordings.start, isLocal: true))
    Self.expectWalk(
      try MotionLayoutTests.samples(reader), step: isPacked ? 1470 : 1960, time: 0)
  }

  /// The example of the format's documentation.
  @Test func `reads the documented example`() throws {
    let log = VendorRecordings.record(
      type: 0, second: 0, bytes("00 60 08 EB D0 07 00 9E BF 00 70 08 EB F0"))
    let samples = try Self.samples(
      VendorRecordings.archive([("info.txt", VendorRecordings.info()), ("log.bin", log)]))
    let thousandths = samples.map { sample in
      [sample.acceleration.x, sample.acceleration.y, sample.acceleration.z].map {
        Int((Double($0) / 1000).rounded())
      }
    }
    #expect(thousandths == [[23, 18, -947], [26, 21, -941], [23, 21, -941]])
  }

  @Test func `reads the log before the information and stored files`() throws {
    let files = [
      ("log.bin", VendorRecordings.log(isPacked: true)), ("info.txt", VendorRecordings.info()),
    ]
    for isStored in [true, false] {
      let samples = try Self.samples(VendorRecordings.archive(files, isStored: isStored))
      #expect(MotionLayoutTests.steps(samples) == Self.steps)
    }
  }

  @Test func `refuses damaged GT 3 x`() {
    let info = ("info.txt", VendorRecordings.info())
    let log = VendorRecordings.log(isPacked: true)
    func problem(_ files: [(String, [UInt8])]) -> TraceError.Problem? {
      Self.error(VendorRecordings.archive(files))?.problem
    }
    var flipped = log
    flipped[40] ^= 1
    #expect(problem([info, ("log.bin", flipped)]) == .checksum)
    #expect(
      problem([info, ("log.bin", Array(log.dropLast(3)))]) == .shortRecord(length: 234, missing: 3))
    #expect(problem([info, ("log.bin", log + [7])]) == .invalidSeparator(7))
    #expect(
      problem([info, ("log.bin", log + [UInt8](repeating: 0, count: 5000))])
        == .padding(limit: 4096))
    #expect(problem([info]) == .archive(.missing("log.bin")))
    #expect(problem([("log.bin", log)]) == .archive(.missing("info.txt")))
    for (rate, millihertz) in [
      ("0", 0), ("1e9", 1_000_000_000_000), ("-5", -5000), ("30.5", 30_500),
    ] {
      #expect(
        problem([("info.txt", VendorRecordings.info(rate: rate)), ("log.bin", log)])
          == .sampleRate(millihertz: Int64(millihertz)))
    }
    #expect(
      problem([("info.txt", VendorRecordings.info(rate: "fast")), ("log.bin", log)])
        == .missingKey("Sample Rate"))
    #expect(
      problem([("info.txt", VendorRecordings.info(serial: "XYZ1")), ("log.bin", log)])
        == .unknownScale(serial: "XYZ1"))
    let many = VendorRecordings.record(type: 26, second: 0, [UInt8](repeating: 1, count: 6 * 300))
    #expect(problem([info, ("log.bin", many)]) == .sampleCount(300, limit: 256))
  }

  @Test func `refuses damaged archives`() {
    let good = VendorRecordings.gt3x(isPacked: true)
    func problem(_ change: (inout [UInt8]) -> Void) -> TraceError.Problem? {
      var bytes = good
      change(&bytes)
      return Self.error(bytes)?.problem
    }
    #expect(problem { $0 = Array($0[..<5000]) } == .archive(.cutOff))
    #expect(problem { $0 = Array($0[..<20]) } == .archive(.cutOff))
    #expect(problem { $0[6] = 1 } == .archive(.encrypted))
    #expect(problem { $0[8] = 12 } == .archive(.method(12)))
    #expect(problem { $0[14] ^= 1 } == .archive(.checksum))
    #expect(problem { for place in 18..<22 { $0[place] = 0xFF } } == .archive(.size))
    // A stream cannot expand to a thousand times its size.
    let bomb = VendorRecordings.archive([
      ("info.txt", VendorRecordings.info()),
      (
        "log.bin",
        VendorRecordings.record(type: 99, second: 0, [UInt8](repeating: 0, count: 65_000))
          .repeated(100)
      ),
    ])
    #expect(Self.error(bomb)?.problem == .archive(.inflation(ratio: 200)))
    let text = VendorRecordings.archive([("info.txt", [UInt8](repeating: 65, count: 1 << 20))])
    #expect(Self.error(text)?.problem == .longLine(limit: 1 << 16))
  }

  /// Whatever bytes come, there is an error or there are samples.
  @Test func `survives random changes`() {
    var generator = SeededGenerator(seed: 7)
    for good in [VendorRecordings.gt3x(isPacked: true), VendorRecordings.cwa(packing: 0x30)] {
      for _ in 0..<Rounds.count(300) {
        var bytes = good
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
          bytes[Int.random(in: 4..<bytes.count, using: &generator)] = .random(
            in: 0...255, using: &generator)
        }
        if Bool.random(using: &generator) {
          bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
        }
        do {
          let samples = try Self.samples(bytes)
          #expect(samples.count <= 1_000_000)
        } catch {
          #expect(error is TraceError)
        }
      }
    }
  }
}

extension [UInt8] {
  fileprivate func repeated(_ count: Int) -> [UInt8] {
    Array(repeatElement(self, count: count).joined())
  }
}
