import FixedPoint

/// One account of which body weighed when: its probability, and the bodies that follow from it.
///
/// Hypotheses share their bodies, which stand in ``Population/bodies`` once each.
struct Hypothesis: Sendable {
  /// log2 of the probability in units of 2^-16, relative to the best.
  var weight: Int64 = 0
  /// The bodies by their places; of a forgotten guest the place is free.
  var bodies = Places(repeating: 0)
  /// The places that were ever taken.
  var count = 0
  /// The places of forgotten guests, a bit each.
  var forgotten: UInt32 = 0
  /// The namings in ``Population/names``.
  var names = 0..<0

  /// Bodies that are followed besides the plan's people.
  static let strangers = 6
  typealias Places = InlineArray<22, Int32>

  func isForgotten(_ place: Int) -> Bool { forgotten & (1 << UInt32(place)) != 0 }

  /// The places that are taken.
  var livingCount: Int { count - forgotten.nonzeroBitCount }
}

/// The hypotheses that are followed at once, in flat buffers.
///
/// A year of five people asks for some 200 000 densities: the inner loops take no memory. The
/// hypotheses of a step are added one by one, while those before them are still read, until ``turn()``.
struct Population: Sendable {
  let people: Int
  private(set) var bodies: [Body] = []
  /// The weighings of bodies, each with the one of the same body before it.
  private var visits: [Visit] = []
  private let remembers: Bool
  private var current: Table
  private var next: Table
  /// The probabilities of a hypothesis.
  private let stride: Int

  /// The values that change with each step.
  private struct Table {
    var hypotheses: [Hypothesis] = []
    var names: [Naming] = []
    /// For each hypothesis the probabilities that each person was not seen yet, then for each place
    /// those that it is each person's, in units of 2^-30.
    var marginals: [Int64] = []

    mutating func removeAll() {
      hypotheses.removeAll(keepingCapacity: true)
      names.removeAll(keepingCapacity: true)
      marginals.removeAll(keepingCapacity: true)
    }
  }

  /// A naming below this share of the others is dropped: 1 in 8192.
  private static let leastShare: Int64 = 13
  /// How many bodies there may be before those that no hypothesis has are left out.
  private var mostBodies = 64

  /// Starts with nobody seen; without `remembers` the weighings of bodies are not kept.
  init(people: Int, remembers: Bool) {
    self.people = people
    self.remembers = remembers
    stride = (people + Hypothesis.strangers + 1) * people
    (current, next) = (Table(), Table())
    append(Hypothesis(), [Naming()]) { _ in }
    turn()
  }

  var hypotheses: [Hypothesis] { current.hypotheses }
  var names: [Naming] { current.names }

  /// Goes on with the hypotheses that were added.
  mutating func turn() {
    swap(&current, &next)
    next.removeAll()
    if bodies.count > mostBodies {
      compact()
      mostBodies = max(64, bodies.count * 3 / 2)
    }
  }

  // MARK: - Names

  /// The probability in 2^-30 that a place is a person's.
  func share(_ person: Int, is place: Int, in index: Int) -> Int64 {
    current.marginals[index * stride + (place + 1) * people + person]
  }

  /// The probability that a person was not seen yet.
  func unseen(_ person: Int, in index: Int) -> Int64 {
    current.marginals[index * stride + person]
  }

  /// The probability that a place is one of the plan's people.
  func named(_ place: Int, in index: Int) -> Int64 {
    let first = index * stride + (place + 1) * people
    var sum: Int64 = 0
    for entry in first..<first + people { sum += current.marginals[entry] }
    return sum
  }

  /// The place that is most probably a person's, if the person is seen at all.
  func place(of person: Int, in index: Int) -> Int? {
    var best: (place: Int, share: Int64)?
    for place in 0..<hypotheses[index].count {
      let share = share(person, is: place, in: index)
      if share > best?.share ?? 0 { best = (place, share) }
    }
    return best?.place
  }

  /// The body at a place.
  func body(_ place: Int, in index: Int) -> Body {
    bodies[Int(hypotheses[index].bodies[place])]
  }

  /// The hypothesis with the greatest weight, the first of equals.
  var best: Int {
    var best = 0
    for index in hypotheses.indices where hypotheses[index].weight > hypotheses[best].weight {
      best = index
    }
    return best
  }

  /// How many bodies weighed more than once, the one at `place` among them.
  func returning(with place: Int?, in index: Int) -> Int {
    (0..<hypotheses[index].count).count {
      !hypotheses[index].isForgotten($0)
        && (body($0, in: index).first.count > 1 || $0 == place)
    }
  }

  // MARK: - Building

  /// Adds a hypothesis with its namings.
  ///
  /// Those of low share are left out, and the others made to add up to one; `each` sees the kept ones.
  mutating func append(
    _ hypothesis: Hypothesis, _ candidates: [Naming], each: (Int) -> Void
  ) {
    var sum: Int64 = 0
    for candidate in candidates { sum += candidate.share }
    let least = max(sum >> Self.leastShare, 1)
    var rest: Int64 = 0
    for candidate in candidates where candidate.share >= least { rest += candidate.share }
    let first = next.names.count
    for index in candidates.indices where candidates[index].share >= least {
      var naming = candidates[index]
      naming.share = naming.share.share(of: rest)
      next.names.append(naming)
      each(index)
    }
    close(hypothesis, namesFrom: first)
  }

  /// Adds a hypothesis with the namings of one before it.
  mutating func append(_ hypothesis: Hypothesis, names: Range<Int>) {
    let first = next.names.count
    next.names += current.names[names]
    close(hypothesis, namesFrom: first)
  }

  private mutating func close(_ hypothesis: Hypothesis, namesFrom first: Int) {
    var hypothesis = hypothesis
    hypothesis.names = first..<next.names.count
    next.hypotheses.append(hypothesis)
    next.marginals.append(contentsOf: repeatElement(0, count: stride))
    Self.measure(hypothesis.names, of: people, in: &next, from: next.marginals.count - stride)
  }

  /// Adds the shares of namings to the probabilities from `base` on.
  private static func measure(
    _ names: Range<Int>, of people: Int, in table: inout Table, from base: Int
  ) {
    for index in names {
      let naming = table.names[index]
      for person in 0..<people {
        table.marginals[base + naming.row(of: person) * people + person] += naming.share
      }
    }
  }

  /// Counts a label of a body: whether it contradicts the name.
  mutating func count(isContradicted: Bool, isDisowned: Bool, _ place: Int, in index: Int) {
    bodies[Int(hypotheses[index].bodies[place])]
      .count(isContradicted: isContradicted, isDisowned: isDisowned)
  }

  /// A weighing by its place among those that were learned, and the body's one before it.
  private struct Visit {
    var weighing: Int32
    var before: Int32
  }

  /// Adds a weighing after a body's last one; returns its place.
  mutating func addVisit(_ weighing: Int, after before: Int32 = -1) -> Int32 {
    guard remembers else { return -1 }
    visits.append(Visit(weighing: Int32(weighing), before: before))
    return Int32(visits.count - 1)
  }

  /// The places of a body's weighings among those that were learned, in their order.
  func weighings(of body: Body) -> [Int] {
    var result: [Int] = []
    var next = body.latest
    while next >= 0 {
      let visit = visits[Int(next)]
      result.append(Int(visit.weighing))
      next = visit.before
    }
    return result.reversed()
  }

  /// Adds a body; returns its number.
  mutating func add(_ body: Body) -> Int32 {
    bodies.append(body)
    return Int32(bodies.count - 1)
  }

  /// The place for a body that was never there before: a free one, or that of the least probable.
  func place(forNewIn index: Int) -> Int {
    let hypothesis = hypotheses[index]
    if hypothesis.forgotten != 0 { return hypothesis.forgotten.trailingZeroBitCount }
    if hypothesis.count < people + Hypothesis.strangers { return hypothesis.count }
    return (0..<hypothesis.count).min {
      (named($0, in: index) >> 20, body($0, in: index).residence)
        < (named($1, in: index) >> 20, body($1, in: index).residence)
    } ?? 0
  }

  // MARK: - Nights

  /// Weighs the bodies and their names by who did not weigh on a day, and ends it; `unseen` is log2 of
  /// the probability of such a day of a person who was not seen yet.
  mutating func endDay(_ day: Int, unseen: Int64) {
    compact()
    var absences: [Int64] = []
    for index in current.hypotheses.indices {
      let hypothesis = current.hypotheses[index]
      let isSingle = hypothesis.names.count == 1
      var base: Int64 = 0
      for place in 0..<hypothesis.count where !hypothesis.isForgotten(place) {
        let number = Int(hypothesis.bodies[place])
        if bodies[number].lastDay != day { base += bodies[number].stays.unnamed }
      }
      absences.removeAll(keepingCapacity: true)
      var top = Int64.min
      for name in hypothesis.names {
        let absence = absence(of: current.names[name], in: hypothesis, on: day, unseen: unseen)
        absences.append(absence)
        top = max(top, absence)
      }
      var sum: Int64 = 1 << 30
      if !isSingle {
        sum = 0
        for (name, absence) in zip(hypothesis.names, absences) {
          let share = (current.names[name].share * Logarithm.power(minus: top - absence)) >> 30
          current.names[name].share = share
          sum += share
        }
        let first = index * stride
        for entry in first..<first + stride { current.marginals[entry] = 0 }
        for name in hypothesis.names {
          current.names[name].share = current.names[name].share.share(of: max(sum, 1))
        }
        Self.measure(hypothesis.names, of: people, in: &current, from: first)
      }
      current.hypotheses[index].weight += base + top + Logarithm.log2(sum) - 30 << 16
    }
    for number in bodies.indices { bodies[number].endDay(day) }
    for index in current.hypotheses.indices { forget(day, in: index) }
  }

  /// Frees the places of guests who do not come again.
  private mutating func forget(_ day: Int, in index: Int) {
    let hypothesis = current.hypotheses[index]
    var forgotten: UInt32 = 0
    for place in 0..<hypothesis.count
    where !hypothesis.isForgotten(place)
      && bodies[Int(hypothesis.bodies[place])].isGone(day)
      && named(place, in: index) < 1 << 20
    {
      forgotten |= 1 << UInt32(place)
    }
    guard forgotten != 0 else { return }
    current.hypotheses[index].forgotten |= forgotten
    for name in hypothesis.names {
      let isOfForgotten = (0..<people).contains { person in
        current.names[name][person].map { forgotten & (1 << UInt32($0)) != 0 } ?? false
      }
      if isOfForgotten { current.names[name].share = 0 }
    }
  }

  /// log2 of how much likelier a day's absences are with these names than with none.
  private func absence(
    of naming: Naming, in hypothesis: Hypothesis, on day: Int, unseen: Int64
  ) -> Int64 {
    var result: Int64 = 0
    for person in 0..<people {
      guard let place = naming[person] else {
        result += unseen
        continue
      }
      let number = Int(hypothesis.bodies[place])
      if bodies[number].lastDay != day {
        result += bodies[number].stays.named - bodies[number].stays.unnamed
      }
    }
    return result
  }

  /// Leaves out the bodies that no hypothesis has.
  private mutating func compact() {
    var numbers = Array(repeating: Int32(-1), count: bodies.count)
    var kept: [Body] = []
    kept.reserveCapacity(bodies.count)
    for index in current.hypotheses.indices {
      for place in 0..<current.hypotheses[index].count {
        let number = Int(current.hypotheses[index].bodies[place])
        if numbers[number] < 0 {
          numbers[number] = Int32(kept.count)
          kept.append(bodies[number])
        }
        current.hypotheses[index].bodies[place] = numbers[number]
      }
    }
    bodies = kept
  }

  // MARK: - Similarity

  /// The place in `other` of each body; `nil` if the bodies do not agree.
  func places(of hypothesis: Hypothesis, in other: Hypothesis) -> Hypothesis.Places? {
    guard hypothesis.livingCount == other.livingCount else { return nil }
    var places = Hypothesis.Places(repeating: 0)
    var taken = other.forgotten
    for place in 0..<hypothesis.count where !hypothesis.isForgotten(place) {
      var best: Int?
      var least = Int64.max
      let number = Int(hypothesis.bodies[place])
      let level = bodies[number].estimate.level
      for candidate in 0..<other.count where taken & (1 << UInt32(candidate)) == 0 {
        let otherNumber = Int(other.bodies[candidate])
        let distance = abs(bodies[otherNumber].estimate.level - level)
        if distance < least,
          number == otherNumber || bodies[number].isSimilar(to: bodies[otherNumber])
        {
          (best, least) = (candidate, distance)
        }
      }
      guard let best else { return nil }
      taken |= 1 << UInt32(best)
      places[place] = Int32(best)
    }
    return places
  }

  /// Merges the bodies of another hypothesis into those of one, where they have these `places`; `share`
  /// is the other's in units of 2^-20.
  mutating func merge(
    _ other: Hypothesis, into hypothesis: inout Hypothesis, _ places: Hypothesis.Places,
    share: Int64
  ) {
    for place in 0..<other.count where !other.isForgotten(place) {
      let target = Int(places[place])
      var body = bodies[Int(hypothesis.bodies[target])]
      body.merge(bodies[Int(other.bodies[place])], share: share)
      hypothesis.bodies[target] = add(body)
    }
  }
}

extension Int64 {
  /// The part of a `whole` that this is, in units of 2^-30.
  func share(of whole: Int64) -> Int64 {
    self < 1 << 33 ? (self << 30) / whole : scaled(by: 1 << 30, over: whole)
  }
}
