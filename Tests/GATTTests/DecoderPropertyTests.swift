import GATT
import TestSupport
import Testing

struct DecoderPropertyTests {
  @Test(arguments: DecoderSubject.all)
  func `frames are decoded and encoded to the same bytes`(subject: DecoderSubject) throws {
    for frame in subject.frames {
      let read = try subject.read(frame)
      #expect(read.encoded == frame)
      #expect(read.deviation == nil)
    }
  }

  @Test(arguments: DecoderSubject.all)
  func `truncated frames give a value or name the field`(subject: DecoderSubject) {
    for frame in subject.frames {
      for count in 0..<frame.count {
        do throws(GATTError) {
          let read = try subject.read(Array(frame.prefix(count)))
          #expect(subject.endsInList || count >= AttributeProtocol.leastPayload)
          if subject.endsInList { #expect(read.encoded.count <= count) }
        } catch {
          guard case .truncated(let field, let needed, let available) = error else {
            Issue.record("\(error) for \(count) bytes of \(frame)")
            continue
          }
          #expect(!field.isEmpty)
          #expect(needed > available && available <= count)
        }
      }
    }
  }

  @Test(arguments: DecoderSubject.all)
  func `a longer frame equals the shorter one`(subject: DecoderSubject) throws {
    var generator = SeededGenerator(seed: 0x2A37)
    for frame in subject.frames where !subject.endsInList {
      for _ in 0..<Rounds.count(100) {
        let tail = generator.bytes(1 + Int(generator.next() % 9))
        // Bytes after the fields of a value that may end with a checksum may be one.
        let isChecksum = subject.mayHaveChecksum && tail.count == 2
        guard !isChecksum else { continue }
        let longer = try subject.read(frame + tail)
        #expect(longer.encoded == frame)
        #expect(longer.deviation == .longer(by: tail.count))
      }
    }
  }

  @Test(arguments: DecoderSubject.all)
  func `a frame that a link has cut gives its whole fields`(subject: DecoderSubject) throws {
    for frame in subject.frames where !subject.endsInList && frame.count > 20 {
      for count in 20..<frame.count {
        let cut = try subject.read(Array(frame.prefix(count)))
        guard case .cut(let field) = cut.deviation else {
          Issue.record("\(count) of \(frame): \(String(describing: cut.deviation))")
          continue
        }
        #expect(!field.isEmpty)
      }
    }
  }

  @Test(arguments: DecoderSubject.all)
  func `more than 512 bytes are refused`(subject: DecoderSubject) {
    #expect(throws: GATTError.oversized(count: 513, limit: 512)) {
      try subject.read([UInt8](repeating: 0, count: 513))
    }
  }

  @Test(
    arguments: DecoderSubject.all)
  func `malformed inputs give a value that can be encoded, or a typed error`(
    subject: DecoderSubject
  ) {
    var source = MalformedBytes(varying: subject.frames, seed: 2026)
    var tally: [DecoderSubject.Outcome: Int] = [:]
    var broken: [[UInt8]] = []
    let count = Rounds.count(100_000)
    for _ in 0..<count {
      let input = source.next()
      let outcome = subject.outcome(input)
      tally[outcome, default: 0] += 1
      if outcome == .broken { broken.append(input) }
    }
    #expect(broken.prefix(3) == [])
    // Both results occur often enough.
    #expect(tally[.refused, default: 0] > count / 10)
    #expect(tally[.decoded(isExact: true), default: 0] > count / 100)
  }
}

// MARK: - Subjects

/// A decoder with valid frames, for tests of properties that all decoders share.
struct DecoderSubject: Sendable, CustomTestStringConvertible {
  /// The result of one input.
  enum Outcome: Hashable {
    /// Refused with a typed error.
    case refused
    /// Decoded, and its encoding is decoded to the same value. `isExact`: the encoding equals the
    /// input, as it must for every canonical input.
    case decoded(isExact: Bool)
    /// Decoded up to the last whole field.
    case deviating
    /// A defect of the decoder.
    case broken
  }

  let testDescription: String
  /// Valid frames that together set every flag.
  let frames: [[UInt8]]
  /// Whether the last field is a list, so that a frame can be cut between two elements.
  let endsInList: Bool
  /// Whether two bytes after the last field are a checksum.
  let mayHaveChecksum: Bool
  let read: @Sendable ([UInt8]) throws(GATTError) -> (encoded: [UInt8], deviation: LayoutDeviation?)
  let outcome: @Sendable ([UInt8]) -> Outcome

  /// Makes a subject from frames in hex; `isCanonical` gives whether a value must encode to the
  /// bytes it was decoded from.
  init<Value: Characteristic>(
    _ type: Value.Type, frames: [String], endsInList: Bool = false, mayHaveChecksum: Bool = false,
    isCanonical: @escaping @Sendable (Value, [UInt8]) -> Bool = { _, _ in true }
  ) {
    testDescription = String(reflecting: type)
    self.endsInList = endsInList
    self.mayHaveChecksum = mayHaveChecksum
    self.frames = frames.map { bytes($0) }
    read = { input throws(GATTError) in
      let (value, deviation) = try Value.read(input)
      return (value.encoded, deviation)
    }
    outcome = { input in
      let value: Value
      let deviation: LayoutDeviation?
      do throws(GATTError) {
        (value, deviation) = try Value.read(input)
      } catch {
        return .refused
      }
      let encoded = value.encoded
      guard deviation == nil else { return encoded.count <= 512 ? .deviating : .broken }
      guard (try? Value(encoded)) == value else { return .broken }
      let isExact = encoded == input
      return isExact || !isCanonical(value, input) ? .decoded(isExact: isExact) : .broken
    }
  }
}

extension DecoderSubject {
  /// Every decoder of the module.
  static let all: [DecoderSubject] = [
    DecoderSubject(BatteryLevel.self, frames: ["39"]),
    DecoderSubject(DateTime.self, frames: ["e607020e10293a"]),
    DecoderSubject(CurrentTime.self, frames: ["ea07060c143008000001", "ea070b1407093a05800a"]) {
      _, bytes in bytes[7] <= 7
    },
    DecoderSubject(
      WeightMeasurement.self,
      frames: [
        "0e783eea07050c12353601ee002607", "01de44", "04783e02", "02783eea07050c123536",
        "08783eee002607", "00ffff",
      ]
    ) { value, bytes in
      bytes[0] & 0xF0 == 0 && agrees(value.userIndex, bytes[0] & 1 << 2)
    },
    DecoderSubject(WeightScaleFeature.self, frames: ["07000000"]),
    DecoderSubject(
      BodyCompositionMeasurement.self,
      frames: [
        "9803c200df1a9701cc2fca21a811", "0104c800de44",
        "ff1fc200ea07050c12353602010002000300040005000600070008000900",
      ]
    ) { value, bytes in
      // Counts of 0 and 0xFFFF are dropped, so that the value may have fewer than announced.
      let flags = UInt16(bytes[1]) << 8 | UInt16(bytes[0])
      let announced = 1 + (flags >> 3 & 0x1FF).nonzeroBitCount
      return flags & 0xE000 == 0 && value.counts.count == announced
    },
    DecoderSubject(
      HeartRateMeasurement.self,
      frames: ["0048", "1f2c01ffffcd00ce00", "163c0004ff030104", "0400", "0848e803"],
      endsInList: true
    ) { value, bytes in
      let isWide = bytes[0] & 1 << 0 != 0
      let announcesIntervals = bytes[0] & 1 << 4 != 0
      return bytes[0] & 0xE0 == 0 && bytes[0] & 0b110 != 0b010
        && isWide == (value.rawRate > 255) && announcesIntervals == !value.rrIntervals.isEmpty
    },
    DecoderSubject(
      BloodPressureMeasurement.self,
      frames: ["1e780050005d00ea07060c1430084200010500", "01a0f06bf07cf0", "008c00ff07ff07"]
    ) { value, bytes in
      bytes[0] & 0xE0 == 0 && agrees(value.userIndex, bytes[0] & 1 << 3)
    },
    DecoderSubject(
      TemperatureMeasurement.self, frames: ["066e0100ffea07060c14300803", "01da0300ff"]
    ) { _, bytes in bytes[0] & 0xF8 == 0 },
    DecoderSubject(
      PLXSpotCheckMeasurement.self,
      frames: ["1f61004800ea07060c143008800120080019f0", "00cff3f207"]
    ) { _, bytes in bytes[0] & 0xE0 == 0 },
    DecoderSubject(
      PLXContinuousMeasurement.self,
      frames: ["1f610048006000490062004700200002000019f0", "08ff07ff07000800"]
    ) { _, bytes in bytes[0] & 0xE0 == 0 },
    DecoderSubject(
      GlucoseMeasurement.self,
      frames: ["1b0500ea07060c143008c4ff5fb0110100", "060600ea07060c14300837c0f8"]
    ) { value, bytes in
      // The unit flag has no effect without a concentration.
      bytes[0] & 0xE0 == 0 && (value.concentration != nil || bytes[0] & 1 << 2 == 0)
    },
    DecoderSubject(
      GlucoseMeasurementContext.self,
      frames: ["ff 0500 00 01 2dd0 01 11 3c00 50 01 0ac0 41f0", "00 0500", "50 0600 02 0ac0 41f0"]),
    DecoderSubject(
      ContinuousGlucoseMeasurement.self,
      frames: [
        "06006e000f00", "0de37000140000040205f05a00", "0fe37000140000040205f05a00ba04",
        "06006e000f0006006f001000",
      ], endsInList: true
    ) { _, bytes in
      // Reserved flags are not written back.
      var place = 0
      while place + 1 < bytes.count {
        if bytes[place + 1] & 0x1C != 0 { return false }
        place += max(1, Int(bytes[place]))
      }
      return true
    },
    DecoderSubject(
      ContinuousGlucoseSessionStart.self, frames: ["ea07060c1430080400"], mayHaveChecksum: true),
    DecoderSubject(
      EnhancedBloodPressureMeasurement.self,
      frames: [
        "7e 7800 5000 5d00 00000000 4800 01 0400 082dbf31", "01 a0f0 6bf0 7cf0",
        "42 8c00 ff07 ff07 082dbf31",
      ]
    ) { value, bytes in
      bytes[0] & 0x80 == 0 && agrees(value.measurement.userIndex, bytes[0] & 1 << 3)
    },
    DecoderSubject(
      FlaggedMeasurement<RunningSpeedAndCadence>.self,
      frames: ["07 0003 aa 6a00 10270000", "000003aa"]),
    DecoderSubject(
      FlaggedMeasurement<CyclingSpeedAndCadence>.self,
      frames: ["03 e8030000 0004 6400 00fc", "02 6400 00fc", "00"]),
    DecoderSubject(
      FlaggedMeasurement<CyclingPower>.self,
      frames: [
        "f50f 6400 64 2000 e8030000 0008 0a00 0000 2c01 0000 4000 e0ff 5a0010 5a00 0e01 3200",
        "0000 d2ff",
      ]),
    DecoderSubject(
      FlaggedMeasurement<Treadmill>.self,
      frames: [
        "8405 1c02 900100 1e00 6801 06 60 2c01",
        "fe1f 1c02 1c02 900100 0a00 0b00 0100 0200 10 11 1e00 6801 06 60 23 2c01 3c00 0500 9600",
        "0100",
      ]),
    DecoderSubject(
      FlaggedMeasurement<CrossTrainer>.self,
      frames: [
        "080100 6801 3c00 3a00 5000",
        "fe7f00 6801 6801 900100 3c00 3a00 0a00 0100 0200 0a00 0b00 0500 5000 5000 1e00 6801 06 60 23 2c01 3c00",
      ]),
    DecoderSubject(
      FlaggedMeasurement<Rower>.self,
      frames: [
        "2c00 30 6400 e80300 7800 7800",
        "fe1f 30 6400 31 e80300 7800 7900 7800 7800 0500 1e00 6801 06 60 23 2c01 3c00",
      ]),
    DecoderSubject(
      FlaggedMeasurement<IndoorBike>.self,
      frames: [
        "5400 8c0a aa00 dc0500 9600",
        "fe1f 8c0a 8c0a aa00 aa00 dc0500 0500 9600 9600 1e00 6801 06 60 23 2c01 3c00",
      ]
    ) { value, bytes in
      // A cadence without its flag is sent with it.
      value.flags == UInt32(bytes[1]) << 8 | UInt32(bytes[0])
    },
    DecoderSubject(
      RecordAccessControlPoint.Request.self,
      frames: ["0101", "0103010500", "01040101002c01", "0201", "0300", "0401"]),
    DecoderSubject(RecordAccessControlPoint.Response.self, frames: ["05000c00", "06000106"]),
    DecoderSubject(
      UserControlPoint.Request.self, frames: ["0201d809", "010f27", "03", "04", "05ff"]),
    DecoderSubject(
      UserControlPoint.Response.self, frames: ["200201", "20010103"], endsInList: true),
  ]

  /// Whether a user index is present exactly if it was announced; user 0xFF is dropped.
  private static func agrees(_ userIndex: UInt8?, _ flag: UInt8) -> Bool {
    (userIndex != nil) == (flag != 0)
  }
}
