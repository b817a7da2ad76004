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

  private func count(_ recording: Recording) throws -> Double {
    var counter = StepCounter()
    _ = counter.add(contentsOf: try MotionFile(recording.file).samples)
    _ = counter.finish()
    return Double(counter.total)
  }

  @Test(arguments: [("oxford-opt", 1.3), ("oxford-val", 0.45), ("pebble", 3.1)])
  func `the mean error of walks stays below its bar`(source: String, bar: Double) throws {
    let walks = try recordings(source).filter { !$0.isNegative }
    var sum = 0.0
    for walk in walks { sum += abs(try count(walk) - walk.steps) / walk.steps }
    #expect(!walks.isEmpty)
    #expect(100 * sum / Double(walks.count) <= bar)
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
