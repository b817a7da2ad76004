import Foundation
import Measurement
import Motion

/// Prints how far the timed up and go is off, with the gyroscope and by the accelerometer alone.
///
/// Truth is what people saw on video, from `start` to `end`.
func printUpAndGoErrors(in folder: String) throws {
  let trials = try UpAndGoTrial.all(in: folder)
  print("\ntimed up and go, s               answered  refused  mean |error|      p95")
  for usesGyroscope in [true, false] {
    let results = trials.map { ($0, $0.measured(usesGyroscope: usesGyroscope)) }
    let answered = results.compactMap { trial, result in result.map { (trial, $0) } }
    let name = usesGyroscope ? "gyroscope" : "acc only"
    let errors = answered.map { trial, result in abs(result.total - trial.total) }.sorted()
    guard !errors.isEmpty else { continue }
    print(
      column(name, width: 32), column(Double(errors.count), digits: 0),
      column(Double(results.count - errors.count), digits: 0),
      column(errors.reduce(0, +) / Double(errors.count), digits: 2, width: 13),
      column(errors[min(errors.count - 1, errors.count * 95 / 100)], digits: 2))
  }
}

/// A trial with its annotated times.
struct UpAndGoTrial {
  /// Seconds from `start` to `end`.
  let total: Double
  let samples: [MotionSample]

  /// The trials that the index lists.
  static func all(in folder: String) throws -> [Self] {
    let folder = folder + "/timed-up-and-go/"
    let index = try String(contentsOfFile: folder + "index.csv", encoding: .utf8)
    return try index.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 12, let start = Double(fields[2]), let end = Double(fields[11]) else {
        return nil
      }
      return Self(
        total: end - start, samples: try MotionTable(contentsOf: folder + fields[0]).samples)
    }
  }

  /// What the measurement says; `nil` where it refuses.
  func measured(usesGyroscope: Bool) -> TimedUpAndGo? {
    try? TimedUpAndGo.measure(
      usesGyroscope
        ? samples : samples.map { MotionSample(time: $0.time, acceleration: $0.acceleration) })
  }
}
