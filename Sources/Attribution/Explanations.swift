import FixedPoint

/// One way to explain a weighing within one hypothesis.
struct Explanation {
  var parent: Int
  var body: Origin
  /// log2 of the probability in units of 2^-16.
  var weight: Int64

  /// Where the weighing comes from.
  enum Origin: Equatable {
    /// A body that was there before, perhaps with a sudden change of its weight.
    case known(Int, isChange: Bool)
    /// A body that was never there before.
    case new
    /// A typed value that is no evidence of anybody's weight.
    case nobody
  }
}

/// The facts of a weighing that all hypotheses share.
struct Arrival {
  var weighing: Weighing
  var label: Weighing.Label
  /// log2 of the density of a body that was never seen.
  var unknown: Int64
  /// log2 of the rate of those who are not in the plan: guests and residents.
  var strangers: Int64
  /// log2 of the odds of a resident, among them.
  var residence: Int64
  /// log2 of the rate of a person who was not seen yet, with what the plan expects.
  var unseen: [Int64]
  /// log2 of how much likelier the weighing is because the person is reported at home, or not.
  var presence: [Int64]
}

extension Evidence {
  /// log2 of what is impossible.
  static let never: Int64 = -1 << 40
  /// log2 of how much rarer a mistaken label is than a right one: 1 in 500.
  static let mistake: Int64 = 587_577
  /// The same of a label that gives a patient the weighing of somebody who is not in the plan: 1 in
  /// 16 384, so that one assignment confirms a sudden change.
  private static let strangeMistake: Int64 = 14 << 16
  /// log2 of how much rarer it is that two people were taken for each other than that they were not,
  /// however much the plan says so: a third label outweighs it.
  private static let exchange: Int64 = 19 << 16
  /// log2 of the density of a mistyped weight, per g: anything within 130 kg.
  private static let typingDensity: Int64 = -17 << 16
  /// An explanation by a sudden change is followed where hardly anything else explains a weighing.
  private static let changeDepth: Int64 = 8 << 16
  /// log2(3) in units of 2^-16: a person weighs on three days of five, as far as nothing is known.
  private static let three: Int64 = 103_872

  /// The rate at which guests come, beside each person of the plan: 3 in 200, in 2^-30.
  private static let guests: Int64 = 16_106_127
  /// The rate at which people who live here without being in the plan show at first: 15 in 100 where
  /// the plan has one person, else 1; later 1 in 1000.
  private static let newcomersOfOne: Int64 = 161_061_274
  private static let newcomers: Int64 = 10_737_418
  private static let laterNewcomers: Int64 = 1_073_742

  func arrival(of weighing: Weighing, label: Weighing.Label) -> Arrival {
    let guests = Int64(max(people, 1)) * Self.guests
    // Somebody who lives here and is not in the plan comes within the first days.
    let newcomers = household.isSingle ? Self.newcomersOfOne : Self.newcomers
    let residents =
      (newcomers * Logarithm.power(minus: age * 15_758)) >> 30 + Self.laterNewcomers
    let first = Self.three - Logarithm.log2(5 + age)
    let presence = household.people.prefix(people).map {
      $0.patient.map { weighing.presence(of: $0) } ?? 0
    }
    return Arrival(
      weighing: weighing, label: label,
      unknown: UnknownBody.density(of: weighing),
      strangers: Logarithm.log2(guests + residents) - 30 << 16,
      residence: Logarithm.log2(residents) - Logarithm.log2(guests),
      unseen: (0..<people).map { person in
        first + presence[person]
          + (expected[person]?.evidence(
            sum: weighing.scaledWeight >> 8, count: 1, age: age) ?? 0)
      }, presence: presence)
  }

  /// The label; a patient who is not in the plan is nobody.
  func known(_ label: Weighing.Label) -> Weighing.Label {
    switch label {
    case .none, .nobody: label
    case .patient(let patient), .entered(let patient):
      household.people.prefix(people).contains { $0.patient == patient } ? label : .nobody
    }
  }

  /// log2 of the probability of the label if a person weighed, or somebody else (`nil`).
  private func fit(_ label: Weighing.Label, _ person: Int?) -> Int64 {
    let patient = person.flatMap { household.people[$0].patient }
    switch label {
    case .none: return 0
    case .nobody: return patient == nil ? 0 : -Self.mistake
    case .patient(let named):
      return named == patient ? 0 : person == nil ? -Self.strangeMistake : -Self.mistake
    case .entered(let named): return named == patient ? 0 : Self.never
    }
  }

  /// The person whom a label names.
  private func person(_ label: Weighing.Label) -> Int? {
    switch label {
    case .none, .nobody: nil
    case .patient(let patient), .entered(let patient):
      household.people.prefix(people).firstIndex { $0.patient == patient }
    }
  }

  // MARK: - Rates

  /// Values of the plan's people.
  typealias Values = InlineArray<16, Int64>

  /// log2 of the rates at which a body weighs as each person and as somebody else.
  struct Rates {
    var named = Values(repeating: Evidence.never)
    var unnamed: Int64
    /// As the person whom the label names, who was taken for another.
    var exchanged = Evidence.never

    /// The greatest of them.
    var top: Int64 {
      var top = max(unnamed, exchanged)
      for index in named.indices { top = max(top, named[index]) }
      return top
    }
  }

  /// The rates of a body, or of one that was never there before.
  func rates(_ arrival: Arrival, _ body: Int?, in hypothesis: Hypothesis) -> Rates {
    guard let body else {
      var rates = Rates(unnamed: arrival.strangers + fit(arrival.label, nil))
      for person in 0..<people where hypothesis.unseen(person) > 0 {
        rates.named[person] = arrival.unseen[person] + fit(arrival.label, person)
      }
      return rates
    }
    let track = hypothesis.bodies[body]
    let today = track.today(arrival.weighing, among: hypothesis)
    var rates = Rates(unnamed: track.weighs.unnamed + today + fit(arrival.label, nil))
    let (sum, count) = track.first
    for person in 0..<people where hypothesis.share(person, is: body) > 0 {
      var rate =
        track.weighs.named + today + arrival.presence[person] + fit(arrival.label, person)
      if count < Body.firsts, let expected = expected[person] {
        rate +=
          expected.evidence(
            sum: sum + arrival.weighing.scaledWeight >> 8, count: count + 1, age: track.birth)
          - expected.evidence(sum: sum, count: count, age: track.birth)
      }
      rates.named[person] = rate
    }
    if let person = person(arrival.label) {
      let own = hypothesis.body(of: person).map { hypothesis.bodies[$0].contradictions } ?? 0
      let contradictions = min(own + track.contradictions, 2)
      rates.exchanged = track.weighs.named + today + contradictions * Self.mistake - Self.exchange
    }
    return rates
  }

  /// The shares by person of an explanation, over 2^(`top`).
  struct Shares {
    var top: Int64
    var named = Values(repeating: 0)
    /// Of all people, of somebody who is not in the plan, and of one who was taken for another.
    var sum: Int64 = 0
  }

  func shares(_ rates: Rates, of body: Int?, in hypothesis: Hypothesis) -> Shares {
    var result = Shares(top: rates.top)
    var named: Int64 = 0
    for person in 0..<people {
      let mass = body.map { hypothesis.share(person, is: $0) } ?? hypothesis.unseen(person)
      guard mass > 0 else { continue }
      named += mass
      let share = (mass * Logarithm.power(minus: result.top - rates.named[person])) >> 30
      result.named[person] = share
      result.sum += share
    }
    let rest = body == nil ? 1 << 30 : max(1 << 30 - named, 0)
    if rest > 0 {
      result.sum += (rest * Logarithm.power(minus: result.top - rates.unnamed)) >> 30
    }
    if rates.exchanged > Self.never {
      result.sum += Logarithm.power(minus: result.top - rates.exchanged)
    }
    return result
  }

  // MARK: - Explanations

  /// The ways to explain a weighing, with their weights relative to the best.
  func explanations(of arrival: Arrival) -> [Explanation] {
    var result: [Explanation] = []
    result.reserveCapacity(hypotheses.count * 8)
    var best = Int64.min
    for parent in hypotheses.indices {
      let hypothesis = hypotheses[parent]
      func add(_ body: Explanation.Origin, _ density: Int64, _ shares: Shares) {
        guard shares.sum > 0 else { return }
        let weight =
          hypothesis.weight + density + shares.top + Logarithm.log2(shares.sum) - 30 << 16
        best = max(best, weight)
        if weight >= best - Self.depth {
          result.append(Explanation(parent: parent, body: body, weight: weight))
        }
      }
      add(
        .new, arrival.unknown, shares(rates(arrival, nil, in: hypothesis), of: nil, in: hypothesis))
      for number in hypothesis.bodies.indices where !hypothesis.bodies[number].isForgotten {
        let density = hypothesis.bodies[number].estimate.density(of: arrival.weighing)
        let isLikely = hypothesis.weight + density >= best - Self.depth - 8 << 16
        let isChange =
          hypothesis.bodies[number].estimate.isFar(arrival.weighing)
          && hypothesis.named(number) > 1 << 26
        guard isLikely || isChange else { continue }
        let shares = shares(rates(arrival, number, in: hypothesis), of: number, in: hypothesis)
        if isLikely { add(.known(number, isChange: false), density, shares) }
        if isChange {
          let changed = hypothesis.bodies[number].changed.density(of: arrival.weighing)
          add(.known(number, isChange: true), changed - Body.changeRarity, shares)
        }
      }
      if case .entered = arrival.label {
        let typed =
          hypothesis.weight - Self.mistake - 1 << 16 + typing(arrival.weighing, in: hypothesis)
        best = max(best, typed)
        result.append(Explanation(parent: parent, body: .nobody, weight: typed))
      }
    }
    for index in result.indices { result[index].weight -= best }
    result.removeAll {
      if case .known(_, isChange: true) = $0.body { return $0.weight < -Self.changeDepth }
      return $0.weight < -Self.depth
    }
    return result
  }

  /// log2 of the density of a mistyped value: another person's, or anything.
  private func typing(_ weighing: Weighing, in hypothesis: Hypothesis) -> Int64 {
    let share = Logarithm.log2(Int64(max(hypothesis.bodies.count, 1)))
    return hypothesis.bodies.reduce(Self.typingDensity) {
      Logarithm.sum($0, $1.estimate.density(of: weighing) - share)
    }
  }

  // MARK: - Successors

  /// The hypotheses after a weighing, and where their nodes come from.
  func successors(of weighing: Weighing) -> (hypotheses: [Hypothesis], links: [Trellis.Link]) {
    let arrival = arrival(of: weighing, label: known(weighing.label))
    let label = person(arrival.label)
    var explanations = explanations(of: arrival).enumerated().sorted {
      ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset)
    }.map(\.element)
    explanations.removeLast(max(0, explanations.count - Self.breadth))
    var offsets: [Int] = []
    var nodes = 0
    for hypothesis in hypotheses {
      offsets.append(nodes)
      nodes += hypothesis.names.count
    }
    var result: [Hypothesis] = []
    result.reserveCapacity(explanations.count)
    var links: [Trellis.Link] = []
    var candidates: [Naming] = []
    var origins: [Trellis.Link] = []
    for explanation in explanations {
      var next = hypotheses[explanation.parent]
      next.weight = explanation.weight
      let offset = offsets[explanation.parent]
      candidates.removeAll(keepingCapacity: true)
      origins.removeAll(keepingCapacity: true)
      func add(
        _ naming: Naming, _ rate: Int64, _ parent: Int, _ person: Int?, exchanged: Int? = nil
      ) {
        var naming = naming
        naming.share = (naming.share * Logarithm.power(minus: rate)) >> 30
        candidates.append(naming)
        origins.append(
          Trellis.Link(
            parent: Int32(offset + parent), person: Int8(person ?? -1),
            exchanged: Int8(exchanged ?? -1)))
      }
      switch explanation.body {
      case .nobody:
        // Who mistyped a weight has weighed.
        if let body = label.flatMap(next.body) { next.note(weighing.day, of: body) }
        for index in next.names.indices {
          links.append(Trellis.Link(parent: Int32(offset + index), person: -2))
        }
      case .new:
        let rates = rates(arrival, nil, in: next)
        let before = next.names
        let body = next.add(Body(first: weighing, birth: age, residence: arrival.residence))
        for (parent, naming) in before.enumerated() {
          var naming = naming
          // The place may have been another's.
          if let person = naming.person(of: body, among: people) { naming[person] = nil }
          add(naming, rates.top - rates.unnamed, parent, nil)
          for person in 0..<people where before[parent][person] == nil {
            var named = naming
            named[person] = body
            add(named, rates.top - rates.named[person], parent, person)
          }
        }
        next.setNames(candidates) { links.append(origins[$0]) }
        count(arrival.label, of: body, in: &next)
      case .known(let body, let isChange):
        let rates = rates(arrival, body, in: next)
        for (parent, naming) in next.names.enumerated() {
          let person = naming.person(of: body, among: people)
          add(naming, rates.top - (person.map { rates.named[$0] } ?? rates.unnamed), parent, person)
          guard rates.exchanged > Self.never, let label, label != person else { continue }
          var exchanged = naming
          if let person { exchanged[person] = naming[label] }
          exchanged[label] = body
          add(exchanged, rates.top - rates.exchanged, parent, label, exchanged: person)
        }
        let isSame =
          candidates.count == next.names.count
          && zip(candidates, next.names).allSatisfy { $0.share == $1.share }
        if isSame {
          links += origins
        } else {
          next.setNames(candidates) { links.append(origins[$0]) }
        }
        var learned = weighing
        learned.label = arrival.label
        count(arrival.label, of: body, in: &next)
        next.learn(learned, body: body, isChange: isChange)
      }
      result.append(next)
    }
    return (result, links)
  }

  /// Counts whether a label contradicts the names of a body.
  private func count(_ label: Weighing.Label, of body: Int, in hypothesis: inout Hypothesis) {
    guard label != .none else { return }
    let agreed =
      person(label).map { hypothesis.share($0, is: body) } ?? (1 << 30 - hypothesis.named(body))
    hypothesis.count(isContradicted: agreed < 1 << 29, body: body)
  }
}
