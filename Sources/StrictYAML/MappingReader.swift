/// Reads a mapping key by key, and knows at the end which keys nobody asked for.
package struct MappingReader {
  /// Where the mapping begins.
  package let location: YAMLLocation
  private let pairs: [String: YAMLPair]
  /// The keys in the order of the file.
  private let order: [String]
  private var asked: [String] = []

  init(_ pairs: [YAMLPair], at location: YAMLLocation) {
    self.location = location
    self.pairs = Dictionary(pairs.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
    order = pairs.map(\.key)
  }

  /// The value of a key that must be there.
  package mutating func required(_ key: String) throws(YAMLError) -> YAMLNode {
    guard let value = optional(key) else {
      // A misspelt key is the likelier reason than a forgotten one.
      try refuseMisspelling(of: key)
      throw location.error("the key ‘\(key)’ is missing")
    }
    return value
  }

  /// The value of a key that may be left out or empty.
  package mutating func optional(_ key: String) -> YAMLNode? {
    asked.append(key)
    guard let value = pairs[key]?.value, !value.isNull else { return nil }
    return value
  }

  /// Where `key` stands; the mapping's own place where it does not.
  package func location(of key: String) -> YAMLLocation { pairs[key]?.location ?? location }

  /// Refuses the first key that was never asked for.
  package func finish() throws(YAMLError) {
    guard let unknown = order.first(where: { !asked.contains($0) }) else { return }
    throw location(of: unknown).error(
      "unknown key ‘\(unknown)’" + Spelling.suggestion(for: unknown, among: asked))
  }

  private func refuseMisspelling(of key: String) throws(YAMLError) {
    let candidates = order.filter { !asked.contains($0) }
    guard let near = Spelling.nearest(to: key, among: candidates) else { return }
    throw location(of: near).error("unknown key ‘\(near)’ (did you mean ‘\(key)’?)")
  }
}
