import Care
import Foundation
import Plans
import StrictYAML

/// Why an answer is not taken, for the person who gave it.
struct SetupFlaw: Error, Hashable {
  var reason: String

  init(_ reason: String) { self.reason = reason }
}

/// Answers of the set-up as people type them.
enum SetupAnswer {
  /// Yes or no.
  static func yes(_ text: String) throws(SetupFlaw) -> Bool {
    switch text.lowercased() {
    case "y", "yes": return true
    case "n", "no": return false
    default: throw SetupFlaw("Answer y or n.")
    }
  }

  /// A zone by its IANA name.
  static func zone(_ text: String) throws(SetupFlaw) -> TimeZone {
    guard let zone = TimeZone(iana: text) else {
      throw SetupFlaw(
        "There is no time zone ‘\(text)’. Give an IANA name such as Europe/Berlin"
          + Spelling.suggestion(for: text, among: TimeZone.knownTimeZoneIdentifiers) + ".")
    }
    return zone
  }

  /// A name: the given one, and what follows as the family's.
  static func name(_ text: String) throws(SetupFlaw) -> PersonName {
    guard text.count <= 80, text.contains(where: \.isLetter), !text.contains(where: \.isNewline)
    else { throw SetupFlaw("A name has letters, and at most 80 characters.") }
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    return PersonName(given: words.first, family: words.count > 1 ? words[1] : nil)
  }

  /// A weight in kilograms: `64`, `64,5 kg`, `141 lb`, `10 st 4 lb`.
  ///
  /// - Parameters:
  ///   - text: What was typed.
  ///   - units: The units of the person; a bare number is in kilograms or pounds.
  /// - Returns: The weight in kilograms.
  /// - Throws: ``SetupFlaw`` for anything else, and for a weight that no living person has.
  static func weight(_ text: String, for units: PreferredUnits?) throws(SetupFlaw) -> Double {
    let example =
      switch units {
      case .us: "141 or 141 lb"
      case .uk: "10 st 4 lb or 144"
      case .metric, nil: "64 or 64.5 kg"
      }
    let malformed = SetupFlaw("‘\(text)’ is no weight. Write \(example).")
    var kilograms = 0.0
    var rest = text.replacing(",", with: ".")[...].drop(while: \.isWhitespace)
    var isFirst = true
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isNumber || $0 == "." }
      guard let number = YAMLNode.number(String(digits)) else { throw malformed }
      rest = rest.dropFirst(digits.count).drop(while: \.isWhitespace)
      let name = rest.prefix { !$0.isWhitespace && !$0.isNumber }
      rest = rest.dropFirst(name.count).drop(while: \.isWhitespace)
      let own: UnitOfMeasure = [.us, .uk].contains(units) ? .pound : .kilogram
      let unit = name.isEmpty ? (isFirst ? own : .pound) : UnitOfMeasure(String(name))
      guard let unit, let amount = unit.convert(number, to: .kilogram) else { throw malformed }
      kilograms += amount
      isFirst = false
    }
    let range = Quantity.bodyMass.plausible
    guard !isFirst else { throw malformed }
    guard range.contains(kilograms) else {
      let least = Quantity.bodyMass.text(range.lowerBound, for: units)
      let most = Quantity.bodyMass.text(range.upperBound, for: units)
      throw SetupFlaw("A weight is between \(least) and \(most).")
    }
    return kilograms.rounded(digits: 6)
  }

  /// Times of the day: `08:00 20:00`; none for `any`.
  static func times(_ text: String) throws(SetupFlaw) -> [String] {
    guard text.lowercased() != "any" else { return [] }
    var times: [String] = []
    for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
      let parts = word.split(separator: ":", omittingEmptySubsequences: false)
      guard let hour = parts.first.flatMap({ Int($0) }), (0...23).contains(hour),
        parts.count <= 2, let minute = parts.count == 2 ? Int(parts[1]) : 0,
        (0...59).contains(minute)
      else { throw SetupFlaw("‘\(word)’ is no time. Write times such as 08:00 20:00, or any.") }
      let time = (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
      if !times.contains(time) { times.append(time) }
    }
    guard !times.isEmpty, times.count <= 6 else {
      throw SetupFlaw("Write one to six times such as 08:00 20:00, or any.")
    }
    return times.sorted()
  }

  /// A whole number in a range.
  static func number(_ text: String, in range: ClosedRange<Int>) throws(SetupFlaw) -> Int {
    guard let number = Int(text), range.contains(number) else {
      throw SetupFlaw(
        "‘\(text)’ is no whole number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}

extension Quantity {
  /// What is measured, with its name: `Weight 81.95 kg`.
  func named(_ value: Double, for units: PreferredUnits?) -> String {
    "\(title) \(text(value, for: units))"
  }
}
