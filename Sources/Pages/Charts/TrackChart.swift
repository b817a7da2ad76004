/// The weights of several people who use one scale: each with its band, and what waits as rings.
struct TrackChart: Chart {
  var title: String
  var summary: String
  var tracks: [Track]
  /// The weighings of nobody's track, by position.
  var guests: [(x: Double, y: Double)]
  /// The ends of the horizontal axis, in days.
  var span: ClosedRange<Double>
  /// The labels of the horizontal axis, by position.
  var labels: [AxisLabel]
  /// How a value on the vertical axis reads.
  var label: @Sendable (Double) -> String
  var table: ChartTable

  /// The weights of one person.
  struct Track: Sendable {
    /// The name at the end of its line: a colour is never alone.
    var name: String
    var tint: Tint
    var points: [Point]
  }

  /// A weighing of a track.
  struct Point: Sendable {
    /// The position, in days.
    var x: Double
    var y: Double
    /// The weight as it is followed, and how far around it the band goes.
    var level: Double
    var spread: Double
    var waits: Bool
    /// The row of the table that says it.
    var row: Int
  }

  func drawing(_ size: ChartSize) -> SVGDrawing {
    let height = size == .narrow ? 300.0 : 360
    let (top, bottom) = (14.0, height - 26)
    var drawing = SVGDrawing(width: size.width, height: height)
    let all = tracks.flatMap(\.points)
    let values = all.flatMap { [$0.y, $0.level - $0.spread, $0.level + $0.spread] }
    let scale = AxisScale(of: values + guests.map(\.y))
    let left = drawing.valueAxis(scale, top: top, bottom: bottom, label: label) + 6
    let names = tracks.map { $0.name.fitted(to: size.width / 4) }
    let right = size.width - 10 - (names.map { $0.drawnWidth() }.max() ?? 0)
    let length = max(span.upperBound - span.lowerBound, 1)
    func x(_ position: Double) -> Double {
      left + (right - left) * min(max((position - span.lowerBound) / length, 0), 1)
    }
    func y(_ value: Double) -> Double { bottom - scale.fraction(value) * (bottom - top) }
    for track in tracks {
      drawing.band(
        "band " + track.tint.rawValue,
        upper: track.points.map { (x($0.x), y($0.level + $0.spread)) },
        lower: track.points.map { y($0.level - $0.spread) })
    }
    for guest in guests {
      let (x, y) = (x(guest.x), y(guest.y))
      drawing.line("guest", x1: x - 3, y1: y - 3, x2: x + 3, y2: y + 3)
      drawing.line("guest", x1: x - 3, y1: y + 3, x2: x + 3, y2: y - 3)
    }
    let radius = all.count > 200 && size == .narrow ? 2.2 : 3.2
    for track in tracks {
      drawing.polyline(
        "trend " + track.tint.rawValue, track.points.map { (x($0.x), y($0.level)) })
      for point in track.points {
        drawing.circle(
          (point.waits ? "open " : "dot ") + track.tint.rawValue, x: x(point.x), y: y(point.y),
          radius: radius, row: point.row)
      }
    }
    let ends = zip(tracks, names).compactMap { track, name in
      track.points.last.map { (name: name, tint: track.tint, y: y($0.level)) }
    }.sorted { $0.y < $1.y }
    var free = top
    for end in ends {
      // Names of near lines stand one under the other.
      let place = max(end.y + 4, free)
      drawing.text(
        end.name, x: right + 8, y: min(place, bottom), "row-text " + end.tint.rawValue)
      free = place + SVGDrawing.textSize + 2
    }
    for label in AxisLabel.fitting(labels, in: 0...right, place: x) {
      drawing.text(label.text, x: label.x, y: height - 6, anchor: .middle)
    }
    return drawing
  }
}
