import FixedPoint

/// One way to explain a weighing within one hypothesis.
struct Explanation {
  var parent: Int
  var body: Origin
  /// log2 of the probability in units of 2^-16.
  var weight: Int64

  /// Where the weighing comes from.
  enum Origin: Equatable {
    /// The body at a place, perhaps with a sudden change of its weight.
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
  /// log2 of the probability of the label, and of the presence, of each person, and of somebody else.
  var named: [Int64]
  var unnamed: Int64
  /// The person whom the label names.
  var labelled: Int?
  /// The fit of the weighing to each body of the population.
  var fits: [Fit]
  /// log2 of how much likelier it becomes that a body is each person's, by the plan; empty for all
  /// bodies of which that is known.
  var learning: [Int64]

  /// The weighing as one of a body's.
  struct Fit {
    /// log2 of its density, and whether it is far.
    var density: Int64
    var isFar: Bool
    /// Where the body's figures in ``Arrival/learning`` begin; `nil` if the plan says nothing more.
    var learning: Int?
  }
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
    let labelled = person(label)
    let named = (0..<people).map { person in
      fit(label, person)
        + (household.people[person].patient.map { weighing.presence(of: $0) } ?? 0)
    }
    var learning: [Int64] = []
    let fits = population.bodies.map { body in
      var first: Int?
      if body.first.count < Body.firsts {
        first = learning.count
        for person in 0..<people { learning.append(learns(weighing, body, person)) }
      }
      return Arrival.Fit(
        density: body.estimate.density(of: weighing), isFar: body.estimate.isFar(weighing),
        learning: first)
    }
    return Arrival(
      weighing: weighing, label: label,
      unknown: UnknownBody.density(of: weighing),
      strangers: Logarithm.log2(guests + residents) - 30 << 16,
      residence: Logarithm.log2(residents) - Logarithm.log2(guests),
      unseen: (0..<people).map { person in
        first + named[person]
          + (expected[person]?.evidence(
            sum: weighing.scaledWeight >> 8, count: 1, age: age) ?? 0)
      }, named: named, unnamed: fit(label, nil), labelled: labelled, fits: fits,
      learning: learning)
  }

  /// log2 of how much likelier a weighing makes it that a body is a person's, by the plan.
  private func learns(_ weighing: Weighing, _ body: Body, _ person: Int) -> Int64 {
    guard let expected = expected[person] else { return 0 }
    let (sum, count) = body.first
    return expected.evidence(
      sum: sum + weighing.scaledWeight >> 8, count: count + 1, age: body.birth)
      - expected.evidence(sum: sum, count: count, age: body.birth)
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

  /// A place of a hypothesis, or a body that was never there before, as whose a weighing may be.
  struct Account {
    /// log2 of the rates at which it weighs as each person who it may be, and as somebody else.
    var named = Values(repeating: Evidence.never)
    var unnamed: Int64
    /// As the person whom the label names, who was taken for another.
    var exchanged = Evidence.never
    /// The greatest of the rates.
    var top: Int64
    /// The share of somebody else, over 2^``top``.
    var unnamedShare: Int64 = 0
    /// The sum of the shares of all names, over 2^``top``.
    var sum: Int64 = 0
  }

  /// The rates of the body at a place, or of a new one.
  func account(of arrival: Arrival, _ place: Int?, in index: Int) -> Account {
    var account: Account
    var named: Int64 = 0
    if let place {
      let hypothesis = population.hypotheses[index]
      let number = Int(hypothesis.bodies[place])
      let fit = arrival.fits[number]
      let today = today(arrival.weighing, number, in: hypothesis)
      let weighs = population.bodies[number].weighs
      account = Account(unnamed: weighs.unnamed + today + arrival.unnamed, top: 0)
      account.top = account.unnamed
      for person in 0..<people {
        let mass = population.share(person, is: place, in: index)
        guard mass > 0 else { continue }
        named += mass
        var rate = weighs.named + today + arrival.named[person]
        if let learning = fit.learning { rate += arrival.learning[learning + person] }
        account.named[person] = rate
        account.top = max(account.top, rate)
      }
      if let person = arrival.labelled {
        let own =
          population.place(of: person, in: index).map {
            population.body($0, in: index).contradictions
          } ?? 0
        let contradictions = min(own + population.bodies[number].contradictions, 2)
        account.exchanged = weighs.named + today + contradictions * Self.mistake - Self.exchange
        account.top = max(account.top, account.exchanged)
      }
    } else {
      account = Account(unnamed: arrival.strangers + arrival.unnamed, top: 0)
      account.top = account.unnamed
      for person in 0..<people where population.unseen(person, in: index) > 0 {
        account.named[person] = arrival.unseen[person]
        account.top = max(account.top, arrival.unseen[person])
      }
    }
    for person in 0..<people where account.named[person] > Self.never {
      let mass =
        place.map { population.share(person, is: $0, in: index) }
        ?? population.unseen(person, in: index)
      account.sum += (mass * Logarithm.power(minus: account.top - account.named[person])) >> 30
    }
    let rest = place == nil ? 1 << 30 : max(1 << 30 - named, 0)
    if rest > 0 {
      account.unnamedShare =
        (rest * Logarithm.power(minus: account.top - account.unnamed)) >> 30
      account.sum += account.unnamedShare
    }
    if account.exchanged > Self.never {
      account.sum += Logarithm.power(minus: account.top - account.exchanged)
    }
    return account
  }

  /// log2 of how much rarer a body weighs at this moment than one who has not weighed today.
  private func today(_ weighing: Weighing, _ number: Int, in hypothesis: Hypothesis) -> Int64 {
    guard population.bodies[number].lastDay == weighing.day else { return 0 }
    var count = 0
    for place in 0..<hypothesis.count
    where !hypothesis.isForgotten(place)
      && population.bodies[Int(hypothesis.bodies[place])].lastDay == weighing.day
    {
      count += 1
    }
    return population.bodies[number].today(among: count)
  }

  // MARK: - Explanations

  /// The ways to explain a weighing, with their weights relative to the best.
  func explanations(of arrival: Arrival) -> [Explanation] {
    var result: [Explanation] = []
    result.reserveCapacity(population.hypotheses.count * 8)
    var best = Int64.min
    func add(_ parent: Int, _ body: Explanation.Origin, _ density: Int64, _ account: Account) {
      guard account.sum > 0 else { return }
      let weight =
        population.hypotheses[parent].weight + density + account.top
        + Logarithm.log2(account.sum) - 30 << 16
      best = max(best, weight)
      if weight >= best - Self.depth {
        result.append(Explanation(parent: parent, body: body, weight: weight))
      }
    }
    for parent in population.hypotheses.indices {
      let hypothesis = population.hypotheses[parent]
      add(parent, .new, arrival.unknown, account(of: arrival, nil, in: parent))
      for place in 0..<hypothesis.count where !hypothesis.isForgotten(place) {
        let number = Int(hypothesis.bodies[place])
        let fit = arrival.fits[number]
        let isLikely = hypothesis.weight + fit.density >= best - Self.depth - 8 << 16
        let isChange = fit.isFar && population.named(place, in: parent) > 1 << 26
        guard isLikely || isChange else { continue }
        let account = account(of: arrival, place, in: parent)
        if isLikely { add(parent, .known(place, isChange: false), fit.density, account) }
        if isChange {
          let changed = population.bodies[number].changed.density(of: arrival.weighing)
          add(parent, .known(place, isChange: true), changed - Body.changeRarity, account)
        }
      }
      if case .entered = arrival.label {
        let typed = hypothesis.weight - Self.mistake - 1 << 16 + typing(arrival, in: hypothesis)
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
  private func typing(_ arrival: Arrival, in hypothesis: Hypothesis) -> Int64 {
    let share = Logarithm.log2(Int64(max(hypothesis.livingCount, 1)))
    return (0..<hypothesis.count).filter { !hypothesis.isForgotten($0) }
      .reduce(Self.typingDensity) {
        Logarithm.sum($0, arrival.fits[Int(hypothesis.bodies[$1])].density - share)
      }
  }

  // MARK: - Successors

  /// Learns a weighing, and returns where the nodes come from.
  mutating func takeUp(_ weighing: Weighing) -> [Trellis.Link] {
    let arrival = arrival(of: weighing, label: known(weighing.label))
    let explanations = explanations(of: arrival)
    // The greatest weights first, equals in their order.
    let order = explanations.indices.map { UInt64(-explanations[$0].weight) << 32 | UInt64($0) }
      .sorted().prefix(Self.breadth)
    var links: [Trellis.Link] = []
    links.reserveCapacity(population.names.count * 4)
    var candidates = Candidates()
    var places: [Int?] = []
    for entry in order {
      let explanation = explanations[Int(entry & 0xFFFF_FFFF)]
      var child = population.hypotheses[explanation.parent]
      child.weight = explanation.weight
      candidates.removeAll()
      switch explanation.body {
      case .nobody:
        // Who mistyped a weight has weighed.
        if let person = arrival.labelled,
          let place = population.place(of: person, in: explanation.parent)
        {
          var body = population.body(place, in: explanation.parent)
          body.note(weighing.day)
          child.bodies[place] = population.add(body)
        }
        links += child.names.map { Trellis.Link(parent: Int32($0), person: Trellis.mistyped) }
        population.append(child, names: child.names)
        places.append(nil)
      case .new:
        let place = population.place(forNewIn: explanation.parent)
        candidates.nameNew(
          place, population, explanation.parent, account(of: arrival, nil, in: explanation.parent))
        child.bodies[place] = population.add(
          Body(
            first: weighing, visit: population.addVisit(learnedCount), birth: age,
            residence: arrival.residence))
        child.count = max(child.count, place + 1)
        child.forgotten &= ~(1 << UInt32(place))
        population.append(child, candidates.names) { links.append(candidates.links[$0]) }
        places.append(place)
      case .known(let place, let isChange):
        let account = account(of: arrival, place, in: explanation.parent)
        var body = population.body(place, in: explanation.parent)
        let isSame = candidates.name(
          place, population, explanation.parent, account, labelled: arrival.labelled,
          stranger: body.isDisowned ? Trellis.disowned : Trellis.stranger)
        body.learn(
          weighing, visit: population.addVisit(learnedCount, after: body.latest),
          isLabelled: arrival.label != .none, isChange: isChange)
        child.bodies[place] = population.add(body)
        if isSame {
          links += candidates.links
          population.append(child, names: child.names)
        } else {
          population.append(child, candidates.names) { links.append(candidates.links[$0]) }
        }
        places.append(place)
      }
    }
    population.turn()
    learnedCount += 1
    if arrival.label != .none {
      for (index, place) in places.enumerated() {
        guard let place else { continue }
        let agreed =
          arrival.labelled.map { population.share($0, is: place, in: index) }
          ?? (1 << 30 - population.named(place, in: index))
        population.count(
          isContradicted: agreed < 1 << 29, isDisowned: arrival.label == .nobody, place, in: index)
      }
    }
    return links
  }

  /// The namings of a child, with where they come from.
  private struct Candidates {
    var names: [Naming] = []
    var links: [Trellis.Link] = []

    mutating func removeAll() {
      names.removeAll(keepingCapacity: true)
      links.removeAll(keepingCapacity: true)
    }

    /// Adds a naming whose share is `rate` bits less.
    mutating func add(
      _ naming: Naming, _ rate: Int64, from parent: Int, _ person: Int?, exchanged: Int? = nil,
      stranger: Int8 = Trellis.stranger
    ) {
      var naming = naming
      naming.share = max((naming.share * Logarithm.power(minus: rate)) >> 30, 1)
      names.append(naming)
      links.append(
        Trellis.Link(
          parent: Int32(parent), person: person.map { Int8($0) } ?? stranger,
          exchanged: Int8(exchanged ?? -1)))
    }

    /// Names a body that was never there before, at a place that may have been another's.
    mutating func nameNew(
      _ place: Int, _ population: Population, _ parent: Int, _ account: Account
    ) {
      for index in population.hypotheses[parent].names {
        let before = population.names[index]
        var naming = before
        if let person = naming.person(of: place, among: population.people) { naming[person] = nil }
        add(naming, account.top - account.unnamed, from: index, nil)
        for person in 0..<population.people where before[person] == nil {
          var named = naming
          named[person] = place
          add(named, account.top - account.named[person], from: index, person)
        }
      }
    }

    /// Names the body at a place; returns whether all shares are as before.
    mutating func name(
      _ place: Int, _ population: Population, _ parent: Int, _ account: Account, labelled: Int?,
      stranger: Int8
    ) -> Bool {
      var isSame = true
      for index in population.hypotheses[parent].names {
        let naming = population.names[index]
        let person = naming.person(of: place, among: population.people)
        let rate = person.map { account.named[$0] } ?? account.unnamed
        add(naming, account.top - rate, from: index, person, stranger: stranger)
        isSame = isSame && rate == account.top
        guard account.exchanged > Evidence.never, let labelled, labelled != person else { continue }
        var exchanged = naming
        if let person { exchanged[person] = naming[labelled] }
        exchanged[labelled] = place
        add(
          exchanged, account.top - account.exchanged, from: index, labelled, exchanged: person)
        isSame = false
      }
      return isSame
    }
  }
}
