import Care
import Foundation
import Localization
import Pages
import Terminal

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
    let words = Console.language
    let unchanged = Kind.allCases.compactMap { kind -> String? in
      let count = lines.count { $0.kind == kind && $0.change == .unchanged && $0.kept == nil }
      guard count > 0, kind != .zone, kind != .order else { return nil }
      let name = kind.rawValue
      return words.text("command.planLine.count.\(name)", count: count)
    }.joined(separator: words.text("list.comma"))
    let texts = shown.flatMap { line in
      let values = changes?.of(line).compactMap { change in
        change.values.map {
          "  " + words.text("plan.fromTo", ["key": change.key, "old": $0.old, "new": $0.new])
        }
      }
      return [line.text(in: timeZone, isUndone: isUndone)] + (values ?? [])
    }
    return texts
      + (unchanged.isEmpty
        ? [] : [words.text("command.planLine.unchanged", ["things": unchanged])])
  }
}

extension PlanImportReport.Line {
  /// The effect of the import, in one line.
  func text(in timeZone: TimeZone, isUndone: Bool = false) -> String {
    let change =
      LocalizedText(
        "command.planLine.line", ["name": .text(name), "change": .text(result(isUndone))])
    return remarks(in: timeZone).reduce(change) { line, remark in
      LocalizedText("command.planLine.further", ["line": .text(line), "remark": .text(remark)])
    }.message
  }

  /// The thing: `task walk of john`.
  private var name: LocalizedText {
    let values: [String: LocalizedText.Value] = [
      "id": "\(id)", "patient": .init(patient ?? ""), "kind": .text(kind.text),
    ]
    return switch kind {
    case .zone: LocalizedText("command.planLine.zone", values)
    case .order: "command.planLine.order"
    case .device:
      LocalizedText(
        patient == nil ? "command.planLine.device" : "command.planLine.deviceOf", values)
    default:
      LocalizedText(
        patient == nil || patient == id && kind == .patient
          ? "command.planLine.thing" : "command.planLine.thingOf", values)
    }
  }

  /// The change, with the keys that changed and the new version.
  private func result(_ isUndone: Bool) -> LocalizedText {
    switch change {
    case .added: return "command.planLine.added"
    case .updated:
      let change = Self.withKeys("command.planLine.changed", changedKeys)
      return version.map { version in
        LocalizedText(
          "command.planLine.nowVersion", ["change": .text(change), "version": .init(version)])
      } ?? change
    case .unchanged:
      return Self.withKeys(kept.map(\.text) ?? "command.planLine.stays", keptKeys)
    case .missing: return missing
    case .removed where isUndone: return "command.planLine.takenBack"
    case .removed where kind == .device: return "command.planLine.unbound"
    case .removed: return "command.planLine.ended"
    }
  }

  /// The remarks that follow the change.
  private func remarks(in timeZone: TimeZone) -> [LocalizedText] {
    var remarks: [LocalizedText] = []
    func add(_ key: String, _ name: String, _ value: String) {
      remarks.append(LocalizedText(key, [name: "\(value)"]))
    }
    if kept == nil, !keptKeys.isEmpty {
      add("command.planLine.keptByHand", "keys", keptKeys.joined(separator: ", "))
    }
    if kept == nil, !contestedKeys.isEmpty {
      add("command.planLine.contested", "keys", contestedKeys.joined(separator: ", "))
    }
    if let begins {
      let key = beginsLater ? "command.planLine.beginsLater" : "command.planLine.begins"
      add(key, "day", begins.day(in: timeZone))
    }
    if !closed.isEmpty {
      let dates = closed.map { $0.toTheSecond(in: timeZone) }.joined(separator: ", ")
      add("command.planLine.closed", "dates", dates)
    }
    return remarks
  }

  /// A text with keys in parentheses, without them if there are none.
  private static func withKeys(_ text: LocalizedText, _ keys: [String]) -> LocalizedText {
    guard !keys.isEmpty else { return text }
    return LocalizedText(
      "command.planLine.withKeys",
      ["change": .text(text), "keys": .init(keys.joined(separator: ", "))])
  }

  /// That the plan no longer holds it, with the command that removes it.
  private var missing: LocalizedText {
    let key =
      switch kind {
      case .task: "command.planLine.missingTask"
      case .device: "command.planLine.missingDevice"
      case .calibration: "command.planLine.missingCalibration"
      case .patient: "command.planLine.missingPatient"
      default: "command.planLine.missing"
      }
    return LocalizedText(
      key, ["id": "\(id)", "flags": .init(patient.map { " --patient \($0)" } ?? "")])
  }
}

extension PlanImportReport.Kept {
  /// The change by hand that the import kept.
  fileprivate var text: LocalizedText {
    switch self {
    case .ended: "command.planLine.keptEnd"
    case .deleted: "command.planLine.keptDeletion"
    case .changed: "command.planLine.keptChange"
    case .changedByRule: "command.planLine.keptRule"
    }
  }
}

extension PlanImportReport.Kind {
  /// The kind in a line.
  fileprivate var text: LocalizedText { LocalizedText("command.planLine.kind.\(rawValue)") }
}
