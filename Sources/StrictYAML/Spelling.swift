/// Suggests the known word nearest to a misspelt one.
package enum Spelling {
  /// ` (did you mean ‘interval’?)`, or an empty text if no known word is near.
  ///
  /// - Parameters:
  ///   - word: The word that is not known.
  ///   - known: The known words.
  ///   - meant: Those that the word says in everyday language, in place of the nearest.
  /// - Returns: The words to append to a reason.
  package static func suggestion(
    for word: String, among known: some Sequence<String>, meaning meant: [String] = []
  ) -> String {
    let words = meant.isEmpty ? nearest(to: word, among: known).map { [$0] } ?? [] : meant
    guard !words.isEmpty else { return "" }
    return " (did you mean \(words.map { "‘\($0)’" }.joined(separator: " and "))?)"
  }

  /// The word that a suggestion in `text` names first.
  package static func suggested(in text: String) -> String? {
    guard let begin = text.firstRange(of: "(did you mean ‘") else { return nil }
    return text[begin.upperBound...].split(separator: "’").first.map(String.init)
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
