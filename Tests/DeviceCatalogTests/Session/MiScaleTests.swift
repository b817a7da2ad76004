import Care
import Testing

@testable import DeviceCatalog

struct MiScaleTests {
  let stable = "0224e607020e10293a00009a38"
  let withImpedance = "0226e607020e10293af7019a38"
  let removed = "02a6e607020e10293af7019a38"
  let clock = LocalDateTime(year: 2022, month: 2, day: 14, hour: 16, minute: 41, second: 58)

  @Test func `one weigh in is one weight in the scales own time`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-2")
    #expect(try bench.advertise(0x181B, "0204e3070a1e163b0d00005230", at: 0) == [])
    #expect(try bench.advertise(0x181B, "0224e3070a1e163b2cfdff3e30", at: 2) == [])
    #expect(bench.session.wakeAt == SessionBench.time(17).steady)
    let outputs = try bench.advertise(0x181B, "02a4e3070a1e17000bfdff3e30", at: 6)
    let reading = try #require(outputs.readings.first)
    #expect(outputs.count == 1)
    #expect(reading.quantity == .bodyMass)
    #expect(reading.value == 61.75)
    #expect(
      reading.deviceTime
        == LocalDateTime(year: 2019, month: 10, day: 30, hour: 22, minute: 59, second: 44))
    #expect(reading.arrival == SessionBench.time(2).date)
    // As received, but without the value for "no impedance".
    #expect(reading.raw.hexString == "0224e3070a1e163b2c00003e30")
    #expect(reading.device.definition == "xiaomi-mi-scale-2")
    #expect(bench.session.wakeAt == nil)
  }

  @Test func `version 1 commits at once and not again when removed`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-1")
    let first = try bench.advertise(0x181D, "223e30e607020e10293a").readings
    #expect(first.map(\.value) == [61.75])
    #expect(first.map(\.deviceTime) == [clock])
    for second in 1...100 {
      for hex in ["223e30e607020e10293a", "a23e30e607020e10293a"] {
        #expect(try bench.advertise(0x181D, hex, at: Double(second)).readings == [])
      }
    }
  }

  @Test func `removed first is no weighing`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-1")
    #expect(try bench.advertise(0x181D, "a23e30e607020e10293a") == [])
  }

  @Test func `impedance of the same time comes with the weight`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-2")
    #expect(try bench.advertise(0x181B, stable, at: 0) == [])
    let readings = try bench.advertise(0x181B, withImpedance, at: 5).readings
    #expect(readings.map(\.quantity) == [.bodyMass, .impedance])
    #expect(readings.map(\.value) == [72.45, 503])
    #expect(readings.map(\.deviceTime) == [clock, clock])
    // The identity of the weight does not depend on the impedance.
    #expect(readings.map(\.raw.hexString) == [stable, withImpedance])
    #expect(readings.map(\.arrival) == [SessionBench.start, SessionBench.time(5).date])
    #expect(try bench.advertise(0x181B, removed, at: 6) == [])
    #expect(try bench.advertise(0x181B, withImpedance, at: 7) == [])
  }

  @Test(arguments: [
    "0224e607020e10293a00009a38", "0224e607020e10293afdff9a38", "0226e607020e10293af7019a38",
  ])
  func `the weight is the same sample for every first frame`(hex: String) throws {
    var bench = try SessionBench("xiaomi-mi-scale-2")
    let outputs = try bench.advertise(0x181B, hex)
    let weight = try #require(
      (outputs + bench.session.end(at: SessionBench.time(1))).readings.first)
    #expect(
      SampleIdentity(weight).text
        == "5C:CA:D3:70:D4:A2|bodyMass|2022-02-14T16:41:58|0||\(stable)")
  }

  @Test func `impedance in the first stable frame commits at once`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-2")
    #expect(try bench.advertise(0x181B, withImpedance).readings.map(\.value) == [72.45, 503])
    #expect(bench.session.wakeAt == nil)
  }

  @Test func `a missing impedance is awaited for fifteen seconds`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-2")
    _ = try bench.advertise(0x181B, stable, at: 0)
    #expect(bench.session.wakeAt == SessionBench.time(15).steady)
    #expect(bench.session.wake(at: SessionBench.time(14.9)) == [])
    #expect(bench.session.wake(at: SessionBench.time(15)).readings.map(\.value) == [72.45])
    #expect(bench.session.wakeAt == nil)
    #expect(try bench.advertise(0x181B, withImpedance, at: 16) == [])
  }

  @Test func `repeated stable frames do not prolong the wait`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-2")
    _ = try bench.advertise(0x181B, stable, at: 0)
    _ = try bench.advertise(0x181B, stable, at: 10)
    #expect(bench.session.wakeAt == SessionBench.time(15).steady)
  }

  @Test func `another weighing ends the wait`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-2")
    _ = try bench.advertise(0x181B, stable, at: 0)
    // 30 s later on the scale's clock, still moving.
    let next = try bench.advertise(0x181B, "0204e607020e102a1c00005230", at: 3)
    #expect(next.readings.map(\.value) == [72.45])
    // It becomes stable with its own impedance.
    let own = try bench.advertise(0x181B, "0226e607020e102a1cf7015230", at: 4)
    #expect(own.readings.map(\.value) == [61.85, 503])
  }

  @Test func `impedance of another time is ignored`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-2")
    _ = try bench.advertise(0x181B, stable, at: 0)
    let outputs = try bench.advertise(0x181B, "0226e607020e102a1cf7019a38", at: 3).readings
    #expect(outputs.map(\.quantity) == [.bodyMass, .bodyMass, .impedance])
    #expect(outputs.map(\.ordinal) == [0, 1, 0])
    #expect(outputs.map(\.deviceTime?.minute) == [41, 42, 42])
  }

  @Test func `the time of an unset clock is stored`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-2")
    _ = try bench.advertise(0x181B, "0224b2070104100b20fdff7c38")
    let reading = try #require(bench.session.wake(at: SessionBench.time(15)).readings.first)
    #expect(reading.value == 72.3)
    #expect(
      reading.deviceTime
        == LocalDateTime(year: 1970, month: 1, day: 4, hour: 16, minute: 11, second: 32))
  }

  @Test(arguments: [
    ("232035e607020e10293a", 61.68856232, 136, "[lb_av]"),
    ("323e30e607020e10293a", 61.75, 123.5, "jin"),
  ])
  func `other units become kilograms`(hex: String, value: Double, sent: Double, unit: String) throws
  {
    var bench = try SessionBench("xiaomi-mi-scale-1")
    let reading = try #require(try bench.advertise(0x181D, hex).readings.first)
    // A conversion rounds at most twice.
    #expect(abs(reading.value - value) < 1e-12)
    #expect(reading.sourceValue?.value == sent)
    #expect(reading.sourceValue?.unit.code == unit)
  }

  @Test func `every shorter frame is refused as a whole`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-2")
    for count in 0..<13 {
      let outputs = try bench.advertise(0x181B, String(withImpedance.prefix(2 * count)))
      #expect(outputs.readings == [])
      let rejected = try #require(outputs.rejections.first)
      #expect(rejected.defect == .wrongLength(count: count, expected: 13))
      #expect(rejected.source == .serviceData(try uuid("181B")))
    }
  }

  @Test func `end gives a pending weight`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-2")
    _ = try bench.advertise(0x181B, stable)
    #expect(bench.session.end(at: SessionBench.time(1)).readings.map(\.value) == [72.45])
    #expect(bench.session.end(at: SessionBench.time(2)) == [])
  }

  @Test func `is never connected to`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-1")
    #expect(try bench.advertise(0x181D, "023e30e607020e10293a").commands == [])
  }
}
