public import Motion

/// The 30-second chair stand: the number of stands in 30 s.
///
/// Counted as in Jones et al. 1999 (Res Q Exerc Sport 70:113) and the CDC's STEADI: a stand more
/// than half way up at the end of the time counts. The 30 s run from the first movement. Validated
/// on synthetic movement only: all counts correct with realistic noise.
public struct ThirtySecondChairStand: Hashable, Sendable {
  /// The stands, the half one at the end included.
  public var count: Int
  /// Whether the last stand was incomplete, but more than half way up, when the time ended.
  public var endsWithHalfStand: Bool
  /// The stands completed or begun within the time.
  public var repetitions: [StandRepetition]
  /// When the 30 s began, in microseconds on the samples' clock.
  public var start: Int64
  /// The quality of the samples.
  public var quality: SignalQuality

  /// Microseconds that the test lasts.
  public static let duration: Int64 = 30_000_000

  /// Measures the test in a recording of one sensor on a thigh.
  ///
  /// The recording begins with the person seated and still for half a second, and lasts until 30 s
  /// after `start` (microseconds): the command to go, by default the first movement. Any mounting.
  /// Throws if the count would not be the test's. Cost: three passes over the samples.
  public static func measure(
    _ samples: [MotionSample], start: Int64? = nil
  ) throws(ChairStandRefusal) -> Self {
    let thigh = try ThighRise(samples)
    let finder = try StandFinder(thigh)
    let start = start ?? finder.repetition(0).start
    guard let last = thigh.lastSample(within: duration, after: start) else {
      throw .tooShort(seconds: ((thigh.times.last ?? start) &- start) / 1_000_000)
    }
    try thigh.refuseSilence(until: last)
    let made = finder.passages.indices.filter { finder.passages[$0].up <= last }
    let isHalfUp = finder.isHalfUp(at: last)
    return Self(
      count: made.count + (isHalfUp ? 1 : 0), endsWithHalfStand: isHalfUp,
      repetitions: made.map(finder.repetition), start: start, quality: thigh.quality)
  }
}

extension ThighRise {
  /// The last sample up to `duration` microseconds after `start`; `nil` if the recording ends
  /// earlier by more than the longest gap allowed.
  fileprivate func lastSample(within duration: Int64, after start: Int64) -> Int? {
    let (end, overflow) = start.addingReportingOverflow(duration)
    guard !overflow, let last = times.lastIndex(where: { $0 <= end }) else { return nil }
    let (missing, isFar) = end.subtractingReportingOverflow(times[last])
    let reaches = !isFar && missing <= FiveTimesSitToStand.longestSilence
    return reaches || last + 1 < times.count ? last : nil
  }
}
