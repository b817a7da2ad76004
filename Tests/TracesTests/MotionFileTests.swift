import Measurement
import Motion
import TestSupport
import Testing
import Traces

@Suite struct MotionFileTests {
  static func samples(_ text: String, unit: MotionUnit? = nil) throws -> [MotionSample] {
    var reader = try MotionFileReader(
      MemoryStream(name: "m.csv", bytes: Array(text.utf8)), unit: unit)
    var samples: [MotionSample] = []
    while case let block = try reader.next(upTo: 3), !block.isEmpty { samples += block }
    return samples
  }

  @Test func `reads columns in any order and ignores others`() throws {
    let samples = try Self.samples(
      "\u{FEFF}note,gz,gy,gx,t, AZ ,ay,ax\r\nhello,3,2,1,0.5,1,-0.25,0.0000005\r\n\r\n,3,2,1,0.51,1,0,0"
    )
    #expect(
      samples == [
        MotionSample(
          time: 500_000, acceleration: Vector3(x: 1, y: -250_000, z: 1_000_000),
          angularRate: Vector3(x: 1000, y: 2000, z: 3000)),
        MotionSample(
          time: 510_000, acceleration: Vector3(x: 0, y: 0, z: 1_000_000),
          angularRate: Vector3(x: 1000, y: 2000, z: 3000)),
      ])
  }

  /// A decimal comma makes two columns of one number; blank ones behind the last do no harm.
  @Test(arguments: ["2.0,0,1,0,1", "2,0,1,0,x", " 2,0,1,0,1"])
  func `refuses a row that is longer than the header`(row: String) throws {
    #expect(
      throws: TraceError(file: "m.csv", line: 3, .longRow(columns: 5, header: 4))
    ) { try Self.samples("t,x,y,z\n1,0,0,1,\n\(row)\n3,0,0,1\n") }
    #expect(try Self.samples("t,x,y,z\n1,0,0,1,\n2,0,0,1,,  \n").count == 2)
    #expect(try Self.samples("t,x,y,z,note\n1,0,0,1,a\n2,0,0,1\n").count == 2)
  }

  @Test(arguments: ["", "0.02", "0.02,0,0", "0.02,0,0,", "0.02,0,-", "0.02,0,0,1e"])
  func `leaves out a row that the file ends within`(rest: String) throws {
    let text = "t,x,y,z\n0,0,0,1\n0.01,0,0,1\n" + rest
    var reader = try MotionFileReader(MemoryStream(name: "m.csv", bytes: Array(text.utf8)))
    var samples: [MotionSample] = []
    while case let block = try reader.next(), !block.isEmpty { samples += block }
    #expect(samples.map(\.time) == [0, 10_000])
    #expect(reader.isCut == !rest.isEmpty)
    #expect(throws: TraceError.self) {
      try rest.isEmpty ? Self.samples("") : Self.samples(text + "\n")
    }
  }

  @Test(arguments: [
    (20.0, TraceError.Problem.unclearTimes(seconds: 20, unit: "ms")),
    (1, .unclearTimes(seconds: 1, unit: "ms")),
    (20_000, .unclearTimes(seconds: 20_000, unit: "us")),
    (20_000_000, .unclearTimes(seconds: 20_000_000, unit: "ns")),
  ])
  func `refuses times that are no seconds`(step: Double, problem: TraceError.Problem) throws {
    let text = "t,x,y,z\n" + (0..<20).map { "\(Double($0) * step),0,0,1\n" }.joined()
    #expect(throws: TraceError(file: "m.csv", line: 1, problem)) { try Self.samples(text) }
    let format = MotionFormat(columns: MotionColumnNames("t=t:s,x=x,y=y,z=z"))
    var reader = try MotionFileReader(
      MemoryStream(name: "m.csv", bytes: Array(text.utf8)), format)
    #expect(try reader.next().count == 20)
  }

  @Test(
    arguments: [
      ("g", "1", 1_000_000), ("g", "-1.5e-3", -1500), ("g", "+.25", 250_000),
      ("g", " 2. ", 2_000_000),
      ("mg", "1000", 1_000_000), ("mg", "-0.0005", -1), ("m/s2", "9.80665", 1_000_000),
      ("m/s2", "-19.6133", -2_000_000), ("counts:4096", "4096", 1_000_000),
      ("counts:16384", "-8192", -500_000),
    ] as [(String, String, Int32)])
  func `converts units exactly`(unit: String, text: String, expected: Int32) throws {
    let unit = try #require(MotionUnit(unit))
    let samples = try Self.samples("t,x,y,z\n0,\(text),0,0\n", unit: unit)
    #expect(samples.first?.acceleration.x == expected)
  }

  @Test(arguments: ["counts:0", "counts:-5", "counts:", "kg", "counts:99999999999", ""])
  func `refuses a unit`(text: String) {
    #expect(MotionUnit(text) == nil)
  }

  @Test(
    arguments: [
      ("", nil, .empty(.motion)),
      ("a,b,c\n1,2,3\n", 1, .noMotionColumns(header: "a,b,c")),
      ("t,x,y\n", 1, .noMotionColumns(header: "t,x,y")),
      ("t,x,x,y,z\n", 1, .duplicateColumn("x")),
      (String(repeating: "n,", count: 64) + "t,x,y,z\n", 1, .farColumn(limit: 64)),
      ("t,x,y,z\n0,0,0,1\n0.1,0,0\n", 3, .shortRow(columns: 3, before: "z")),
      ("t,x,y,z\n0,0,zero,1\n", 2, .invalidNumber("zero", column: "y")),
      ("t,x,y,z\n0,0,,1\n", 2, .invalidNumber("", column: "y")),
      ("t,x,y,z\n0,nan,0,1\n", 2, .invalidNumber("nan", column: "x")),
      ("t,x,y,z\n0,0,0,1e7\n", 2, .numberRange(1e7)),
      ("t,x,y,z\n1e300,0,0,1\n", 2, .invalidNumber("1e300", column: "t")),
      ("t,x,y,z\n0,0,1.2.3,1\n", 2, .invalidNumber("1.2.3", column: "y")),
    ] as [(String, Int?, TraceError.Problem)])
  func `refuses with line and problem`(text: String, line: Int?, problem: TraceError.Problem) {
    #expect(throws: TraceError(file: "m.csv", line: line, problem)) {
      try Self.samples(text)
    }
  }

  @Test func `accepts random bytes`() {
    var generator = SeededGenerator(seed: 3)
    let pool = generator.bytes(1 << 16)
    let characters = Array("0123456789.-+eE, \n".utf8)
    for index in 0..<Rounds.count(100_000) {
      let start = Int.random(in: 0..<(1 << 15), using: &generator)
      var bytes = Array(pool[start..<(start + Int.random(in: 1...60, using: &generator))])
      if index.isMultiple(of: 2) { bytes = bytes.map { characters[Int($0) % characters.count] } }
      let text = Array("t,x,y,z\n".utf8) + bytes
      do throws(TraceError) {
        var reader = try MotionFileReader(MemoryStream(name: "r.csv", bytes: text))
        while case let block = try reader.next(), !block.isEmpty {
          #expect(block.allSatisfy { $0.angularRate == nil })
        }
      } catch {
        #expect(error.line != nil)
      }
    }
  }

  /// Every decimal number is read as the nearest billionth.
  @Test func `reads decimals as floating point does`() throws {
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<Rounds.count(20_000) {
      let value = Double.random(in: -2000...2000, using: &generator)
      let samples = try Self.samples("t,x,y,z\n0,\(value),0,0\n", unit: .milliG)
      let x = try #require(samples.first?.acceleration.x)
      #expect(abs(Double(x) - value * 1000) <= 0.5001)
    }
  }
}
