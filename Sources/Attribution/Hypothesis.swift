import FixedPoint

/// One account of which body weighed when: the bodies that follow from it, its probability, and which
/// of them are the plan's people.
struct Hypothesis: Sendable {
  private(set) var bodies: [Body] = []
  /// The ways to name the bodies; their shares add up to one.
  private(set) var names = [Naming()]
  /// The probabilities that each body is each person's, after those that each was not seen yet.
  private var marginals: [Int64]
  private let people: Int
  /// log2 of the probability in units of 2^-16, relative to the best.
  var weight: Int64 = 0

  /// A naming below this share of the others is dropped: 1 in 8192.
  private static let leastShare: Int64 = 13

  /// Starts with nobody seen.
  init(people: Int) {
    self.people = people
    marginals = Array(repeating: 1 << 30, count: people)
  }

  // MARK: - Names

  /// The probability in 2^-30 that a body is a person's.
  func share(_ person: Int, is body: Int) -> Int64 { marginals[(body + 1) * people + person] }

  /// The probability that a person was not seen yet.
  func unseen(_ person: Int) -> Int64 { marginals[person] }

  /// The probability that a body is one of the plan's people.
  func named(_ body: Int) -> Int64 {
    var sum: Int64 = 0
    for person in 0..<people { sum += marginals[(body + 1) * people + person] }
    return sum
  }

  /// The body that is most probably a person's, if it is seen at all.
  func body(of person: Int) -> Int? {
    let best = bodies.indices.max { (share(person, is: $0), $1) < (share(person, is: $1), $0) }
    return best.flatMap { share(person, is: $0) > 0 ? $0 : nil }
  }

  /// Takes these namings without those of low share, such that they add up to one; `each` sees which
  /// are kept.
  mutating func setNames(_ candidates: [Naming], each: (Int) -> Void = { _ in }) {
    var sum: Int64 = 0
    for candidate in candidates { sum += candidate.share }
    let least = max(sum >> Self.leastShare, 1)
    var rest: Int64 = 0
    for candidate in candidates where candidate.share >= least { rest += candidate.share }
    names.removeAll(keepingCapacity: true)
    for (index, candidate) in candidates.enumerated() where candidate.share >= least {
      var naming = candidate
      naming.share = naming.share.scaled(by: 1 << 30, over: rest)
      names.append(naming)
      each(index)
    }
    measureMarginals()
  }

  private mutating func measureMarginals() {
    marginals = Array(repeating: 0, count: (bodies.count + 1) * people)
    for naming in names {
      for person in 0..<people {
        marginals[((naming[person] ?? -1) + 1) * people + person] += naming.share
      }
    }
  }

  // MARK: - Bodies

  /// Bodies that are followed besides the plan's people.
  private static let strangers = 6

  /// Adds a body; returns its number, which may be that of a forgotten one.
  ///
  /// The names are as before: ``setNames(_:each:)`` follows.
  mutating func add(_ body: Body) -> Int {
    if let free = bodies.firstIndex(where: \.isForgotten) {
      bodies[free] = body
      return free
    }
    if bodies.count < people + Self.strangers {
      bodies.append(body)
      return bodies.count - 1
    }
    let rarest =
      bodies.indices.min {
        (named($0) >> 20, bodies[$0].residence) < (named($1) >> 20, bodies[$1].residence)
      } ?? 0
    bodies[rarest] = body
    return rarest
  }

  mutating func learn(_ weighing: Weighing, body: Int, isChange: Bool) {
    bodies[body].learn(weighing, isChange: isChange)
  }

  /// Notes that a body weighed, whatever the weight.
  mutating func note(_ day: Int, of body: Int) { bodies[body].note(day) }

  mutating func count(isContradicted: Bool, body: Int) {
    bodies[body].count(isContradicted: isContradicted)
  }

  /// Weighs the bodies and their names by who did not weigh on a day, and ends it; `unseen` is log2 of
  /// the probability of such a day of a person who was not seen yet.
  mutating func endDay(_ day: Int, unseen: Int64) {
    var base: Int64 = 0
    for body in bodies where !body.isForgotten && body.lastDay != day { base += body.stays.unnamed }
    var top = Int64.min
    var sum: Int64 = 0
    if names.count > 1 {
      let absences = names.map { absence(of: $0, on: day, unseen: unseen) }
      top = absences.max() ?? 0
      for index in names.indices {
        names[index].share =
          (names[index].share * Logarithm.power(minus: top - absences[index])) >> 30
        sum += names[index].share
      }
      for index in names.indices {
        names[index].share = names[index].share.scaled(by: 1 << 30, over: max(sum, 1))
      }
      measureMarginals()
    } else {
      top = absence(of: names[0], on: day, unseen: unseen)
      sum = 1 << 30
    }
    weight += base + top + Logarithm.log2(sum) - 30 << 16
    var isForgotten = false
    for index in bodies.indices where !bodies[index].isForgotten {
      bodies[index].endDay(day, named: named(index))
      isForgotten = isForgotten || bodies[index].isForgotten
    }
    guard isForgotten else { return }
    for index in names.indices {
      let isOfForgotten = (0..<people).contains { person in
        names[index][person].map { bodies[$0].isForgotten } ?? false
      }
      if isOfForgotten { names[index].share = 0 }
    }
  }

  /// log2 of how much likelier a day's absences are with these names than with none.
  private func absence(of naming: Naming, on day: Int, unseen: Int64) -> Int64 {
    var result: Int64 = 0
    for person in 0..<people {
      guard let body = naming[person] else {
        result += unseen
        continue
      }
      if bodies[body].lastDay != day {
        result += bodies[body].stays.named - bodies[body].stays.unnamed
      }
    }
    return result
  }

  /// How many bodies weighed more than once.
  func returning(with body: Int?) -> Int {
    bodies.indices.count {
      !bodies[$0].isForgotten && (bodies[$0].first.count > 1 || $0 == body)
    }
  }

  // MARK: - Similarity

  /// The number in another hypothesis of each body.
  typealias Numbers = InlineArray<32, UInt8>

  /// The number in `other` of each body; `nil` if the bodies do not agree.
  func numbers(in other: Self) -> Numbers? {
    var numbers = Numbers(repeating: 0)
    var taken: UInt32 = 0
    var count = 0
    for index in bodies.indices where !bodies[index].isForgotten {
      var best: Int?
      var least = Int64.max
      let level = bodies[index].estimate.level
      for number in other.bodies.indices
      where !other.bodies[number].isForgotten && taken & (1 << UInt32(number)) == 0 {
        let distance = abs(other.bodies[number].estimate.level - level)
        if distance < least, bodies[index].isSimilar(to: other.bodies[number]) {
          (best, least) = (number, distance)
        }
      }
      guard let best else { return nil }
      taken |= 1 << UInt32(best)
      numbers[index] = UInt8(best)
      count += 1
    }
    for index in other.bodies.indices where !other.bodies[index].isForgotten { count -= 1 }
    return count == 0 ? numbers : nil
  }

  /// Merges the bodies of another hypothesis, whose `numbers` are given here; `share` is the other's
  /// in units of 2^-20.
  mutating func mergeBodies(of other: Self, numbers: Numbers, share: Int64) {
    for (index, body) in other.bodies.enumerated() where !body.isForgotten {
      bodies[Int(numbers[index])].merge(body, share: share)
    }
  }
}
