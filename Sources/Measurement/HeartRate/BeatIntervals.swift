/// The intervals between beats of a normal rhythm, and the artefacts left out from among them.
///
/// An interval is an artefact where it is none that a resting heart makes, or departs from the median
/// of its neighbourhood by more than a fifth: a missed beat doubles an interval, a false one splits
/// it, and an early beat shortens one and lengthens the next. The fifth is Malik's (Eur Heart J 1989;
/// 10:1060); measuring it from a local median, which an artefact cannot move, is how Kubios does
/// (Tarvainen et al. 2014, Comput Methods Programs Biomed 113:210).
struct BeatIntervals: Hashable, Sendable {
  /// Microseconds an interval can last: 200 to 30 beats a minute.
  static let plausible: ClosedRange<Int64> = 300_000...2_000_000
  /// Intervals either side of one that, with it, make its neighbourhood.
  static let reach = 5

  /// Each interval in microseconds, `nil` where it is an artefact.
  let normal: [Int64?]

  /// Sorts out the artefacts among intervals in microseconds.
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

  /// How many intervals were left out.
  var rejected: Int { normal.count - accepted.count }

  /// By how much each normal interval differs from a normal one right before it, in microseconds.
  var successiveDifferences: [Int64] {
    zip(normal, normal.dropFirst()).compactMap { before, after in
      guard let before, let after else { return nil }
      return after - before
    }
  }
}
