/// Values over days: dots, a smoothed line through them, and the usual spread around it.
struct LineChart: Chart {
  var title: String
  var summary: String
  /// The measured values, by position.
  var points: [Point]
  /// The smoothed values, by position.
  var trend: [Trend.Point] = []
  /// Whether a line joins the points themselves.
  var joinsPoints = false
  /// The ends of the horizontal axis, in days.
  var span: ClosedRange<Double>
  /// The labels of the horizontal axis, by position.
  var labels: [AxisLabel]
  /// The wanted beginning of the vertical axis.
  var minimum: Double?
  /// The wanted end of the vertical axis.
  var maximum: Double?
  /// Lines across, with their labels: goals and limits.
  var limits: [AxisLabel] = []
  /// How a value on the vertical axis reads.
  var label: @Sendable (Double) -> String
  var table: ChartTable

  /// A measured value, or those of a day together.
  struct Point: Hashable, Sendable {
    /// The position, in days.
    var x: Double
    /// The value, or the mean.
    var y: Double
    /// The least and greatest, if several values are one point.
    var range: ClosedRange<Double>?

    init(x: Double, y: Double, range: ClosedRange<Double>? = nil) {
      self.x = x
      self.y = y
      self.range = range
    }

    fileprivate var isFinite: Bool { x.isFinite && y.isFinite }
  }

  func drawing(_ size: ChartSize) -> SVGDrawing {
    let height = size == .narrow ? 200.0 : 250
    let (top, bottom) = (14.0, height - 26)
    var drawing = SVGDrawing(width: size.width, height: height)
    let points = points.filter(\.isFinite)
    let trend = trend.filter { $0.x.isFinite && $0.value.isFinite && $0.spread.isFinite }
    let ranges = points.compactMap(\.range)
    let values =
      points.map(\.y) + ranges.map(\.lowerBound) + ranges.map(\.upperBound)
      + trend.flatMap { [$0.value - $0.spread, $0.value + $0.spread] }
      + limits.map(\.position)
    let scale = AxisScale(of: values, minimum: minimum, maximum: maximum)
    let left = drawing.valueAxis(scale, top: top, bottom: bottom, label: label) + 6
    let right = size.width - 8
    func x(_ position: Double) -> Double {
      let length = span.upperBound - span.lowerBound
      guard length > 0, position.isFinite else { return (left + right) / 2 }
      let fraction = (position - span.lowerBound) / length
      return left + (right - left) * min(max(fraction, 0), 1)
    }
    func y(_ value: Double) -> Double { bottom - scale.fraction(value) * (bottom - top) }

    drawing.band(
      "band", upper: trend.map { (x($0.x), y($0.value + $0.spread)) },
      lower: trend.map { y($0.value - $0.spread) })
    for point in points {
      guard let range = point.range, range.lowerBound < range.upperBound else { continue }
      drawing.line(
        "range", x1: x(point.x), y1: y(range.lowerBound), x2: x(point.x), y2: y(range.upperBound))
    }
    if joinsPoints { drawing.polyline("joined", points.map { (x($0.x), y($0.y)) }) }
    let radius = points.count > 120 && size == .narrow ? 2.0 : 3.2
    for (row, point) in points.enumerated() {
      drawing.circle("dot", x: x(point.x), y: y(point.y), radius: radius, row: row)
    }
    drawing.polyline("trend", trend.map { (x($0.x), y($0.value)) })
    drawing.limits(limits, left: left, right: right, y: y)
    for label in AxisLabel.fitting(labels, in: 0...size.width, place: x) {
      drawing.text(label.text, x: label.x, y: height - 6, anchor: .middle)
    }
    return drawing
  }
}

// MARK: - Two quantities

/// One value against another: a dot for each day that has both.
struct ScatterChart: Chart {
  var title: String
  var summary: String
  /// The days, each with the values across and upwards.
  var points: [(x: Double, y: Double)]
  /// The title of the horizontal axis, with its unit.
  var acrossTitle: String
  /// The title of the vertical axis, with its unit.
  var upwardTitle: String
  /// How a value across reads.
  var acrossLabel: @Sendable (Double) -> String
  /// How a value upwards reads.
  var upwardLabel: @Sendable (Double) -> String
  var table: ChartTable

  func drawing(_ size: ChartSize) -> SVGDrawing {
    let height = size == .narrow ? 230.0 : 290
    let (top, bottom) = (34.0, height - 46)
    var drawing = SVGDrawing(width: size.width, height: height)
    let points = points.filter { $0.x.isFinite && $0.y.isFinite }
    let across = AxisScale(of: points.map(\.x))
    let upward = AxisScale(of: points.map(\.y))
    let left = drawing.valueAxis(upward, top: top, bottom: bottom, label: upwardLabel) + 6
    let right = size.width - 8
    for (row, point) in points.enumerated() {
      drawing.circle(
        "dot", x: left + across.fraction(point.x) * (right - left),
        y: bottom - upward.fraction(point.y) * (bottom - top), radius: 3.6, row: row)
    }
    let labels = across.ticks.map { AxisLabel(position: $0, text: acrossLabel($0)) }
    let fitting = AxisLabel.fitting(labels, in: 0...size.width) { value in
      left + across.fraction(value) * (right - left)
    }
    for label in fitting { drawing.text(label.text, x: label.x, y: bottom + 20, anchor: .middle) }
    drawing.text(upwardTitle.fitted(to: size.width), x: 0, y: 13)
    drawing.text(acrossTitle.fitted(to: size.width), x: size.width, y: height - 6, anchor: .end)
    return drawing
  }
}
