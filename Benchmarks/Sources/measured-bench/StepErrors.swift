import Foundation
import Measurement

/// A recording of somebody who walks so many steps, or none.
struct StepRecording {
  let source: String
  let isNegative: Bool
  let duration: Double
  let steps: Double
  let samples: [MotionSample]

  /// The recordings that the index lists.
  static func all(in folder: String) throws -> [Self] {
    let index = try String(contentsOfFile: folder + "/steps/index.csv", encoding: .utf8)
    return try index.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 8, let duration = Double(fields[6]), let steps = Double(fields[7])
      else { return nil }
      return Self(
        source: fields[1], isNegative: fields[2] == "negative", duration: duration, steps: steps,
        samples: try MotionTable(contentsOf: folder + "/steps/" + fields[0]).samples)
    }
  }

  /// How many steps the counter sees.
  var counted: Double {
    var counter = StepCounter()
    _ = counter.add(contentsOf: samples)
    _ = counter.finish()
    return Double(counter.total)
  }
}

/// Prints for each source the mean absolute and mean signed error of its walks, and the false steps
/// an hour of its negatives.
func printStepErrors(_ recordings: [StepRecording]) {
  print("steps         MAPE %  signed %  worst %  false/h")
  for source in Set(recordings.map(\.source)).sorted() {
    let own = recordings.filter { $0.source == source }
    let errors = own.filter { !$0.isNegative }.map { 100 * ($0.counted - $0.steps) / $0.steps }
    let negatives = own.filter(\.isNegative)
    let hours = negatives.map(\.duration).reduce(0, +) / 3_600
    let mean = errors.map(abs).reduce(0, +) / Double(errors.count)
    let signed = errors.reduce(0, +) / Double(errors.count)
    let worst = errors.map(abs).max() ?? 0
    let falseSteps = negatives.map(\.counted).reduce(0, +)
    print(
      column(source), column(mean, digits: 2, width: 7), column(signed, digits: 2, width: 9),
      column(worst, digits: 1), hours > 0 ? column(falseSteps / hours, digits: 0) : "       -")
  }
}
