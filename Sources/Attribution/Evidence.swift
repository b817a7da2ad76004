import FixedPoint

/// Decides whose a weighing is, from all other weighings.
///
/// The state is a fold over the weighings in their order and nothing else: read again with a label
/// changed, the same history gives the same result on every machine. Several hypotheses of which body
/// weighed when are followed at once, each with the probabilities of which body is whose. ``verdict(on:)``
/// judges a weighing by those before it, ``smoothed`` all by those before and after them. Cost of a
/// weighing: hypotheses × bodies densities.
public struct Evidence: Sendable {
  let household: Household
  let expected: [Expected?]
  var population: Population
  /// The weighings that were learned.
  var learnedCount = 0
  /// The day of the first weighing and that of the state.
  var firstDay: Int?
  var day: Int?
  /// The steps from which the odds are smoothed; `nil` if they need not be.
  private var trellis: Trellis?

  /// Starts from what the plan expects; without `remembers` there is nothing to smooth later.
  public init(_ household: Household, remembers: Bool = true) {
    self.household = household
    expected = household.people.map(Expected.init)
    let isFollowed = household.people.count <= Naming.people
    population = Population(
      people: isFollowed ? household.people.count : 0, remembers: remembers)
    trellis = remembers ? Trellis() : nil
  }

  // MARK: - Constants

  /// A person gets a weighing at odds of 99 in 100, in units of 2^-30.
  static let clear: Int64 = 1_063_004_406
  /// A doubt names who is at least 1 in 20.
  static let serious: Int64 = 1 << 30 / 20
  /// Without one, who is at least 1 in 1000.
  static let conceivable: Int64 = 1 << 30 / 1_000
  /// Hypotheses that are followed: with fewer, homes of five are mistaken more often.
  static let breadth = 48
  /// A hypothesis is dropped below e^-14 of the best.
  static let depth: Int64 = 1_323_692
  /// The longest time in days over which bodies change.
  private static let longestGap = 400

  /// The people whose names are looked for; a larger household is not told apart.
  var people: Int { household.people.count <= Naming.people ? household.people.count : 0 }
  /// The days since the first weighing.
  var age: Int64 { Int64(min(max((day ?? 0) - (firstDay ?? 0), 0), 3_650)) }

  // MARK: - Fold

  /// Judges a weighing by those before it, without its label.
  public func verdict(on weighing: Weighing) -> Verdict {
    var copy = self
    copy.trellis = nil
    copy.advance(to: weighing.day)
    return copy.judge(weighing)
  }

  /// Judges a weighing by those before it, without its label, and learns it with it.
  @discardableResult
  public mutating func observe(_ weighing: Weighing) -> Verdict {
    advance(to: weighing.day)
    let verdict = judge(weighing)
    follow(weighing)
    return verdict
  }

  /// Learns the next weighing.
  public mutating func learn(_ weighing: Weighing) {
    advance(to: weighing.day)
    follow(weighing)
  }

  private mutating func follow(_ weighing: Weighing) {
    let parents = population.names.count
    let links = takeUp(weighing)
    trellis?.append(links, of: weighing, parents: parents)
  }

  /// Ends the days up to `day`.
  private mutating func advance(to day: Int) {
    guard let current = self.day else {
      (firstDay, self.day) = (day, day)
      return
    }
    let (difference, isBeyond) = day.subtractingReportingOverflow(current)
    let elapsed =
      isBeyond ? (day > current ? Self.longestGap : 0) : min(difference, Self.longestGap)
    guard elapsed > 0 else { return }
    for number in 0..<elapsed {
      // A longer absence than the longest shows as a jump of the calendar at its end.
      self.day = current + number
      let parents = population.names.count
      let edges = endDay(current + number)
      if let edges { trellis?.append(edges, parents: parents) }
    }
    self.day = day
  }

  // MARK: - Smoothing

  /// The verdicts on all weighings, each by those before and after it, in their order.
  ///
  /// One backward step over all hypotheses that were followed.
  public var smoothed: [Verdict] {
    guard let trellis else { return [] }
    let isAlone = self.isAlone
    let disowned = disownedWeighings
    let smoothed = trellis.smoothed(from: nodes, people: people).shares
    return zip(trellis.weighings, smoothed).enumerated().map { index, entry in
      let (weighing, shares) = entry
      return verdict(
        Tally(
          shares: Array(shares.prefix(people)),
          disowned: shares[disowned.contains(index) ? people : people + 1], isAlone: isAlone,
          changed: nil),
        weighing, isPast: true)
    }
  }

  /// The weighings of those of whom a label said that they are nobody of the plan, also those before it.
  private var disownedWeighings: Set<Int> {
    let best = population.best
    return (0..<population.hypotheses[best].count).reduce(into: []) { result, place in
      guard !population.hypotheses[best].isForgotten(place) else { return }
      let body = population.body(place, in: best)
      if body.isDisowned { result.formUnion(population.weighings(of: body)) }
    }
  }

  /// The probabilities of the last nodes, in units of 2^-32.
  private var nodes: [Int64] {
    let shares = population.hypotheses.map { Logarithm.power(minus: -$0.weight) }
    let sum = max(shares.reduce(0, +), 1)
    return zip(population.hypotheses, shares).flatMap { hypothesis, share in
      let part = share.share(of: sum)
      return population.names[hypothesis.names].map { ($0.share * part) >> 28 }
    }
  }

  // MARK: - Questions

  /// How many of the weighings that wait are expected to be settled by the answer whose this one is,
  /// itself among them.
  ///
  /// The answer to the last one that waits settles nearly as many as any other.
  public func settled(byAnswering index: Int) -> Int {
    let people = (0..<people).map { Int?.some($0) } + [nil]
    return settled(by: people.map { [index: $0] })
  }

  /// How many of the weighings that wait are expected to be settled by the answer which of these is a
  /// patient's: the others, or all of them, are somebody else's.
  ///
  /// That one of several is not the patient's would settle little.
  public func settled(byNaming patient: String, among weighings: [Int]) -> Int {
    guard let person = household.people.prefix(people).firstIndex(where: { $0.patient == patient })
    else { return 0 }
    return settled(
      by: (weighings.map { Int?.some($0) } + [nil]).map { own in
        var answer: [Int: Int?] = [:]
        for weighing in weighings {
          answer.updateValue(weighing == own ? person : nil, forKey: weighing)
        }
        return answer
      })
  }

  /// How many weighings that wait one of several answers is expected to settle, each of which says of
  /// some weighings whose they are; `nil` is nobody of the plan.
  private func settled(by answers: [[Int: Int?]]) -> Int {
    guard let trellis else { return 0 }
    let nodes = nodes
    let (now, all) = trellis.smoothed(from: nodes, people: people)
    guard answers.allSatisfy({ $0.keys.allSatisfy(now.indices.contains) }) else { return 0 }
    let waiting = now.indices.filter {
      trellis.weighings[$0].label == .none && !isSettled(now[$0])
    }
    var sum: (mass: Int64, settled: Int64) = (0, 0)
    for answer in answers {
      let (then, mass) = trellis.smoothed(from: nodes, people: people, answers: answer)
      guard mass > all / 20 else { continue }
      sum.mass += mass
      sum.settled += mass * Int64(waiting.count { isSettled(then[$0]) })
    }
    return sum.mass == 0 ? 0 : Int(sum.settled / sum.mass)
  }

  /// Whether somebody, or nobody, is at clear odds.
  private func isSettled(_ shares: [Int64]) -> Bool {
    shares.prefix(people + 1).contains { $0 >= Self.clear }
  }

  /// Somebody who uses the scale.
  public struct Resident: Hashable, Sendable {
    /// The weight in g, as it is now.
    public var weight: Int
    /// The places of the person's weighings among those that were learned, in their order.
    public var weighings: [Int]
    /// Whether a label said that it is nobody of the plan.
    public var isDisowned: Bool
  }

  /// The people who use the scale, lightest first: those who weighed at least three times and have not
  /// been away for long.
  public var residents: [Resident] {
    let best = population.best
    return (0..<population.hypotheses[best].count).filter {
      !population.hypotheses[best].isForgotten($0)
    }.map { population.body($0, in: best) }
      .filter { $0.first.count > 2 && $0.residence > 0 }
      .map {
        Resident(
          weight: Int($0.estimate.level >> 8), weighings: population.weighings(of: $0),
          isDisowned: $0.isDisowned)
      }
      .sorted { ($0.weight, $0.weighings.last ?? 0) < ($1.weight, $1.weighings.last ?? 0) }
  }
}
