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
  /// log2 of the greatest rate of somebody who was not seen yet.
  var newTop: Int64
  /// log2 of the probability of the label, and of the presence, of each person, and of somebody else.
  var named: [Int64]
  var unnamed: Int64
  /// The person whom the label names.
  var labelled: Int?
  /// The fit of the weighing to each body of the population.
  var fits: [Fit]
  /// log2 of how many bodies of each hypothesis have weighed today.
  var crowds: [Int64]
  /// log2 of how much likelier it becomes that a body is each person's, by the plan; empty for all
  /// bodies of which that is known.
  var learning: [Int64]

  /// The weighing as one of a body's.
  struct Fit {
    /// log2 of its density, and whether it is far.
    var density: Int64
    var isFar: Bool
    /// log2 of how much rarer it weighs again today than for the first time; `nil` if it did not weigh.
    var again: Int64?
    /// log2 of the greatest rate at which it weighs, whoever it is, and whether all are the same.
    var top: Int64
    var isEven: Bool
    /// Where the body's figures in ``Arrival/learning`` begin; `nil` if the plan says nothing more.
    var learning: Int?
  }

  /// log2 of how much rarer a body of a hypothesis weighs at this moment than one who has not weighed
  /// today.
  func today(_ fit: Fit, in index: Int) -> Int64 { fit.again.map { $0 - crowds[index] } ?? 0 }
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
    learning.reserveCapacity(population.bodies.count * people)
    let unnamed = fit(label, nil)
    let isNamed = label != .none || named.contains { $0 != 0 }
    let greatest = named.max() ?? 0
    let bodies = population.bodies.span
    var fits: [Arrival.Fit] = []
    fits.reserveCapacity(bodies.count)
    for number in bodies.indices {
      var first: Int?
      var most = greatest
      if bodies[number].first.count < Body.firsts {
        first = learning.count
        most += learn(weighing, bodies[number], in: &learning)
      }
      let weighs = bodies[number].weighs
      let estimate = bodies[number].estimate
      fits.append(
        Arrival.Fit(
          density: estimate.density(of: weighing), isFar: estimate.isFar(weighing),
          again: bodies[number].lastDay == weighing.day ? bodies[number].again : nil,
          top: max(weighs.named + max(most, 0), weighs.unnamed + unnamed),
          isEven: first == nil && !isNamed && weighs.named == weighs.unnamed, learning: first))
    }
    let crowds = population.hypotheses.map { hypothesis in
      let fits = fits.span
      let bodies = hypothesis.bodies.span
      var count: Int64 = 0
      for place in hypothesis.living where fits[Int(bodies[place])].again != nil { count += 1 }
      return Logarithm.log2(count)
    }
    let strangers = Logarithm.log2(guests + residents) - 30 << 16
    let mean = Expected.Mean(sum: weighing.scaledWeight >> 8, count: 1, age: age)
    let unseen = (0..<people).map { person in
      first + named[person] + (expected[person]?.evidence(mean) ?? 0)
    }
    return Arrival(
      weighing: weighing, label: label, unknown: UnknownBody.density(of: weighing),
      strangers: strangers, residence: Logarithm.log2(residents) - Logarithm.log2(guests),
      unseen: unseen, newTop: unseen.reduce(strangers + unnamed, max), named: named,
      unnamed: unnamed, labelled: labelled, fits: fits, crowds: crowds, learning: learning)
  }

  /// Adds for each person log2 of how much likelier a weighing makes it that a body is the person's, by
  /// the plan; returns the greatest.
  private func learn(_ weighing: Weighing, _ body: Body, in learning: inout [Int64]) -> Int64 {
    let (sum, count) = body.first
    let before = Expected.Mean(sum: sum, count: count, age: body.birth)
    let mean = Expected.Mean(
      sum: sum + weighing.scaledWeight >> 8, count: count + 1, age: body.birth)
    var greatest: Int64 = 0
    for person in 0..<people {
      let gain = expected[person].map { $0.evidence(mean) - $0.evidence(before) } ?? 0
      learning.append(gain)
      greatest = max(greatest, gain)
    }
    return greatest
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
    /// The rates at which it weighs as each person who it may be, as somebody else, and as the person
    /// whom the label names, who was taken for another: in units of 2^-30, over 2^``top``.
    var named = Values(repeating: 0)
    var unnamed: Int64 = 0
    var exchanged: Int64?
    /// log2 of the greatest of the rates.
    var top: Int64 = 0
    /// The share of somebody else, over 2^``top``.
    var unnamedShare: Int64 = 0
    /// The sum of the shares of all names, over 2^``top``.
    var sum: Int64 = 0
    /// log2 of all rates together; `nil` if it is impossible.
    var rate: Int64? { sum > 0 ? top + Logarithm.log2(sum) - 30 << 16 : nil }
  }

  /// The rates of the body at a place, or of a new one.
  func account(of arrival: Arrival, _ place: Int?, in index: Int) -> Account {
    var account = Account()
    let people = people
    let row = population.row(of: place, in: index)
    let shares = population.marginals.span.extracting(row..<row + people)
    var mass: Int64 = 0
    var unnamed = arrival.strangers + arrival.unnamed
    var exchanged: Int64?
    var top = unnamed
    if let place {
      let number = population.number(place, in: index)
      let fit = arrival.fits[number]
      let weighs = population.bodies[number].weighs
      let today = arrival.today(fit, in: index)
      unnamed = weighs.unnamed + today + arrival.unnamed
      top = unnamed
      let named = arrival.named.span
      let learning = arrival.learning.span
      for person in 0..<people where shares[person] > 0 {
        mass += shares[person]
        var rate = weighs.named + today + named[person]
        if let first = fit.learning { rate += learning[first + person] }
        account.named[person] = rate
        top = max(top, rate)
      }
      if let person = arrival.labelled {
        let own =
          population.place(of: person, in: index).map {
            population.body($0, in: index).contradictions
          } ?? 0
        let contradictions = min(own + population.bodies[number].contradictions, 2)
        let rate = weighs.named + today + contradictions * Self.mistake - Self.exchange
        exchanged = rate
        top = max(top, rate)
      }
    } else {
      for person in 0..<people where shares[person] > 0 {
        account.named[person] = arrival.unseen[person]
        top = max(top, arrival.unseen[person])
      }
    }
    account.top = top
    for person in 0..<people where shares[person] > 0 {
      let power = Logarithm.power(minus: top - account.named[person])
      account.named[person] = power
      account.sum += (shares[person] * power) >> 30
    }
    account.unnamed = Logarithm.power(minus: top - unnamed)
    account.unnamedShare = (max(1 << 30 - mass, 0) * account.unnamed) >> 30
    account.exchanged = exchanged.map { Logarithm.power(minus: top - $0) }
    account.sum += account.unnamedShare + (account.exchanged ?? 0)
    return account
  }

  // MARK: - Explanations

  /// The ways to explain a weighing, with their weights relative to the best.
  func explanations(of arrival: Arrival) -> [Explanation] {
    var result: [Explanation] = []
    result.reserveCapacity(population.hypotheses.count * 8)
    var best = Int64.min / 2
    func add(_ parent: Int, _ body: Explanation.Origin, _ weight: Int64) {
      best = max(best, weight)
      if weight >= best - Self.depth {
        result.append(Explanation(parent: parent, body: body, weight: weight))
      }
    }
    for parent in population.hypotheses.indices {
      let hypothesis = population.hypotheses[parent]
      let bodies = hypothesis.bodies.span
      let new = hypothesis.weight + arrival.unknown
      if new + arrival.newTop >= best - Self.depth - 5 << 16,
        let rate = account(of: arrival, nil, in: parent).rate
      {
        add(parent, .new, new + rate)
      }
      for place in hypothesis.living {
        let number = Int(bodies[place])
        let fit = arrival.fits[number]
        let weight = hypothesis.weight + fit.density
        let today = arrival.today(fit, in: parent)
        // The rates of all names add up to less than four times the greatest.
        let top = fit.top + today + (fit.isEven ? 0 : 2 << 16)
        let isLikely =
          weight >= best - Self.depth - 8 << 16 && weight + top >= best - Self.depth
        var changed: Int64?
        if fit.isFar, hypothesis.weight + Body.greatestChange + top >= best - Self.changeDepth {
          let density =
            hypothesis.weight - Body.changeRarity
            + population.bodies[number].changed.density(of: arrival.weighing)
          if density + top >= best - Self.changeDepth, population.named(place, in: parent) > 1 << 26
          {
            changed = density
          }
        }
        guard isLikely || changed != nil,
          let rate = fit.isEven ? top : account(of: arrival, place, in: parent).rate
        else { continue }
        if isLikely { add(parent, .known(place, isChange: false), weight + rate) }
        if let changed { add(parent, .known(place, isChange: true), changed + rate) }
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
    let share = Logarithm.log2(Int64(max(hypothesis.living.count, 1)))
    return hypothesis.living.reduce(Self.typingDensity) {
      Logarithm.sum($0, arrival.fits[Int(hypothesis.bodies[$1])].density - share)
    }
  }

  // MARK: - Successors

  /// The explanations that are followed, the greatest weights first and equals in their order.
  private func greatest(of explanations: [Explanation]) -> [Int] {
    var order: [UInt64] = []
    order.reserveCapacity(Self.breadth)
    for index in explanations.indices {
      let key = UInt64(-explanations[index].weight) << 32 | UInt64(index)
      if order.count == Self.breadth {
        guard key < order[Self.breadth - 1] else { continue }
        order.removeLast()
      }
      order.append(key)
      var order = order.mutableSpan
      var place = order.count - 1
      while place > 0, order[place - 1] > key {
        order[place] = order[place - 1]
        place -= 1
      }
      order[place] = key
    }
    return order.map { Int($0 & 0xFFFF_FFFF) }
  }

  /// Learns a weighing, and returns where the nodes come from.
  mutating func takeUp(_ weighing: Weighing) -> [Trellis.Link] {
    let arrival = arrival(of: weighing, label: known(weighing.label))
    let explanations = explanations(of: arrival)
    var links: [Trellis.Link] = []
    links.reserveCapacity(population.names.count * 2)
    var candidates = Candidates()
    var places: [Int?] = []
    places.reserveCapacity(Self.breadth)
    // Bodies that learned the weighing, by the one before: hypotheses share them, unless a label says
    // something else of each.
    var learned = [Int32?](repeating: nil, count: population.bodies.count * 2 + 1)
    for index in greatest(of: explanations) {
      let explanation = explanations[index]
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
        population.append(child, namesOf: explanation.parent)
        places.append(nil)
      case .new:
        let place = population.place(forNewIn: explanation.parent)
        candidates.nameNew(
          place, population, explanation.parent, account(of: arrival, nil, in: explanation.parent))
        child.bodies[place] =
          learned[0]
          ?? population.add(
            Body(
              first: weighing, visit: population.addVisit(learnedCount), birth: age,
              residence: arrival.residence))
        if arrival.label == .none { learned[0] = child.bodies[place] }
        child.count = max(child.count, place + 1)
        child.forgotten &= ~(1 << UInt32(place))
        population.append(child, candidates.names) { links.append(candidates.links[$0]) }
        places.append(place)
      case .known(let place, let isChange):
        let number = population.number(place, in: explanation.parent)
        let stranger =
          population.bodies[number].isDisowned ? Trellis.disowned : Trellis.stranger
        let key = number * 2 + (isChange ? 2 : 1)
        if let known = learned[key] {
          child.bodies[place] = known
        } else {
          var body = population.bodies[number]
          body.learn(
            weighing, visit: population.addVisit(learnedCount, after: body.latest),
            isLabelled: arrival.label != .none, isChange: isChange)
          child.bodies[place] = population.add(body)
          if arrival.label == .none { learned[key] = child.bodies[place] }
        }
        let account =
          arrival.fits[number].isEven
          ? nil : account(of: arrival, place, in: explanation.parent)
        if let account,
          !account.changesNothing(in: population, place, child.names, labelled: arrival.labelled)
        {
          candidates.name(
            place, population, explanation.parent, account, labelled: arrival.labelled,
            stranger: stranger)
          population.append(child, candidates.names) { links.append(candidates.links[$0]) }
        } else {
          let names = population.names
          links.append(addingCapacity: child.names.count) { links in
            for index in child.names {
              let person = names[index].person(of: place)
              links.append(
                Trellis.Link(parent: Int32(index), person: person.map { Int8($0) } ?? stranger))
            }
          }
          population.append(child, namesOf: explanation.parent)
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

    /// Adds a naming whose share is multiplied by `rate`.
    mutating func add(
      _ naming: Naming, _ rate: Int64, from parent: Int, _ person: Int?, exchanged: Int? = nil,
      stranger: Int8 = Trellis.stranger
    ) {
      var naming = naming
      naming.share = max((naming.share * rate) >> 30, 1)
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
      let range = population.hypotheses[parent].names
      let unseen = (0..<population.people).filter { population.unseen($0, in: parent) > 0 }
      names.reserveCapacity(range.count * (1 + unseen.count))
      links.reserveCapacity(range.count * (1 + unseen.count))
      for index in range {
        let before = population.names[index]
        var naming = before
        if let person = naming.person(of: place) { naming[person] = nil }
        add(naming, account.unnamed, from: index, nil)
        for person in unseen where before[person] == nil {
          var named = naming
          named[person] = place
          add(named, account.named[person], from: index, person)
        }
      }
    }

    /// Names the body at a place.
    mutating func name(
      _ place: Int, _ population: Population, _ parent: Int, _ account: Account, labelled: Int?,
      stranger: Int8
    ) {
      for index in population.hypotheses[parent].names {
        let naming = population.names[index]
        let person = naming.person(of: place)
        add(naming, account.rate(of: person), from: index, person, stranger: stranger)
        guard let rate = account.exchanged, let labelled, labelled != person else { continue }
        var exchanged = naming
        if let person { exchanged[person] = naming[labelled] }
        exchanged[labelled] = place
        add(exchanged, rate, from: index, labelled, exchanged: person)
      }
    }
  }
}

extension Evidence.Account {
  /// The rate at which the body weighs as a person, or as somebody else (`nil`).
  fileprivate func rate(of person: Int?) -> Int64 { person.map { named[$0] } ?? unnamed }

  /// Whether the namings of a hypothesis keep their shares.
  fileprivate func changesNothing(
    in population: Population, _ place: Int, _ names: Range<Int>, labelled: Int?
  ) -> Bool {
    names.allSatisfy {
      let person = population.names[$0].person(of: place)
      return rate(of: person) == 1 << 30 && (exchanged == nil || labelled == person)
    }
  }
}
