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

/// A part of a whole as a ring with a text inside.
struct Ring: Sendable {
  /// The part, 0…1.
  var fraction: Double
  /// The text inside, of a few characters.
  var text: String
  /// The same in words.
  var summary: String

  /// The drawing.
  ///
  /// The circle's path length is set to 100, so that the dashes are parts of a hundred.
  var html: String {
    let part = fraction.isFinite ? min(max(fraction, 0), 1) * 100 : 0
    let arc =
      part > 0
      ? "<circle class=\"fg\" cx=\"30\" cy=\"30\" r=\"25\" pathLength=\"100\""
        + " stroke-dasharray=\"\(part.tenths) 100\" transform=\"rotate(-90 30 30)\"/>" : ""
    return "<svg class=\"chart ring-large\" viewBox=\"0 0 60 60\" width=\"60\" height=\"60\""
      + " role=\"img\"><title>\(summary.escaped)</title>"
      + "<circle class=\"bg\" cx=\"30\" cy=\"30\" r=\"25\"/>\(arc)"
      + "<text x=\"30\" y=\"35\" text-anchor=\"middle\">\(text.fitted(to: 44).escaped)</text></svg>"
  }
}
