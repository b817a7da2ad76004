import FixedPoint
import Motion

/// The mean spectrum of a recording over half-overlapping windows (Welch 1967).
struct TremorSpectrum: Hashable, Sendable {
  /// Microseconds between two samples beyond which a window has a hole: 12 Hz goes round in 83 ms.
  static let hole: Int64 = 100_000
  /// How many windows make a spectrum: two that overlap by half, 6 s.
  static let leastWindows = 2

  /// The mean power of each of the bank's bins, in square micro-g; empty where there was no window.
  let powers: [Int64]
  /// How many windows it is the mean of.
  let windows: Int

  /// Takes the spectrum of samples whose times rise.
  init(_ samples: [MotionSample]) {
    var sums = [UInt128](repeating: 0, count: FourierBank.bins.count)
    var windows = 0
    for stretch in Self.stretches(samples) {
      for window in Self.windows(stretch) {
        windows += 1
        for (bin, power) in FourierBank(window).powers.enumerated() {
          sums[bin] += UInt128(power.magnitude)
        }
      }
    }
    self.windows = windows
    powers = windows == 0 ? [] : sums.map { Int64($0 / UInt128(windows)) }
  }

  /// The power between two bins, both included.
  func power(_ range: ClosedRange<Int>) -> Int64 {
    range.clamped(to: FourierBank.bins).reduce(0) { $0 + self[$1] }
  }

  /// The power of one bin; none where it is not kept.
  subscript(bin: Int) -> Int64 {
    let index = bin - FourierBank.bins.lowerBound
    return powers.indices.contains(index) ? powers[index] : 0
  }

  /// The samples between holes.
  private static func stretches(_ samples: [MotionSample]) -> [ArraySlice<MotionSample>] {
    var result: [ArraySlice<MotionSample>] = []
    var first = samples.startIndex
    for index in samples.indices.dropFirst() {
      let (pause, overflow) = samples[index].time
        .subtractingReportingOverflow(samples[index - 1].time)
      guard overflow || pause > hole else { continue }
      result.append(samples[first..<index])
      first = index
    }
    return result + [samples[first...]]
  }

  /// The windows of a stretch without holes, with times from their own beginnings and weights.
  private static func windows(
    _ stretch: ArraySlice<MotionSample>
  ) -> [[(time: Int64, weight: Int64, force: WideVector)]] {
    guard let origin = stretch.first?.time, let end = stretch.last?.time else { return [] }
    var result: [[(time: Int64, weight: Int64, force: WideVector)]] = []
    var begin: Int64 = 0
    var first = stretch.startIndex
    // Six seconds of samples end just before the six seconds do.
    while begin + FourierBank.length <= end - origin + hole {
      var window: [(time: Int64, weight: Int64, force: WideVector)] = []
      for index in first..<stretch.endIndex {
        let time = stretch[index].time - origin - begin
        if time < 0 {
          first = index
          continue
        }
        if time >= FourierBank.length { break }
        // Half of the time to either neighbour.
        let before = stretch[max(index - 1, stretch.startIndex)].time
        let after = stretch[min(index + 1, stretch.endIndex - 1)].time
        window.append((time, (after - before) / 2, WideVector(stretch[index].acceleration)))
      }
      result.append(window)
      begin += FourierBank.length / 2
    }
    return result
  }
}
