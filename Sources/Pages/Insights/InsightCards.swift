import Care
import Foundation
import Localization

/// A card of what stands out.
struct FindingCard {
  let title: String
  let text: String
  let glyph: String
  let tint: String
}

/// One line of the comparison with the days before.
struct ComparisonRow {
  let title: String
  let now: String
  let before: String
  /// `nil` if one of them is missing.
  let change: String?
}

/// A card with a chart.
struct ChartCard {
  let title: String
  let key: String
  let chart: String
  let isWide: Bool
}

/// Puts the facts of the page of insights into words and charts.
struct InsightCards {
  let facts: InsightFacts
  let viewer: Viewer
  let units: PreferredUnits?

  private var words: Language { viewer.language }
  private var days: DayGrid { facts.days }

  /// The most charts of quantities, and of tasks.
  private static let chartLimit = 12

  // MARK: Findings

  var findings: [FindingCard] {
    facts.findings.map { finding in
      switch finding {
      case .recent(let measurand, let change, let days):
        let measure = Measure(measurand.quantity, for: units, in: words)
        return FindingCard(
          title: words.text(
            change < 0 ? "finding.recentDown" : "finding.recentUp", count: days,
            ["quantity": words.title(of: measurand), "change": measure.difference(change)]),
          text: words.text("finding.recent", ["days": String(Int(saturating: Finding.recentDays))]),
          glyph: "insights", tint: Tint.rose.rawValue)
      case .trend(let measurand, let change, let weeks, let days):
        let measure = Measure(measurand.quantity, for: units, in: words)
        return FindingCard(
          title: words.text(
            change < 0 ? "finding.down" : "finding.up",
            ["quantity": words.title(of: measurand)]),
          text: words.text(
            "finding.trend",
            [
              "change": measure.difference(change), "weeks": String(weeks), "days": String(days),
            ]),
          glyph: "insights", tint: measurand.quantity.tint.rawValue)
      case .contrast(let task, let subject, let contrast, let chance):
        return card(task, subject, contrast, chance: chance)
      case .missedTime(let task, let time, let missed, let due, let others):
        return FindingCard(
          title: words.text("finding.missed", ["task": task.title, "time": time]),
          text: words.text(
            others == 0 ? "finding.missedOnly" : "finding.missedMost",
            ["missed": String(missed), "due": String(due), "others": String(others)]),
          glyph: "timer", tint: Tint.amber.rawValue)
      }
    }
  }

  private func card(
    _ task: CareTask, _ subject: Finding.Subject, _ contrast: DayContrast, chance: Double
  ) -> FindingCard {
    let isLess = contrast.meanWith < contrast.meanWithout
    let (title, with, without) = texts(subject, contrast)
    let isQuestion = if case .answer = subject { true } else { false }
    let odds = Odds.oneIn(chance)
    return FindingCard(
      title: words.text(
        (isLess ? "finding.less" : "finding.more") + (isQuestion ? "Question" : ""),
        ["subject": title, "task": task.title]),
      text: words.text(
        odds >= Odds.most ? "finding.contrastRare" : "finding.contrast",
        [
          "with": with, "withDays": String(contrast.with.count), "without": without,
          "withoutDays": String(contrast.without.count), "odds": String(odds),
        ]),
      glyph: "insights", tint: Tint.rose.rawValue)
  }

  private func texts(
    _ subject: Finding.Subject, _ contrast: DayContrast
  ) -> (title: String, with: String, without: String) {
    switch subject {
    case .measurand(let measurand):
      let measure = Measure(measurand.quantity, for: units, in: words)
      return (
        words.title(of: measurand), measure.text(contrast.meanWith),
        measure.text(contrast.meanWithout)
      )
    case .answer(_, let question):
      func text(_ value: Double) -> String {
        let number = value.grouped(digits: 1)
        return words.figure(question.unit.map { $0.text(number) } ?? number)
      }
      return (
        question.title ?? question.kind, text(contrast.meanWith), text(contrast.meanWithout)
      )
    }
  }

  // MARK: Against the days before

  var comparison: [ComparisonRow] {
    let adherence = adherenceRow(
      words.text("insights.adherence"),
      mean(of: facts.tasks.filter { !$0.task.isOptional }, facts.shown),
      mean(of: facts.tasks.filter { !$0.task.isOptional }, facts.before))
    let quantities = facts.measured.compactMap { measured -> ComparisonRow? in
      let (quantity, values) = (measured.quantity, measured.values)
      let measure = Measure(quantity, for: units, in: words)
      let (now, before) = (values.summary(of: facts.shown), values.summary(of: facts.before))
      guard now.mean != nil || before.mean != nil else { return nil }
      let key = quantity.aggregation == .cumulative ? "insights.daySum" : "insights.dayMean"
      func text(_ summary: DaySummary) -> String {
        summary.mean.map {
          words.text(key, count: summary.count, ["value": measure.text($0)])
        } ?? "–"
      }
      let change = now.mean.flatMap { now in before.mean.map { now - $0 } }
      return ComparisonRow(
        title: words.title(of: measured.measurand), now: text(now), before: text(before),
        change: change.map { words.change($0, measure.difference($0), measure.isNothing($0)) })
    }
    return (adherence.map { [$0] } ?? []) + quantities
  }

  private func mean(of tasks: [TaskDays], _ places: Range<Int>) -> Double? {
    var sum = DaySummary()
    for task in tasks {
      for place in places { task.fractions[place].map { sum.add($0) } }
    }
    return sum.mean
  }

  private func adherenceRow(
    _ title: String, _ now: Double?, _ before: Double?
  ) -> ComparisonRow? {
    guard now != nil || before != nil else { return nil }
    func percent(_ value: Double?) -> String { value.map(\.percent) ?? "–" }
    // The difference of what is shown.
    let change = now.flatMap { now in
      before.map { (now * 100).rounded() - ($0 * 100).rounded() }
    }
    return ComparisonRow(
      title: title, now: percent(now), before: percent(before),
      change: change.map { change in
        words.change(
          change, words.text("insights.points", count: Int(saturating: abs(change))), change == 0)
      })
  }

  // MARK: Charts

  var charts: [ChartCard] {
    let heat = heatMap.map { [$0] } ?? []
    return quantityCharts + heat + taskCharts + (scatter.map { [$0] } ?? [])
  }

  private var quantityCharts: [ChartCard] {
    facts.measured.prefix(Self.chartLimit).compactMap { measured in
      let (quantity, values) = (measured.quantity, measured.values)
      let shown = values.summaries.filter { facts.shown.contains($0.key) }
      guard !shown.isEmpty else { return nil }
      let measure = Measure(quantity, for: units, in: words)
      if quantity.aggregation == .cumulative, days.count <= 7 {
        return weekBars(measured, measure)
      }
      let figure = QuantityFigure(
        measurand: measured.measurand, measure: measure, words: words, days: days,
        summaries: Dictionary(
          uniqueKeysWithValues: shown.map { ($0.key - facts.offset, $0.value) }),
        limits: facts.limits)
      return ChartCard(
        title: words.title(of: measured.measurand), key: figure.key, chart: figure.html(),
        isWide: days.count > 7 || facts.measured.count == 1)
    }
  }

  /// The bars of a week beside those of the week before.
  private func weekBars(_ measured: MeasuredDays, _ measure: Measure) -> ChartCard {
    let title = words.title(of: measured.measurand)
    return grouped(
      title: title, key: words.text("insights.weekBars"),
      series: [
        (words.text("insights.before"), facts.before), (words.text("insights.now"), facts.shown),
      ].map { name, places in
        let bars = places.map { measured.values.value($0).map(measure.charted) }
        return BarChart.Series(
          title: name, values: bars,
          labels: bars.map { value in
            value.map { measure.mark($0.rounded(to: measure.digits)) } ?? "–"
          })
      }, limits: facts.limits.lines(of: measured.measurand, measure, words), label: measure.mark)
  }

  private func grouped(
    title: String, key: String, series: [BarChart.Series], limits: [AxisLabel] = [],
    label: @escaping @Sendable (Double) -> String
  ) -> ChartCard {
    let titles = days.starts.map { day in
      days.count <= 7
        ? words.weekday(day, in: days.timeZone, isShort: true)
        : words.shortDay(day, in: days.timeZone)
    }
    let chart = BarChart(
      title: title, summary: key, categoryTitle: words.text("chart.day"), categories: titles,
      series: series, limits: limits, label: label)
    return ChartCard(
      title: title, key: key, chart: chart.html(tableTitle: words.text("chart.table")),
      isWide: days.count > 7)
  }

  /// The numbers that a person gave for a task, one colour a kind.
  private var taskCharts: [ChartCard] {
    guard days.count <= 60 else { return [] }
    return facts.tasks.filter { $0.task.linkages.isEmpty }.compactMap { task in
      let kinds = task.task.survey.filter { [.scale, .number].contains($0.type) }
        .map { (kind: Optional($0.kind), title: $0.title ?? $0.kind) }
      let plain = task.task.survey.isEmpty ? [(kind: String?.none, title: task.task.title)] : []
      let series = (kinds + plain).prefix(BarChart.seriesLimit).compactMap {
        kind, title -> BarChart.Series? in
        let daily = task.daily(kind)
        let values = facts.shown.map { daily[$0] }
        guard values.contains(where: { $0 != nil }) else { return nil }
        return BarChart.Series(
          title: title, values: values,
          labels: values.map { $0.map { $0.grouped(digits: 1) } ?? "–" })
      }
      guard !series.isEmpty else { return nil }
      return grouped(
        title: task.task.title,
        key: series.count > 1
          ? words.text("insights.answers") : words.list(series.map(\.title)),
        series: Array(series), label: { $0.grouped(digits: 2) })
    }.prefix(Self.chartLimit).map(\.self)
  }

  /// The heat map as drawings with their table; empty if nothing was due.
  var heatChart: String { heatMap?.chart ?? "" }

  /// A heat map of the tasks: by day, or by week for a long span.
  private var heatMap: ChartCard? {
    let weeks = days.count > 60
    let columns =
      weeks
      ? stride(from: facts.offset, to: facts.all.count, by: 7).map {
        $0..<min($0 + 7, facts.all.count)
      } : facts.shown.map { $0..<($0 + 1) }
    let rows = facts.tasks.prefix(40).compactMap { task -> HeatMap.Row? in
      let cells = columns.map { places in
        let part = task.adherence(places)
        return HeatMap.Cell(fraction: part, text: part.map(\.percent) ?? words.text("heat.notDue"))
      }
      guard cells.contains(where: { $0.fraction != nil }) else { return nil }
      return HeatMap.Row(title: task.task.title, cells: cells)
    }
    guard !rows.isEmpty else { return nil }
    let labels = columns.enumerated().compactMap { number, places -> AxisLabel? in
      guard let day = facts.all.starts.element(places.lowerBound) else { return nil }
      let local = LocalDateTime(day, in: days.timeZone)
      if weeks {
        guard local.day <= 7 else { return nil }
        return AxisLabel(
          position: Double(number), text: words.shortMonth(day, in: days.timeZone))
      }
      let isMarked = days.count <= 7 || (columns.count - 1 - number).isMultiple(of: 7)
      return isMarked
        ? AxisLabel(
          position: Double(number),
          text: days.count <= 7
            ? words.weekday(day, in: days.timeZone, isShort: true)
            : words.shortDay(day, in: days.timeZone)) : nil
    }
    let title = words.text("heat.title")
    let map = HeatMap(
      title: title, summary: words.text("heat.key"),
      columns: columns.compactMap { places in
        facts.all.starts.element(places.lowerBound).map {
          words.shortDay($0, in: days.timeZone)
        }
      }, labels: labels, rowTitle: words.text("heat.task"), rows: Array(rows))
    return ChartCard(
      title: title, key: words.text(weeks ? "heat.keyWeeks" : "heat.key"),
      chart: map.html(tableTitle: words.text("chart.table")), isWide: days.count > 7)
  }

  /// Steps against the pulse, or whichever two quantities share the most days.
  private var scatter: ChartCard? {
    guard days.count > 7 else { return nil }
    let cumulative = facts.measured.first { $0.quantity.aggregation == .cumulative }
    let discrete = facts.measured.filter { $0.quantity.aggregation == .discrete }
    guard let across = cumulative ?? discrete.dropFirst().first, let up = discrete.first,
      up.measurand != across.measurand
    else { return nil }
    let (right, upward) = (
      Measure(across.quantity, for: units, in: words), Measure(up.quantity, for: units, in: words)
    )
    let points = facts.shown.compactMap { place -> (place: Int, x: Double, y: Double)? in
      guard let x = across.values.value(place), let y = up.values.value(place) else { return nil }
      return (place, x, y)
    }
    guard points.count >= DayContrast.leastDays else { return nil }
    func name(_ measured: MeasuredDays, _ measure: Measure) -> String {
      words.text(
        "insights.axis",
        ["quantity": words.title(of: measured.measurand), "unit": words.symbol(of: measure.unit)])
    }
    let title = words.text(
      "insights.scatter",
      ["up": words.title(of: up.measurand), "across": words.title(of: across.measurand)])
    let key = words.text("insights.scatterKey", count: points.count)
    let chart = ScatterChart(
      title: title, summary: key,
      points: points.map { (right.charted($0.x), upward.charted($0.y)) },
      acrossTitle: name(across, right), upwardTitle: name(up, upward), acrossLabel: right.mark,
      upwardLabel: upward.mark,
      table: ChartTable(
        head: [
          words.text("chart.day"), words.title(of: across.measurand), words.title(of: up.measurand),
        ],
        rows: points.map { place, x, y in
          [
            words.dayMonth(facts.all.starts[place], in: days.timeZone), right.text(x),
            upward.text(y),
          ]
        }))
    return ChartCard(
      title: title, key: key, chart: chart.html(tableTitle: words.text("chart.table")),
      isWide: false)
  }
}

extension Language {
  /// A difference in words: `0.4 kg less`.
  func change(_ value: Double, _ size: String, _ isNothing: Bool) -> String {
    guard !isNothing else { return text("insights.same") }
    return text(value < 0 ? "insights.less" : "insights.more", ["change": size])
  }
}

extension Double {
  /// A part of a whole in percent: `86 %`.
  var percent: String {
    "\(Int(saturating: (Swift.min(Swift.max(self, 0), 1) * 100).rounded()))\u{A0}%"
  }
}
