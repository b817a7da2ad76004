import Foundation
import Measurement
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
    for file in files {
      let recording = try MotionFile("orientation/" + file)
      let samples = recording.samples
      var filter = InclinationFilter()
      causal.append(error(of: samples.map { filter.add($0) }, in: recording))
      smoothed.append(error(of: InclinationFilter.smooth(samples).inclinations, in: recording))
    }
    #expect(files.count == 11)
    #expect(causal.reduce(0, +) / 11 < 0.8)
    #expect(smoothed.reduce(0, +) / 11 < 0.65)
    #expect((causal.max() ?? .infinity) < 1.7)
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
}
