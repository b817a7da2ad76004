import Foundation
import Measurement
import Motion
import TestSupport

/// A real rise from a chair, walk, turn, walk back and sitting down, annotated from a video.
///
/// Phone in a trouser pocket (GeoTecINIT, ODC-BY 1.0); times in seconds of the samples' own.
struct AnnotatedWalk {
  let samples: [MotionSample]
  let firstMovement: Double
  let standStart: Double
  let turns: [ClosedRange<Double>]

  /// All that are there.
  static func all() throws -> [Self] {
    let index = try String(
      contentsOfFile: SharedData.path("timed-up-and-go/index.csv"), encoding: .utf8)
    return try index.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let times = fields.dropFirst(2).compactMap(Double.init)
      guard times.count == 10, times[3] <= times[4], times[5] <= times[6] else { return nil }
      return Self(
        samples: try MotionFile("timed-up-and-go/" + fields[0]).samples, firstMovement: times[0],
        standStart: times[1], turns: [times[3]...times[4], times[5]...times[6]])
    }
  }
}
