/// One value of a document, with its place in the file.
package struct YAMLNode: Hashable, Sendable {
  /// What it holds.
  package var content: Content
  /// Where it begins.
  package var location: YAMLLocation

  /// The three shapes of a value.
  package indirect enum Content: Hashable, Sendable {
    case scalar(YAMLScalar)
    case sequence([YAMLNode])
    case mapping([YAMLPair])
  }

  /// Makes a node.
  package init(_ content: Content, at location: YAMLLocation) {
    self.content = content
    self.location = location
  }

  /// The error that `reason` is at this node.
  package func error(_ reason: String) -> YAMLError { location.error(reason) }

  /// Whether nothing stands here: an empty value, `~` or `null`, without quotes.
  package var isNull: Bool {
    guard case .scalar(let scalar) = content, !scalar.isQuoted else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(scalar.text)
  }

  /// What people call the shape.
  package var shape: String {
    switch content {
    case .scalar: isNull ? "nothing" : "a single value"
    case .sequence: "a list"
    case .mapping: "a mapping of keys to values"
    }
  }
}

/// A single value as it stands in the file, so that decimals and hex can be read exactly.
package struct YAMLScalar: Hashable, Sendable {
  /// The characters, without quotes and escapes.
  package var text: String
  /// Whether it was quoted or written as a block of text: then it is never a number or a null.
  package var isQuoted: Bool

  /// Makes a scalar.
  package init(_ text: String, isQuoted: Bool = false) {
    self.text = text
    self.isQuoted = isQuoted
  }
}

/// A key with its value.
package struct YAMLPair: Hashable, Sendable {
  /// The key.
  package var key: String
  /// Where the key stands.
  package var location: YAMLLocation
  /// What it is given.
  package var value: YAMLNode

  /// Makes a pair.
  package init(_ key: String, at location: YAMLLocation, _ value: YAMLNode) {
    self.key = key
    self.location = location
    self.value = value
  }
}
