import FixedPoint

extension Evidence {
  /// Ends a day and returns where the nodes come from; `nil` if they are the same.
  ///
  /// Who did not weigh counts, hypotheses whose bodies agree are merged, and the estimates advance.
  mutating func endDay(_ day: Int) -> [Trellis.Edge]? {
    // log2((2 + t) / (5 + t)): a day without a person who was not seen yet.
    let unseen = Logarithm.log2(2 + age) - Logarithm.log2(5 + age)
    var offsets: [Int] = []
    var nodes = 0
    for index in hypotheses.indices {
      offsets.append(nodes)
      nodes += hypotheses[index].names.count
      hypotheses[index].endDay(day, unseen: unseen)
    }
    let order = hypotheses.indices.sorted {
      (hypotheses[$1].weight, $0) < (hypotheses[$0].weight, $1)
    }
    let best = hypotheses[order[0]].weight
    var merged: [Merged] = []
    for number in order where hypotheses[number].weight - best >= -Self.depth {
      var hypothesis = hypotheses[number]
      hypothesis.weight -= best
      add(hypothesis, nodesFrom: offsets[number], to: &merged)
    }
    let heaviest = merged.map(\.hypothesis.weight).max() ?? 0
    var edges: [Trellis.Edge] = []
    var isSame = true
    var first = 0
    for index in merged.indices {
      merged[index].hypothesis.weight -= heaviest
      var children = 0
      let origins = merged[index].origins
      merged[index].hypothesis.setNames(merged[index].names) { name in
        let origins = origins[name]
        var sum: Int64 = 0
        for origin in origins { sum += origin.mass }
        for origin in origins {
          let share = origins.count == 1 ? 1 << 30 : origin.mass.scaled(by: 1 << 30, over: sum)
          isSame = isSame && origin.node == first + children
          edges.append(
            Trellis.Edge(
              parent: Int32(origin.node), child: Int32(first + children), share: Int32(share)))
        }
        children += 1
      }
      first += children
    }
    hypotheses = merged.map(\.hypothesis)
    return isSame && first == nodes ? nil : edges
  }

  /// A hypothesis with the nodes that became one in each of its namings.
  private struct Merged {
    var hypothesis: Hypothesis
    var names: [Naming]
    var origins: [[(node: Int, mass: Int64)]]
  }

  /// Adds a hypothesis, or merges it into one whose bodies agree.
  private func add(_ hypothesis: Hypothesis, nodesFrom offset: Int, to merged: inout [Merged]) {
    let scale = Logarithm.power(minus: -hypothesis.weight)
    // Masses of all hypotheses together stay below 2^63.
    func mass(_ naming: Naming) -> Int64 { max((naming.share * scale) >> 6, 1) }
    for index in merged.indices {
      guard let numbers = hypothesis.numbers(in: merged[index].hypothesis) else { continue }
      let other = merged[index].hypothesis.weight
      let share = Logarithm.power(minus: abs(other - hypothesis.weight))
      let less = (share << 30) / (1 << 30 + share)
      let part = other >= hypothesis.weight ? less : 1 << 30 - less
      merged[index].hypothesis.weight = Logarithm.sum(other, hypothesis.weight)
      merged[index].hypothesis.mergeBodies(of: hypothesis, numbers: numbers, share: part >> 10)
      for name in merged[index].names.indices {
        let own = merged[index].names[name].share
        merged[index].names[name].share = (own * (1 << 30 - part)) >> 30
      }
      for (number, naming) in hypothesis.names.enumerated() {
        var renumbered = naming.renumbered(numbers, among: people)
        renumbered.share = (naming.share * part) >> 30
        let origin = (node: offset + number, mass: mass(naming))
        if let name = merged[index].names.firstIndex(where: { $0.isSame(as: renumbered) }) {
          merged[index].names[name].share += renumbered.share
          merged[index].origins[name].append(origin)
        } else {
          merged[index].names.append(renumbered)
          merged[index].origins.append([origin])
        }
      }
      return
    }
    merged.append(
      Merged(
        hypothesis: hypothesis, names: hypothesis.names,
        origins: hypothesis.names.enumerated().map { [(node: offset + $0, mass: mass($1))] }))
  }
}
