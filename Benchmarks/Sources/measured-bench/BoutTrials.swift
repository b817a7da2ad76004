import Foundation
import Motion
@_spi(Tuning) import Measurement

// MARK: - Short bouts

extension StepRecording {
  /// The walk's beginning up to the middle between two of the steps that are counted in the whole.
  ///
  /// `nil` if too few are counted, or the recording ends with the walk.
  func beginning(of count: Int) -> Self? {
    var counter = StepCounter(on: segment)
    var counted = counter.add(contentsOf: samples)
    counted += counter.finish()
    let times = counted.map(\.time).sorted()
    guard times.count > count + 2, let last = times.last,
      let ended = samples.ended(
        at: (times[count - 1] + times[count]) / 2, standingFrom: last + 1_500_000)
    else { return nil }
    return with(samples: ended, steps: Double(count))
  }
}

extension KnownWalk {
  /// How many steps are counted at the lower back in the beginning of the walk with so many, by its
  /// marked begin and its cadence; `nil` if the recording ends with the walk.
  func counted(ofFirst count: Int) throws -> Int? {
    let cut = marks.lowerBound + Double(count) * 60 / cadence
    let ended = try samples("lowback").ended(
      at: Int64(cut * 1e6), standingFrom: Int64(marks.upperBound * 1e6) + 200_000)
    return ended.map { samples in
      var counter = StepCounter(on: .pelvis)
      _ = counter.add(contentsOf: samples)
      _ = counter.finish()
      return counter.total
    }
  }
}

extension [MotionSample] {
  /// The recording up to a time, then 20 s of the standing at its end, to and fro; `nil` if the
  /// person stands for less than a fifth of a second.
  fileprivate func ended(at time: Int64, standingFrom standing: Int64) -> Self? {
    let rest = filter { $0.time > standing }
    guard let first = rest.first, let last = rest.last, last.time - first.time >= 200_000 else {
      return nil
    }
    let interval = (last.time - first.time) / Int64(rest.count - 1)
    let fro = rest + rest.reversed()
    return filter { $0.time < time }
      + (1...20_000_000 / interval).map { fro[Int($0 - 1) % fro.count].at(time + $0 * interval) }
  }
}

extension StepRecording {
  /// The walk at 12.5 samples a second, each a mean over two intervals of it.
  var atSlowSensor: Self {
    guard let first = samples.first?.time, let last = samples.last?.time else { return self }
    var result: [MotionSample] = []
    var begin = samples.startIndex
    for index in 0...((last - first) / 80_000) {
      let middle = first + index * 80_000
      while begin < samples.endIndex, samples[begin].time < middle - 80_000 { begin += 1 }
      // A triangle over two intervals: what a sensor's own filter leaves.
      var sums = [0.0, 0, 0]
      var weights = 0.0
      for sample in samples[begin...].prefix(while: { $0.time < middle + 80_000 }) {
        let weight = Double(80_000 - abs(sample.time - middle))
        let force = sample.acceleration
        sums[0] += weight * Double(force.x)
        sums[1] += weight * Double(force.y)
        sums[2] += weight * Double(force.z)
        weights += weight
      }
      guard weights > 0 else { continue }
      let mean = sums.map { Int32($0 / weights) }
      result.append(
        MotionSample(
          time: middle, acceleration: Vector3(x: mean[0], y: mean[1], z: mean[2])))
    }
    return with(samples: result)
  }
}

/// Prints how many short bouts are counted to within a step, and how far a slow sensor moves a walk.
func printBoutTrials(_ recordings: [StepRecording], in folder: String) throws {
  let walks = recordings.filter { !$0.isNegative }
  print("\nbouts to within a step, %             6      8     10  steps")
  let sizes = [6, 8, 10]
  for source in ["ipol-lowback", "ipol265-foot"] {
    let own = walks.filter { $0.source == source }
    printShares(
      source + ", of those counted",
      sizes.map { count in
        own.compactMap { $0.beginning(of: count) }.map { abs($0.counted() - $0.steps) <= 1 }
      })
  }
  let known = try KnownWalk.all(in: folder)
  printShares(
    "lower back, by the marks",
    try sizes.map { count in
      try known.compactMap { try $0.counted(ofFirst: count) }.map { abs($0 - count) <= 1 }
    })
  let quick = walks.filter { $0.source != "bangle" }
  let moved = quick.map { walk in
    let whole = walk.counted()
    return whole > 0 ? abs(100 * (walk.atSlowSensor.counted() / whole - 1)) : 0
  }
  print(
    "at 12.5 Hz: \(quick.count) walks, \(moved.count { $0 > 15 }) move by more than 15 %, at most by",
    column(moved.max() ?? 0, digits: 1), "%")
}

private func printShares(_ name: String, _ bouts: [[Bool]]) {
  let shares = bouts.map { 100 * Double($0.count(where: \.self)) / Double(max(1, $0.count)) }
  print(column(name, width: 32), shares.map { column($0, digits: 0, width: 7) }.joined())
}
