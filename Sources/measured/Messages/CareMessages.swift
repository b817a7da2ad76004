import Care
import Foundation

// How values of the care model read for people.

extension Sample {
  /// The quantity and its value: `Weight 61.75 kg`.
  var summary: String {
    let kind = reading.kind.map { " (\($0))" } ?? ""
    return "\(reading.quantity.title)\(kind) \(reading.quantity.text(reading.value))"
  }
}

extension Quantity {
  /// A value with its unit: `61.75 kg`.
  func text(_ value: Double) -> String {
    let number = value.plainText
    return unit.symbol.isEmpty ? number : "\(number) \(unit.symbol)"
  }
}

extension EventProgress {
  /// The progress: `22 of 30`, `done`.
  var text: String {
    guard let goal else { return isCompleted ? "done" : "open" }
    return "\(value.plainText) of \(goal.plainText)" + (isCompleted ? ", done" : "")
  }
}

extension OutcomeValue {
  /// The kind, the value and its unit: `range 82.4 °`.
  var text: String { (kind.map { $0 + " " } ?? "") + figure }

  /// The value and its unit: `82.4 °`.
  var figure: String {
    let number =
      switch value {
      case .integer(let number): String(number)
      case .double(let number): number.plainText
      case .boolean(let flag): flag ? "yes" : "no"
      case .text(let text): text
      case .binary(let bytes): "\(bytes.count) bytes"
      case .date(let date): date.rfc3339(in: .gmt)
      }
    let symbol = unit?.symbol ?? ""
    return number + (symbol.isEmpty || symbol == "1" ? "" : " " + symbol)
  }
}

extension Patient {
  /// The name, or the id of a patient without one.
  var displayName: String {
    let parts = [name.given, name.family].compactMap(\.self)
    return parts.isEmpty ? id : parts.joined(separator: " ")
  }
}

extension Double {
  /// At most three decimals, without trailing zeros.
  var plainText: String {
    guard isFinite, abs(self) < 1e12 else { return "\(self)" }
    let thousandths = (self * 1000).rounded()
    var text = String(format: "%.3f", thousandths / 1000)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text == "-0" ? "0" : text
  }
}

extension Date {
  /// The time to the second: `2026-11-20T07:09:58-08:00`.
  func toTheSecond(in timeZone: TimeZone) -> String {
    addingTimeInterval(-timeIntervalSince1970.truncatingRemainder(dividingBy: 1))
      .rfc3339(in: timeZone)
  }
}

extension String {
  /// The text without characters that control a terminal: a device chooses its own name.
  var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.filter { scalar in
          switch scalar.properties.generalCategory {
          case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
            .paragraphSeparator:
            false
          default: true
          }
        }))
  }
}
