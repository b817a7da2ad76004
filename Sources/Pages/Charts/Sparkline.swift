/// A line without axes beside a value: how it went lately.
struct Sparkline: Sendable {
  /// The values, by position.
  var points: [(x: Double, y: Double)]
  /// The same in words.
  var summary: String

  /// The drawing; `nil` for fewer than two values.
  var html: String? {
    let points = points.filter { $0.x.isFinite && $0.y.isFinite && abs($0.y) < 1e12 }
    guard points.count > 1, let first = points.map(\.x).min(), let last = points.map(\.x).max(),
      let least = points.map(\.y).min(), let most = points.map(\.y).max(), first < last
    else { return nil }
    var drawing = SVGDrawing(width: 150, height: 40)
    let places = points.map { point in
      (
        x: 4 + (point.x - first) / (last - first) * 142,
        y: most > least ? 36 - (point.y - least) / (most - least) * 32 : 20
      )
    }
    drawing.polyline("trend", places)
    if let end = places.last { drawing.circle("last", x: end.x, y: end.y, radius: 3.6) }
    return drawing.svg("chart sparkline", title: summary, description: "")
  }
}
