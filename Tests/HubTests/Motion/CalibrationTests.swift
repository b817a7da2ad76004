import Care
import Foundation
import Hub
import Measurement
import Motion
import Testing

@testable import TestSupport

/// A sensor's calibration is applied before any measurement.
@Suite struct CalibrationTests {
  private static let start = time("2026-11-20T09:10:00-08:00")

  /// A knee bent by 80°, measured without a gyroscope by a sensor with an offset of 120 mg.
  private var samples: [MotionSample] {
    LimbPath([0, 80, 0]).samples().map { sample in
      let force = sample.acceleration
      return MotionSample(
        time: sample.time, acceleration: Vector3(x: force.x, y: force.y + 120_000, z: force.z))
    }
  }

  private func bench(calibrating address: String?) async throws -> Bench {
    let bench = try await Bench(Plans.john(tasks: Plans.knee))
    if let address {
      let calibration = SensorCalibration(
        address: DeviceID(address), method: .atRest,
        calibration: AccelerometerCalibration(offset: Vector3(x: 0, y: 120_000, z: 0)),
        createdDate: Self.start)
      try await bench.store.write { try $0.setCalibration(calibration) }
    }
    return bench
  }

  private func range(_ bench: Bench) async throws -> Double {
    try await bench.play(motion(of: "left-shank", samples, at: Self.start))
    return try #require(
      try await bench.samples(.rangeOfMotion).first { $0.kind == "range" }
    ).value
  }

  @Test(arguments: ["left-shank", "Left-Shank"])
  func `a calibrated sensor measures the truth`(address: String) async throws {
    #expect(abs(try await range(bench(calibrating: address)) - 80) <= 0.5)
  }

  @Test(arguments: [nil, "left-thigh"])
  func `a sensor ignores another sensors calibration`(address: String?) async throws {
    #expect(abs(try await range(bench(calibrating: address)) - 80) > 3)
  }
}
