import FixedPoint

/// The graph of all hypotheses that were followed, from which odds are smoothed.
///
/// A node is a hypothesis with one of its namings. Each step stores which node came from which, and
/// with what share where several became one. One multiplication an edge carries the probabilities of
/// the last nodes back to the first: so every label and expectation counts backwards as it does
/// forwards (a forward-backward algorithm over the merged hypotheses).
struct Trellis: Sendable {
  private var steps: [Step] = []
  private(set) var weighings: [Weighing] = []

  /// A step from nodes to nodes, which count from zero in each; `parents` is the number of those before it.
  enum Step: Sendable {
    /// A weighing: where each node came from, and whose the weighing is.
    case weighing([Link], parents: Int)
    /// A night, in which nodes merge and are dropped.
    case night([Edge], parents: Int)
  }

  /// In place of a person: somebody who is not in the plan, a value that is nobody's, and somebody of whom
  /// a label said that it is nobody of the plan.
  static let stranger: Int8 = -1
  static let mistyped: Int8 = -2
  static let disowned: Int8 = -3

  struct Link: Sendable {
    var parent: Int32
    /// The person, or one of the values in place of one.
    var person: Int8
    /// The person for whom this one was taken until now, as a label says; -1 for none.
    var exchanged: Int8 = -1
  }

  struct Edge: Sendable {
    var parent: Int32
    var child: Int32
    /// The parent's share in the child, in units of 2^-30.
    var share: Int32
  }

  mutating func append(_ links: [Link], of weighing: Weighing, parents: Int) {
    // No more memory than they need.
    let links = Array(capacity: links.count) { copy in
      for link in links { copy.append(link) }
    }
    steps.append(.weighing(links, parents: parents))
    weighings.append(weighing)
  }

  mutating func append(_ edges: [Edge], parents: Int) {
    steps.append(.night(edges, parents: parents))
  }

  /// The nodes of one step with their probabilities in units of 2^-32, and who each person is who was
  /// taken for another there.
  fileprivate struct Line {
    var names: [Int8]
    var nodes: [Int64]
  }

  /// The smoothed probabilities of the plan's people in each weighing, then that of nobody of the plan, and
  /// last that of somebody of whom a label said so, in units of 2^-30.
  ///
  /// `last` are those of the last nodes, in units of 2^-32, which is also how they are carried. With
  /// `answers`, which say whose some weighings are, the probabilities are as if these were known: of a
  /// person, or of nobody of the plan (`nil`). They are zero where an answer contradicts everything. The mass
  /// is the probability of the answers, in units of 2^-32.
  func smoothed(
    from last: [Int64], people: Int, answers: [Int: Int?] = [:]
  ) -> (shares: [[Int64]], mass: Int64) {
    var result = Array(repeating: [Int64](), count: weighings.count)
    var mass: Int64 = 0
    var lines = [Line(names: (0..<people).map { Int8($0) }, nodes: last)]
    var index = weighings.count
    var row = Array(repeating: Int64(0), count: people + 2)
    for step in steps.reversed() {
      var before: [Line] = []
      switch step {
      case .weighing(let links, let parents):
        index -= 1
        for person in row.indices { row[person] = 0 }
        var total: Int64 = 0
        let answer = answers[index]
        let links = links.span
        var shares = row.mutableSpan
        for line in lines {
          let own = before.place(line.names, nodes: parents)
          // Taken out while it is added to, so that it stays in its place.
          var nodes: [Int64] = []
          swap(&nodes, &before[own].nodes)
          let names = line.names.span
          let after = line.nodes.span
          var ownNodes = nodes.mutableSpan
          for number in after.indices where after[number] > 0 {
            let (node, link) = (after[number], links[number])
            let named = link.person < 0 ? link.person : names[Int(link.person)]
            if let answer, answer.map({ Int8($0) != named }) ?? (named >= 0) { continue }
            total += node
            if link.person < 0 { shares[people] += node }
            if link.person == Self.disowned { shares[people + 1] += node }
            if link.person >= 0 {
              shares[Int(named)] += node
              if link.exchanged >= 0 {
                var names = line.names
                names.swapAt(Int(link.person), Int(link.exchanged))
                let target = before.place(names, nodes: parents)
                before[target].nodes[Int(link.parent)] += node
                continue
              }
            }
            ownNodes[Int(link.parent)] += node
          }
          swap(&nodes, &before[own].nodes)
        }
        result[index] = row.map { $0.scaled(by: 1 << 30, over: max(total, 1)) }
        mass = total
      case .night(let edges, let parents):
        for line in lines {
          var nodes = Array(repeating: Int64(0), count: parents)
          let after = line.nodes.span
          var parents = nodes.mutableSpan
          for edge in edges where Int(edge.child) < after.count {
            let node = after[Int(edge.child)]
            parents[Int(edge.parent)] +=
              edge.share == 1 << 30 ? node : (node * Int64(edge.share)).roundedShift(right: 30)
          }
          before.append(Line(names: line.names, nodes: nodes))
        }
      }
      lines = before
    }
    return (result, mass)
  }
}

extension Array where Element == Trellis.Line {
  /// The index of the line with these names, which is added if there is none.
  fileprivate mutating func place(_ names: [Int8], nodes: Int) -> Int {
    if let index = firstIndex(where: { $0.names == names }) { return index }
    append(Trellis.Line(names: names, nodes: [Int64](repeating: 0, count: nodes)))
    return count - 1
  }
}
