/// A family of figures for Prometheus.
package struct Metric: Sendable {
  /// The kind of a figure.
  package enum Kind: String, Sendable {
    /// It only grows, and begins at 0 when the program starts.
    case counter
    /// It grows and shrinks.
    case gauge
  }

  /// Its name, with its base unit: `measured_readings_total`.
  package let name: String
  /// A description of the quantity that is counted or measured.
  package let help: String
  /// The kind.
  package let kind: Kind
  /// The figures, each with its labels.
  package let figures: [(labels: [(name: String, value: String)], value: Double)]

  /// Makes a family of one figure without labels.
  package init(_ name: String, _ help: String, _ kind: Kind, _ value: Double) {
    self.init(name, help, kind, figures: [([], value)])
  }

  /// Makes a family with one label.
  package init(
    _ name: String, _ help: String, _ kind: Kind, by label: String, _ values: [String: Double]
  ) {
    self.init(
      name, help, kind,
      figures: values.sorted { $0.key < $1.key }.map { ([(label, $0.key)], $0.value) })
  }

  private init(
    _ name: String, _ help: String, _ kind: Kind,
    figures: [(labels: [(name: String, value: String)], value: Double)]
  ) {
    (self.name, self.help, self.kind, self.figures) = (name, help, kind, figures)
  }

  /// The text of several families.
  ///
  /// Source: Prometheus, Exposition formats, text format 0.0.4,
  /// <https://prometheus.io/docs/instrumenting/exposition_formats/>.
  static func text(of families: [Metric]) -> String {
    families.map(\.text).joined()
  }

  private var text: String {
    var text = "# HELP \(name) \(Self.escaped(help))\n# TYPE \(name) \(kind.rawValue)\n"
    for figure in figures {
      let labels = figure.labels.map { "\($0.name)=\"\(Self.escaped($0.value, isLabel: true))\"" }
      text += name + (labels.isEmpty ? "" : "{\(labels.joined(separator: ","))}")
      text += " \(Self.text(of: figure.value))\n"
    }
    return text
  }

  private static func escaped(_ text: String, isLabel: Bool = false) -> String {
    let escaped = text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    return isLabel ? escaped.replacing("\"", with: "\\\"") : escaped
  }

  /// The number as Go reads it.
  private static func text(of value: Double) -> String {
    guard value.isFinite else { return value.isNaN ? "NaN" : value > 0 ? "+Inf" : "-Inf" }
    return Int64(exactly: value).map(String.init) ?? String(value)
  }
}
