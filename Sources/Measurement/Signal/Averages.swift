import FixedPoint

extension Array where Element: Comparable {
  /// The middle element by size, the upper one of two; `nil` if the array is empty.
  var median: Element? {
    isEmpty ? nil : sorted()[count / 2]
  }
}

/// Centred averages over equal cells. Their support is finite on both sides, so samples that lie
/// further outside of a task than their width cannot change its result.
extension [Int64] {
  /// The mean over `width` cells about each (an odd number), over fewer at the ends.
  func movingMean(over width: Int) -> [Int64] {
    let half = width / 2
    var sum = prefix(half).reduce(0, +)
    return indices.map { index in
      if index + half < count { sum += self[index + half] }
      if index - half > 0 { sum -= self[index - half - 1] }
      let cells = Swift.min(index + half, count - 1) - Swift.max(index - half, 0) + 1
      return sum.roundedDivision(by: Int64(cells))
    }
  }

  /// Averaged twice, which weights the cells with a triangle: -3 dB at 0.32 over the width's
  /// duration.
  func smoothed(over width: Int) -> [Int64] {
    movingMean(over: width).movingMean(over: width)
  }

  /// The longest runs of cells that satisfy `condition`, in order.
  func spans(where condition: (Int64) -> Bool) -> [Range<Int>] {
    var result: [Range<Int>] = []
    var begin: Int?
    for index in indices {
      switch (condition(self[index]), begin) {
      case (true, nil): begin = index
      case (false, let first?):
        result.append(first..<index)
        begin = nil
      default: break
      }
    }
    if let begin { result.append(begin..<count) }
    return result
  }
}

extension [WideVector] {
  /// Each component smoothed over `width` cells.
  func smoothed(over width: Int) -> [WideVector] {
    let x = map(\.x).smoothed(over: width)
    let y = map(\.y).smoothed(over: width)
    let z = map(\.z).smoothed(over: width)
    return indices.map { WideVector(x: x[$0], y: y[$0], z: z[$0]) }
  }
}
