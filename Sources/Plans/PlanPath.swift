import StrictYAML

/// The way to a value of a plan's file from its root: `tasks`, 2, `schedule`.
package struct PlanPath: Hashable, Sendable {
  /// One step of the way.
  package enum Step: Hashable, Sendable {
    /// The value of a key in a mapping.
    case key(String)
    /// The element of a list, from 0.
    case index(Int)
  }

  /// The steps from the root.
  package var steps: [Step]

  /// Makes a path.
  package init(_ steps: [Step] = []) { self.steps = steps }

  static func / (path: Self, key: String) -> Self { Self(path.steps + [.key(key)]) }
  static func / (path: Self, index: Int) -> Self { Self(path.steps + [.index(index)]) }
}

extension YAMLNode {
  /// The nodes on a path, from this one to the deepest that there is.
  func nodes(on path: PlanPath) -> [YAMLNode] {
    var nodes = [self]
    for step in path.steps {
      guard let next = nodes.last?.node(at: step) else { break }
      nodes.append(next)
    }
    return nodes
  }

  private func node(at step: PlanPath.Step) -> YAMLNode? {
    switch (step, content) {
    case (.key(let key), .mapping(let pairs)): pairs.first { $0.key == key }?.value
    case (.index(let index), .sequence(let elements)):
      elements.indices.contains(index) ? elements[index] : nil
    default: nil
    }
  }
}
