import Care

/// A measured signal over its time, with the findings in it, as a separate SVG file.
package struct SignalPlot: Sendable {
  /// The title of the plot.
  package var title: String
  /// A sentence that describes the plot.
  package var summary: String
  /// The unit of the signal.
  package var unit: String
  /// The signal.
  package var signal: SignalEnvelope
  /// Moments that are marked, in microseconds on the signal's clock.
  package var marks: [Int64] = []
  /// Stretches that are shaded, in microseconds on the signal's clock.
  package var stretches: [ClosedRange<Int64>] = []
  /// The clock's time of the signal's beginning in seconds after midnight; `nil` to count from 0.
  package var secondOfDay: Int?

  /// Makes a plot.
  package init(title: String, summary: String, unit: String, signal: SignalEnvelope) {
    self.title = title
    self.summary = summary
    self.unit = unit
    self.signal = signal
  }

  /// How many marks are drawn at most: more would be an area.
  private static let mostMarks = 4000

  /// The file's content.
  package var svg: String {
    let (width, height) = (1200.0, 360.0)
    let (top, bottom) = (34.0, height - 30)
    var drawing = SVGDrawing(width: width, height: height)
    let runs = signal.runs
    let scale = AxisScale(of: runs.joined().flatMap { [$0.least, $0.greatest] })
    let left = drawing.valueAxis(scale, top: top, bottom: bottom) { $0.plainTenths } + 6
    let right = width - 12
    let length = max(Double(signal.duration), 1)
    func x(_ time: Int64) -> Double {
      let fraction = Double(time &- signal.begin) / length
      return left + (right - left) * min(max(fraction, 0), 1)
    }
    func y(_ value: Double) -> Double { bottom - scale.fraction(value) * (bottom - top) }

    for stretch in stretches {
      drawing.rectangle(
        "stretch", x: x(stretch.lowerBound), y: top,
        width: max(x(stretch.upperBound) - x(stretch.lowerBound), 1), height: bottom - top)
    }
    for run in runs {
      drawing.polyline(
        "signal",
        run.flatMap { piece in
          [(x(piece.time), y(piece.greatest)), (x(piece.time), y(piece.least))]
        })
    }
    if marks.count <= Self.mostMarks {
      for mark in marks {
        drawing.line("mark", x1: x(mark), y1: bottom - 10, x2: x(mark), y2: bottom)
      }
    }
    drawing.text("\(title) · \(unit)".fitted(to: width), x: 0, y: 15)
    for label in AxisLabel.fitting(labels, in: 0...width, place: { left + (right - left) * $0 }) {
      drawing.text(label.text, x: label.x, y: height - 8, anchor: .middle)
    }
    let svg = drawing.svg("signal-plot", title: title, description: summary)
    return svg.replacing(
      "<svg ", with: "<svg xmlns=\"http://www.w3.org/2000/svg\" ", maxReplacements: 1
    ).replacing("<title>", with: Self.style + "<title>", maxReplacements: 1) + "\n"
  }

  private static let style =
    "<style>svg{background:#fff;font:13px sans-serif;fill:#222}"
    + "polyline{fill:none;stroke:#2563a8;stroke-width:1}"
    + ".stretch{fill:#e3f0dc}.mark{stroke:#b3261e;stroke-width:1}"
    + ".grid,.axis{stroke:#ccc;stroke-width:1}</style>"

  /// Times along the axis, as fractions of the signal's duration.
  private var labels: [AxisLabel] {
    let seconds = Double(signal.duration) / 1_000_000
    guard seconds > 0 else { return [] }
    let steps = [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 14_400, 43_200]
    let step = steps.first { seconds / $0 <= 12 } ?? 86_400
    let first = Double(secondOfDay ?? 0)
    var moment = (first / step).rounded(.up) * step
    var labels: [AxisLabel] = []
    while moment <= first + seconds, labels.count < 200 {
      labels.append(AxisLabel(position: (moment - first) / seconds, text: clock(moment)))
      moment += step
    }
    return labels
  }

  /// `9:05:00` for a time of day, else `5:00`.
  private func clock(_ seconds: Double) -> String {
    let whole = Int(saturating: seconds)
    func two(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
    if secondOfDay != nil || whole >= 3600 {
      let hour = secondOfDay == nil ? whole / 3600 : whole / 3600 % 24
      return "\(hour):\(two(whole / 60 % 60))" + (whole % 60 == 0 ? "" : ":\(two(whole % 60))")
    }
    return "\(whole / 60):\(two(whole % 60))" + (seconds == Double(whole) ? "" : ".5")
  }
}

// MARK: - The signal

/// The least and greatest values of a signal in short pieces, in constant memory.
///
/// There are at most ``mostPieces``; when the signal outgrows them, two neighbours become one.
package struct SignalEnvelope: Sendable {
  /// The limit of pieces: more than a drawing has columns.
  static let mostPieces = 2048

  /// The values of a piece.
  struct Piece: Sendable {
    var time: Int64
    var least: Double
    var greatest: Double
  }

  /// The time of the first value, in microseconds.
  private(set) var begin: Int64 = 0
  /// The time from the first value to the last.
  private(set) var duration: Int64 = 0
  private var pieces: [Piece?] = []
  /// The duration of a piece, in microseconds: that of a sample at 50 Hz at first.
  private var width: Int64 = 20_000

  /// Makes an empty signal.
  package init() {}

  /// Adds a value at a time in microseconds; one before the first value is left out.
  package mutating func add(_ value: Double, at time: Int64) {
    guard value.isFinite else { return }
    if pieces.isEmpty { begin = time }
    let (offset, overflow) = time.subtractingReportingOverflow(begin)
    guard !overflow, offset >= 0, offset < 1 << 60 else { return }
    duration = max(duration, offset)
    while offset / width >= Self.mostPieces { halve() }
    let index = Int(offset / width)
    if index >= pieces.count {
      pieces += [Piece?](repeating: nil, count: index + 1 - pieces.count)
    }
    let piece = pieces[index]
    pieces[index] = Piece(
      time: begin + Int64(index) * width, least: min(piece?.least ?? value, value),
      greatest: max(piece?.greatest ?? value, value))
  }

  private mutating func halve() {
    width *= 2
    pieces = stride(from: 0, to: pieces.count, by: 2).map { index in
      guard let first = pieces[index] else {
        return index + 1 < pieces.count ? pieces[index + 1] : nil
      }
      guard index + 1 < pieces.count, let second = pieces[index + 1] else { return first }
      return Piece(
        time: first.time, least: min(first.least, second.least),
        greatest: max(first.greatest, second.greatest))
    }
  }

  /// The pieces without a gap of more than a second between them.
  var runs: [[Piece]] {
    pieces.compactMap(\.self).reduce(into: []) { runs, piece in
      if let last = runs.last?.last, piece.time - last.time <= max(1_000_000, 2 * width) {
        runs[runs.count - 1].append(piece)
      } else {
        runs.append([piece])
      }
    }
  }
}

extension Double {
  /// At most one decimal, for an axis.
  fileprivate var plainTenths: String { tenths }
}
