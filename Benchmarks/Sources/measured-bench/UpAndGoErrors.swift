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
  printPhases(trials)
}

/// Prints the errors of the phases after the median of the other people's errors is taken off.
///
/// On video a phase is a movement, from `stand_start` to `stand_end` and from `sit_start` to
/// `sit_end`; the measurement's `stand` and `sit` extend to the start and the end of the task. Both
/// definitions are compared.
private func printPhases(_ trials: [UpAndGoTrial]) {
  let results = trials.compactMap { trial in
    trial.measured(usesGyroscope: true).map { (trial: trial, measured: $0) }
  }
  print("\nphases, one person left out, s   mean |error|      p95     bias")
  let phases: [(String, (UpAndGoTrial, TimedUpAndGo) -> Double)] = [
    ("stand_end…sit_start", { $1.total - $1.stand - $1.sit - ($0.sitStart - $0.standEnd) }),
    ("total", { $1.total - $0.total }),
    ("stand, from start", { $1.stand - ($0.standEnd - $0.start) }),
    ("stand, the movement", { $1.stand - ($0.standEnd - $0.standStart) }),
    ("sit, to end", { $1.sit - ($0.end - $0.sitStart) }),
    ("sit, the movement", { $1.sit - ($0.sitEnd - $0.sitStart) }),
  ]
  for (name, error) in phases {
    let all = results.map { (subject: $0.trial.subject, error: error($0.trial, $0.measured)) }
    let errors = all.map { one in
      abs(one.error - median(all.filter { $0.subject != one.subject }.map(\.error)))
    }.sorted()
    guard !errors.isEmpty else { continue }
    print(
      column(name, width: 32),
      column(errors.reduce(0, +) / Double(errors.count), digits: 2, width: 11),
      column(errors[min(errors.count - 1, errors.count * 95 / 100)], digits: 2),
      column(median(all.map(\.error)), digits: 2))
  }
}

private func median(_ values: [Double]) -> Double {
  values.isEmpty ? 0 : values.sorted()[values.count / 2]
}

/// A trial with its annotated times.
struct UpAndGoTrial {
  let subject: String
  /// Annotated seconds since the first sample.
  let start: Double
  let standStart: Double
  let standEnd: Double
  let sitStart: Double
  let sitEnd: Double
  let end: Double
  let samples: [MotionSample]

  /// The trials that the index lists.
  static func all(in folder: String) throws -> [Self] {
    let folder = folder + "/timed-up-and-go/"
    let index = try String(contentsOfFile: folder + "index.csv", encoding: .utf8)
    return try index.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      let times = fields.dropFirst(2).compactMap(Double.init)
      guard fields.count == 12, times.count == 10 else { return nil }
      return Self(
        subject: fields[1], start: times[0], standStart: times[1], standEnd: times[2],
        sitStart: times[7], sitEnd: times[8], end: times[9],
        samples: try MotionTable(contentsOf: folder + fields[0]).samples)
    }
  }

  /// Seconds from `start` to `end`.
  var total: Double { end - start }

  /// The result of the measurement; `nil` where it refuses.
  func measured(usesGyroscope: Bool) -> TimedUpAndGo? {
    try? TimedUpAndGo.measure(
      usesGyroscope
        ? samples : samples.map { MotionSample(time: $0.time, acceleration: $0.acceleration) })
  }
}
