import Testing
import Foundation
import TestSupport

@testable import Pages

struct ChartTests {
  private func bars(
    _ values: [[Double?]], minimum: Double? = 0, maximum: Double? = nil, titles: [String]? = nil
  ) -> BarChart {
    BarChart(
      title: "Steps", summary: "", categoryTitle: "Day",
      categories: titles ?? (0..<(values.map(\.count).max() ?? 0)).map { "D\($0)" },
      series: values.enumerated().map { number, values in
        BarChart.Series(
          title: "Series \(number)", values: values,
          labels: values.map { value in
            value.flatMap { $0.isFinite ? $0.grouped(digits: 1) : nil } ?? "–"
          })
      }, minimum: minimum, maximum: maximum, label: { $0.grouped(digits: 3) })
  }

  // MARK: Scales

  @Test
  func `a given maximum below the data's is ignored, and so is a minimum above it`() {
    let ignored = AxisScale(of: [20, 80], minimum: 30, maximum: 70)
    #expect(ignored.minimum <= 20)
    #expect(ignored.maximum >= 80)
    let kept = AxisScale(of: [20, 80], minimum: 10, maximum: 95)
    #expect(kept.minimum == 10)
    #expect(kept.maximum == 95)
  }

  @Test(
    arguments: [
      ([82.1, 84.6], [82, 83, 84, 85]), ([0, 9_800], [0, 5000, 10_000]),
      ([5, 5], [4.9, 5, 5.1]), ([], [0, 0.5, 1]),
    ])
  func `an axis has its ends on marks`(values: [Double], marks: [Double]) {
    let scale = AxisScale(of: values, count: 3)
    #expect(zip(scale.ticks, marks).allSatisfy { abs($0 - $1) < 1e-9 }, "\(scale.ticks)")
    #expect(scale.ticks.count == marks.count, "\(scale.ticks)")
  }

  @Test
  func `a scale holds any values, and every value lies on it`() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<2000 {
      let size = pow10(Int.random(in: -9...13, using: &random))
      let values = (0..<Int.random(in: 0...6, using: &random)).map { _ in
        Double.random(in: -1...1, using: &random) * size
      }
      let scale = AxisScale(
        of: values + (Bool.random(using: &random) ? [.nan, .infinity] : []),
        minimum: Bool.random(using: &random) ? size : nil,
        maximum: Bool.random(using: &random) ? -size : nil)
      #expect(scale.minimum < scale.maximum)
      #expect((1...22).contains(scale.ticks.count))
      #expect(scale.ticks == scale.ticks.sorted())
      for value in values where abs(value) < 1e12 {
        #expect(scale.minimum <= value && value <= scale.maximum)
      }
    }
  }

  private func pow10(_ exponent: Int) -> Double {
    (0..<abs(exponent)).reduce(1.0) { power, _ in exponent < 0 ? power / 10 : power * 10 }
  }

  // MARK: Bars

  @Test
  func `there are as many categories as the longest array has elements`() {
    let chart = BarChart(
      title: "Steps", summary: "", categoryTitle: "Day", categories: ["Mon", "Tue"],
      subtitles: ["2"],
      series: [BarChart.Series(title: "Steps", values: [1, 2, 3], labels: ["1", "2", "3"])],
      label: { $0.grouped(digits: 0) })
    #expect(chart.table.rows == [["Mon 2", "1"], ["Tue", "2"], ["", "3"]])
  }

  @Test
  func `a day without a value has no bar`() {
    let html = bars([[1, nil, 3]]).html(tableTitle: "Numbers")
    #expect(html.components(separatedBy: "class=\"bar-0\"").count - 1 == 4)
    #expect(html.contains("<td>–</td>"))
  }

  @Test
  func `the text of what people wrote is escaped`() {
    let hostile = "<script>alert('x')</script>\"&\u{0}"
    var chart = bars([[1, 2]], titles: [hostile, hostile])
    chart.title = hostile
    chart.summary = hostile
    let heat = HeatMap(
      title: hostile, summary: hostile, columns: [hostile],
      labels: [AxisLabel(position: 0, text: hostile)], rowTitle: hostile,
      rows: [.init(title: hostile, cells: [.init(fraction: 0.5, text: hostile)])])
    for html in [chart.html(tableTitle: hostile), heat.html(tableTitle: hostile)] {
      #expect(!html.contains("<script"))
      #expect(!html.contains("\u{0}"))
      #expect(html.contains("&lt;script&gt;"))
      #expect(Markup(html: html).fault == nil)
    }
  }

  // MARK: Properties

  @Test
  func `charts of any values are well formed, within their size`() async {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<40 {
      // Other tests wait for an answer meanwhile.
      await Task.yield()
      let count = [0, 1, 2, 7, 30, 365].randomElement(using: &random) ?? 1
      let values = (0..<count).map { _ in value(&random) }
      let charts: [any Chart] = [
        bars(
          [values.map { $0 }, values.map { Bool.random(using: &random) ? $0 : nil }],
          titles: values.indices.map { "\($0) Nov" }), line(values), scatter(values),
        heat(values),
      ]
      for chart in charts {
        for size in ChartSize.allCases { check(chart.drawing(size)) }
        let html = chart.html(tableTitle: "Numbers")
        #expect(Markup(html: html).fault == nil)
        #expect(!html.contains("nan") && !html.contains("inf"))
      }
    }
  }

  private func value(_ random: inout SeededGenerator) -> Double {
    switch Int.random(in: 0..<20, using: &random) {
    case 0: .nan
    case 1: .infinity
    case 2: 1e300
    case 3: -1e-300
    case 4: 0
    default: Double.random(in: -50...200, using: &random)
    }
  }

  private func line(_ values: [Double]) -> LineChart {
    let points = values.enumerated().map { LineChart.Point(x: Double($0), y: $1) }
    return LineChart(
      title: "Weight", summary: "", points: points,
      trend: Trend.line(through: points.map { ($0.x, $0.y) }, window: 10),
      span: 0...Double(max(values.count, 1)),
      labels: values.indices.map { AxisLabel(position: Double($0), text: "\($0) November") },
      limits: [AxisLabel(position: 90, text: "90°")], label: { $0.grouped(digits: 3) },
      table: ChartTable(head: ["Day"], rows: []))
  }

  private func scatter(_ values: [Double]) -> ScatterChart {
    ScatterChart(
      title: "Weight against steps", summary: "",
      points: zip(values, values.reversed()).map { ($0, $1) }, acrossTitle: "Steps",
      upwardTitle: "Weight kg", acrossLabel: { $0.grouped(digits: 2) },
      upwardLabel: { $0.grouped(digits: 2) }, table: ChartTable(head: ["Day"], rows: []))
  }

  private func heat(_ values: [Double]) -> HeatMap {
    HeatMap(
      title: "Done", summary: "", columns: values.indices.map(String.init),
      labels: values.indices.map { AxisLabel(position: Double($0), text: "\($0) Nov") },
      rowTitle: "Task",
      rows: [
        HeatMap.Row(
          title: String(repeating: "A long title of a task ", count: 6),
          cells: values.map { HeatMap.Cell(fraction: $0, text: "") })
      ])
  }

  /// Every text lies within the drawing, and no two lie on one another.
  private func check(_ drawing: SVGDrawing) {
    let texts = ChartMarkup.texts(in: drawing.elements)
    for text in texts {
      #expect(text.left >= -0.2 && text.right <= drawing.width + 0.2, "\(text)")
      #expect(text.y >= 8 && text.y <= drawing.height, "\(text)")
    }
    for (place, text) in texts.enumerated() {
      for other in texts[(place + 1)...] where abs(text.y - other.y) < 9 {
        // A goal's label may lie on a line of the axis, whose label is at the left.
        guard !text.isGoal, !other.isGoal else { continue }
        #expect(
          text.right <= other.left + 0.2 || other.right <= text.left + 0.2, "\(text) \(other)")
      }
    }
  }

  @Test
  func `equal values give equal text, rounded to a tenth`() {
    #expect(1.25.tenths == "1.3")
    #expect((-0.04).tenths == "0")
    #expect((-3.21).tenths == "-3.2")
    #expect(Double.nan.tenths == "0")
    #expect(1e30.tenths == "1000000")
    #expect(line([1, 2, 3]).html(tableTitle: "") == line([1, 2, 3]).html(tableTitle: ""))
  }

  @Test
  func `a sparkline needs two values`() {
    #expect(Sparkline(points: [(0, 1)], summary: "").html == nil)
    #expect(Sparkline(points: [(0, 1), (1, .nan)], summary: "").html == nil)
    let flat = Sparkline(points: [(0, 1), (1, 1)], summary: "as before").html
    #expect(flat?.contains("points=\"4,20 146,20\"") == true)
    let hostile = Sparkline(points: [(0, 1), (1, 2)], summary: "<b>").html
    #expect(hostile?.contains("&lt;b&gt;") == true)
  }

  @Test
  func `long texts end in an ellipsis within their width, in wide scripts sooner`() {
    #expect("Weigh yourself".fitted(to: 300) == "Weigh yourself")
    #expect("Weigh yourself".fitted(to: 60).hasSuffix("…"))
    for text in ["Weigh yourself every morning", "每天早上量體重，早餐前不穿鞋"] {
      #expect(text.fitted(to: 80).drawnWidth() <= 80)
    }
    #expect("每天早上量體重".fitted(to: 80).count < "Weigh yourself".fitted(to: 80).count)
  }
}
