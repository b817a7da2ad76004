import Foundation
import Motion
@_spi(Tuning) import Measurement

/// A recording with a known number of steps, which may be 0.
struct StepRecording {
  let source: String
  /// Whose recording it is, or which session's.
  let group: String
  let isNegative: Bool
  /// Where the sensor was worn; `nil` for a telephone, which has no place of its own.
  let segment: Segment?
  /// Whether it holds rhythmic gestures made on purpose, a class of negatives of its own.
  let isGesture: Bool
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
        source: fields[1], group: group(of: fields[0]), isNegative: fields[2] == "negative",
        segment: segment(at: fields[3]),
        isGesture: gestures.contains { fields[0].contains($0) },
        duration: duration, steps: steps,
        samples: try MotionTable(contentsOf: folder + "/steps/" + fields[0]).samples)
    }
  }

  private static let gestures = [
    "hand_swings", "hand_movements", "raise_arm", "taking_vitamins",
  ]

  private static func segment(at location: String) -> Segment? {
    switch location {
    case "wrist": .forearm
    case "lower-back", "waist": .pelvis
    case "foot-left", "foot-right": .foot
    default: nil
    }
  }

  /// The session's number where the name has one; else its first two words, device and person.
  private static func group(of file: String) -> String {
    let words = (file.split(separator: "/").last ?? "").split(separator: "_").map(String.init)
    if let session = words.first(where: { $0.count == 5 && Int($0) != nil }) { return session }
    return words.prefix(2).joined(separator: "_")
  }

  /// How many steps a counter sees, by default with the constants of the place.
  func counted(_ tuning: GaitTuning? = nil) -> Double {
    var counter = StepCounter(tuning: tuning ?? .worn(on: segment))
    _ = counter.add(contentsOf: samples)
    _ = counter.finish()
    return Double(counter.total)
  }
}

/// How wrong a counter is, source by source.
struct StepErrors {
  /// The errors of each walk in percent, by source.
  private(set) var errors: [String: [Double]] = [:]
  private var falseSteps = 0.0
  private var hours = 0.0
  /// The same of the negatives without gestures.
  private var ordinaryFalseSteps = 0.0
  private var ordinaryHours = 0.0

  init(of tuning: GaitTuning? = nil, on recordings: [StepRecording]) {
    for recording in recordings {
      let counted = recording.counted(tuning)
      if recording.isNegative {
        falseSteps += counted
        hours += recording.duration / 3_600
        guard !recording.isGesture else { continue }
        ordinaryFalseSteps += counted
        ordinaryHours += recording.duration / 3_600
      } else {
        let error = 100 * (counted - recording.steps) / recording.steps
        errors[recording.source, default: []].append(error)
      }
    }
  }

  /// The sources that have walks, by name.
  var sources: [String] { errors.keys.sorted() }

  /// The mean absolute error of a source's walks in percent.
  func absolute(_ source: String) -> Double {
    let own = errors[source] ?? []
    return own.map(abs).reduce(0, +) / Double(max(1, own.count))
  }

  /// The mean signed error of a source's walks in percent.
  func signed(_ source: String) -> Double {
    let own = errors[source] ?? []
    return own.reduce(0, +) / Double(max(1, own.count))
  }

  /// The largest error of a source's walks in percent.
  func worst(_ source: String) -> Double { (errors[source] ?? []).map(abs).max() ?? 0 }

  /// False steps in an hour of not walking; `nil` where there is no such recording.
  var falseAnHour: Double? { hours > 0 ? falseSteps / hours : nil }

  /// False steps in an hour of not walking and without gestures; `nil` without such a recording.
  var ordinaryFalseAnHour: Double? {
    ordinaryHours > 0 ? ordinaryFalseSteps / ordinaryHours : nil
  }

  /// The sum that a search makes small: the error of every source on a like footing, and the false steps.
  var loss: Double {
    let footing = ["oxford-opt": 1.5, "oxford-val": 0.6]
    let sum = sources.map { absolute($0) / (footing[$0] ?? 3) }.reduce(0, +)
    return sum + (falseAnHour ?? 0) / 50
  }
}

/// Prints for each source the mean absolute and mean signed error of its walks, and the false steps
/// an hour of its negatives.
func printStepErrors(_ recordings: [StepRecording]) {
  print("steps         MAPE %  signed %  worst %  false/h  without gestures")
  for source in Set(recordings.map(\.source)).sorted() {
    let own = StepErrors(on: recordings.filter { $0.source == source })
    let walks =
      own.sources.isEmpty
      ? "        -         -        -"
      : [
        column(own.absolute(source), digits: 2, width: 7),
        column(own.signed(source), digits: 2, width: 9), column(own.worst(source), digits: 1),
      ].joined(separator: " ")
    print(
      column(source), walks, own.falseAnHour.map { column($0, digits: 0) } ?? "       -",
      own.ordinaryFalseAnHour.map { column($0, digits: 0) } ?? "       -")
  }
  printStepTrials(recordings)
}
