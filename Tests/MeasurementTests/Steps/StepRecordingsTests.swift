import Foundation
import Measurement
import Motion
import TestSupport
import Testing

/// The counter against recordings with counted steps: the error of each source stays below what was
/// reached, with a margin.
@Suite(.enabled(if: SharedData.isPresent, "needs ../shared/data"))
struct StepRecordingsTests {
  private struct Recording {
    let file: String
    let duration: Double
    let steps: Double
    let isNegative: Bool
  }

  private func recordings(_ source: String) throws -> [Recording] {
    let index = try String(contentsOfFile: SharedData.path("steps/index.csv"), encoding: .utf8)
    return index.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 8, fields[1] == source, let duration = Double(fields[6]),
        let steps = Double(fields[7])
      else { return nil }
      return Recording(
        file: "steps/" + fields[0], duration: duration, steps: steps,
        isNegative: fields[2] == "negative")
    }
  }

  private func count(_ recording: Recording, on segment: Segment? = nil) throws -> Double {
    var counter = StepCounter(on: segment)
    _ = counter.add(contentsOf: try MotionFile(recording.file).samples)
    _ = counter.finish()
    return Double(counter.total)
  }

  @Test(
    arguments: [
      ("oxford-opt", nil, 1.4), ("oxford-val", nil, 0.65), ("pebble", .forearm, 3.25),
      ("bangle", .forearm, 3), ("ipol-lowback", .pelvis, 3.6), ("ipol265-foot", .foot, 3.7),
    ] as [(String, Segment?, Double)])
  func `the mean error of walks stays below its bar, and no walk is missed`(
    source: String, segment: Segment?, bar: Double
  ) throws {
    let walks = try recordings(source).filter { !$0.isNegative }
    var sum = 0.0
    for walk in walks {
      let steps = try count(walk, on: segment)
      #expect(steps > 0, "\(walk.file)")
      sum += abs(steps - walk.steps) / walk.steps
    }
    #expect(!walks.isEmpty)
    #expect(100 * sum / Double(walks.count) <= bar)
  }

  @Test(
    arguments: [("sisfall", .trunk), ("sisfall", .foot), ("sisfall", nil), ("bangle", .forearm)]
      as [(String, Segment?)])
  func `nothing is counted where nobody walks`(source: String, segment: Segment?) throws {
    for negative in try recordings(source).filter(\.isNegative) {
      #expect(try count(negative, on: segment) == 0, "\(negative.file)")
    }
  }

  @Test
  func `fewer than 60 steps an hour are seen where nobody walks`() throws {
    let negatives = try recordings("pebble").filter(\.isNegative)
    var steps = 0.0
    for negative in negatives { steps += try count(negative) }
    let hours = negatives.map(\.duration).reduce(0, +) / 3_600
    #expect(hours > 0.5)
    #expect(steps / hours <= 60)
  }
}
