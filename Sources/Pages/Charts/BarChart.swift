/// Bars in groups: one group a category, one bar a series.
///
/// As in CareKit 1 (`OCKBarChart`): there are as many categories as the longest of the arrays has
/// elements, a given maximum below the data's is ignored, and so is a given minimum above it.
struct BarChart: Chart {
  var title: String
  var summary: String
  /// The heading of the categories' column in the table.
  var categoryTitle: String
  /// The titles of the categories, in order.
  var categories: [String]
  /// Second lines below the titles.
  var subtitles: [String] = []
  /// The bars, one series a colour.
  var series: [Series]
  /// The wanted beginning of the axis.
  var minimum: Double? = 0
  /// The wanted end of the axis.
  var maximum: Double?
  /// Lines across, with their labels: goals and limits.
  var limits: [AxisLabel] = []
  /// How a value on the axis reads.
  var label: @Sendable (Double) -> String

  /// The bars of one colour.
  struct Series: Sendable {
    /// The title of the series, for the legend and the table.
    var title: String
    /// The values; `nil` for a category without one.
    var values: [Double?]
    /// How the values read.
    var labels: [String]
  }

  /// How many series have a look of their own.
  static let seriesLimit = 4

  private var count: Int {
    ([categories.count, subtitles.count] + series.flatMap { [$0.values.count, $0.labels.count] })
      .max() ?? 0
  }

  var table: ChartTable {
    ChartTable(
      head: [categoryTitle] + series.map(\.title),
      rows: (0..<count).map { place in
        let heading = [categories.element(place), subtitles.element(place)].compactMap(\.self)
        return [heading.joined(separator: " ")]
          + series.map { $0.labels.element(place) ?? $0.value(place).map(label) ?? "–" }
      })
  }

  /// Whether the titles of a legend stand beside each other; else each has its line.
  fileprivate static func isOneLine(_ titles: [String], in width: Double) -> Bool {
    titles.prefix(seriesLimit).reduce(-14) { $0 + 32 + $1.drawnWidth() } <= width
  }

  private static func legendHeight(of titles: [String], in width: Double) -> Double {
    isOneLine(titles, in: width) ? 24 : 20 * Double(min(titles.count, seriesLimit)) + 4
  }

  func drawing(_ size: ChartSize) -> SVGDrawing {
    let isLegendShown = series.count > 1
    let legend = isLegendShown ? Self.legendHeight(of: series.map(\.title), in: size.width) : 24
    let height = (size == .narrow ? 210.0 : 250) + legend - 24
    let top = isLegendShown ? legend + 10 : 12
    let bottom = height - (subtitles.isEmpty ? 24 : 42)
    var drawing = SVGDrawing(width: size.width, height: height)
    let values = series.flatMap(\.values).compactMap(\.self) + limits.map(\.position)
    let scale = AxisScale(of: values, minimum: minimum, maximum: maximum, count: 3)
    let left = drawing.valueAxis(scale, top: top, bottom: bottom, label: label)
    let right = size.width - 2
    func y(_ value: Double) -> Double { bottom - scale.fraction(value) * (bottom - top) }

    if isLegendShown { drawing.legend(series.map(\.title)) }
    drawBars(in: &drawing, left: left, right: right, y: y)
    drawing.limits(limits, left: left, right: right, y: y)
    for (line, titles) in [categories, subtitles].enumerated() {
      let labels = titles.enumerated().map { AxisLabel(position: Double($0) + 0.5, text: $1) }
      let fitting = AxisLabel.fitting(labels, in: left...size.width, gap: 6) { place in
        left + (right - left) * place / Double(max(1, count))
      }
      for label in fitting {
        drawing.text(
          label.text, x: label.x, y: bottom + 18 + Double(line) * 18, anchor: .middle)
      }
    }
    return drawing
  }

  private func drawBars(
    in drawing: inout SVGDrawing, left: Double, right: Double, y: (Double) -> Double
  ) {
    guard count > 0, !series.isEmpty else { return }
    let group = (right - left) / Double(count)
    let gap = group > 12 ? 2.0 : 0
    let bar = min((group * 0.8 - gap * Double(series.count - 1)) / Double(series.count), 48)
    let inset = (group - bar * Double(series.count) - gap * Double(series.count - 1)) / 2
    // Labels stand above the bars if each has room.
    let hasLabels = series.allSatisfy { series in
      series.labels.allSatisfy { $0.drawnWidth() <= bar + 2 }
    }
    let base = y(max(0, minimum ?? 0))
    for place in 0..<count {
      for (number, series) in series.enumerated() {
        guard let value = series.value(place) else { continue }
        let x = left + group * Double(place) + inset + (bar + gap) * Double(number)
        let (top, bottom) = (min(y(value), base), max(y(value), base))
        drawing.rectangle(
          "bar-\(number % Self.seriesLimit)", x: x, y: top, width: bar,
          height: max(bottom - top, 1), radius: min(4, bar / 4), row: place)
        if hasLabels, let label = series.labels.element(place) {
          drawing.text(label, x: x + bar / 2, y: max(top - 5, 12), anchor: .middle, "value-text")
        }
      }
    }
  }
}

extension BarChart.Series {
  /// The finite value of a category.
  fileprivate func value(_ place: Int) -> Double? {
    values.element(place).flatMap(\.self).flatMap { $0.isFinite ? $0 : nil }
  }
}

extension Array {
  /// The element at a place; `nil` beyond the end.
  func element(_ place: Int) -> Element? { indices.contains(place) ? self[place] : nil }
}

// MARK: - Parts of charts

extension SVGDrawing {
  /// Draws goals and limits across; of labels that would cover each other the first in order.
  mutating func limits(
    _ limits: [AxisLabel], left: Double, right: Double, y: (Double) -> Double
  ) {
    var labels: [Double] = []
    for limit in limits {
      let height = y(limit.position)
      line("goal", x1: left, y1: height, x2: right, y2: height)
      let base = max(height - 5, 12)
      guard labels.allSatisfy({ abs($0 - base) >= Self.textSize }) else { continue }
      labels.append(base)
      text(limit.text.fitted(to: right - left), x: right, y: base, anchor: .end, "goal-text")
    }
  }

  /// Draws lines across at the marked values, with their labels on the left.
  ///
  /// - Returns: Where the space right of the labels begins.
  mutating func valueAxis(
    _ scale: AxisScale, top: Double, bottom: Double, label: (Double) -> String
  ) -> Double {
    // A label takes a third of the width at most.
    let texts = scale.ticks.map { label($0).fitted(to: width / 3) }
    let left = (texts.map { $0.drawnWidth() }.max() ?? 0) + 8
    var lowest = Double.infinity
    for (tick, text) in zip(scale.ticks, texts) {
      let y = bottom - scale.fraction(tick) * (bottom - top)
      line("axis", x1: left, y1: y, x2: width - 2, y2: y)
      // Ticks ascend, so a label is drawn if it clears the one below it.
      guard y + Self.textSize <= lowest else { continue }
      self.text(text, x: 0, y: y + 4.5)
      lowest = y
    }
    return left
  }

  /// Draws what the colours of series mean, in one line at the top.
  mutating func legend(_ titles: [String]) {
    var (x, y) = (0.0, 0.0)
    let isOneLine = BarChart.isOneLine(titles, in: width)
    for (number, title) in titles.prefix(BarChart.seriesLimit).enumerated() {
      rectangle("bar-\(number)", x: x, y: y + 4, width: 12, height: 12, radius: 3)
      let text = title.fitted(to: width - 18)
      self.text(text, x: x + 18, y: y + 15)
      if isOneLine { x += 18 + text.drawnWidth() + 14 } else { y += 20 }
    }
  }
}
