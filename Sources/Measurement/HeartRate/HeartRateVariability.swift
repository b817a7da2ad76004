import FixedPoint

/// How much the time from beat to beat varies at rest: the time-domain figures of the Task Force of
/// the ESC and NASPE (Circulation 1996; 93:1043), over normal beats only.
///
/// SDNN grows with the length of a recording, so that two are comparable only where their durations
/// are; five minutes are usual.
public struct HeartRateVariability: Hashable, Sendable {
  /// How far the figures may be believed.
  public enum Confidence: String, Hashable, Sendable {
    /// At most 5 % of the beats were artefacts.
    case good
    /// Up to 20 % were.
    case low
  }

  /// The mean interval between normal beats (mean NN) in microseconds.
  public var meanInterval: Int64
  /// The intervals' standard deviation (SDNN) in microseconds.
  public var deviation: Int64
  /// Root mean square of the differences of successive intervals (RMSSD) in microseconds.
  public var successiveDifference: Int64
  /// How many of these differences exceed 50 ms (pNN50), in thousandths.
  public var over50Milliseconds: Int
  /// How many normal intervals the figures rest on.
  public var intervals: Int
  /// How many intervals were left out as artefacts.
  public var artefacts: Int
  /// What the normal intervals add up to, in microseconds.
  public var duration: Int64

  /// The share of intervals left out, in thousandths.
  public var correctedThousandths: Int { artefacts * 1_000 / max(intervals + artefacts, 1) }
  /// How far the figures may be believed.
  public var confidence: Confidence { correctedThousandths <= 50 ? .good : .low }

  /// Microseconds of normal beats below which nothing is measured: in one minute RMSSD agrees with
  /// that of five (Esco and Flatt 2014, J Sports Sci Med 13:535).
  public static let shortest: Int64 = 60_000_000
  /// The share of artefacts in thousandths above which nothing is measured: one beat in five.
  public static let mostArtefacts = 200

  /// Measures the variability of `intervals` between successive beats, in microseconds.
  ///
  /// Intervals are in order, as an electrocardiogram strap sends them (a pulse sensor on the wrist
  /// smooths them). Artefacts are left out, never filled in, and no difference is taken across one.
  /// Throws where too little is left. Errors: each figure is exact to the microsecond, rounded down.
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
