/// One value of a document with its location in the file.
package struct YAMLNode: Hashable, Sendable {
  /// The value.
  package var content: Content
  /// The location of its first character.
  package var location: YAMLLocation

  /// The three kinds of a value.
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

  /// An error at this node.
  package func error(_ reason: String) -> YAMLError { location.error(reason) }

  /// An error at this node: a word is not known, as `sentence` says.
  package func error(_ sentence: String, meant: Spelling.Suggestion) -> YAMLError {
    location.error(sentence, meant: meant)
  }

  /// Whether the value is null: empty, `~` or `null`, without quotes.
  package var isNull: Bool {
    guard case .scalar(let scalar) = content, !scalar.isQuoted else { return false }
    return ["", "~", "null", "Null", "NULL"].contains(scalar.text)
  }

  /// The kind in words, for error messages.
  package var shape: String {
    switch content {
    case .scalar: isNull ? "nothing" : "a single value"
    case .sequence: "a list"
    case .mapping: "a mapping of keys to values"
    }
  }
}

/// A single value as written in the file, so that decimals and hex can be read exactly.
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
  /// The location of the key.
  package var location: YAMLLocation
  /// The value.
  package var value: YAMLNode

  /// Makes a pair.
  package init(_ key: String, at location: YAMLLocation, _ value: YAMLNode) {
    self.key = key
    self.location = location
    self.value = value
  }
}

// MARK: - Reading

extension YAMLNode {
  /// A reader of this mapping's keys.
  package func mapping() throws(YAMLError) -> MappingReader {
    MappingReader(try pairs(), at: location)
  }

  /// The keys and values of a mapping with arbitrary keys, in order.
  package func pairs() throws(YAMLError) -> [YAMLPair] {
    guard case .mapping(let pairs) = content else {
      throw error("expected a mapping of keys to values, found \(shape)")
    }
    return pairs
  }

  /// The elements of a list.
  package func sequence() throws(YAMLError) -> [YAMLNode] {
    guard case .sequence(let elements) = content else {
      throw error("expected a list, found \(shape)")
    }
    return elements
  }

  /// The single value as written.
  package func scalar() throws(YAMLError) -> YAMLScalar {
    guard case .scalar(let scalar) = content, !isNull else {
      throw error("expected a single value, found \(shape)")
    }
    return scalar
  }

  /// The characters of a single value that is not empty.
  package func string() throws(YAMLError) -> String {
    let text = try scalar().text
    guard !text.isEmpty else { throw error("expected a text, found an empty one") }
    return text
  }

  /// `true` or `false`.
  package func boolean() throws(YAMLError) -> Bool {
    let scalar = try scalar()
    switch (scalar.isQuoted, scalar.text) {
    case (false, "true"): return true
    case (false, "false"): return false
    default: throw error("expected true or false, found ‘\(scalar.text)’")
    }
  }

  /// A whole number in `range`, decimal or hexadecimal (`0x2A37`).
  package func integer(in range: ClosedRange<Int> = .min ... .max) throws(YAMLError) -> Int {
    let scalar = try scalar()
    guard !scalar.isQuoted, let value = Self.integer(scalar.text) else {
      throw error("expected a whole number, found ‘\(scalar.text)’")
    }
    guard range.contains(value) else {
      throw error("\(value) is not between \(range.lowerBound) and \(range.upperBound)")
    }
    return value
  }

  /// A finite decimal number (`82`, `-0.5`, `1e-3`).
  package func number() throws(YAMLError) -> Double {
    let scalar = try scalar()
    guard !scalar.isQuoted, let value = Self.number(scalar.text) else {
      throw error("expected a number, found ‘\(scalar.text)’")
    }
    return value
  }

  /// One of the raw values of an enumeration.
  package func choice<Choice>(
    of type: Choice.Type = Choice.self
  ) throws(YAMLError) -> Choice where Choice: RawRepresentable<String> & CaseIterable {
    let text = try choice(of: Choice.allCases.map(\.rawValue))
    guard let choice = Choice(rawValue: text) else { throw error("‘\(text)’ is not known") }
    return choice
  }

  /// One of some words.
  package func choice(of words: [String]) throws(YAMLError) -> String {
    let text = try string()
    guard words.contains(text) else {
      throw error(
        "‘\(text)’ is not one of \(words.joined(separator: ", "))",
        meant: Spelling.Suggestion(for: text, among: words))
    }
    return text
  }

  private static func integer(_ text: String) -> Int? {
    guard text.hasPrefix("0x") || text.hasPrefix("0X") else { return Int(text) }
    let digits = text.dropFirst(2)
    return digits.allSatisfy(\.isHexDigit) ? Int(digits, radix: 16) : nil
  }

  /// `text` as a decimal number; unlike `Double.init` without hexadecimal, infinity and NaN.
  package static func number(_ text: String) -> Double? {
    guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }) else { return nil }
    guard let value = Double(text), value.isFinite else { return nil }
    return value
  }
}

// MARK: - Mapping reader

/// Reads a mapping key by key and refuses the keys that were not requested.
package struct MappingReader {
  /// Where the mapping begins.
  package let location: YAMLLocation
  private let pairs: [String: YAMLPair]
  /// The keys in the order of the file.
  private let order: [String]
  private var requested: [String] = []

  init(_ pairs: [YAMLPair], at location: YAMLLocation) {
    self.location = location
    self.pairs = Dictionary(pairs.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    order = pairs.map(\.key)
  }

  /// The value of a required key.
  package mutating func required(_ key: String) throws(YAMLError) -> YAMLNode {
    guard let value = optional(key) else {
      // A misspelt key is more likely than a missing one.
      try refuseMisspelling(of: key)
      throw location.error(.missingKey(key))
    }
    return value
  }

  /// The value of an optional key; `nil` if it is missing or null.
  package mutating func optional(_ key: String) -> YAMLNode? {
    requested.append(key)
    guard let value = pairs[key]?.value, !value.isNull else { return nil }
    return value
  }

  /// The location of `key`, or of the mapping if the key is missing.
  package func location(of key: String) -> YAMLLocation { pairs[key]?.location ?? location }

  /// Refuses the first key that was not requested.
  ///
  /// - Parameter meant: The key that another word usually stands for.
  /// - Throws: ``YAMLError`` with the key, and the one that it was probably meant to be.
  package func finish(meant: [String: String] = [:]) throws(YAMLError) {
    guard let unknown = order.first(where: { !requested.contains($0) }) else { return }
    var known: [String] = []
    for key in requested where !known.contains(key) { known.append(key) }
    let suggestion = Spelling.Suggestion(
      for: unknown, among: known, meaning: meant[unknown].map { [$0] } ?? [])
    throw location(of: unknown).error(.unknownKey(unknown, meant: suggestion, known: known))
  }

  /// The key that is not requested and may be a misspelt `key`; `nil` without one.
  package func misspelling(of key: String) -> String? {
    Spelling.nearest(to: key, among: order.filter { !requested.contains($0) })
  }

  private func refuseMisspelling(of key: String) throws(YAMLError) {
    guard let near = misspelling(of: key) else { return }
    throw location(of: near).error(.unknownKey(near, meant: Spelling.Suggestion([key])))
  }
}
