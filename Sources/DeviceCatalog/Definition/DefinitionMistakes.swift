import StrictYAML

extension DeviceDefinition {
  /// Every mistake of a definition's file that keeps it from being read, by line.
  ///
  /// After a mistake the file is read again without the wrong part, so that one run shows all.
  ///
  /// - Returns: The mistakes; the first one alone of a file that is no YAML.
  static func mistakes(in file: DefinitionFile) -> [YAMLError] {
    DefinitionRepair.mistakes(in: file.text, file: file.name) { root throws(YAMLError) in
      _ = try DeviceDefinition(root)
    }
  }
}

/// Takes what is wrong out of a definition's tree, mistake by mistake.
private struct DefinitionRepair: YAMLRepair {
  /// The tree without what is wrong; `nil` if further errors would only follow from the known ones.
  private(set) var root: YAMLNode?
  private(set) var mistakes: [YAMLError] = []
  private var renamed: Set<YAMLPlace> = []
  /// The lists that have lost an element, and what contains one that is empty now: an error at one
  /// of them only follows from that.
  private var shortened: Set<YAMLPlace> = []
  /// Whether the current mistake is the key at its place.
  private var isAtKey = false

  /// The most mistakes that are reported.
  private static let most = 50

  init(_ root: YAMLNode) { self.root = root }

  /// Records a mistake, and takes it out of the tree.
  mutating func take(_ error: YAMLError) {
    guard let tree = root else { return }
    let place = YAMLPlace(error)
    // A word that still fails after the suggested rename is not reported again.
    guard !renamed.contains(place), mistakes.count < Self.most else { return root = nil }
    if !shortened.contains(place) { mistakes.append(error) }
    isAtKey = if case .unknownKey = error.fault { true } else { false }
    let suggestion = error.fault.meant.first
    var hasChanged = false
    let repaired = repaired(tree, place, suggestion, isTop: true, &hasChanged)
    root = hasChanged ? repaired : nil
  }

  /// The node without what stands at `place`: the key, or the innermost element of a list that
  /// contains it.
  ///
  /// A misspelt word is replaced by the one that was meant.
  private mutating func repaired(
    _ node: YAMLNode, _ place: YAMLPlace, _ suggestion: String?, isTop: Bool,
    _ hasChanged: inout Bool
  ) -> YAMLNode {
    var node = node
    switch node.content {
    case .scalar:
      guard let suggestion, YAMLPlace(node.location) == place else { return node }
      renamed.insert(place)
      node.content = .scalar(YAMLScalar(suggestion))
      hasChanged = true
    case .sequence(var elements):
      for index in elements.indices where elements[index].contains(line: place.line, place.column) {
        elements[index] = repaired(elements[index], place, suggestion, isTop: false, &hasChanged)
        if !hasChanged {
          elements.remove(at: index)
          shortened.insert(YAMLPlace(node.location))
          hasChanged = true
        }
        break
      }
      node.content = .sequence(elements)
    case .mapping(var pairs):
      for index in pairs.indices where !hasChanged {
        // A mapping without a key of its own stands where its first key does.
        let isKey = isAtKey || place != YAMLPlace(node.location)
        if isKey, YAMLPlace(pairs[index].location) == place {
          if let suggestion, !pairs.contains(where: { $0.key == suggestion }) {
            renamed.insert(place)
            pairs[index].key = suggestion
            hasChanged = true
          } else if pairs.count > 1 {
            pairs.remove(at: index)
            hasChanged = true
          }
          break
        }
        guard pairs[index].value.contains(line: place.line, place.column) else { continue }
        pairs[index].value = repaired(
          pairs[index].value, place, suggestion, isTop: false, &hasChanged)
        if hasChanged, !isTop, case .sequence(let rest) = pairs[index].value.content, rest.isEmpty {
          shortened.insert(YAMLPlace(node.location))
        }
        // A part of the file by itself: without it, the others can be read.
        if !hasChanged, isTop {
          let key = pairs[index].key
          if Self.required.contains(key) {
            pairs[index].value = Self.standIn(for: key, at: pairs[index].value.location)
          } else {
            pairs.remove(at: index)
          }
          hasChanged = true
          break
        }
      }
      if !hasChanged, isTop, YAMLPlace(node.location) == place {
        // A key is missing.
        for key in Self.required where !pairs.contains(where: { $0.key == key }) && !hasChanged {
          pairs.append(YAMLPair(key, at: node.location, Self.standIn(for: key, at: node.location)))
          hasChanged = true
        }
      }
      node.content = .mapping(pairs)
    }
    return node
  }

  /// The keys that every definition needs.
  private static let required = [
    "id", "name", "vendor", "description", "match", "link", "records",
  ]

  /// A value that is right, in place of one that every definition needs.
  private static func standIn(for key: String, at location: YAMLLocation) -> YAMLNode {
    func text(_ text: String) -> YAMLNode { YAMLNode(.scalar(YAMLScalar(text)), at: location) }
    func mapping(_ key: String, _ value: YAMLNode) -> YAMLNode {
      YAMLNode(.mapping([YAMLPair(key, at: location, value)]), at: location)
    }
    return switch key {
    case "match":
      mapping("any", YAMLNode(.sequence([mapping("namePrefix", text("x-y-z"))]), at: location))
    case "link": mapping("mode", text("connect"))
    case "records": YAMLNode(.sequence([]), at: location)
    default: text("x")
    }
  }
}

extension YAMLNode {
  /// Whether a place is the node's own or that of a part of it.
  fileprivate func contains(line: Int, _ column: Int) -> Bool {
    if location.line == line, location.column == column { return true }
    switch content {
    case .scalar: return false
    case .sequence(let elements): return elements.contains { $0.contains(line: line, column) }
    case .mapping(let pairs):
      return pairs.contains {
        $0.location.line == line && $0.location.column == column
          || $0.value.contains(line: line, column)
      }
    }
  }
}
