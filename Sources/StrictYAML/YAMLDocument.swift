import Foundation
import Yams

/// Strict reading of YAML, and of JSON, which is YAML too.
///
/// A file is one document, at most ``Limits/bytes`` long and ``Limits/depth`` levels deep, without
/// aliases, anchors, tags, duplicate keys or keys that are not single values. The caller requests
/// the keys it knows; every other key is an error:
///
/// ```swift
/// let root = try YAMLDocument.parse(text, file: "plan.yaml")
/// var plan = try root.mapping()
/// let zone = try plan.required("timeZone").string()
/// let retries = try plan.optional("retries")?.integer(in: 0...9) ?? 3
/// let tasks = try plan.optional("tasks")?.sequence() ?? []
/// try plan.finish()  // plan.yaml:7: unknown key ‘intervall’ (did you mean ‘interval’?)
/// ```
///
/// Every error is a ``YAMLError`` with file, line, column and reason. `YAMLNode.scalar()` gives a
/// single value as written; `error(_:)` on a node makes the caller's own error at its location.
package enum YAMLDocument {
  /// The limits of a file's size.
  package struct Limits: Hashable, Sendable {
    /// The maximum length in bytes of UTF-8.
    package var bytes: Int
    /// The maximum nesting of lists and mappings.
    package var depth: Int

    /// Makes limits, by default 1 MiB and 64 levels.
    package init(bytes: Int = 1 << 20, depth: Int = 64) {
      self.bytes = bytes
      self.depth = depth
    }
  }

  /// Reads the one document of `text`.
  ///
  /// - Parameters:
  ///   - text: The whole file.
  ///   - file: The file's name for errors.
  ///   - limits: The limits of its size.
  /// - Returns: The document's root.
  /// - Throws: ``YAMLError`` with the location and the reason.
  package static func parse(
    _ text: String, file: String, limits: Limits = Limits()
  ) throws(YAMLError) -> YAMLNode {
    let start = YAMLLocation(file: file, line: 1, column: 1)
    guard text.utf8.count <= limits.bytes else {
      throw start.error("the file is larger than \(limits.bytes) bytes")
    }
    if let name = AliasScan.aliasedName(in: text) {
      // They may stand in a text in quotes. Without a star there is no alias, and what is an anchor
      // still is one: this reading finds it, and no alias of an anchor is left for the next one.
      let withoutAliases = text.replacing("*", with: "x")
      guard (try? parse(aliasFree: withoutAliases, file: file, limits: limits)) != nil else {
        throw start.error("‘&\(name)’ and ‘*\(name)’: anchors and aliases are not taken")
      }
    }
    return try parse(aliasFree: text, file: file, limits: limits)
  }

  /// Reads the one JSON document of `bytes`: what else YAML allows is refused, as are two equal keys.
  ///
  /// - Parameters:
  ///   - bytes: The whole document, in UTF-8.
  ///   - name: The document's name for errors.
  ///   - limits: The limits of its size.
  /// - Returns: The document's root.
  /// - Throws: ``YAMLError`` with the location and the reason.
  package static func parse(
    json bytes: [UInt8], name: String, limits: Limits = Limits()
  ) throws(YAMLError) -> YAMLNode {
    let start = YAMLLocation(file: name, line: 1, column: 1)
    guard bytes.count <= limits.bytes else {
      throw start.error("it is larger than \(limits.bytes) bytes")
    }
    guard let text = String(validating: bytes, as: UTF8.self),
      (try? JSONSerialization.jsonObject(with: Data(bytes))) != nil
    else { throw start.error("it is no JSON") }
    // JSON has no aliases; text that looks like one stands in a string. Its tabs stand outside of
    // strings, where YAML does not take them.
    return try parse(aliasFree: text.replacing("\t", with: " "), file: name, limits: limits)
  }

  private static func parse(
    aliasFree text: String, file: String, limits: Limits
  ) throws(YAMLError) -> YAMLNode {
    let start = YAMLLocation(file: file, line: 1, column: 1)
    let text = SurrogateEscapes.joined(in: text)
    do {
      // The parser must outlive the tree, which holds its anchors weakly.
      let parser = try Yams.Parser(yaml: text, resolver: .basic, encoding: .utf8)
      return try withExtendedLifetime(parser) {
        guard let root = try parser.singleRoot() else { throw start.error("the file is empty") }
        return try NodeConversion(file: file, maximumDepth: limits.depth).node(root, depth: 1)
      }
    } catch let error as YAMLError {
      throw error
    } catch let error as YamlError {
      throw YAMLError(error, file: file, text: text)
    } catch {
      throw start.error("\(error)")
    }
  }

  /// Reads the one document of `bytes`, which must be UTF-8.
  package static func parse(
    _ bytes: [UInt8], file: String, limits: Limits = Limits()
  ) throws(YAMLError) -> YAMLNode {
    let start = YAMLLocation(file: file, line: 1, column: 1)
    guard bytes.count <= limits.bytes else {
      throw start.error("the file is larger than \(limits.bytes) bytes")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw start.error("the file is not UTF-8 text")
    }
    return try parse(text, file: file, limits: limits)
  }
}

// MARK: - Before parsing

/// Finds aliases before the text is parsed.
///
/// A few aliases of aliases expand to more nodes than the memory holds, so they must be refused
/// before a tree is built. An alias `*name` needs an anchor `&name`; a text in which no name
/// follows both has none; a lone `*word*` or `R&D` is valid.
private enum AliasScan {
  /// A name that follows both `&` and `*` in `text`.
  static func aliasedName(in text: String) -> String? {
    let anchors = names(after: UInt8(ascii: "&"), in: text)
    guard !anchors.isEmpty else { return nil }
    return names(after: UInt8(ascii: "*"), in: text).intersection(anchors).min()
  }

  private static func names(after indicator: UInt8, in text: String) -> Set<String> {
    var names: Set<String> = []
    var rest = text.utf8[...]
    while let found = rest.firstIndex(of: indicator) {
      // Inside a word (`R&D`) it is an ordinary character.
      let isInsideWord = rest[..<found].last.map(isNameByte) ?? false
      rest = rest[rest.index(after: found)...]
      let name = rest.prefix(while: isNameByte)
      if !name.isEmpty, !isInsideWord { names.insert(String(decoding: name, as: UTF8.self)) }
    }
    return names
  }

  /// The characters of an anchor's name in libyaml.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

/// JSON's escapes of characters above U+FFFF, which YAML writes differently.
///
/// JSON writes them as a pair of surrogates (`\ud83d\ude00`), YAML as one code (`\U0001f600`).
private enum SurrogateEscapes {
  /// `text` with every pair joined if it looks like JSON, else unchanged.
  static func joined(in text: String) -> String {
    guard let first = text.first(where: { !$0.isWhitespace }), first == "{" || first == "[",
      text.contains("\\u")
    else { return text }
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if let scalar = pair(bytes[index...]) {
        let digits = String(scalar, radix: 16)
        result += "\\U".utf8
        result += repeatElement(UInt8(ascii: "0"), count: 8 - digits.utf8.count)
        result += digits.utf8
        index += 12
      } else {
        // A backslash consumes the next byte, so that `\\u` is no escape.
        let length = bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        result += bytes[index...].prefix(length)
        index += length
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The scalar of the pair of escapes at the beginning of `bytes`.
  private static func pair(_ bytes: ArraySlice<UInt8>) -> UInt32? {
    guard let high = unit(bytes), (0xD800...0xDBFF).contains(high),
      let low = unit(bytes.dropFirst(6)), (0xDC00...0xDFFF).contains(low)
    else { return nil }
    return 0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
  }

  private static func unit(_ bytes: ArraySlice<UInt8>) -> UInt32? {
    guard bytes.starts(with: "\\u".utf8) else { return nil }
    let digits = bytes.dropFirst(2).prefix(4)
    let text = String(decoding: digits, as: UTF8.self)
    guard digits.count == 4, text.allSatisfy(\.isHexDigit) else { return nil }
    return UInt32(text, radix: 16)
  }
}

// MARK: - After parsing

/// Converts a parsed tree and refuses anchors, tags, aliases and deep nesting.
private struct NodeConversion {
  let file: String
  let maximumDepth: Int

  func node(_ node: Yams.Node, depth: Int) throws(YAMLError) -> YAMLNode {
    let location = location(of: node)
    guard depth <= maximumDepth else {
      throw location.error("lists and mappings are nested more than \(maximumDepth) deep")
    }
    switch node {
    case .scalar(let scalar):
      let isQuoted = scalar.style != .plain
      try refuseAnchor(scalar.anchor, at: location)
      // Yams gives every quoted scalar the string tag.
      try refuseTag(scalar.tag, at: location, except: isQuoted ? Tag.Name.str.rawValue : "")
      return YAMLNode(.scalar(YAMLScalar(scalar.string, isQuoted: isQuoted)), at: location)
    case .sequence(let sequence):
      try refuseAnchor(sequence.anchor, at: location)
      try refuseTag(sequence.tag, at: location)
      var elements: [YAMLNode] = []
      for element in sequence {
        elements.append(try self.node(element, depth: depth + 1))
      }
      return YAMLNode(.sequence(elements), at: location)
    case .mapping(let mapping):
      try refuseAnchor(mapping.anchor, at: location)
      try refuseTag(mapping.tag, at: location)
      var pairs: [YAMLPair] = []
      for (key, value) in mapping {
        let (text, place) = try self.key(key)
        pairs.append(YAMLPair(text, at: place, try self.node(value, depth: depth + 1)))
      }
      return YAMLNode(.mapping(pairs), at: location)
    case .alias:
      throw location.error("aliases are not taken")
    }
  }

  private func key(_ key: Yams.Node) throws(YAMLError) -> (String, YAMLLocation) {
    let location = location(of: key)
    guard case .scalar(let scalar) = key else {
      throw location.error("a key must be a single value")
    }
    try refuseAnchor(scalar.anchor, at: location)
    // Yams has compared the keys, which gave each of them the string tag.
    try refuseTag(scalar.tag, at: location, except: Tag.Name.str.rawValue)
    return (scalar.string, location)
  }

  private func location(of node: Yams.Node) -> YAMLLocation {
    YAMLLocation(file: file, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
  }

  private func refuseAnchor(_ anchor: Anchor?, at location: YAMLLocation) throws(YAMLError) {
    guard anchor == nil else { throw location.error("anchors are not taken") }
  }

  private func refuseTag(
    _ tag: Tag, at location: YAMLLocation, except allowed: String = ""
  ) throws(YAMLError) {
    let name = tag.description
    guard name.isEmpty || name == allowed else {
      throw location.error("tags are not taken, here ‘\(name)’")
    }
  }
}

extension YAMLError {
  /// The parser's error with its location.
  fileprivate init(_ error: YamlError, file: String, text: String) {
    switch error {
    case .scanner(let context, let problem, let mark, _),
      .parser(let context, let problem, let mark, _):
      let reason = [context?.text, problem].compactMap(\.self).joined(separator: ", ")
      let (line, advice) = Self.advice(
        problem, from: context?.mark.line, at: mark.line, column: mark.column, in: text)
      self.init(
        file: file, line: line, column: line == mark.line ? mark.column : 1,
        reason: "not YAML: \(advice ?? reason)")
    case .composer(_, let problem, let mark, _):
      self.init(file: file, line: mark.line, column: mark.column, reason: "not YAML: \(problem)")
    case .reader(let problem, let offset, _, _):
      let before = text.prefix(offset ?? 0)
      let line = before.count(where: \.isNewline) + 1
      let column = before.suffix(while: { !$0.isNewline }).unicodeScalars.count + 1
      self.init(file: file, line: line, column: column, reason: "not YAML: \(problem)")
    case .duplicatedKeysInMapping(let keys, let context):
      let names = keys.map { "‘\($0)’" }.joined(separator: ", ")
      self.init(
        file: file, line: context.mark.line, column: context.mark.column,
        reason: "the key \(names) is given more than once")
    default:
      self.init(file: file, line: 1, column: 1, reason: "not YAML: \(error)")
    }
  }
}

extension YAMLError {
  /// The parser's problem in words for a person who writes a file, and the line where it begins.
  ///
  /// - Returns: No words for a problem that the parser names well enough.
  private static func advice(
    _ problem: String, from first: Int?, at line: Int, column: Int, in text: String
  ) -> (line: Int, advice: String?) {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let own = lines.indices.contains(line - 1) ? lines[line - 1] : ""
    if own.prefix(while: \.isWhitespace).contains("\t") {
      return (line, "indent with spaces, not with a tab")
    }
    switch (ParserProblem(rawValue: problem), first) {
    case (.colon, _):
      return (
        line,
        "a colon begins a value here: put a text that contains ‘: ’ in quotes, or mend the"
          + " indentation"
      )
    case (.openMapping, let first?):
      return (first, "the { of this line is not closed, or a comma is missing")
    case (.openSequence, let first?):
      return (first, "the [ of this line is not closed, or a comma is missing")
    default: return (line, nil)
    }
  }
}

/// The problems that the parser names in words alone, and that have a plainer reason.
///
/// Source: libyaml 0.2.5, `src/scanner.c` and `src/parser.c`.
private enum ParserProblem: String {
  case colon = "mapping values are not allowed in this context"
  case openMapping = "did not find expected ',' or '}'"
  case openSequence = "did not find expected ',' or ']'"
}

extension BidirectionalCollection {
  /// The longest suffix whose elements all satisfy `predicate`.
  fileprivate func suffix(while predicate: (Element) -> Bool) -> SubSequence {
    var start = endIndex
    while start > startIndex, predicate(self[index(before: start)]) { start = index(before: start) }
    return self[start...]
  }
}
