import Care
import Foundation
import Localization

/// The chart of one quantity: a line with its trend for single values, bars for what adds up.
struct QuantityFigure {
  let measurand: Measurand
  let measure: Measure
  let words: Language
  let days: DayGrid
  /// The values by day.
  let summaries: [Int: DaySummary]
  /// The goals and thresholds of the plan.
  let limits: ChartLimits

  init(
    measurand: Measurand, measure: Measure, words: Language, days: DayGrid,
    summaries: [Int: DaySummary], limits: ChartLimits
  ) {
    (self.measurand, self.words, self.days) = (measurand, words, days)
    (self.summaries, self.limits) = (summaries, limits)
    self.measure = measure.even(over: summaries.values)
  }

  /// How far to each side values count for the trend, in days.
  private var window: Double { days.count > 60 ? 21 : 10 }

  private var points: [LineChart.Point] {
    summaries.keys.sorted().compactMap { place in
      guard let summary = summaries[place], let mean = summary.mean else { return nil }
      let range = summary.count > 1 ? summary.least...summary.most : nil
      return LineChart.Point(
        x: Double(place) + 0.5, y: measure.charted(mean),
        range: range.map { measure.charted($0.lowerBound)...measure.charted($0.upperBound) })
    }
  }

  /// The line through the days' means, in the person's unit.
  var trend: [Trend.Point] { Trend.line(through: points.map { ($0.x, $0.y) }, window: window) }

  var title: String {
    words.text("chart.title", ["quantity": words.title(of: measurand)])
  }

  private var lines: [AxisLabel] { limits.lines(of: measurand, measure, words) }

  /// The legend of the chart's marks, and what its lines across say.
  var key: String {
    let lines = lines.map(\.text)
    return lines.isEmpty
      ? marksKey : words.text("chart.keyLimits", ["marks": marksKey, "limits": words.list(lines)])
  }

  private var marksKey: String {
    if measure.quantity.aggregation == .cumulative {
      return words.text(days.count > 60 ? "chart.keyMonths" : "chart.keyBars")
    }
    let (points, trend) = (points, trend)
    let hasRanges = points.contains { $0.range.map { $0.lowerBound < $0.upperBound } ?? false }
    let keys: [String?] = [
      "chart.keyDots", hasRanges ? "chart.keyRanges" : nil,
      trend.isEmpty ? nil : "chart.keyTrend", isBandSeen(points, trend) ? "chart.keyBand" : nil,
    ]
    return keys.compactMap { $0.map { words.text($0) } }.joined(separator: words.text("list.comma"))
  }

  /// Whether the band around the trend is thicker than the trend's line.
  private func isBandSeen(_ points: [LineChart.Point], _ trend: [Trend.Point]) -> Bool {
    let values = points.flatMap { [$0.y, $0.range?.lowerBound, $0.range?.upperBound] }
      .compactMap(\.self)
    guard let least = values.min(), let most = values.max(), let widest = trend.map(\.spread).max()
    else { return false }
    return widest > (most - least) / 50
  }

  /// The chart with its table; empty without values.
  func html() -> String {
    guard !summaries.isEmpty else { return "" }
    let tableTitle = words.text("chart.table")
    return measure.quantity.aggregation == .cumulative
      ? bars.html(tableTitle: tableTitle) : line.html(tableTitle: tableTitle)
  }

  /// The chart alone.
  var drawings: String {
    guard !summaries.isEmpty else { return "" }
    return measure.quantity.aggregation == .cumulative ? bars.drawings : line.drawings
  }

  private var line: LineChart {
    let points = points
    return LineChart(
      title: title, summary: summary(points.map(\.y)), points: points, trend: trend,
      span: 0...Double(days.count), labels: words.labels(of: days), limits: lines,
      label: measure.mark,
      table: table)
  }

  private func summary(_ values: [Double]) -> String {
    guard let first = values.first, let last = values.last, let least = values.min(),
      let most = values.max()
    else { return "" }
    return words.text(
      "chart.summary",
      [
        "first": measure.shown(first), "last": measure.shown(last), "least": measure.shown(least),
        "most": measure.shown(most), "unit": measure.symbol,
      ])
  }

  /// The bars of days; of a long span, of months with the mean of a day.
  private var bars: BarChart {
    let groups = days.count > 60 ? monthGroups : dayGroups
    let values = groups.map { group -> Double? in
      let sums = group.places.compactMap { summaries[$0].map { measure.charted($0.sum) } }
      return sums.isEmpty ? nil : sums.reduce(0, +) / Double(sums.count)
    }
    return BarChart(
      title: title, summary: summary(values.compactMap(\.self)),
      categoryTitle: words.text("chart.day"), categories: groups.map(\.title),
      series: [
        BarChart.Series(
          title: words.title(of: measurand), values: values,
          labels: values.map { value in
            value.map { measure.mark($0.rounded(to: measure.digits)) } ?? "–"
          })
      ], limits: lines, label: measure.mark)
  }

  private var dayGroups: [(title: String, places: [Int])] {
    days.starts.enumerated().map { place, day in
      let title =
        days.count <= 7
        ? words.weekday(day, in: days.timeZone, isShort: true)
        : words.shortDay(day, in: days.timeZone)
      return (title, [place])
    }
  }

  private var monthGroups: [(title: String, places: [Int])] {
    var groups: [(title: String, places: [Int])] = []
    for (place, day) in days.starts.enumerated() {
      let title = words.shortMonth(day, in: days.timeZone)
      if groups.last?.title == title {
        groups[groups.count - 1].places.append(place)
      } else {
        groups.append((title, [place]))
      }
    }
    return groups
  }

  private var table: ChartTable {
    let places = summaries.keys.sorted()
    guard measure.quantity.aggregation == .discrete else {
      return ChartTable(
        head: [words.text("chart.day"), words.text("chart.sum")],
        rows: places.compactMap { place in
          summaries[place].map { [day(place), measure.text($0.sum)] }
        })
    }
    return ChartTable(
      head: [words.text("chart.day"), words.text("chart.mean"), words.text("chart.range")],
      rows: places.compactMap { place in
        guard let summary = summaries[place], let mean = summary.mean else { return nil }
        return [day(place), measure.text(mean), range(of: summary)]
      })
  }

  private func day(_ place: Int) -> String {
    words.dayMonth(days.starts[place], in: days.timeZone)
  }

  private func range(of summary: DaySummary) -> String {
    guard summary.count > 1 else { return "–" }
    return words.text(
      "chart.fromTo",
      ["least": measure.number(summary.least), "most": measure.text(summary.most)])
  }
}

extension Double {
  /// The number rounded to that many decimals.
  func rounded(to digits: Int) -> Double {
    let scale = pow(10, Double(digits))
    return (self * scale).rounded() / scale
  }
}

// MARK: - Labels of days

extension Language {
  /// A day in few characters: `5 Nov`, `11/5`.
  func shortDay(_ date: Date, in timeZone: TimeZone) -> String {
    let local = LocalDateTime(date, in: timeZone)
    return text(
      "chart.shortDay",
      [
        "day": String(local.day), "month": shortMonth(date, in: timeZone),
      ])
  }

  /// The labels of a horizontal axis: weekdays of a week, weeks of a month, months of a year.
  func labels(of days: DayGrid, at offset: Double = 0.5) -> [AxisLabel] {
    var labels: [AxisLabel] = []
    for (place, day) in days.starts.enumerated() {
      let local = LocalDateTime(day, in: days.timeZone)
      let text: String
      if days.count <= 7 {
        text = weekday(day, in: days.timeZone, isShort: true)
      } else if days.count <= 60 {
        guard (days.count - 1 - place).isMultiple(of: 7) else { continue }
        text = shortDay(day, in: days.timeZone)
      } else {
        guard local.day == 1 else { continue }
        text = shortMonth(day, in: days.timeZone)
      }
      labels.append(AxisLabel(position: Double(place) + offset, text: text))
    }
    return labels
  }
}
