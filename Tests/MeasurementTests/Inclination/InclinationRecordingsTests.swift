import Foundation
import Measurement
import Motion
import TestSupport
import Testing

/// The filters against the BROAD trials: up as cameras saw it, to 0.5° themselves.
@Suite(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
struct InclinationRecordingsTests {
  /// Root mean square error in degrees while moving, over every trial: causal and smoothed.
  @Test
  func `errors stay below those of the best published filters`() throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: SharedData.path("orientation")
    ).filter { $0.hasPrefix("broad") }
    var causal: [Double] = []
    var smoothed: [Double] = []
    var ranges: [Double] = []
    for file in files {
      let recording = try MotionFile("orientation/" + file)
      let samples = recording.samples
      var filter = InclinationFilter()
      causal.append(error(of: samples.map { filter.add($0) }, in: recording))
      let smooth = InclinationFilter.smooth(samples).inclinations
      smoothed.append(error(of: smooth, in: recording))
      ranges += rangeErrors(of: smooth, in: recording)
    }
    #expect(files.count == 11)
    #expect(causal.reduce(0, +) / 11 < 0.72)
    #expect(smoothed.reduce(0, +) / 11 < 0.575)
    #expect((causal.max() ?? .infinity) < 1.7)
    #expect(ranges.count > 50)
    #expect(ranges.reduce(0, +) / Double(ranges.count) < 0.35)
  }

  /// Without the first five seconds it is 0.73°; VQF, which learns the bias in movement as well, has
  /// 0.82° then.
  @Test
  func `the bias is learnt without a rest`() throws {
    let files = try FileManager.default.contentsOfDirectory(
      atPath: SharedData.path("orientation")
    ).filter { $0.hasPrefix("broad") }
    let errors = try files.map { file in
      let recording = try MotionFile("orientation/" + file)
      let moving = recording.column("moving").map { $0 == 1 }
      let samples = recording.samples
      var filter = InclinationFilter()
      var time: Int64 = 0
      let found = samples.indices.map { index in
        // A rest is cut out, and the sensor goes on as it lay.
        guard moving[index] else { return Inclination(time: 0, up: Vector3(x: 0, y: 0, z: 0)) }
        time += 3_500
        return filter.add(
          MotionSample(
            time: time, acceleration: samples[index].acceleration,
            angularRate: samples[index].angularRate))
      }
      return error(of: found, in: recording)
    }
    #expect(errors.reduce(0, +) / 11 < 0.78)
    #expect((errors.max() ?? .infinity) < 1.6)
  }

  private func error(of inclinations: [Inclination], in recording: MotionFile) -> Double {
    let x = recording.column("ux")
    let y = recording.column("uy")
    let z = recording.column("uz")
    let moving = recording.column("moving")
    var sum = 0.0
    var count = 0.0
    for (index, inclination) in inclinations.enumerated() where moving[index] == 1 {
      guard let x = x[index], let y = y[index], let z = z[index] else { continue }
      let error = inclination.error(against: SIMD3(x, y, z))
      sum += error * error
      count += 1
    }
    return (sum / count).squareRoot()
  }

  /// How far the largest less the smallest inclination is off, in windows of 10 s that move by 20°.
  private func rangeErrors(
    of inclinations: [Inclination], in recording: MotionFile
  ) -> [Double] {
    let up = ["ux", "uy", "uz"].map { recording.column($0) }
    let window = 2_857
    return stride(from: 0, to: inclinations.count - window, by: window).compactMap { start in
      let truth = (start..<start + window).compactMap { index -> Double? in
        guard let x = up[0][index], let y = up[1][index], let z = up[2][index] else { return nil }
        return atan2((x * x + y * y).squareRoot(), z) * 180 / .pi
      }
      let found = inclinations[start..<start + window].map { Double($0.angle) / 1_000 }
      guard truth.count == window, let high = truth.max(), let low = truth.min(),
        high - low >= 20, let top = found.max(), let bottom = found.min()
      else { return nil }
      return abs((top - bottom) - (high - low))
    }
  }
}
