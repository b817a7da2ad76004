import Foundation

/// The example at the top of a module's documentation, and the compiled test code that holds the same
/// lines between `// snippet` and `// end of snippet`.
package enum DocumentedSnippet {
  /// The first Swift block of an article, without its imports.
  ///
  /// - Parameter article: The path below the package's folder, which is the tests' working folder.
  /// - Returns: The lines of the block; none if the article has no Swift block.
  /// - Throws: If the article cannot be read.
  package static func inArticle(_ article: String) throws -> [String] {
    let path = FileManager.default.currentDirectoryPath + "/" + article
    let lines = try lines(of: path)
    let block = lines.drop { $0 != "```swift" }.dropFirst().prefix { $0 != "```" }
    return Array(block.drop { $0.hasPrefix("import ") || $0.isEmpty })
  }

  /// The lines between the two comments of a source file, without their common indentation.
  package static func inSource(_ path: String = #filePath) throws -> [String] {
    let lines = try lines(of: path)
    let block = lines.drop { !$0.hasSuffix("// snippet") }.dropFirst()
      .prefix { !$0.hasSuffix("// end of snippet") }
    let indentation = block.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return block.map { String($0.dropFirst(indentation)) }
  }

  private static func lines(of path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
