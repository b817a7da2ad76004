import Motion
import Testing

@Suite
struct AccelerometerCalibrationTests {
  @Test
  func `the default changes nothing`() {
    let wild = Vector3(x: .min, y: .max, z: -7)
    #expect(AccelerometerCalibration().apply(wild) == wild)
  }

  @Test
  func `extremes are clamped`() {
    let extreme = AccelerometerCalibration(
      offset: Vector3(x: .max, y: .min, z: .min), scale: Vector3(x: .max, y: .max, z: .min))
    let wild = Vector3(x: .min, y: .max, z: -7)
    #expect(extreme.apply(wild) == Vector3(x: .min, y: .max, z: .min))
  }

  /// Readings in micro-g with the result that exact arithmetic rounds to, halves towards +∞.
  static let rounding: [(reading: Int32, scale: Int32, expected: Int32)] = [
    (1, 1 << 23, 1), (-1, 1 << 23, 0), (3, 1 << 23, 2), (-3, 1 << 23, -1),
    (1_000_000, (1 << 24) + 1, 1_000_000), (16_777_216, (1 << 24) + 1, 16_777_217),
  ]

  @Test(arguments: rounding)
  func `a product is rounded to the nearest micro-g`(
    reading: Int32, scale: Int32, expected: Int32
  ) {
    let calibration = AccelerometerCalibration(scale: Vector3(x: scale, y: scale, z: scale))
    #expect(
      calibration.apply(Vector3(x: reading, y: reading, z: reading))
        == Vector3(x: expected, y: expected, z: expected))
  }

  @Test
  func `a sample keeps its time and its angular rate`() {
    let rate = Vector3(x: 1, y: 2, z: 3)
    let sample = MotionSample(
      time: 5, acceleration: Vector3(x: 10, y: 20, z: 30), angularRate: rate)
    let calibration = AccelerometerCalibration(offset: Vector3(x: 10, y: 10, z: 10))
    #expect(
      calibration.apply(sample)
        == MotionSample(time: 5, acceleration: Vector3(x: 0, y: 10, z: 20), angularRate: rate))
  }
}
