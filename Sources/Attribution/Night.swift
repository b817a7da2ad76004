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
    var children: Int32 = 0
    let nodes = population.names.count
    var names = MergedNames()
    // The node of each naming that is kept, or -1.
    var numbers: [Int32] = []
    for group in groups {
      var hypothesis = group.hypothesis
      hypothesis.weight -= heaviest
      names.merge(group.members, in: population)
      numbers.removeAll(keepingCapacity: true)
      numbers.append(contentsOf: repeatElement(-1, count: names.names.count))
      population.append(hypothesis, names.names) { name in
        numbers[name] = children
        children += 1
      }
      let masses = names.masses
      edges.append(addingCapacity: names.origins.count) { edges in
        for origin in names.origins {
          let child = numbers[Int(origin.name)]
          guard child >= 0 else { continue }
          let mass = masses[Int(origin.name)]
          let share = origin.mass == mass ? 1 << 30 : origin.mass.scaled(by: 1 << 30, over: mass)
          isSame = isSame && origin.node == child && origin.mass == mass
          edges.append(Trellis.Edge(parent: origin.node, child: child, share: Int32(share)))
        }
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
    groups.reserveCapacity(order.count)
    for index in order where weights[index] - best >= -Self.depth {
      let hypothesis = population.hypotheses[index]
      let weight = hypothesis.weight - best
      var member = Member(index: index, weight: weight, part: nil)
      let own = hypothesis.bodies.span
      let living = hypothesis.living
      for group in groups.indices {
        let first = groups[group].hypothesis
        guard first.living.bits == living.bits || first.living.count == living.count,
          let places = population.places(of: own, living, in: first.bodies.span, first.living)
        else { continue }
        let other = first.weight
        let share = Logarithm.power(minus: abs(other - weight))
        let less = (share << 30) / (1 << 30 + share)
        let part = other >= weight ? less : 1 << 30 - less
        member.part = (places, part)
        groups[group].hypothesis.weight = Logarithm.sum(other, weight)
        population.merge(hypothesis, into: &groups[group].hypothesis, places, share: part >> 10)
        groups[group].members.append(member)
        break
      }
      if member.part == nil {
        var first = hypothesis
        first.weight = weight
        groups.append(Group(hypothesis: first, members: [member]))
      }
    }
    return groups
  }
}

/// The namings of hypotheses that became one, with the nodes that each comes from.
private struct MergedNames {
  var names: [Naming] = []
  /// The sum of what comes together in each naming.
  var masses: [Int64] = []
  var origins: [(name: Int32, node: Int32, mass: Int64)] = []

  /// The place of a naming, looked for from `guess` on and then from the first.
  private func find(_ naming: Naming, from guess: Int) -> Int? {
    let names = names.span
    if guess < names.count, names[guess].isSame(as: naming) { return guess }
    for index in names.indices where names[index].isSame(as: naming) { return index }
    return nil
  }

  mutating func merge(_ members: [Evidence.Member], in population: Population) {
    names.removeAll(keepingCapacity: true)
    masses.removeAll(keepingCapacity: true)
    origins.removeAll(keepingCapacity: true)
    for member in members {
      let scale = Logarithm.power(minus: -member.weight)
      let nodes = population.hypotheses[member.index].names
      let namings = population.names.span.extracting(nodes)
      // Masses of all hypotheses together stay below 2^63.
      func mass(_ naming: Naming) -> Int64 { max((naming.share * scale) >> 6, 1) }
      guard let (places, share) = member.part else {
        names.append(contentsOf: population.names[nodes])
        masses.append(addingCapacity: nodes.count) { masses in
          for index in namings.indices { masses.append(mass(namings[index])) }
        }
        let masses = masses
        origins.append(addingCapacity: nodes.count) { origins in
          for (index, node) in nodes.enumerated() {
            origins.append((Int32(index), Int32(node), masses[index]))
          }
        }
        continue
      }
      for name in names.indices {
        names[name].share = (names[name].share * (1 << 30 - share)) >> 30
      }
      let isMoved = population.hypotheses[member.index].living.contains { places[$0] != $0 }
      // Two hypotheses mostly have the same namings in the same order.
      var guess = 0
      for index in namings.indices {
        var naming = namings[index]
        // Without a share it may name a forgotten place.
        if isMoved || naming.share == 0 {
          naming = naming.moved(to: places, among: population.people)
        }
        let mass = mass(naming)
        naming.share = (naming.share * share) >> 30
        let same = find(naming, from: guess)
        guess = (same ?? guess) + 1
        if let same {
          names[same].share += naming.share
          masses[same] += mass
        } else {
          names.append(naming)
          masses.append(mass)
        }
        origins.append((Int32(same ?? names.count - 1), Int32(nodes.lowerBound + index), mass))
      }
    }
  }
}
