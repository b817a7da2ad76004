/// Gathers steps into the minutes of the clock that they were taken in.
///
/// Steps are credited with their own times, a little late; a minute is closed once no credit should
/// reach back into it any more, and gives its count then, once. A step that comes later still, from
/// a sensor that was out of reach, counts in the first minute that is not closed: none is lost.
struct StepMinutes {
  /// Microseconds in a minute.
  static let length: Int64 = 60_000_000

  private var open: [Int64: Int] = [:]
  /// Where the first minute begins that is not closed.
  private var firstOpen = Int64.min

  /// A closed minute with steps in it.
  struct Minute: Hashable {
    /// Its start in microseconds since 1970, a whole minute.
    var start: Int64
    /// The steps taken in it, at least 1.
    var steps: Int
  }

  /// The end of the earliest open minute, in microseconds since 1970.
  var earliestEnd: Int64? { open.keys.min().map { $0 + Self.length } }

  /// Counts steps taken at a time in microseconds since 1970.
  mutating func add(_ steps: Int, at time: Int64) {
    open[max(Self.start(of: time), firstOpen), default: 0] += steps
  }

  /// Closes every minute that ended at or before `time`, and gives them, oldest first.
  mutating func close(upTo time: Int64) -> [Minute] {
    firstOpen = max(firstOpen, Self.start(of: time))
    let closed = open.filter { $0.key < firstOpen }
    for start in closed.keys { open[start] = nil }
    return Self.minutes(closed)
  }

  /// Closes every minute, and gives them, oldest first.
  mutating func closeAll() -> [Minute] {
    defer { open = [:] }
    return Self.minutes(open)
  }

  private static func minutes(_ counts: [Int64: Int]) -> [Minute] {
    counts.map { Minute(start: $0.key, steps: $0.value) }.sorted { $0.start < $1.start }
  }

  /// The start of the minute that a time lies in; of times that no clock shows, 140 000 years from
  /// 1970, the last that can be counted with.
  private static func start(of time: Int64) -> Int64 {
    let bounded = min(max(time, .min / 2), .max / 2)
    let (quotient, remainder) = bounded.quotientAndRemainder(dividingBy: length)
    return (remainder < 0 ? quotient - 1 : quotient) * length
  }
}
