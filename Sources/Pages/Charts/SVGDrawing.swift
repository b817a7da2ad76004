import Care

/// A drawing in SVG that grows element by element.
///
/// Coordinates are rounded to 0.1, so that equal values give equal text on every machine. Text is
/// escaped. There are classes and presentation attributes only: the page's security policy allows
/// no style attributes.
struct SVGDrawing {
  /// The width, in user units.
  let width: Double
  /// The height, in user units.
  let height: Double
  /// The elements so far.
  private(set) var elements = ""

  /// The size of text, in user units: 11 px where a narrow drawing is shrunk most.
  static let textSize = 13.0

  /// Where a text stands beside its point.
  enum Anchor: String {
    case start, middle, end
  }

  init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  mutating func line(_ name: String, x1: Double, y1: Double, x2: Double, y2: Double) {
    add("line", name, [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)])
  }

  /// `row` is the row of the chart's table that says its value; `nil` without one.
  mutating func circle(_ name: String, x: Double, y: Double, radius: Double, row: Int? = nil) {
    add("circle", name, [("cx", x), ("cy", y), ("r", radius)], row: row)
  }

  /// `row` is the row of the chart's table that says its value; `nil` without one.
  mutating func rectangle(
    _ name: String, x: Double, y: Double, width: Double, height: Double, radius: Double = 0,
    row: Int? = nil
  ) {
    let size = [("x", x), ("y", y), ("width", max(0, width)), ("height", max(0, height))]
    add("rect", name, radius > 0 ? size + [("rx", radius)] : size, row: row)
  }

  mutating func polyline(_ name: String, _ points: [(x: Double, y: Double)]) {
    guard points.count > 1 else { return }
    let list = points.map { "\($0.x.tenths),\($0.y.tenths)" }.joined(separator: " ")
    elements += "<polyline class=\"\(name)\" points=\"\(list)\"/>"
  }

  /// An area between two lines over the same places.
  mutating func band(_ name: String, upper: [(x: Double, y: Double)], lower: [Double]) {
    guard upper.count > 1, upper.count == lower.count else { return }
    let back = zip(upper, lower).reversed().map { (x: $0.x, y: $1) }
    let list = (upper + back).map { "\($0.x.tenths),\($0.y.tenths)" }.joined(separator: " ")
    elements += "<polygon class=\"\(name)\" points=\"\(list)\"/>"
  }

  mutating func text(
    _ text: String, x: Double, y: Double, anchor: Anchor = .start, _ name: String = ""
  ) {
    let anchoring = anchor == .start ? "" : " text-anchor=\"\(anchor.rawValue)\""
    let naming = name.isEmpty ? "" : " class=\"\(name)\""
    elements +=
      "<text\(naming) x=\"\(x.tenths)\" y=\"\(y.tenths)\"\(anchoring)>\(text.escaped)</text>"
  }

  /// The whole drawing.
  ///
  /// - Parameters:
  ///   - name: Its classes.
  ///   - title: The title of the drawing, for those who do not see it.
  ///   - description: A sentence that describes the drawing.
  /// - Returns: An `svg` element.
  func svg(_ name: String, title: String, description: String) -> String {
    let described = description.isEmpty ? "" : "<desc>\(description.escaped)</desc>"
    return "<svg class=\"\(name)\" viewBox=\"0 0 \(width.tenths) \(height.tenths)\""
      + " width=\"\(width.tenths)\" height=\"\(height.tenths)\" role=\"img\">"
      + "<title>\(title.escaped)</title>\(described)\(elements)</svg>"
  }

  private mutating func add(
    _ element: String, _ name: String, _ attributes: [(String, Double)], row: Int? = nil
  ) {
    elements += "<\(element) class=\"\(name)\""
    if let row { elements += " data-row=\"\(row)\"" }
    for (key, value) in attributes { elements += " \(key)=\"\(value.tenths)\"" }
    elements += "/>"
  }
}

extension Double {
  /// The number with at most one decimal; 0 for what is not a number, and within ±10⁶.
  var tenths: String {
    guard isFinite else { return "0" }
    let tenths = Int(saturating: (Swift.min(Swift.max(self, -1e6), 1e6) * 10).rounded())
    let (whole, part) = tenths.magnitude.quotientAndRemainder(dividingBy: 10)
    return (tenths < 0 ? "-" : "") + "\(whole)" + (part == 0 ? "" : ".\(part)")
  }
}

// MARK: - Text

extension String {
  /// The text as content or a quoted attribute of HTML and SVG, without control characters.
  var escaped: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": result += " "
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// How wide the text is drawn, in user units: an estimate that is rather too large.
  ///
  /// The server has no fonts. The widths are those of common sans-serif fonts, as parts of `size`.
  func drawnWidth(_ size: Double = SVGDrawing.textSize) -> Double {
    unicodeScalars.reduce(0) { width, scalar in
      switch scalar {
      case "i", "j", "l", ".", ",", ":", ";", "'", "|", "!", " ", "(", ")": width + 0.34
      case "M", "W", "m", "w", "%", "@": width + 0.95
      case "A"..."Z": width + 0.72
      case "\u{0}"..."\u{10FF}", "\u{2000}"..."\u{2E7F}": width + 0.6
      default: width + 1.02
      }
    } * size
  }

  /// The text, or its beginning and "…", within a width.
  func fitted(to width: Double, _ size: Double = SVGDrawing.textSize) -> String {
    guard drawnWidth(size) > width else { return self }
    var text = self
    while !text.isEmpty, (text + "…").drawnWidth(size) > width { text.removeLast() }
    while text.last == " " { text.removeLast() }
    return text + "…"
  }
}
