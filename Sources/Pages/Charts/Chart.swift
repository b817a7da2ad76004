import Localization

/// A chart as a value, from which its drawings and its text equivalent are made.
protocol Chart: Sendable {
  /// The question that it answers, or what it shows.
  var title: String { get }
  /// A sentence that describes the drawing.
  var summary: String { get }
  /// The numbers that are drawn.
  var table: ChartTable { get }
  /// The drawing in one of its two sizes.
  func drawing(_ size: ChartSize) -> SVGDrawing
}

/// The two sizes in which a chart is drawn: a small one is not a large one shrunk.
///
/// The page shows the one that fits, scaled by ¾ to 1⅓.
enum ChartSize: String, CaseIterable, Sendable {
  case narrow, wide

  /// The width, in user units.
  var width: Double {
    switch self {
    case .narrow: 300
    case .wide: 720
    }
  }
}

/// The numbers of a chart as text.
struct ChartTable: Sendable {
  /// The titles of the columns.
  var head: [String]
  /// The rows; the first cell of each is its heading.
  var rows: [[String]]
}

extension Chart {
  /// Both drawings, and the table folded under them.
  ///
  /// - Parameter tableTitle: The label that opens the table, in the language of the page.
  /// - Returns: HTML; all text in it is escaped.
  func html(tableTitle: String) -> String {
    "<div class=\"figure\">" + drawingElements + table.html(title: tableTitle, of: title) + "</div>"
  }

  /// Both drawings, without the table.
  var drawings: String { "<div class=\"figure\">" + drawingElements + "</div>" }

  private var drawingElements: String {
    ChartSize.allCases.map { size in
      drawing(size).svg("chart chart-\(size.rawValue)", title: title, description: summary)
    }.joined()
  }
}

extension ChartTable {
  /// The table, folded; nothing without rows.
  ///
  /// - Parameters:
  ///   - title: The label that opens the table.
  ///   - chart: The title of the chart, which tells it from others.
  /// - Returns: HTML; all text in it is escaped.
  func html(title: String, of chart: String) -> String {
    guard !rows.isEmpty else { return "" }
    return "<details class=\"numbers\"><summary>\(title.escaped)"
      + "<span class=\"unseen\"> \(chart.escaped)</span></summary>"
      + "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"\(chart.escaped)\">"
      + plainHTML(caption: chart) + "</div></details>"
  }

  /// The table alone.
  func plainHTML(caption: String) -> String {
    let heading = head.map { "<th scope=\"col\">\($0.escaped)</th>" }.joined()
    let body = rows.map { row in
      let cells = row.enumerated().map { place, cell in
        place == 0
          ? "<th scope=\"row\">\(cell.escaped)</th>" : "<td>\(cell.escaped)</td>"
      }
      return "<tr>\(cells.joined())</tr>"
    }
    return "<table class=\"data\"><caption class=\"unseen\">\(caption.escaped)</caption>"
      + "<thead><tr>\(heading)</tr></thead><tbody>\(body.joined())</tbody></table>"
  }
}

// MARK: - Labels along an axis

/// A place on an axis with its label.
struct AxisLabel: Hashable, Sendable {
  /// Where, in the units of the axis.
  var position: Double
  /// The text of the label.
  var text: String

  /// The labels that have room beside each other: all, or each second, third and so on, counted
  /// from the last, since the newest matter most.
  ///
  /// - Parameters:
  ///   - labels: The labels by position.
  ///   - span: The ends of the drawing, which no label leaves.
  ///   - gap: The least room between two labels.
  ///   - place: Where a position is drawn.
  /// - Returns: The labels that fit, with the middle of each.
  static func fitting(
    _ labels: [AxisLabel], in span: ClosedRange<Double>, gap: Double = 8,
    place: (Double) -> Double
  ) -> [(text: String, x: Double)] {
    let placed = labels.reversed().compactMap { label -> (text: String, x: Double)? in
      let half = label.text.drawnWidth() / 2
      let x = place(label.position)
      guard x.isFinite, half * 2 <= span.upperBound - span.lowerBound else { return nil }
      // At the ends a label moves inwards.
      return (label.text, min(max(x, span.lowerBound + half), span.upperBound - half))
    }
    for step in 1...max(1, placed.count) {
      let chosen = stride(from: 0, to: placed.count, by: step).map { placed[$0] }
      let isFree = zip(chosen.dropFirst(), chosen).allSatisfy { earlier, later in
        earlier.x + (earlier.text.drawnWidth() + later.text.drawnWidth()) / 2 + gap <= later.x
      }
      if isFree { return chosen.reversed() }
    }
    return placed.prefix(1).map(\.self)
  }
}
