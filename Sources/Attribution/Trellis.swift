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

  /// A step from nodes to nodes, which count from zero in each.
  enum Step: Sendable {
    /// A weighing: where each node came from, and whose the weighing is.
    case weighing([Link])
    /// A night, in which nodes merge and are dropped.
    case night([Edge])
  }

  struct Link: Sendable {
    var parent: Int32
    /// The person, or -1 for somebody who is not in the plan, -2 for a value that is nobody's.
    var person: Int8
  }

  struct Edge: Sendable {
    var parent: Int32
    var child: Int32
    /// The parent's share in the child, in units of 2^-30.
    var share: Int32
  }

  mutating func append(_ links: [Link], of weighing: Weighing) {
    steps.append(.weighing(links))
    weighings.append(weighing)
  }

  mutating func append(_ edges: [Edge]) { steps.append(.night(edges)) }

  /// The smoothed probabilities of the plan's people in each weighing, in units of 2^-30.
  ///
  /// `last` are those of the last nodes, in units of 2^-32, which is also how they are carried.
  func smoothed(from last: [Int64], people: Int) -> [[Int64]] {
    var result = Array(repeating: Array(repeating: Int64(0), count: people), count: weighings.count)
    var nodes = last
    var index = weighings.count
    for step in steps.reversed() {
      var before: [Int64]
      switch step {
      case .weighing(let links):
        index -= 1
        before = Array(repeating: 0, count: links.reduce(0) { max($0, Int($1.parent) + 1) })
        var total: Int64 = 0
        for (link, node) in zip(links, nodes) where node > 0 {
          before[Int(link.parent)] += node
          total += node
          if link.person >= 0 { result[index][Int(link.person)] += node }
        }
        for person in 0..<people {
          result[index][person] = result[index][person].scaled(by: 1 << 30, over: max(total, 1))
        }
      case .night(let edges):
        before = Array(repeating: 0, count: edges.reduce(0) { max($0, Int($1.parent) + 1) })
        for edge in edges where Int(edge.child) < nodes.count {
          let node = nodes[Int(edge.child)]
          before[Int(edge.parent)] +=
            edge.share == 1 << 30 ? node : (node * Int64(edge.share)).roundedShift(right: 30)
        }
      }
      nodes = before
    }
    return result
  }
}
