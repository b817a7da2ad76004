import Motion

/// The parts of a recording in which a sensor lay still, one after another.
struct StillStretches {
  /// Microseconds left out at either end of a stretch: the sensor being laid down, and taken up.
  static let margin: Int64 = 250_000
  /// Microseconds without a sample that end a stretch.
  static let longestSilence: Int64 = 500_000

  private(set) var stretches: [[MotionSample]] = []
  private var current: [MotionSample] = []
  private var lowest = WideVector.zero
  private var highest = WideVector.zero

  /// Finds the stretches of a second or more; the whole recording, where it is one.
  init(_ samples: [MotionSample]) {
    if (try? Stillness(samples)) != nil {
      stretches = [samples]
      return
    }
    for sample in samples { add(sample) }
    close()
  }

  private mutating func add(_ sample: MotionSample) {
    let force = WideVector(sample.acceleration)
    let low = WideVector(
      x: min(lowest.x, force.x), y: min(lowest.y, force.y), z: min(lowest.z, force.z))
    let high = WideVector(
      x: max(highest.x, force.x), y: max(highest.y, force.y), z: max(highest.z, force.z))
    guard let last = current.last?.time, follows(sample.time, last),
      (high - low).peak <= 2 * Stillness.corridor
    else {
      close()
      current = [sample]
      (lowest, highest) = (force, force)
      return
    }
    current.append(sample)
    (lowest, highest) = (low, high)
  }

  private func follows(_ time: Int64, _ last: Int64) -> Bool {
    let (interval, overflow) = time.subtractingReportingOverflow(last)
    return !overflow && (0...Self.longestSilence).contains(interval)
  }

  /// Keeps the stretch that has ended, where it is long and still enough without its ends.
  private mutating func close() {
    guard let first = current.first?.time, let last = current.last?.time else { return }
    let inner = current.filter {
      $0.time &- first >= Self.margin && last &- $0.time >= Self.margin
    }
    if (try? Stillness(inner)) != nil { stretches.append(inner) }
    current = []
  }
}
