import Care
import Digests

/// The last line of an export: the number of lines before it, and the digest of their bytes.
///
/// Without it a file that was cut at the end of a line, or in which a digit changed, would be the
/// export of another store.
struct EndLine: ExportedRow, Hashable {
  /// How many lines come before this one, the first one included.
  var lines = 0
  /// The SHA-256 digest of the lines before this one, each with its line feed, in hex digits.
  var sha256 = ""

  static let kind: String? = "end"

  mutating func fields<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
    try visitor.key("lines", &lines)
    try visitor.key("sha256", &sha256)
  }
}

/// Counts and digests the lines of an export.
struct ExportSeal: ~Copyable {
  private var count = 0
  private var digest = SHA256.Running()

  mutating func add(_ line: String) {
    count += 1
    digest.update(Array(line.utf8))
    digest.update([UInt8(ascii: "\n")])
  }

  /// The last line of an export of the lines that were added.
  consuming func end() -> EndLine {
    EndLine(lines: count, sha256: digest.finish().hexString)
  }

  /// Refuses a last line that was written after other lines.
  consuming func check(_ end: EndLine) throws(StoreError.ExportDamage) {
    let found = self.end()
    guard found.lines == end.lines else {
      throw .wrongCount(found: found.lines, expected: end.lines)
    }
    guard found.sha256 == end.sha256 else { throw .wrongDigest }
  }
}
