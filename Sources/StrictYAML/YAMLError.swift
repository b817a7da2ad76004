/// A defect of a file with its location.
///
/// `description` reads like a compiler's diagnostic:
/// `plan.yaml:7: unknown key ‘intervall’ (did you mean ‘interval’?)`.
package struct YAMLError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file's name as the caller gave it.
  package var file: String
  /// The line, from 1.
  package var line: Int
  /// The column, in Unicode scalars from 1.
  package var column: Int
  /// The kind of defect, with its facts.
  package var fault: Fault

  /// Makes an error.
  package init(file: String, line: Int, column: Int, fault: Fault) {
    self.file = file
    self.line = line
    self.column = column
    self.fault = fault
  }

  /// Makes an error of which only a person reads the reason.
  package init(file: String, line: Int, column: Int, reason: String) {
    self.init(file: file, line: line, column: column, fault: .invalid(reason))
  }

  /// The reason in words.
  package var reason: String { fault.text }

  package var description: String { "\(file):\(line): \(reason)" }
}

extension YAMLError {
  /// The kinds of defects that a ``YAMLRepair`` treats differently.
  package enum Fault: Hashable, Sendable {
    /// A required key is missing.
    case missingKey(String)
    /// A key that a mapping does not have; `known` are those that it has, if they are few.
    case unknownKey(
      String, noun: String = "key", meant: Spelling.Suggestion, known: [String] = [])
    /// A word that is not known, as the sentence says; the advice follows the suggestion.
    case unknownWord(String, meant: Spelling.Suggestion, advice: String = "")
    /// An element of a list that is the same as one before it, as the sentence says.
    case repetition(String)
    /// Any other defect, as the sentence says.
    case invalid(String)

    /// The words that were probably meant; empty for most defects.
    package var meant: [String] {
      switch self {
      case .unknownKey(_, _, let meant, _), .unknownWord(_, let meant, _): meant.words
      case .missingKey, .repetition, .invalid: []
      }
    }

    /// The defect in words.
    package var text: String {
      switch self {
      case .missingKey(let key): "the key ‘\(key)’ is missing"
      case .unknownKey(let key, let noun, let meant, let known):
        "unknown \(noun) ‘\(key)’"
          + (meant.words.isEmpty && !known.isEmpty
            ? "; the \(noun)s here are \(known.joined(separator: ", "))" : meant.text)
      case .unknownWord(let sentence, let meant, let advice): sentence + meant.text + advice
      case .repetition(let sentence), .invalid(let sentence): sentence
      }
    }
  }
}

/// A position in a file.
package struct YAMLLocation: Hashable, Sendable {
  /// The file's name as the caller gave it.
  package var file: String
  /// The line, from 1.
  package var line: Int
  /// The column, in Unicode scalars from 1.
  package var column: Int

  /// Makes a location.
  package init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// An error at this location.
  package func error(_ reason: String) -> YAMLError { error(.invalid(reason)) }

  /// An error at this location.
  package func error(_ fault: YAMLError.Fault) -> YAMLError {
    YAMLError(file: file, line: line, column: column, fault: fault)
  }

  /// An error at this location: a word is not known, as `sentence` says.
  package func error(_ sentence: String, meant: Spelling.Suggestion) -> YAMLError {
    error(.unknownWord(sentence, meant: meant))
  }
}

// MARK: - Spelling

/// Suggests the known word nearest to a misspelt one.
package enum Spelling {
  /// The known words that a misspelt one was probably meant to be.
  package struct Suggestion: Hashable, Sendable {
    /// The words, the most probable first; empty if no known word is near.
    package var words: [String]
    /// Whether one of the words is meant, and not all of them together.
    package var isChoice: Bool

    /// Makes a suggestion of words.
    package init(_ words: [String], isChoice: Bool = false) {
      self.words = words
      self.isChoice = isChoice
    }

    /// Suggests the known word nearest to a misspelt one.
    ///
    /// - Parameters:
    ///   - word: The word that is not known.
    ///   - known: The known words.
    ///   - meant: Those that the word says in everyday language, in place of the nearest.
    package init(
      for word: String, among known: some Sequence<String>, meaning meant: [String] = []
    ) {
      self.init(meant.isEmpty ? Spelling.nearest(to: word, among: known).map { [$0] } ?? [] : meant)
    }

    /// ` (did you mean ‘interval’?)`, to append to a reason; empty without a word.
    package var text: String {
      guard !words.isEmpty else { return "" }
      let joined = words.map { "‘\($0)’" }.joined(separator: isChoice ? " or " : " and ")
      return " (did you mean \(joined)?)"
    }
  }

  /// The text of the suggestion for a word that is not known.
  package static func suggestion(for word: String, among known: some Sequence<String>) -> String {
    Suggestion(for: word, among: known).text
  }

  /// The known word at the smallest edit distance, at most one edit in three letters.
  package static func nearest(to word: String, among known: some Sequence<String>) -> String? {
    let limit = max(1, word.count / 3)
    return
      known
      // The distance costs the product of the lengths; no known word is longer.
      .filter { $0.utf8.count <= 64 && word.utf8.count <= 64 }
      .map { (distance: distance(word, $0), word: $0) }
      .filter { $0.distance <= limit }
      .min { ($0.distance, $0.word) < ($1.distance, $1.word) }?
      .word
  }

  /// The edit distance of two words, ignoring case: insertions, deletions, substitutions and swaps
  /// of neighbours (the restricted distance of Damerau 1964).
  static func distance(_ first: String, _ second: String) -> Int {
    let first = Array(first.lowercased())
    let second = Array(second.lowercased())
    var beforeLast = Array(repeating: 0, count: second.count + 1)
    var last = Array(0...second.count)
    for i in first.indices {
      var row = [i + 1]
      for j in second.indices {
        let replaced = last[j] + (first[i] == second[j] ? 0 : 1)
        var least = min(replaced, last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
          least = min(least, beforeLast[j - 1] + 1)
        }
        row.append(least)
      }
      (beforeLast, last) = (last, row)
    }
    return last[second.count]
  }
}
