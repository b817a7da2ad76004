/// Finds every mistake of a file: after a mistake the file is read again without what is wrong.
package protocol YAMLRepair {
  /// The tree without what is wrong; `nil` if further errors would only follow from the known ones.
  var root: YAMLNode? { get }
  /// The mistakes so far.
  var mistakes: [YAMLError] { get }

  /// Begins with the tree of a file.
  init(_ root: YAMLNode)

  /// Records a mistake, and takes it out of the tree.
  mutating func take(_ error: YAMLError)
}

extension YAMLRepair {
  /// Every mistake of a file, by line.
  ///
  /// - Parameters:
  ///   - text: The whole file.
  ///   - file: The file's name, for errors.
  ///   - read: Reads the tree, and throws its first mistake.
  /// - Returns: The mistakes; the first one alone of a file that is no YAML.
  package static func mistakes(
    in text: String, file: String, read: (YAMLNode) throws(YAMLError) -> Void
  ) -> [YAMLError] {
    do throws(YAMLError) {
      var repair = Self(try YAMLDocument.parse(text, file: file))
      while let root = repair.root {
        do throws(YAMLError) {
          try read(root)
          break
        } catch {
          repair.take(error)
        }
      }
      return repair.mistakes.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    } catch {
      return [error]
    }
  }
}

/// A position in a file.
package struct YAMLPlace: Hashable {
  /// The line, from 1.
  package var line: Int
  /// The column, from 1.
  package var column: Int

  /// Where a node or key begins.
  package init(_ location: YAMLLocation) { (line, column) = (location.line, location.column) }

  /// Where an error is.
  package init(_ error: YAMLError) { (line, column) = (error.line, error.column) }
}
