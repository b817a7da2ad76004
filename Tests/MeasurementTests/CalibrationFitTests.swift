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

struct AccelerometerCalibrationTests {
  /// A sensor that reads its true force in g times a gain plus an offset, at rest for so many seconds.
  private func rest(
    _ force: SIMD3<Double>, offset: SIMD3<Double> = .zero,
    gain: SIMD3<Double> = SIMD3(repeating: 1), seconds: Double = 2, noise: Double = 0.004
  ) -> [MotionSample] {
    var generator = SeededGenerator(seed: 21)
    return (0..<Int(seconds * 100)).map { index in
      let tremor = SIMD3(generator.normal(), generator.normal(), generator.normal()) * noise
      let reading = force * gain + offset + tremor
      return MotionSample(
        time: Int64(index) * 10_000, acceleration: .g(reading.x, reading.y, reading.z))
    }
  }

  static let sides: [SIMD3<Double>] = [
    SIMD3(1, 0, 0), SIMD3(-1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, -1, 0), SIMD3(0, 0, 1),
    SIMD3(0, 0, -1),
  ]

  @Test
  func `six positions give offset and scale of each axis`() throws {
    let offset = SIMD3(0.040, -0.025, 0.060)
    let gain = SIMD3(1.02, 0.97, 1.005)
    let found = try AccelerometerCalibration.sixPositions(
      Self.sides.reversed().map { rest($0, offset: offset, gain: gain) })
    let force = SIMD3(0.6, -0.48, 0.64)
    for sample in rest(force, offset: offset, gain: gain, noise: 0).map(found.apply) {
      #expect(abs(sample.acceleration.x - 600_000) < 1_000)
      #expect(abs(sample.acceleration.y + 480_000) < 1_000)
      #expect(abs(sample.acceleration.z - 640_000) < 1_000)
    }
  }

  @Test(arguments: sides)
  func `one stillness on a side gives the offset`(side: SIMD3<Double>) throws {
    let found = try AccelerometerCalibration.atRest(
      rest(side, offset: SIMD3(0.04, -0.03, 0.02)))
    #expect(abs(found.offset.x - 40_000) < 1_500)
    #expect(abs(found.offset.y + 30_000) < 1_500)
    #expect(abs(found.offset.z - 20_000) < 1_500)
    #expect(found.scale == AccelerometerCalibration().scale)
  }

  @Test
  func `one stillness anywhere gives the common scale`() throws {
    let found = try AccelerometerCalibration.scaledAtRest(
      rest(SIMD3(0.6, 0, 0.8), gain: SIMD3(repeating: 1.05), noise: 0))
    #expect(found.apply(Vector3(x: 630_000, y: 0, z: 840_000)) == .g(0.6, 0, 0.8))
  }

  @Test
  func `what is wrong with a stillness is said`() {
    let up = SIMD3(0.0, 0, 1)
    #expect(throws: CalibrationRefusal.tooShort) {
      try AccelerometerCalibration.atRest(rest(up, seconds: 0.5))
    }
    #expect(throws: CalibrationRefusal.tooShort) { try AccelerometerCalibration.atRest([]) }
    #expect(throws: CalibrationRefusal.moved) {
      try AccelerometerCalibration.atRest(rest(up, noise: 0.1))
    }
    #expect(throws: CalibrationRefusal.slanted) {
      try AccelerometerCalibration.atRest(rest(SIMD3(0, 0.6, 0.8)))
    }
    #expect(throws: CalibrationRefusal.implausible) {
      try AccelerometerCalibration.scaledAtRest(rest(up * 9.81))
    }
    #expect(throws: CalibrationRefusal.implausible) {
      try AccelerometerCalibration.scaledAtRest(rest(.zero))
    }
    #expect(throws: CalibrationRefusal.missing(axis: "y", isUp: false)) {
      try AccelerometerCalibration.sixPositions(
        Self.sides.filter { $0.y >= 0 }.map { rest($0) })
    }
  }
}
