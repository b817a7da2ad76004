import Assessments
import Care
import Foundation
import Motion

/// The tables of the documents that are generated from the assessments' descriptions.
enum AssessmentTables {
  /// The documents with tables, by path from the repository's root.
  static let documents =
    ["docs/plan.md"]
    + [
      "RangeOfMotion", "Exercise", "TimedUpAndGo", "ChairStand", "Walks", "Tremor", "Sway",
      "OnScreen",
    ].map { "Sources/Measurement/Measurement.docc/Measuring\($0).md" }

  /// The lines of the table of that name; `nil` if there is none.
  ///
  /// `plan` is what a plan asks for, `figures` are all figures; the name of an assessment gives the
  /// figures of that one.
  static func lines(_ name: String) -> [String]? {
    switch name {
    case "plan": plan
    case "figures": figures
    default:
      AssessmentList.all.first { $0.type.rawValue == name }.map { meanings($0.figureDescriptions) }
    }
  }

  private static var plan: [String] {
    [
      "| `activeTask: {type: …}` | further keys | sensor on | first value |",
      "|---|---|---|---|",
    ]
      + AssessmentList.all.map { assessment in
        let results = assessment.figureDescriptions.prefix {
          $0.quantity != nil || $0.presence == .optional
        }
        let optional = results.prefix { $0.presence == .optional }.filter { $0.quantity != nil }
        let first = (optional + [results.first { $0.presence == .always }].compactMap(\.self))
          .map(name).joined(separator: ", else ")
        return "| `\(assessment.type.rawValue)` | \(keys(assessment.form)) | "
          + "\(site(assessment.sensors)) | \(first) |"
      }
  }

  private static var figures: [String] {
    ["| assessment | figures |", "|---|---|"]
      + AssessmentList.all.map { assessment in
        let figures = assessment.figureDescriptions.filter { $0 != .confidence }
        return "| `\(assessment.type.rawValue)` | "
          + figures.map(marked).joined(separator: ", ") + " |"
      }
  }

  private static func meanings(_ figures: [FigureDescription]) -> [String] {
    ["| figure | unit | meaning |", "|---|---|---|"]
      + figures.map { figure in
        "| `\(figure.kind)`\(mark(figure)) |" + (figure.unit.map { " \($0.code)" } ?? "")
          + " | \(figure.meaning) |"
      }
  }

  private static func keys(_ form: ActiveTaskForm) -> String {
    ActiveTaskForm.Key.allCases.filter(form.knows).map { key in
      form.required.contains(key) ? "`\(key.rawValue)`" : "`\(key.rawValue)` (optional)"
    }.joined(separator: ", ")
  }

  private static func site(_ sensors: SensorRequirement) -> String {
    switch sensors.site {
    case .anywhere: "anywhere"
    case .screen: "none: on the event's page"
    case .segments(let segments): segments.map(\.rawValue).joined(separator: " or ")
    case .joint: "a segment of the joint, or both: then the angle is the joint's own"
    }
  }

  private static func name(_ figure: FigureDescription) -> String {
    "`\(figure.kind)`" + (figure.unit.map { " \($0.code)" } ?? "")
  }

  private static func marked(_ figure: FigureDescription) -> String {
    "`\(figure.kind)`\(mark(figure))" + (figure.unit.map { " \($0.code)" } ?? "")
  }

  /// `?` after a figure that can be absent, `…` after one that can repeat.
  private static func mark(_ figure: FigureDescription) -> String {
    switch figure.presence {
    case .always: ""
    case .optional: "?"
    case .repeated: "…"
    }
  }

  /// A document with every table between `<!-- table: NAME -->` and `<!-- end of table -->` as the
  /// descriptions have it, and the names of its tables.
  static func filled(_ document: String) -> (text: String, names: [String]) {
    var names: [String] = []
    var lines: [Substring] = []
    var isInside = false
    for line in document.split(separator: "\n", omittingEmptySubsequences: false) {
      if line == "<!-- end of table -->" { isInside = false }
      if !isInside { lines.append(line) }
      if line.hasPrefix("<!-- table: "), line.hasSuffix(" -->") {
        let name = String(line.dropFirst(12).dropLast(4))
        names.append(name)
        lines += self.lines(name)?.map { $0[...] } ?? []
        isInside = true
      }
    }
    return (lines.joined(separator: "\n"), names)
  }
}
