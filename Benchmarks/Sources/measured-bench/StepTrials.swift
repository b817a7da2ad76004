import Motion
@_spi(Tuning) import Measurement

// MARK: - Recordings made harder

/// Trials that the recordings given do not hold, made from them: slow walks, short walks, lost packets.
extension StepRecording {
  /// Steps a minute over the whole recording.
  private var cadence: Double { steps * 60 / duration }

  /// The walk k times slower, at so many steps a minute.
  ///
  /// Times are stretched k-fold, and the magnitude's distance from 1 g shrinks with the power 2.5
  /// of k, less than people's does between a run and a walk.
  func slowed(to target: Double) -> Self {
    let factor = max(1, cadence / target)
    let share = 1 / (factor * factor * factor.squareRoot())
    return with(
      samples: samples.map { sample in
        let force = sample.acceleration
        let axes = [Double(force.x), Double(force.y), Double(force.z)]
        let length = axes.map { $0 * $0 }.reduce(0, +).squareRoot()
        let scale = length > 0 ? (1e6 + (length - 1e6) * share) / length : 1
        return MotionSample(
          time: Int64(Double(sample.time) * factor),
          acceleration: Vector3(
            x: Int32(axes[0] * scale), y: Int32(axes[1] * scale), z: Int32(axes[2] * scale)))
      })
  }

  /// So many steps of the walk, by its own cadence, between 20 s of rest on either side.
  ///
  /// `place` is 0 for its beginning and 1 for its end; `nil` for a walk that is hardly longer.
  func stretch(of steps: Double, at place: Double) -> Self? {
    guard let begin = samples.first?.time, let end = samples.last?.time else { return nil }
    let length = Int64(steps * duration / self.steps * 1e6)
    guard end - begin > length * 3 / 2 else { return nil }
    let from = begin + Int64(Double(end - begin - length) * place)
    let walk = samples.filter { (from..<from + length).contains($0.time) }
    guard let first = walk.first, let last = walk.last, walk.count > 20 else { return nil }
    let interval = (last.time - first.time) / Int64(walk.count - 1)
    let pause = 20_000_000 / interval
    let rest = Self.gravity(of: walk)
    let shift = pause * interval - first.time
    let before = (0..<pause).map { MotionSample(time: $0 * interval, acceleration: rest) }
    let after = (1...pause).map {
      MotionSample(time: last.time + shift + $0 * interval, acceleration: rest)
    }
    return with(samples: before + walk.map { $0.at($0.time + shift) } + after, steps: steps)
  }

  /// The recording without so many seconds out of every `period`.
  func withHoles(of length: Double, every period: Double) -> Self {
    let start = samples.first?.time ?? 0
    return with(
      samples: samples.filter { sample in
        let seconds = Double(sample.time - start) / 1e6
        let phase = seconds - (seconds / period).rounded(.down) * period
        return !(period / 2..<period / 2 + length).contains(phase)
      })
  }

  /// 1 g in the mean direction of the samples.
  private static func gravity(of samples: [MotionSample]) -> Vector3 {
    var sum = [0.0, 0, 0]
    for sample in samples {
      sum[0] += Double(sample.acceleration.x)
      sum[1] += Double(sample.acceleration.y)
      sum[2] += Double(sample.acceleration.z)
    }
    let length = sum.map { $0 * $0 }.reduce(0, +).squareRoot()
    let unit = sum.map { Int32($0 / length * 1e6) }
    return Vector3(x: unit[0], y: unit[1], z: unit[2])
  }

  func with(samples: [MotionSample], steps: Double? = nil) -> Self {
    Self(
      source: source, group: group, isNegative: isNegative, segment: segment, isGesture: isGesture,
      duration: duration, steps: steps ?? self.steps, samples: samples)
  }
}

// MARK: - Results

/// Prints how much of slow walks, short walks and walks with lost packets is counted.
func printStepTrials(_ recordings: [StepRecording]) {
  // The others stand still for a part of their recordings.
  let walks = recordings.filter { !$0.isNegative && [nil, .forearm].contains($0.segment) }
  let phones = walks.filter { $0.source == "oxford-val" }
  print("\nslowed to        58/min  45/min  35/min")
  let slowed = [58.0, 45, 35].map { target in phones.map { $0.slowed(to: target).countedShare } }
  print("mean counted %  ", slowed.map { column(100 * mean($0), digits: 0, width: 7) }.joined())
  print(
    "most counted %  ", slowed.map { column(100 * ($0.max() ?? 0), digits: 0, width: 7) }.joined())

  print("\nstretches between rests, to within a third")
  for steps in [8.0, 16] {
    let stretches = walks.flatMap { walk in
      [0.25, 0.5, 0.75].compactMap { walk.stretch(of: steps, at: $0) }
    }
    let right = stretches.filter { abs($0.countedShare - 1) <= 1.0 / 3 }
    print(
      column("\(Int(steps)) steps"), column(Double(stretches.count), digits: 0), "stretches",
      column(100 * Double(right.count) / Double(max(1, stretches.count)), digits: 0), "%")
  }

  print("\nholes                all  oxford-opt  oxford-val  pebble   % of the count lost")
  for (length, period) in [(0.5, 5.0), (0.9, 10.0), (1.2, 10.0)] {
    let lost = walks.map { walk in
      let whole = walk.counted()
      return whole > 0 ? 1 - walk.withHoles(of: length, every: period).counted() / whole : 0
    }
    let bySource = ["oxford-opt", "oxford-val", "pebble"].map { source in
      mean(zip(walks, lost).filter { $0.0.source == source }.map(\.1))
    }
    // Holes of more than a second credit nothing: what they hold is missing.
    let missing = length > 1 ? length / period : 0
    print(
      column("\(length) s in \(Int(period)) s", width: 16),
      column(100 * (mean(lost) - missing), digits: 1),
      bySource.map { column(100 * ($0 - missing), digits: 1, width: 11) }.joined(),
      missing > 0 ? "  beyond the \(Int(100 * missing)) % that is missing" : "")
  }
}

extension StepRecording {
  /// Steps counted for each step taken.
  fileprivate var countedShare: Double { counted() / steps }
}

private func mean(_ values: [Double]) -> Double {
  values.reduce(0, +) / Double(max(1, values.count))
}
