import Foundation

/// Lines on a terminal that are drawn anew in their place.
struct LiveTable {
  private var height = 0

  /// Draws `lines` over the ones before.
  mutating func show(_ lines: [String]) {
    let up = height > 0 ? "\u{1B}[\(height)A" : ""
    let drawn = lines.map { "\u{1B}[K\($0)\n" }.joined()
    Console.write("\r\(up)\(drawn)\u{1B}[J", to: .standardOutput)
    height = lines.count
  }
}
