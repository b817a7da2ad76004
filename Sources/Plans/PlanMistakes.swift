package import Care
package import StrictYAML

extension PlanFile {
  /// Every mistake of a plan's file, by line.
  ///
  /// After a mistake the plan is read again without what is wrong, so that one run shows all of them.
  /// What only follows from another mistake is left out.
  ///
  /// - Parameters:
  ///   - text: The whole file.
  ///   - file: The file's name, for errors.
  ///   - activeTasks: The active tasks that a plan can ask for, with their keys.
  ///   - definitions: The ids of the device definitions; `nil` to take any.
  /// - Returns: The mistakes; the first one alone of a file that is no YAML.
  package static func mistakes(
    in text: String, file: String, activeTasks: [ActiveTaskForm], definitions: [String]? = nil
  ) -> [YAMLError] {
    PlanRepair.mistakes(in: text, file: file) { root throws(YAMLError) in
      _ = try document(root, activeTasks: activeTasks, definitions: definitions)
    }
  }
}

/// Takes what is wrong out of a file's tree, mistake by mistake.
private struct PlanRepair: YAMLRepair {
  /// The tree without what is wrong; `nil` if further errors would only follow from the known ones.
  private(set) var root: YAMLNode?
  private(set) var mistakes: [YAMLError] = []
  /// The lists and mappings that are incomplete now: an error at one of them is no new mistake.
  private var damaged: Set<YAMLPlace> = []
  private var replaced: Set<YAMLPlace> = []

  /// The most mistakes that are reported.
  private static let most = 50

  /// A value in the tree, by its positions in the mappings and lists above it.
  private struct Found {
    var path: [Int]
    /// The key of a value in a mapping.
    var key: String?
    /// Whether the key stands at the place, and not the value.
    var isKey: Bool
  }

  init(_ root: YAMLNode) { self.root = root }

  /// Records a mistake, and takes it out of the tree.
  mutating func take(_ error: YAMLError) {
    guard let tree = root else { return }
    let place = YAMLPlace(error)
    let isConsequence = damaged.contains(place)
    if !isConsequence { mistakes.append(error) }
    let lacksKey = error.reason.hasSuffix(MappingReader.missingKeySuffix)
    var found: [Found] = []
    Self.find(place, in: tree, path: [], &found)
    // The values stand from the outermost to the innermost.
    let values = found.filter { !$0.isKey }
    let target =
      isConsequence || lacksKey ? values.first ?? found.last : found.last { $0.isKey } ?? found.last
    guard mistakes.count < Self.most, let target else { return root = nil }
    // Of another quantity the units would be wrong.
    let suggestion = target.key == "quantity" ? nil : Spelling.suggested(in: error.reason)
    if target.isKey, let suggestion, replaced.insert(place).inserted {
      root = Self.edit(tree, target.path[...]) { $0.rename(at: $1, to: suggestion) }
      return
    }
    let standIn =
      suggestion.map { YAMLNode.Content.scalar(YAMLScalar($0)) }
      ?? target.key.flatMap { self.standIn(for: $0, in: tree) }
    if !target.isKey, let standIn, replaced.insert(place).inserted {
      root = Self.edit(tree, target.path[...]) { $0.replace(at: $1, by: standIn) }
    } else {
      // What refers to a person or contact that is gone would be wrong by that alone.
      guard !isReferred(target.path, in: tree) else { return root = nil }
      root = Self.edit(tree, target.path[...]) { $0.remove(at: $1) }
    }
    if let parent = Self.node(at: target.path.dropLast(), in: tree) {
      damaged.insert(YAMLPlace(parent.location))
    }
  }

  /// Whether other parts of the plan may refer to the entry at `path`.
  private func isReferred(_ path: [Int], in tree: YAMLNode) -> Bool {
    guard path.count <= 2, case .mapping(let pairs) = tree.content else { return false }
    let key = pairs[path[0]].key
    return ["timeZone", "patients", "contacts", "carePlans"].contains(key)
      || key == "tasks" && pairs.contains { $0.key == "notes" }
  }

  /// A value that is right, in place of one that every reader of its key needs.
  private func standIn(for key: String, in tree: YAMLNode) -> YAMLNode.Content? {
    func text(_ text: String) -> YAMLNode.Content { .scalar(YAMLScalar(text)) }
    switch key {
    case "timeZone": return text("UTC")
    case "title": return text("title")
    case "start": return text("2000-01-01")
    case "interval":
      return .mapping([YAMLPair("days", at: tree.location, YAMLNode(text("1"), at: tree.location))])
    case "patient":
      guard case .mapping(let pairs) = tree.content,
        let people = pairs.first(where: { $0.key == "patients" })?.value,
        case .sequence(let elements) = people.content,
        case .mapping(let keys) = elements.first?.content
      else { return nil }
      return keys.first { $0.key == "id" }?.value.content
    default: return nil
    }
  }

  // MARK: The tree

  private static func find(
    _ place: YAMLPlace, in node: YAMLNode, path: [Int], _ found: inout [Found], key: String? = nil
  ) {
    if YAMLPlace(node.location) == place, !path.isEmpty {
      found.append(Found(path: path, key: key, isKey: false))
    }
    switch node.content {
    case .scalar: break
    case .sequence(let elements):
      for (index, element) in elements.enumerated() {
        find(place, in: element, path: path + [index], &found)
      }
    case .mapping(let pairs):
      for (index, pair) in pairs.enumerated() {
        if YAMLPlace(pair.location) == place {
          found.append(Found(path: path + [index], key: nil, isKey: true))
        }
        find(place, in: pair.value, path: path + [index], &found, key: pair.key)
      }
    }
  }

  private static func node(at path: ArraySlice<Int>, in node: YAMLNode) -> YAMLNode? {
    guard let index = path.first else { return node }
    switch node.content {
    case .scalar: return nil
    case .sequence(let elements): return self.node(at: path.dropFirst(), in: elements[index])
    case .mapping(let pairs): return self.node(at: path.dropFirst(), in: pairs[index].value)
    }
  }

  /// The tree with a change of the value at `path`, which the list or mapping above it makes.
  private static func edit(
    _ node: YAMLNode, _ path: ArraySlice<Int>, _ change: (inout YAMLNode, Int) -> Void
  ) -> YAMLNode {
    guard let index = path.first else { return node }
    var node = node
    guard path.count > 1 else {
      change(&node, index)
      return node
    }
    switch node.content {
    case .scalar: break
    case .sequence(var elements):
      elements[index] = edit(elements[index], path.dropFirst(), change)
      node.content = .sequence(elements)
    case .mapping(var pairs):
      pairs[index].value = edit(pairs[index].value, path.dropFirst(), change)
      node.content = .mapping(pairs)
    }
    return node
  }
}

extension YAMLNode {
  /// Removes the element or pair at `index`.
  fileprivate mutating func remove(at index: Int) {
    switch content {
    case .scalar: break
    case .sequence(var elements):
      elements.remove(at: index)
      content = .sequence(elements)
    case .mapping(var pairs):
      pairs.remove(at: index)
      content = .mapping(pairs)
    }
  }

  /// Renames the key at `index`; a key that is there already is left alone.
  fileprivate mutating func rename(at index: Int, to key: String) {
    guard case .mapping(var pairs) = content else { return }
    if pairs.contains(where: { $0.key == key }) {
      pairs.remove(at: index)
    } else {
      pairs[index].key = key
    }
    content = .mapping(pairs)
  }

  /// Replaces the value at `index`.
  fileprivate mutating func replace(at index: Int, by value: Content) {
    switch content {
    case .scalar: break
    case .sequence(var elements):
      elements[index].content = value
      content = .sequence(elements)
    case .mapping(var pairs):
      pairs[index].value.content = value
      content = .mapping(pairs)
    }
  }
}
