import Foundation

/// A small line of a quantity's course, with its text equivalent.
struct TrendChart {
  /// The points of a polyline in a box of 112 by 40.
  let line: String
  let lastX: String
  let lastY: String
  let label: String

  struct Point {
    let date: Date
    let number: Double
    let text: String
  }

  /// The fewest days that show a course.
  private static let fewest = 3

  /// Draws the points, in order of time; `nil` for fewer than three.
  init?(_ points: [Point], words: Language) {
    let points = points.filter { $0.number.isFinite }
    guard points.count >= Self.fewest, let first = points.first, let last = points.last,
      let least = points.map(\.number).min(), let most = points.map(\.number).max()
    else { return nil }
    let span = max(last.date.timeIntervalSince(first.date), 1)
    let height = most - least
    let places = points.map { point in
      (
        x: 4 + 102 * point.date.timeIntervalSince(first.date) / span,
        y: height > 0 ? 36 - 32 * (point.number - least) / height : 20
      )
    }
    let text = { (number: Double) in String(format: "%.1f", number) }
    line = places.map { text($0.x) + "," + text($0.y) }.joined(separator: " ")
    lastX = text(places[places.count - 1].x)
    lastY = text(places[places.count - 1].y)
    label = words.text("today.trend", ["first": first.text, "last": last.text])
  }
}
