import Care
import Foundation
import Localization
import Pages

extension PlanImportReport {
  /// A line for each change and for what is missing, then how much is unchanged.
  ///
  /// - Parameters:
  ///   - timeZone: The zone of times.
  ///   - isUndone: Whether the report is of an import that was taken back.
  ///   - changes: The changes key by key, if they are to be listed.
  /// - Returns: The lines.
  func text(
    in timeZone: TimeZone, isUndone: Bool = false, changes: PlanChanges? = nil
  ) -> [String] {
    let shown = lines.filter { $0.change != .unchanged || $0.kept != nil }
    let unchanged = Kind.allCases.compactMap { kind -> String? in
      let count = lines.count { $0.kind == kind && $0.change == .unchanged && $0.kept == nil }
      guard count > 0, kind != .zone, kind != .order else { return nil }
      return "\(count) \(kind.title)" + (count == 1 ? "" : "s")
    }
    let texts = shown.flatMap { line in
      let values = changes?.of(line).compactMap { change in
        change.values.map { "  \(change.key): \($0.old) → \($0.new)" }
      }
      return [line.text(in: timeZone, isUndone: isUndone)] + (values ?? [])
    }
    return texts
      + (unchanged.isEmpty ? [] : [unchanged.joined(separator: ", ") + " unchanged"])
  }
}

extension PlanImportReport.Line {
  /// The effect of the import, in one line.
  func text(in timeZone: TimeZone, isUndone: Bool = false) -> String {
    let owner = patient.flatMap { $0 == id && kind == .patient ? nil : " of \($0)" } ?? ""
    let name =
      switch kind {
      case .zone: "time zone \(id)"
      case .order: "order of the tasks"
      case .device: "device \(id)" + (patient.map { " (\($0))" } ?? "")
      default: "\(kind.title) \(id)\(owner)"
      }
    let what =
      switch change {
      case .added: "added"
      case .updated:
        "changed" + (changedKeys.isEmpty ? "" : " (\(changedKeys.joined(separator: ", ")))")
          + (version.map { ", now version \($0)" } ?? "")
      case .unchanged: (kept.map(\.text) ?? "unchanged") + keys(keptKeys, " (", ")")
      case .missing: "not in this plan; it stays" + advice
      case .removed: isUndone ? "taken back" : kind == .device ? "unbound" : "ended"
      }
    let dates = closed.map { $0.toTheSecond(in: timeZone) }.joined(separator: ", ")
    let sides =
      kept != nil
      ? ""
      : keys(keptKeys, "; changed by hand and kept: ")
        + keys(contestedKeys, "; changed by both, the plan's holds: ")
    return "\(name): \(what)" + sides
      + ((beginsLater ? begins : nil).map {
        "; today stays as it is, and the change begins on \($0.day(in: timeZone))"
      } ?? "")
      + (closed.isEmpty ? "" : "; the version of \(dates) will not take effect")
  }

  /// Keys in a line, nothing if there are none.
  private func keys(_ keys: [String], _ begin: String, _ end: String = "") -> String {
    keys.isEmpty ? "" : begin + keys.joined(separator: ", ") + end
  }

  /// The command that removes what a plan no longer holds.
  private var advice: String {
    switch kind {
    case .task: ". To end it: measured task end \(id)" + (patient.map { " --patient \($0)" } ?? "")
    case .device: ". To unbind it: measured plan import --prune"
    case .calibration: ". To delete it: measured calibrate delete \(id)"
    case .patient: ". To hide the person: measured patient delete \(id)"
    default: ""
    }
  }
}

extension PlanImportReport.Kept {
  /// The change by hand that the import kept.
  fileprivate var text: String {
    switch self {
    case .ended: "unchanged; it was ended by hand and stays so"
    case .deleted: "unchanged; it was deleted by hand and stays so"
    case .changed: "unchanged; it was changed by hand and stays so"
    case .changedByRule: "unchanged; a rule of the plan changed it, and it stays so"
    }
  }
}

extension PlanImportReport.Kind {
  /// The kind in a line.
  fileprivate var title: String {
    switch self {
    case .carePlan: "care plan"
    default: rawValue
    }
  }
}
