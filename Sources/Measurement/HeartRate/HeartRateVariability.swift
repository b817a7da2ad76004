import FixedPoint

/// The variation of the intervals between beats at rest: the time-domain figures of the Task Force
/// of the ESC and NASPE (Circulation 1996; 93:1043), over normal beats only.
///
/// SDNN grows with the duration of a recording: compare recordings of equal duration only, usually
/// five minutes.
public struct HeartRateVariability: Hashable, Sendable {
  /// The confidence in the figures.
  public enum Confidence: String, Hashable, Sendable {
    /// At most 5 % of the beats were artefacts.
    case good
    /// Up to 20 % of the beats were artefacts.
    case low
  }

  /// The mean interval between normal beats (mean NN) in microseconds.
  public var meanInterval: Int64
  /// The intervals' standard deviation (SDNN) in microseconds.
  public var deviation: Int64
  /// Root mean square of the differences of successive intervals (RMSSD) in microseconds.
  public var successiveDifference: Int64
  /// The share of these differences above 50 ms (pNN50), in thousandths.
  public var over50Milliseconds: Int
  /// The number of normal intervals used.
  public var intervals: Int
  /// The number of intervals left out as artefacts.
  public var artefacts: Int
  /// The sum of the normal intervals in microseconds.
  public var duration: Int64

  /// The share of intervals left out, in thousandths.
  public var correctedThousandths: Int { artefacts * 1_000 / max(intervals + artefacts, 1) }
  /// The confidence in the figures.
  public var confidence: Confidence { correctedThousandths <= 50 ? .good : .low }

  /// The shortest duration of normal beats in microseconds: RMSSD over one minute agrees with that
  /// over five (Esco and Flatt 2014, J Sports Sci Med 13:535).
  public static let shortest: Int64 = 60_000_000
  /// The largest share of artefacts in thousandths: one beat in five.
  public static let mostArtefacts = 200

  /// Measures the variability of `intervals` between successive beats, in microseconds.
  ///
  /// Intervals are in order, as an electrocardiogram strap sends them (a pulse sensor on the wrist
  /// smooths them). Artefacts are left out, not interpolated, and no difference is taken across
  /// one. Throws if too little is left. Accuracy: each figure is exact to the microsecond, rounded
  /// down.
  public static func measure(
    _ intervals: [Int64]
  ) throws(HeartRateVariabilityRefusal) -> Self {
    let beats = BeatIntervals(intervals)
    let normal = beats.accepted
    let duration = normal.reduce(0, +)
    guard beats.rejected * 1_000 <= intervals.count * mostArtefacts else {
      throw .tooManyArtefacts(percent: beats.rejected * 100 / intervals.count)
    }
    let differences = beats.successiveDifferences
    guard duration >= shortest, !differences.isEmpty else {
      throw .tooShort(seconds: duration / 1_000_000)
    }
    let mean = duration.roundedDivision(by: Int64(normal.count))
    let large = differences.count { abs($0) > 50_000 }
    return Self(
      meanInterval: mean,
      deviation: root(normal.map { $0 - mean }, over: normal.count - 1),
      successiveDifference: root(differences, over: differences.count),
      over50Milliseconds: large * 1_000 / differences.count, intervals: normal.count,
      artefacts: beats.rejected, duration: duration)
  }

  /// The square root of the sum of squares over `count`, for values below 2^31.
  private static func root(_ values: [Int64], over count: Int) -> Int64 {
    let sum = values.reduce(UInt128(0)) { $0 + UInt128($1.magnitude * $1.magnitude) }
    return Int64(UInt64(clamping: sum / UInt128(max(count, 1))).integerSquareRoot)
  }
}

/// Why a heart rate variability was not measured.
public enum HeartRateVariabilityRefusal: Error, Hashable, Sendable {
  /// Only this many seconds of normal beats, or no two in succession.
  case tooShort(seconds: Int64)
  /// The percentage of intervals that were artefacts.
  case tooManyArtefacts(percent: Int)

  /// A short name for scripts: `tooShort`, `tooManyArtefacts`.
  public var code: String {
    switch self {
    case .tooShort: "tooShort"
    case .tooManyArtefacts: "tooManyArtefacts"
    }
  }
}

/// The intervals between beats of a normal rhythm, with artefacts removed.
///
/// An interval is an artefact if it is implausible for a resting heart, or differs from the median
/// of its neighbourhood by more than a fifth: a missed beat doubles an interval, a false one splits
/// it, and an early beat shortens one and lengthens the next. The fifth is Malik's (Eur Heart J
/// 1989; 10:1060); the local median, which is robust against artefacts, is that of Kubios
/// (Tarvainen et al. 2014, Comput Methods Programs Biomed 113:210).
struct BeatIntervals: Hashable, Sendable {
  /// Plausible intervals in microseconds: 200 to 30 beats a minute.
  static let plausible: ClosedRange<Int64> = 300_000...2_000_000
  /// Intervals on either side of one in its neighbourhood.
  static let reach = 5

  /// Each interval in microseconds, `nil` for an artefact.
  let normal: [Int64?]

  /// Finds the artefacts among intervals in microseconds.
  init(_ intervals: [Int64]) {
    normal = intervals.indices.map { index in
      let interval = intervals[index]
      let nearby = intervals[
        max(index - Self.reach, 0)..<min(index + Self.reach + 1, intervals.count)]
      guard Self.plausible.contains(interval),
        let median = nearby.filter(Self.plausible.contains).median,
        abs(interval - median) * 5 <= median
      else { return nil }
      return interval
    }
  }

  /// The normal intervals, in order.
  var accepted: [Int64] { normal.compactMap(\.self) }

  /// The number of artefacts.
  var rejected: Int { normal.count - accepted.count }

  /// The differences between adjacent normal intervals, in microseconds.
  var successiveDifferences: [Int64] {
    zip(normal, normal.dropFirst()).compactMap { before, after in
      guard let before, let after else { return nil }
      return after - before
    }
  }
}
