import FixedPoint

extension Evidence {
  /// Ends a day and returns where the nodes come from; `nil` if they are the same.
  ///
  /// Who did not weigh counts, hypotheses whose bodies agree are merged, and the estimates advance.
  mutating func endDay(_ day: Int) -> [Trellis.Edge]? {
    // log2((2 + t) / (5 + t)): a day without a person who was not seen yet.
    population.endDay(day, unseen: Logarithm.log2(2 + age) - Logarithm.log2(5 + age))
    let groups = merged()
    let heaviest = groups.map(\.hypothesis.weight).max() ?? 0
    var edges: [Trellis.Edge] = []
    edges.reserveCapacity(population.names.count)
    var isSame = true
    var children = 0
    let nodes = population.names.count
    var names = MergedNames()
    // The node of each naming that is kept.
    var numbers: [Int?] = []
    for group in groups {
      var hypothesis = group.hypothesis
      hypothesis.weight -= heaviest
      names.merge(group.members, in: population)
      numbers.removeAll(keepingCapacity: true)
      numbers.append(contentsOf: repeatElement(nil, count: names.names.count))
      population.append(hypothesis, names.names) { name in
        numbers[name] = children
        children += 1
      }
      for origin in names.origins {
        guard let child = numbers[origin.name] else { continue }
        let mass = names.masses[origin.name]
        let share = origin.mass == mass ? 1 << 30 : origin.mass.scaled(by: 1 << 30, over: mass)
        isSame = isSame && origin.node == child && origin.mass == mass
        edges.append(
          Trellis.Edge(parent: Int32(origin.node), child: Int32(child), share: Int32(share)))
      }
    }
    population.turn()
    return isSame && children == nodes ? nil : edges
  }

  /// Hypotheses that became one.
  fileprivate struct Group {
    var hypothesis: Hypothesis
    var members: [Member]
  }

  /// A hypothesis that became part of another.
  fileprivate struct Member {
    var index: Int
    /// log2 of its probability, relative to the best.
    var weight: Int64
    /// The places of its bodies in the other, and its share there in units of 2^-30; `nil` for the
    /// first one.
    var part: (places: Hypothesis.Places, share: Int64)?
  }

  /// Merges the hypotheses whose bodies agree, the greatest first.
  private mutating func merged() -> [Group] {
    let weights = population.hypotheses.map(\.weight)
    let order = weights.indices.sorted { (weights[$1], $0) < (weights[$0], $1) }
    let best = weights[order[0]]
    var groups: [Group] = []
    for index in order where weights[index] - best >= -Self.depth {
      var hypothesis = population.hypotheses[index]
      hypothesis.weight -= best
      var member = Member(index: index, weight: hypothesis.weight, part: nil)
      for group in groups.indices {
        guard let places = population.places(of: hypothesis, in: groups[group].hypothesis) else {
          continue
        }
        let other = groups[group].hypothesis.weight
        let share = Logarithm.power(minus: abs(other - hypothesis.weight))
        let less = (share << 30) / (1 << 30 + share)
        let part = other >= hypothesis.weight ? less : 1 << 30 - less
        member.part = (places, part)
        groups[group].hypothesis.weight = Logarithm.sum(other, hypothesis.weight)
        population.merge(hypothesis, into: &groups[group].hypothesis, places, share: part >> 10)
        groups[group].members.append(member)
        break
      }
      if member.part == nil { groups.append(Group(hypothesis: hypothesis, members: [member])) }
    }
    return groups
  }
}

/// The namings of hypotheses that became one, with the nodes that each comes from.
private struct MergedNames {
  var names: [Naming] = []
  /// The sum of what comes together in each naming.
  var masses: [Int64] = []
  var origins: [(name: Int, node: Int, mass: Int64)] = []

  /// The place of a naming, looked for from `guess` on and then from the first.
  private func find(_ naming: Naming, from guess: Int) -> Int? {
    if guess < names.count, names[guess].isSame(as: naming) { return guess }
    return names.firstIndex { $0.isSame(as: naming) }
  }

  mutating func merge(_ members: [Evidence.Member], in population: Population) {
    names.removeAll(keepingCapacity: true)
    masses.removeAll(keepingCapacity: true)
    origins.removeAll(keepingCapacity: true)
    for member in members {
      let scale = Logarithm.power(minus: -member.weight)
      if let (_, share) = member.part {
        for name in names.indices {
          names[name].share = (names[name].share * (1 << 30 - share)) >> 30
        }
      }
      // Two hypotheses mostly have the same namings in the same order.
      var guess = 0
      for node in population.hypotheses[member.index].names {
        var naming = population.names[node]
        // Masses of all hypotheses together stay below 2^63.
        let mass = max((naming.share * scale) >> 6, 1)
        var same: Int?
        if let (places, share) = member.part {
          naming = naming.moved(to: places, among: population.people)
          naming.share = (naming.share * share) >> 30
          same = find(naming, from: guess)
          guess = (same ?? guess) + 1
        }
        if let same {
          names[same].share += naming.share
          masses[same] += mass
        } else {
          names.append(naming)
          masses.append(mass)
        }
        origins.append((same ?? names.count - 1, node, mass))
      }
    }
  }
}
