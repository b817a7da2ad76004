import Foundation
import Measurement
import Motion

/// One way to find up, over all trials: its directions for each.
private struct Method {
  let name: String
  let directions: [[SIMD3<Double>]]
}

/// Prints each method's error over the trials, ours beside the reference, and again over the trials
/// without their rests, where a gyroscope's bias shows in movement only.
func printInclinationErrors(_ trials: [BroadTrial]) {
  printInclinationErrors(trials, withoutRests: false)
  printInclinationErrors(trials.map(\.withoutRests), withoutRests: true)
}

/// First the root mean square of each trial while it moves, the first 5 s dropped, then ranges of
/// motion in windows of 10 s.
private func printInclinationErrors(_ trials: [BroadTrial], withoutRests: Bool) {
  var methods: [Method] = [
    Method(name: "gyroscope, causal", directions: trials.map { causal($0, usesGyroscope: true) }),
    Method(
      name: "gyroscope, at the end", directions: trials.map { smooth($0, usesGyroscope: true) }),
    Method(name: "acc only, causal", directions: trials.map { causal($0, usesGyroscope: false) }),
    Method(
      name: "acc only, at the end", directions: trials.map { smooth($0, usesGyroscope: false) }),
  ]
  do {
    let reference = try InclinationReference(trials, withoutRests: withoutRests)
    methods += [
      Method(name: "VQF 6D, causal", directions: reference.causal),
      Method(name: "offlineVQF, at the end", directions: reference.whole),
      Method(name: "acc only, 2 Hz zero-phase", directions: reference.alone),
    ]
    print("\nVQF 6D takes \(reference.nanoseconds) ns a sample here")
  } catch {
    print("\n\(error)")
  }
  print(
    "\ninclination\(withoutRests ? " without rests" : ""), degrees:",
    "rms of each trial while moving, mean; ranges of 10 s, mean / p95")
  for method in methods {
    let errors = zip(trials, method.directions).map { $0.error(of: $1) }
    var ranges = RangeErrors()
    for (trial, directions) in zip(trials, method.directions) { ranges.add(directions, trial) }
    print(
      column(method.name, width: 26), errors.map { column($0, digits: 2, width: 5) }.joined(),
      column(errors.reduce(0, +) / Double(errors.count), digits: 3, width: 7), "  slow",
      RangeErrors.summary(ranges.slow), " (\(ranges.slow.count))  all",
      RangeErrors.summary(ranges.all), " (\(ranges.all.count))")
  }
}

/// Prints how far integers stray from the same filter in float64, over the same trials.
func printRounding(_ trials: [BroadTrial]) {
  var worst = 0.0
  for trial in trials {
    var twin = FloatInclinationFilter()
    for (up, sample) in zip(causal(trial, usesGyroscope: true), trial.samples) {
      worst = max(worst, angle(up, twin.add(sample)))
    }
  }
  print("fixed point against float64, at most", column(worst, digits: 5, width: 9), "degrees")
}

/// The angle between two directions, in degrees; exact for small ones, too.
private func angle(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
  let cross = SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  return atan2((cross * cross).sum().squareRoot(), (a * b).sum()) * 180 / .pi
}

private func causal(_ trial: BroadTrial, usesGyroscope: Bool) -> [SIMD3<Double>] {
  var filter = InclinationFilter(usesGyroscope: usesGyroscope)
  return trial.samples.map { filter.add($0) }.directions
}

private func smooth(_ trial: BroadTrial, usesGyroscope: Bool) -> [SIMD3<Double>] {
  InclinationFilter.smooth(trial.samples, usesGyroscope: usesGyroscope).inclinations.directions
}
