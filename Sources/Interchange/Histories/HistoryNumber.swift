import Care
import Foundation

/// A number as programs write it, with the unit behind it: `81,95`, `10,432`, `80.4 kg`, `1.69E+12`.
struct HistoryNumber: Hashable {
  var value: Double
  /// The unit in the same cell; empty if there is none.
  var unit: String
  /// The number as it was written.
  var digits: String

  /// The texts for what was not measured.
  static func isMissing(_ text: String) -> Bool {
    switch text.lowercased() {
    case "", "-", "--", "---", "–", "—", "null", "nil", "none", "nan", "n/a", "na": true
    default: false
    }
  }

  /// Reads a number; `nil` for anything else.
  ///
  /// - Parameters:
  ///   - text: The text.
  ///   - hasDecimalComma: Whether a comma before three digits is a decimal one, too.
  init?(_ text: some StringProtocol, hasDecimalComma: Bool = false) {
    let text = text.trimmed.replacing("\u{2212}", with: "-")
    var end = text.startIndex
    var hasDigit = false
    loop: while end < text.endIndex {
      let character = text[end]
      switch character {
      case "0"..."9": hasDigit = true
      case ".", ",": break
      case "+", "-":
        let before = end == text.startIndex ? nil : text[text.index(before: end)]
        guard before == nil || before == "e" || before == "E" else { break loop }
      case "e", "E":
        let next = text[text.index(after: end)...].first
        guard hasDigit, let next, next.isNumber || next == "+" || next == "-" else { break loop }
      case "'", "\u{2019}", "\u{A0}", "\u{202F}":
        let next = text[text.index(after: end)...].first
        guard hasDigit, let next, ("0"..."9").contains(next) else { break loop }
      default: break loop
      }
      end = text.index(after: end)
    }
    guard hasDigit else { return nil }
    let written = String(text[..<end])
    guard let plain = Self.plain(written, hasDecimalComma), let value = Double(plain),
      value.isFinite
    else { return nil }
    self.value = value
    digits = written
    unit = text[end...].trimmed
  }

  private static func plain(_ text: String, _ hasDecimalComma: Bool) -> String? {
    var text = text.filter { !"'\u{2019}\u{A0}\u{202F}".contains($0) }
    let (points, commas) = (text.count { $0 == "." }, text.count { $0 == "," })
    switch (points, commas) {
    case (0, 0), (1, 0): return text
    case (1..., 1...):
      // The last of both is the decimal one.
      guard let last = text.lastIndex(where: { $0 == "." || $0 == "," }) else { return nil }
      let decimal = text[last]
      guard text.count(where: { $0 == decimal }) == 1 else { return nil }
      return String(
        text.filter { $0 == decimal || !".,".contains($0) }.map { $0 == "," ? "." : $0 })
    case (0, 1):
      let decimals = text.drop { $0 != "," }.dropFirst().prefix { $0.isNumber }.count
      let whole = text.prefix { $0 != "," }.count(where: \.isNumber)
      let isThousands = !hasDecimalComma && decimals == 3 && whole <= 3
      text.replace(",", with: isThousands ? "" : ".")
      return text
    case (0, _): return text.replacing(",", with: "")
    default: return text.replacing(".", with: "")
    }
  }
}
