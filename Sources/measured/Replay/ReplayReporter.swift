import Care
import Foundation
import Hub
import Logging

/// Tells what a replay measures and completes, line by line, for people or as JSON.
struct ReplayReporter {
  /// The zone in which times are printed.
  var timeZone: TimeZone
  /// Whether lines are JSON.
  var isJSON: Bool
  /// Whether single heart beats and minutes of steps are left out for people.
  var isBrief = false

  /// Prints one report.
  func print(_ report: HubReport) {
    if isJSON {
      if let line = ReplayLine(report, in: timeZone) { Console.json(line) }
    } else if !(isBrief && report.isRoutine), let text = report.text(in: timeZone) {
      Console.out(text)
    }
    switch report {
    case .rejected, .refusedReading:
      Console.error("measured: \(report.logText(at: .warning, in: timeZone))")
    default: break
    }
  }

  /// Prints what it came to.
  func print(_ summary: HubSummary) {
    guard !isJSON else {
      Console.json(ReplayLine(summary))
      return
    }
    func count(_ number: Int, _ one: String, _ many: String) -> String {
      "\(number) \(number == 1 ? one : many)"
    }
    Console.out("")
    if summary.stored + summary.unassigned == 0, summary.duplicates > 0 {
      Console.out(
        "Nothing changed: \(count(summary.duplicates, "reading was", "readings were")) in the store"
          + " already.")
      return
    }
    Console.out(
      "\(count(summary.events, "event", "events")) heard: "
        + "\(count(summary.stored, "reading", "readings")) stored, \(summary.unassigned) unassigned,"
        + " \(summary.duplicates) known already, \(summary.rejected) unreadable; "
        + "\(count(summary.completed, "task", "tasks")) completed.")
  }
}

extension Sample {
  /// What was measured, for people: `Weight 61.75 kg`.
  var summary: String {
    let kind = reading.kind.map { " (\($0))" } ?? ""
    return "\(reading.quantity.title)\(kind) \(reading.quantity.text(reading.value))"
  }
}

extension Quantity {
  /// A value with its unit, as people read it.
  func text(_ value: Double) -> String {
    let number = value.plainText
    return unit.symbol.isEmpty ? number : "\(number) \(unit.symbol)"
  }
}

extension Double {
  /// At most three decimals, none that are zero.
  var plainText: String {
    guard isFinite, abs(self) < 1e12 else { return "\(self)" }
    let thousandths = (self * 1000).rounded()
    var text = String(format: "%.3f", thousandths / 1000)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text == "-0" ? "0" : text
  }
}

extension EventProgress {
  /// How far, for people: `22 of 30`, `done`.
  var text: String {
    guard let goal else { return isCompleted ? "done" : "open" }
    return "\(value.plainText) of \(goal.plainText)" + (isCompleted ? ", done" : "")
  }
}
