import Foundation
import Measurement
import Motion

/// A walk of 10 m out and 10 m back with a sensor at the lower back and one on each foot.
struct KnownWalk {
  let name: String
  /// The person's height in millimetres.
  let height: Int64
  /// From the first movement to standing again, in seconds, as an observer marked them.
  let marks: Range<Double>
  /// The speed in m/s by the distance, and by both feet.
  let nominal: Double
  let feet: Double
  /// The length of a stride in metres, and the steps a minute.
  let stride: Double
  let cadence: Double
  private let folder: String

  /// The walks that are listed.
  static func all(in folder: String) throws -> [Self] {
    let text = try String(contentsOfFile: folder + "/walks/truth.csv", encoding: .utf8)
    return text.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      let numbers = fields.map { Double($0) ?? 0 }
      guard fields.count > 11, numbers[4] < numbers[7] else { return nil }
      return Self(
        name: String(fields[0]), height: Int64((numbers[1] * 1_000).rounded()),
        marks: numbers[4]..<numbers[7], nominal: numbers[8], feet: numbers[9],
        stride: numbers[10], cadence: numbers[11], folder: folder)
    }
  }

  func samples(_ place: String) throws -> [MotionSample] {
    try MotionTable(contentsOf: folder + "/walks/\(name)-\(place).csv").samples
  }
}

/// Prints how far speed, stride length and cadence are off, and begin and end of a walk, at the lower
/// back and on a foot.
func printWalkErrors(in folder: String) throws {
  let walks = try KnownWalk.all(in: folder)
  print("\nwalks                            measured  mean |error|      p95     bias")
  var errors: [(String, [Double])] = []
  func note(_ name: String, _ error: Double) {
    if let index = errors.firstIndex(where: { $0.0 == name }) {
      errors[index].1.append(error)
    } else {
      errors.append((name, [error]))
    }
  }
  for walk in walks {
    let samples = try walk.samples("lowback")
    for (name, height) in [("", walk.height), (", 1.70 m", nil)] as [(String, Int64?)] {
      guard let own = try? WalkingSpeed.measure(samples, on: .pelvis, height: height) else {
        continue
      }
      note("speed, nominal\(name), m/s", Double(own.speed) / 1_000 - walk.nominal)
      note("speed, feet\(name), m/s", Double(own.speed) / 1_000 - walk.feet)
      guard height != nil else { continue }
      note("stride, m", Double(own.strideLength) / 1_000 - walk.stride)
      note("cadence, /min", Double(own.cadence) / 1_000 - walk.cadence)
    }
    if let timed = try? TimedWalk.measure(samples, on: .pelvis, distance: 20_000) {
      let begin = Double(timed.walk.start) / 1e6
      let duration = Double(timed.walk.duration) / 1e6
      note("begin, s", begin - walk.marks.lowerBound)
      note("end, s", begin + duration - walk.marks.upperBound)
      note("duration, s", duration - (walk.marks.upperBound - walk.marks.lowerBound))
    }
    let range = Int64(walk.marks.lowerBound * 1e6)..<Int64(walk.marks.upperBound * 1e6)
    let feet = ["leftfoot", "rightfoot"].compactMap {
      try? WalkingSpeed.measure(walk.samples($0), on: .foot, in: range)
    }
    for foot in feet {
      note("foot, speed, m/s", Double(foot.speed) / 1_000 - walk.feet)
      note("foot, stride, m", Double(foot.strideLength) / 1_000 - walk.stride)
      note("foot, cadence, /min", Double(foot.cadence) / 1_000 - walk.cadence)
    }
    if feet.count == 2 {
      note("left − right, m", Double(feet[0].strideLength - feet[1].strideLength) / 1_000)
    }
  }
  for (name, errors) in errors {
    let sorted = errors.map(abs).sorted()
    print(
      column(name, width: 32), column(Double(errors.count), digits: 0),
      column(sorted.reduce(0, +) / Double(errors.count), digits: 3, width: 13),
      column(sorted[sorted.count * 95 / 100], digits: 3),
      column(errors.reduce(0, +) / Double(errors.count), digits: 3))
  }
}
