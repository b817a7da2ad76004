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
