import GATT
import TestSupport
import Testing

/// Frames of real devices, or after them, that are longer than their flags announce, or were cut.
struct LayoutDeviationTests {
  /// The content that is read of a frame, in the words of the table.
  private static func read<Value: Characteristic>(
    _ type: Value.Type, _ hex: String, _ say: (Value) -> String
  ) throws -> (said: String, deviation: LayoutDeviation?) {
    let (value, deviation) = try Value.read(bytes(hex))
    return (say(value), deviation)
  }

  private static func machine<Profile: FlaggedProfile>(
    _ value: FlaggedMeasurement<Profile>
  ) -> String where Profile.Field == FitnessMachineField {
    [FitnessMachineField.totalDistance, .power, .cadence, .totalEnergy, .heartRate, .elapsedTime]
      .compactMap { field in value[field].map { "\(field) \($0)" } }.joined(separator: ", ")
  }

  @Test func `a cuff that sends its user without the flag gives its pressures`() throws {
    // A Beurer BM85.
    let (said, deviation) = try Self.read(
      BloodPressureMeasurement.self, "566a0047000000ea07080b121f00003f000000"
    ) { "\($0.systolic.doubleValue ?? 0)/\($0.diastolic.doubleValue ?? 0)" }
    #expect(said == "106.0/71.0")
    #expect(deviation == .longer(by: 1))
  }

  @Test(
    arguments: [
      // A Concept2 PM5 with its first firmware.
      (
        "ff0a34cb0000c000cf00320027008c0000540000",
        "totalDistance 203, power 50, heartRate 0, elapsedTime 84", .longer(by: 1)
      ),
      (
        "ff0a30520100ad00c10043003000760000830000",
        "totalDistance 338, power 67, heartRate 0, elapsedTime 131", .longer(by: 1)
      ),
      // A rower of Mr Captain, whose link cuts its frames.
      (
        "3c0b3002000a0000d1005e011600010002020800",
        "totalDistance 10, power 22, totalEnergy 1, heartRate 0", .cut(field: "elapsed time")
      ),
    ] as [(String, String, LayoutDeviation)])
  func `rowers`(hex: String, expected: String, deviation: LayoutDeviation) throws {
    let found = try Self.read(FlaggedMeasurement<Rower>.self, hex, Self.machine)
    #expect(found.said == expected)
    #expect(found.deviation == deviation)
  }

  @Test(
    arguments: [
      // Bikes of Life Fitness.
      (
        "fa092d09f208740077006500000d00660061000200ffffff1100",
        "totalDistance 101, power 102, cadence 116, totalEnergy 2, elapsedTime 17", nil
      ),
      (
        "fa0b320c8909c6007c00c401000d00ce0070000a00ffffff534400",
        "totalDistance 452, power 206, cadence 198, totalEnergy 10, heartRate 83, elapsedTime 68",
        nil
      ),
      // A bike of Matrix, whose link cuts its frames.
      (
        "fe1d830c330c86008000c109000d00a2009d0036", "totalDistance 2497, power 162, cadence 134",
        .cut(field: "total energy")
      ),
    ] as [(String, String, LayoutDeviation?)])
  func `bikes`(hex: String, expected: String, deviation: LayoutDeviation?) throws {
    let found = try Self.read(FlaggedMeasurement<IndoorBike>.self, hex, Self.machine)
    #expect(found.said == expected)
    #expect(found.deviation == deviation)
  }

  @Test func `a treadmill whose link cuts its frames gives its whole fields`() throws {
    // A Matrix treadmill.
    let found = try Self.read(
      FlaggedMeasurement<Treadmill>.self, "9e1f5100b2005800000000ff7f0000ffff0c0097", Self.machine)
    #expect(found.said == "totalDistance 88, totalEnergy 12")
    #expect(found.deviation == .cut(field: "energy per hour"))
  }

  /// A pulse with half an interval after it, or with what no flag announces.
  @Test(
    arguments: [
      ("1048 0004 ff", [1024], .longer(by: 1)), ("0048 0004", [], .longer(by: 2)),
      ("1048 0004 0104", [1024, 1025], nil), ("10480004", [1024], nil), ("1048", [], nil),
      ("e048", [], nil),
    ] as [(String, [UInt16], LayoutDeviation?)])
  func `heart rates`(hex: String, intervals: [UInt16], deviation: LayoutDeviation?) throws {
    let (value, found) = try HeartRateMeasurement.read(bytes(hex))
    #expect(value.rawRate == 72)
    #expect(value.rrIntervals == intervals)
    #expect(found == deviation)
  }

  @Test(
    arguments: [
      // Fields behind the known ones, without and with a checksum; what is no record of its own.
      ("09 06 6e00 0f00 1122 33", 1, .longer(by: 1)), ("06 00 6e00 0f00 00", 1, .longer(by: 1)),
      ("06 00 6e00 0f00 ff00", 1, .longer(by: 2)),
      ("06 00 6e00 0f00 06 00 6f00 1000", 2, nil),
    ] as [(String, Int, LayoutDeviation?)])
  func `continuous glucose`(hex: String, count: Int, deviation: LayoutDeviation?) throws {
    let (value, found) = try ContinuousGlucoseMeasurement.read(bytes(hex))
    #expect(value.records.count == count)
    #expect(value.records.first?.timeOffset == 15)
    #expect(found == deviation)
  }

  @Test func `a response may be longer than its parameter`() throws {
    let response = try UserControlPoint.Response(bytes("2001010300"))
    #expect(response.registeredUserIndex == 3)
  }

  @Test func `a body composition that is cut gives what came before`() throws {
    let whole = "ff1f c200 ea07050c123536 02 0100 0200 0300 0400 0500 0600 0700 0800 0900"
    let (value, deviation) = try BodyCompositionMeasurement.read(bytes(whole).prefix(20))
    #expect(value.userIndex == 2)
    #expect(
      Set(value.counts.keys) == [
        .fatPercentage, .basalMetabolism, .musclePercentage, .muscleMass, .fatFreeMass,
      ])
    #expect(deviation == .cut(field: "soft lean mass"))
    // Too short to have been cut.
    #expect(throws: GATTError.truncated(field: "fat free mass", needed: 2, available: 1)) {
      try BodyCompositionMeasurement(bytes(whole).prefix(19))
    }
  }
}
