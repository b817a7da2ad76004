extension Array where Element: Comparable {
  /// The middle element by size, the upper one of two; `nil` where there is none.
  var median: Element? {
    isEmpty ? nil : sorted()[count / 2]
  }
}
