public import Motion

/// The five-times sit-to-stand: the time to stand up five times from a chair.
///
/// The clock runs from the first movement, as a sensor does not record the command. It stops,
/// depending on the protocol, with the fifth stand (Guralnik et al. 1994, J Gerontol 49:M85) or
/// once seated after it (Whitney et al. 2005, Phys Ther 85:1034); both times are given.
///
/// Validated on synthetic movement only, with rotations of 35° to 89°: all stands detected, the
/// total and each repetition within 0.25 s, 0.3 s at one stand in 1.3 s. Of 156 recorded rises, to
/// walk away from the chair, all are detected and nine in ten begin within 0.6 s of the video.
public struct FiveTimesSitToStand: Hashable, Sendable {
  /// The five stands.
  public var repetitions: [StandRepetition]
  /// Microseconds from the first movement until the fifth stand.
  public var untilStanding: Int64
  /// Microseconds from the first movement until seated again; `nil` if the recording ends before.
  public var untilSeated: Int64?
  /// The quality of the samples.
  public var quality: SignalQuality

  /// Microseconds from the beginning of each stand to that of the next; the fifth ends seated.
  public var repetitionTimes: [Int64] {
    let starts = repetitions.map(\.start)
    let ends = Array(starts.dropFirst()) + [repetitions.last?.seated].compactMap(\.self)
    return zip(starts, ends).map { $1 - $0 }
  }

  /// The longest gap in microseconds during the test: a stand passes its middle in less.
  public static let longestSilence: Int64 = 500_000

  /// Measures the test in a recording of one sensor on a thigh.
  ///
  /// The recording begins with the person seated and still for half a second. The sensor may be
  /// worn on any side of the thigh in any orientation. Further stands are ignored. Throws if the
  /// figure would not be the test's. Cost: three passes over the samples.
  public static func measure(
    _ samples: [MotionSample]
  ) throws(ChairStandRefusal) -> Self {
    let thigh = try ThighRise(samples)
    let finder = try StandFinder(thigh)
    guard finder.passages.count >= 5 else { throw .tooFewStands(finder.passages.count) }
    let last = finder.passages[4]
    try thigh.refuseSilence(until: last.down ?? last.up)
    let repetitions = (0..<5).map(finder.repetition)
    return Self(
      repetitions: repetitions, untilStanding: repetitions[4].standing - repetitions[0].start,
      untilSeated: repetitions[4].seated.map { $0 - repetitions[0].start },
      quality: thigh.quality)
  }
}

extension ThighRise {
  /// Refuses a gap, up to the sample at `index`, that is long enough to miss a stand.
  func refuseSilence(until index: Int) throws(ChairStandRefusal) {
    let silence = longestSilence(in: 0...index)
    if silence > FiveTimesSitToStand.longestSilence {
      throw .dropout(milliseconds: silence / 1_000)
    }
  }
}

/// One stand from a chair and the way back, if recorded; in microseconds on the samples' clock.
public struct StandRepetition: Hashable, Sendable {
  /// When the thigh began to rise.
  public var start: Int64
  /// When the person stood.
  public var standing: Int64
  /// When the thigh began to sink; `nil` if the recording ends with the person standing.
  public var sitting: Int64?
  /// When the person sat again; `nil` if the recording ends before.
  public var seated: Int64?

  /// Microseconds from the first movement until standing.
  public var rise: Int64 { standing - start }
  /// Microseconds from the first movement until seated again; `nil` if the recording ends before.
  public var duration: Int64? { seated.map { $0 - start } }
}

/// Why a chair stand test was not measured.
public enum ChairStandRefusal: Error, Hashable, Sendable {
  /// The stream is unusable.
  case stream(SignalQuality.Refusal)
  /// The sensor is worn here, and not on a thigh.
  case place(Segment)
  /// The sensor sent nothing for this many milliseconds during the test.
  case dropout(milliseconds: Int64)
  /// The thigh was never still for half a second, so its seated position is unknown.
  case noRest
  /// The largest rise of the thigh in degrees: there was no stand, or the sensor was not on the
  /// thigh.
  case noStand(degrees: Int)
  /// The number of stands if fewer than five.
  case tooFewStands(Int)
  /// The recording ends this many seconds after the first movement, before the 30 s are over.
  case tooShort(seconds: Int64)

  /// A short name for scripts: the case's, or that of the stream's refusal.
  public var code: String {
    switch self {
    case .stream(let refusal): refusal.rawValue
    case .place: "place"
    case .dropout: "dropout"
    case .noRest: "noRest"
    case .noStand: "noStand"
    case .tooFewStands: "tooFewStands"
    case .tooShort: "tooShort"
    }
  }
}
