import Care
import Foundation
import Measurement
import Motion
import Radio
import Testing
import Traces

/// Text files as the programs of the field write them.
@Suite struct MotionLayoutTests {
  static func reader(
    _ text: String, _ format: MotionFormat = MotionFormat()
  ) throws -> MotionFileReader {
    try MotionFileReader(MemoryStream(name: "m.csv", bytes: Array(text.utf8)), format)
  }

  static func samples(_ reader: MotionFileReader) throws -> [MotionSample] {
    var reader = reader
    var samples: [MotionSample] = []
    while case let block = try reader.next(upTo: 100), !block.isEmpty { samples += block }
    return samples
  }

  static func steps(_ samples: [MotionSample]) -> Int {
    var counter = StepCounter()
    return counter.add(contentsOf: samples).count + counter.finish().count
  }

  /// The refusal of a file.
  static func problem(
    _ text: String, _ format: MotionFormat = MotionFormat()
  ) throws -> TraceError.Problem? {
    do {
      _ = try samples(try reader(text, format))
      return nil
    } catch let error as TraceError {
      return error.problem
    }
  }

  /// The layouts that have a date, and those that count from when the device was switched on.
  private static let withoutDate = [
    "phyphox with commas", "phyphox with semicolons", "phyphox with tabs", "Movesense",
  ]

  @Test(arguments: VendorRecordings.texts.indices)
  func `reads each layout like the plain file`(index: Int) throws {
    let (name, text) = VendorRecordings.texts[index]
    let reader = try Self.reader(text)
    let samples = try Self.samples(reader)
    let plain = try Self.samples(Self.reader(VendorRecordings.plain))
    #expect(plain == VendorRecordings.walk)
    #expect(samples.map(\.time) == plain.map(\.time), "\(name)")
    for (sample, expected) in zip(samples, plain) {
      // ActiLife and MetaBase write thousandths of 1 g.
      #expect(abs(sample.acceleration.x - expected.acceleration.x) <= 501, "\(name)")
      #expect(abs(sample.acceleration.y - expected.acceleration.y) <= 501, "\(name)")
      #expect(abs(sample.acceleration.z - expected.acceleration.z) <= 501, "\(name)")
    }
    #expect(Self.steps(samples) == Self.steps(plain), "\(name)")
    #expect(Self.steps(plain) > 100)
    if Self.withoutDate.contains(name) {
      #expect(reader.start == nil, "\(name)")
    } else {
      #expect(reader.start?.microseconds == VendorRecordings.start, "\(name)")
      let isUTC = ["UK Biobank", "Sensor Logger", "MetaWear"].contains(name)
      #expect(reader.start?.isLocal == !isUTC, "\(name)")
    }
  }

  @Test func `replays a file from its own date`() throws {
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    let text = VendorRecordings.texts[0].text
    var reader = try TraceFile(timeZone: zone).open(
      MemoryStream(name: "left-thigh.csv", bytes: Array(text.utf8)))
    #expect(try reader.next()?.time == Date(rfc3339: "2026-11-20T09:00:00+01:00"))
  }

  @Test(
    arguments: [
      ("2026-03-01T10:00:00.25Z", 1_772_359_200_250_000),
      ("2026-03-01 10:00:00.250+0100", 1_772_355_600_250_000),
      ("2026-03-01 10:00:00.2500001-02:30 [America/St_Johns]", 1_772_368_200_250_000),
    ] as [(String, Int64)])
  func `reads dates with a zone`(date: String, microseconds: Int64) throws {
    let reader = try Self.reader("time,x,y,z\n\(date),0,0,1\n")
    #expect(
      reader.start == RecordingStart(microseconds: microseconds, isLocal: false))
  }

  @Test(
    arguments: [
      "2026-02-30 10:00:00", "2026-03-01", "2026-03-01 24:00:00", "2026-13-01 10:00:00",
      "2026-03-01 10:00:61", "2026-03-01 10:00:00.", "2026-03-01 10:00:00+99:00", "1.5.2", "",
    ])
  func `refuses what is no date`(date: String) throws {
    let text = "time,x,y,z\n2026-03-01 10:00:00,0,0,1\n\(date),0,0,1\n"
    #expect(try Self.problem(text) == .invalidTime(date, column: "time"))
  }

  @Test func `refuses dates with and without a zone`() throws {
    let text = "time,x,y,z\n2026-03-01 10:00:00,0,0,1\n2026-03-01 10:00:00Z,0,0,1\n"
    #expect(try Self.problem(text) == .mixedTimes)
  }

  // MARK: Layouts by a person

  @Test func `reads named columns`() throws {
    let format = MotionFormat(columns: MotionColumnNames("t=Clock:ms,x=b,y=c, z = a"))
    let samples = try Self.samples(
      Self.reader("Clock,a,b,c\n1000,1,0.25,0.5\n1020,1,0,0\n", format))
    #expect(
      samples == [
        MotionSample(time: 0, acceleration: Vector3(x: 250_000, y: 500_000, z: 1_000_000)),
        MotionSample(time: 20_000, acceleration: Vector3(x: 0, y: 0, z: 1_000_000)),
      ])
    #expect(
      try Self.problem("a,b,c\n1,2,3\n", format)
        == .missingColumn("clock", header: "a,b,c"))
  }

  @Test func `counts times from a rate`() throws {
    let format = MotionFormat(rate: 12_500)
    let samples = try Self.samples(Self.reader("x,y,z\n0,0,1\n0,0,1\n0,0,1\n", format))
    #expect(samples.map(\.time) == [0, 80_000, 160_000])
    #expect(try Self.problem("x,y,z\n0,0,1\n") == .noTime)
    // Times that the file has are not overridden, unless its columns are named without them.
    #expect(try Self.problem("t,x,y,z\n0,0,0,1\n", format) == .rateOfTimes(column: "t"))
    let named = MotionFormat(columns: MotionColumnNames("x=x,y=y,z=z"), rate: 12_500)
    #expect(try Self.problem("t,x,y,z\n0,0,0,1\n", named) == nil)
  }

  @Test(
    arguments: [
      "", "x=a,y=b", "t=a,x=b,y=c", "x=a,y=b,z=", "x=a,x=b,y=c,z=d", "x=a,y=b,z=c,q=d",
      "x=a,y=b,z=c,gx=d",
    ])
  func `refuses column names`(text: String) { #expect(MotionColumnNames(text) == nil) }

  // MARK: Units

  private static func rows(_ factor: Double, header: String = "t,x,y,z") -> String {
    header + "\n"
      + (0..<100).map { "\(Double($0) / 50),0,\(0.1 * factor),\(factor)\n" }.joined()
  }

  @Test func `refuses gravity in another unit`() throws {
    #expect(
      try Self.problem(Self.rows(9.80665))
        == .unclearUnit(median: 9.86, .metresPerSecondSquared))
    #expect(try Self.problem(Self.rows(1000)) == .unclearUnit(median: 1004.99, .milliG))
    #expect(try Self.problem(Self.rows(512)) == .unclearUnit(median: 514.55, nil))
    #expect(try Self.problem(Self.rows(1)) == nil)
    #expect(try Self.problem(Self.rows(9.80665), MotionFormat(unit: .g)) == nil)
    #expect(
      try Self.problem(Self.rows(9.80665), MotionFormat(unit: .metresPerSecondSquared)) == nil)
  }

  @Test func `refuses acceleration without gravity`() throws {
    let header = "seconds_elapsed,x,y,z"
    #expect(try Self.problem(Self.rows(9.80665, header: header)) == nil)
    #expect(try Self.problem(Self.rows(1, header: header)) == .noGravity(median: 0.1))
    #expect(
      try Self.problem(
        "Time (s),Linear Acceleration x (m/s^2),Linear Acceleration y (m/s^2),"
          + "Linear Acceleration z (m/s^2)\n0,0,0,0\n") == .linearAcceleration)
  }

  @Test func `refuses counts and times in an unknown unit`() throws {
    #expect(
      try Self.problem(VendorRecordings.banner(epoch: "00:01:00") + "Axis1,Axis2,Axis3\n1,2,3\n")
        == .epochCounts)
    #expect(try Self.problem("time,x,y,z\n12.5,0,0,1\n") == .unclearTime(column: "time"))
  }
}
