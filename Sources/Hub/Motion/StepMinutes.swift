/// Gathers steps into the minutes of the clock that they were taken in.
///
/// Steps are credited with their own times, a little late; a minute is closed once no credit can
/// reach back into it any more, and gives its count then, once.
struct StepMinutes {
  /// Microseconds in a minute.
  static let length: Int64 = 60_000_000

  private var open: [Int64: Int] = [:]

  /// A closed minute with steps in it.
  struct Minute: Hashable {
    /// Its start in microseconds since 1970, a whole minute.
    var start: Int64
    /// The steps taken in it, at least 1.
    var steps: Int
  }

  /// The end of the earliest open minute, in microseconds since 1970.
  var earliestEnd: Int64? { open.keys.min().map { $0 &+ Self.length } }

  /// Counts steps taken at a time in microseconds since 1970.
  mutating func add(_ steps: Int, at time: Int64) {
    let (quotient, remainder) = time.quotientAndRemainder(dividingBy: Self.length)
    let minute = remainder < 0 ? quotient - 1 : quotient
    open[minute &* Self.length, default: 0] += steps
  }

  /// Closes every minute that ended at or before `time`, and gives them, oldest first.
  mutating func close(upTo time: Int64) -> [Minute] {
    let closed = open.filter { $0.key &+ Self.length <= time }
    for start in closed.keys { open[start] = nil }
    return closed.map { Minute(start: $0.key, steps: $0.value) }.sorted { $0.start < $1.start }
  }
}
