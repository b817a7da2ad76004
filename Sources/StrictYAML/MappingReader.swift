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
