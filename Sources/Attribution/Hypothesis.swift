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

  func isForgotten(_ place: Int) -> Bool {
    forgotten & (1 &<< UInt32(truncatingIfNeeded: place)) != 0
  }

  /// Gives the bodies other numbers, by those that they had.
  mutating func renumber(by numbers: [Int32]) {
    let living = living
    let count = count
    var bodies = bodies.mutableSpan
    for place in 0..<count {
      bodies[place] = living.contains(place) ? numbers[Int(bodies[place])] : 0
    }
  }

  /// The places that are taken.
  var living: PlaceSet {
    PlaceSet(bits: ~forgotten & (1 &<< UInt32(truncatingIfNeeded: count) &- 1))
  }
}

/// Places of a hypothesis, a bit each.
struct PlaceSet: Sequence, IteratorProtocol {
  var bits: UInt32

  var count: Int { bits.nonzeroBitCount }

  func contains(_ place: Int) -> Bool {
    bits & (1 &<< UInt32(truncatingIfNeeded: place)) != 0
  }

  mutating func next() -> Int? {
    guard bits != 0 else { return nil }
    defer { bits &= bits &- 1 }
    return bits.trailingZeroBitCount
  }
}

/// The hypotheses that are followed at once, in flat buffers.
///
/// A year of five people asks for some 200 000 densities: the inner loops take no memory, and
/// hypotheses share the bodies that are the same in them. The hypotheses of a step are added one by
/// one, while those before them are still read, until ``turn()``.
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
    compact()
  }

  // MARK: - Names

  /// The probabilities of each hypothesis, by `row(of:in:)` and person.
  var marginals: [Int64] { current.marginals }

  /// Where the probabilities in ``marginals`` begin that a place is each person's; without a place, that
  /// each person was not seen yet.
  func row(of place: Int?, in index: Int) -> Int {
    index * stride + (place.map { $0 + 1 } ?? 0) * people
  }

  /// The probability in 2^-30 that a place is a person's; without a place, that the person was not seen
  /// yet.
  func share(_ person: Int, is place: Int?, in index: Int) -> Int64 {
    current.marginals[row(of: place, in: index) + person]
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

  /// The number of the body at a place.
  func number(_ place: Int, in index: Int) -> Int {
    Int(current.hypotheses[index].bodies[place])
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
    var hypothesis = hypothesis
    let first = next.names.count
    next.names.append(addingCapacity: candidates.count) { names in
      for index in candidates.indices where candidates[index].share >= least {
        var naming = candidates[index]
        naming.share = naming.share.share(of: rest)
        names.append(naming)
        each(index)
      }
    }
    hypothesis.names = first..<next.names.count
    next.hypotheses.append(hypothesis)
    next.marginals.append(contentsOf: repeatElement(0, count: stride))
    measure(hypothesis.names)
  }

  /// Adds a hypothesis with the namings of the one before it.
  mutating func append(_ hypothesis: Hypothesis, namesOf parent: Int) {
    var hypothesis = hypothesis
    let first = next.names.count
    next.names += current.names[current.hypotheses[parent].names]
    hypothesis.names = first..<next.names.count
    next.hypotheses.append(hypothesis)
    next.marginals += current.marginals[parent * stride..<(parent + 1) * stride]
  }

  /// Adds the shares of namings to the probabilities of the hypothesis that was added last.
  private mutating func measure(_ range: Range<Int>) {
    let base = next.marginals.count - stride
    let people = people
    let names = next.names
    var marginals = next.marginals.mutableSpan
    for index in range {
      let share = names[index].share
      names[index].forEachRow(among: people) { person, row in
        marginals[base &+ row &* people &+ person] += share
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
    var absences: [Int64] = []
    for index in current.hypotheses.indices {
      let hypothesis = current.hypotheses[index]
      let numbers = hypothesis.bodies.span
      var base: Int64 = 0
      // log2 of how much likelier the day is of a person than of anybody: who was not seen, then by place.
      var days = InlineArray<23, Int64>(repeating: 0)
      days[0] = unseen
      var isEven = (0..<people).allSatisfy { self.unseen($0, in: index) == 0 }
      for place in hypothesis.living {
        let number = Int(numbers[place])
        guard bodies[number].lastDay != day else { continue }
        let stays = bodies[number].stays
        days[place + 1] = stays.named - stays.unnamed
        isEven = isEven && stays.named == stays.unnamed
        base += stays.unnamed
      }
      var top: Int64 = 0
      if !isEven {
        absences.removeAll(keepingCapacity: true)
        for name in hypothesis.names {
          var absence: Int64 = 0
          current.names[name].forEachRow(among: people) { absence += days[$1] }
          absences.append(absence)
        }
        top = absences.max() ?? 0
        if absences.count > 1 { weigh(hypothesis.names, by: absences, top) }
      }
      let sum = hypothesis.names.count > 1 ? normalize(hypothesis.names) : 1 << 30
      current.hypotheses[index].weight += base + top + Logarithm.log2(sum) - 30 << 16
    }
    for number in bodies.indices { bodies[number].endDay(day) }
    for index in current.hypotheses.indices { forget(day, in: index) }
  }

  /// Weighs the shares of namings by rates relative to `top`.
  private mutating func weigh(_ range: Range<Int>, by rates: [Int64], _ top: Int64) {
    var names = current.names.mutableSpan
    for (name, rate) in zip(range, rates) {
      names[name].share = (names[name].share * Logarithm.power(minus: top - rate)) >> 30
    }
  }

  /// Makes the shares of namings add up to one; returns the sum that they had.
  private mutating func normalize(_ range: Range<Int>) -> Int64 {
    var names = current.names.mutableSpan
    var sum: Int64 = 0
    for name in range { sum += names[name].share }
    for name in range { names[name].share = names[name].share.share(of: max(sum, 1)) }
    return sum
  }

  /// Frees the places of guests who do not come again.
  private mutating func forget(_ day: Int, in index: Int) {
    let hypothesis = current.hypotheses[index]
    let numbers = hypothesis.bodies.span
    var forgotten: UInt32 = 0
    for place in hypothesis.living where bodies[Int(numbers[place])].isGone(day) {
      // The shares have changed since they were measured.
      var named: Int64 = 0
      for name in hypothesis.names where current.names[name].person(of: place) != nil {
        named += current.names[name].share
      }
      if named < 1 << 20 { forgotten |= 1 << UInt32(place) }
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

  /// Leaves out the bodies that no hypothesis has.
  private mutating func compact() {
    var numbers = Array(repeating: Int32(-1), count: bodies.count)
    for hypothesis in current.hypotheses {
      let bodies = hypothesis.bodies.span
      var numbers = numbers.mutableSpan
      for place in hypothesis.living { numbers[Int(bodies[place])] = 0 }
    }
    // The last ones fill the gaps.
    var kept = 0
    var last = bodies.count
    while kept < last {
      if numbers[kept] < 0 {
        last -= 1
        guard numbers[last] == 0 else { continue }
        bodies[kept] = bodies[last]
        numbers[last] = Int32(kept)
      } else {
        numbers[kept] = Int32(kept)
      }
      kept += 1
    }
    guard kept < bodies.count else { return }
    bodies.removeLast(bodies.count - kept)
    for index in current.hypotheses.indices { current.hypotheses[index].renumber(by: numbers) }
  }

  // MARK: - Similarity

  /// The place in another hypothesis of each body, of which both have as many; `nil` if they do not
  /// agree.
  func places(
    of own: Span<Int32>, _ places: PlaceSet, in others: Span<Int32>, _ otherPlaces: PlaceSet
  ) -> Hypothesis.Places? {
    let bodies = bodies.span
    // Most differ by one body.
    for place in places {
      let isSame =
        otherPlaces.contains(place) && Self.areSimilar(own[place], others[place], bodies)
      guard isSame || Self.contains(own[place], others, otherPlaces, bodies) else { return nil }
    }
    var result = Hypothesis.Places(repeating: 0)
    var free = otherPlaces
    for place in places {
      let level = bodies[Int(own[place])].estimate.level
      var best: Int?
      var least = Int64.max
      for candidate in free where least > 0 {
        let distance = abs(bodies[Int(others[candidate])].estimate.level - level)
        if distance < least, Self.areSimilar(own[place], others[candidate], bodies) {
          (best, least) = (candidate, distance)
        }
      }
      guard let best else { return nil }
      free.bits &= ~(1 << UInt32(best))
      result[place] = Int32(best)
    }
    return result
  }

  /// Whether a body may be one of others.
  private static func contains(
    _ number: Int32, _ others: Span<Int32>, _ places: PlaceSet, _ bodies: Span<Body>
  ) -> Bool {
    for place in places where areSimilar(number, others[place], bodies) { return true }
    return false
  }

  /// Whether two bodies are one, or may be.
  private static func areSimilar(_ number: Int32, _ other: Int32, _ bodies: Span<Body>) -> Bool {
    if number == other { return true }
    let (number, other) = (Int(number), Int(other))
    // Most are told apart by the level alone.
    let distance = bodies[number].estimate.level - bodies[other].estimate.level
    let variance = bodies[number].estimate.levelVariance + bodies[other].estimate.levelVariance
    return (distance * distance) >> 8 <= variance / 4
      && bodies[number].isSimilar(to: bodies[other])
  }

  /// Merges the bodies of another hypothesis into those of one, where they have these `places`; `share`
  /// is the other's in units of 2^-20.
  mutating func merge(
    _ other: Hypothesis, into hypothesis: inout Hypothesis, _ places: Hypothesis.Places,
    share: Int64
  ) {
    for place in 0..<other.count where !other.isForgotten(place) {
      let target = Int(places[place])
      let numbers = (Int(hypothesis.bodies[target]), Int(other.bodies[place]))
      if numbers.0 == numbers.1, bodies[numbers.0].isStable { continue }
      hypothesis.bodies[target] = add(bodies[numbers.0])
      let added = bodies[numbers.1]
      bodies[bodies.count - 1].merge(added, share: share)
    }
  }
}

extension Int64 {
  /// The part of a `whole` that this is, in units of 2^-30.
  func share(of whole: Int64) -> Int64 {
    self < 1 << 33 ? (self << 30) / whole : scaled(by: 1 << 30, over: whole)
  }
}
