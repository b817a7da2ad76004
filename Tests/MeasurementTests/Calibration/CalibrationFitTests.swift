import Measurement
import Motion
import Testing

@testable import TestSupport

struct CalibrationFitTests {
  private let sensor = RestingSensor(
    offset: SIMD3(0.040, -0.025, 0.060), gain: SIMD3(1.02, 0.97, 1.005))

  private func expectSixPositions(_ fit: CalibrationFit) {
    #expect(fit.positions == 6)
    #expect(abs(fit.calibration.offset.x - 40_000) < 1_500)
    #expect(abs(fit.calibration.offset.y + 25_000) < 1_500)
    #expect(abs(fit.calibration.offset.z - 60_000) < 1_500)
    let scale = Double(fit.calibration.scale.y) / Double(AccelerometerCalibration.unitScale)
    #expect(abs(scale - 1 / 0.97) < 0.002)
    // The z axis upwards reads 1.005 g and 60 mg, and 48 mg stand beside it.
    #expect(abs(fit.errorBefore - 66_000) < 3_000)
    #expect(fit.errorAfter < 1_000)
    // 4 mg on each of three axes.
    #expect(abs(fit.noise - 6_900) < 500)
  }

  @Test
  func `six sides in one recording give offset and scale`() throws {
    expectSixPositions(try CalibrationFit.find(in: [sensor.samples(RestingSensor.sides)]))
  }

  @Test
  func `six recordings of a side each give the same`() throws {
    expectSixPositions(
      try CalibrationFit.find(in: RestingSensor.sides.map { sensor.samples([$0]) }))
  }

  @Test
  func `one side gives the offset`() throws {
    let fit = try CalibrationFit.find(in: [sensor.samples([SIMD3(0, 0, 1)])])
    #expect(fit.positions == 1)
    #expect(abs(fit.calibration.offset.x - 40_000) < 1_500)
    #expect(abs(fit.calibration.offset.z - 65_000) < 1_500)
    #expect(fit.calibration.scale == AccelerometerCalibration().scale)
    #expect(fit.errorAfter < 10)
  }

  @Test
  func `a sensor taken up and laid down again on the same side is one position`() throws {
    let flat = SIMD3(0.0, 0, 1)
    let samples = sensor.samples([flat, SIMD3(0, 0.6, 0.8), flat])
    let fit = try CalibrationFit.find(in: [samples])
    #expect(fit.positions == 1)
    #expect(abs(fit.calibration.offset.z - 65_000) < 1_500)
  }

  @Test
  func `what lies askew between the sides is passed over`() throws {
    let askew = SIMD3(0.5, 0.5, 0.707)
    expectSixPositions(
      try CalibrationFit.find(in: [sensor.samples([askew] + RestingSensor.sides + [askew])]))
  }

  @Test
  func `what is missing is said`() {
    #expect(throws: CalibrationRefusal.tooShort) { try CalibrationFit.find(in: []) }
    #expect(throws: CalibrationRefusal.tooShort) {
      try CalibrationFit.find(in: [RestingSensor(rest: 0.5).samples([SIMD3(0, 0, 1)])])
    }
    #expect(throws: CalibrationRefusal.moved) {
      try CalibrationFit.find(in: [RestingSensor(rest: 0.3).samples(RestingSensor.sides)])
    }
    #expect(throws: CalibrationRefusal.slanted) {
      try CalibrationFit.find(in: [sensor.samples([SIMD3(0, 0.6, 0.8)])])
    }
    #expect(throws: CalibrationRefusal.missing(axis: "z", isUp: false)) {
      try CalibrationFit.find(in: [sensor.samples(Array(RestingSensor.sides.dropLast()))])
    }
    #expect(throws: CalibrationRefusal.implausible) {
      try CalibrationFit.find(
        in: [RestingSensor(offset: SIMD3(0, 0, 0.3)).samples([SIMD3(0, 0, 1)])])
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `nothing traps, whatever comes`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var samples: [MotionSample] = []
    for _ in 0..<300 { samples.append(generator.wildSample(after: samples.last?.time ?? 0)) }
    if let fit = try? CalibrationFit.find(in: [samples]) { #expect(fit.positions > 0) }
  }
}
