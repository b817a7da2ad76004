import Yams

/// Strict reading of YAML, and of JSON, which is YAML too.
///
/// A file is one document, at most ``Limits/bytes`` long and ``Limits/depth`` levels deep, without
/// aliases, anchors, tags, duplicate keys or keys that are not single values. Whoever reads it asks
/// for the keys it knows; a key that nobody asked for is an error:
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
/// Every error is a ``YAMLError`` with file, line, column and reason. Single values keep their text:
/// `YAMLNode.scalar()` gives it as it stands, `error(_:)` on a node makes an error of the caller's own.
package enum YAMLDocument {
  /// How large a file may be.
  package struct Limits: Hashable, Sendable {
    /// The most bytes of UTF-8.
    package var bytes: Int
    /// The most levels of lists and mappings inside each other.
    package var depth: Int

    /// Makes limits: 1 MiB and 64 levels, where nothing else is said.
    package init(bytes: Int = 1 << 20, depth: Int = 64) {
      self.bytes = bytes
      self.depth = depth
    }
  }

  /// Reads the one document of `text`.
  ///
  /// - Parameters:
  ///   - text: The whole file.
  ///   - file: The name that errors give.
  ///   - limits: How large it may be.
  /// - Returns: The document's root.
  /// - Throws: ``YAMLError`` with the place and the reason.
  package static func parse(
    _ text: String, file: String, limits: Limits = Limits()
  ) throws(YAMLError) -> YAMLNode {
    let start = YAMLLocation(file: file, line: 1, column: 1)
    guard text.utf8.count <= limits.bytes else {
      throw start.error("the file is larger than \(limits.bytes) bytes")
    }
    if let name = AliasScan.aliasedName(in: text) {
      throw start.error("‘&\(name)’ and ‘*\(name)’: anchors and aliases are not taken")
    }
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
