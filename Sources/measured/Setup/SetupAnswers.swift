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

  /// A weight as it was typed.
  struct Weight: Hashable {
    /// The weight in kilograms.
    var kilograms: Double
    /// The unit in which a bare number was read; `nil` if the unit was typed.
    var assumed: UnitOfMeasure?
  }

  /// A weight: `64`, `64,5 kg`, `141 lb`, `10 st 4 lb`.
  ///
  /// - Parameters:
  ///   - text: The typed text.
  ///   - units: The units of the person; a bare number is in kilograms or pounds.
  /// - Returns: The weight.
  /// - Throws: ``SetupFlaw`` for anything else, and for a weight that no living person has.
  static func weight(_ text: String, for units: PreferredUnits?) throws(SetupFlaw) -> Weight {
    let own: UnitOfMeasure = [.us, .uk].contains(units) ? .pound : .kilogram
    let measure: EnteredMeasure
    do throws(EnteredMeasure.Flaw) {
      measure = try EnteredMeasure(text)
    } catch {
      throw SetupFlaw(error.message(text, of: .bodyMass, in: own))
    }
    guard let kilograms = (measure.unit ?? own).convert(measure.number, to: .kilogram) else {
      throw SetupFlaw(EnteredMeasure.Flaw.malformed.message(text, of: .bodyMass, in: own))
    }
    let range = Quantity.bodyMass.possible
    guard range.contains(kilograms) else {
      let least = Quantity.bodyMass.text(range.lowerBound, for: units)
      let most = Quantity.bodyMass.text(range.upperBound, for: units)
      throw SetupFlaw("A weight is between \(least) and \(most).")
    }
    return Weight(
      kilograms: kilograms.rounded(digits: 6), assumed: measure.unit == nil ? own : nil)
  }

  /// Times of the day: `08:00 20:00`, also `8.30`, `0800`, `8am`; none for `any`.
  static func times(_ text: String) throws(SetupFlaw) -> [String] {
    guard text.lowercased() != "any" else { return [] }
    var words: [String] = []
    for word in text.lowercased().split(whereSeparator: { " ,;".contains($0) }) {
      // The half of the day may stand apart from the hour.
      if ["am", "pm"].contains(word), let last = words.popLast() {
        words.append(last + word)
      } else {
        words.append(String(word))
      }
    }
    var times: [String] = []
    for word in words {
      guard let time = time(word) else {
        throw SetupFlaw("‘\(word)’ is no time. Write times such as 08:00 20:00, or any.")
      }
      if !times.contains(time) { times.append(time) }
    }
    guard !times.isEmpty, times.count <= 6 else {
      throw SetupFlaw("Write one to six times such as 08:00 20:00, or any.")
    }
    return times.sorted()
  }

  /// One time as `08:30`; `nil` for a text that is none.
  private static func time(_ text: String) -> String? {
    let half = ["am", "pm"].first { text.hasSuffix($0) }
    let clock = half == nil ? text[...] : text.dropLast(2)
    var parts = clock.split(omittingEmptySubsequences: false) { ":.h".contains($0) }
    // `0800` and `800` have no separator.
    if parts.count == 1, (3...4).contains(clock.count) {
      parts = [clock.dropLast(2), clock.suffix(2)]
    }
    guard parts.count <= 2, parts.allSatisfy({ (1...2).contains($0.count) }),
      var hour = Int(parts[0]), parts.count == 1 || parts[1].count == 2,
      let minute = parts.count == 2 ? Int(parts[1]) : 0, (0...59).contains(minute), hour >= 0
    else { return nil }
    if let half {
      guard (1...12).contains(hour) else { return nil }
      hour = hour % 12 + (half == "pm" ? 12 : 0)
    }
    guard hour <= 23 else { return nil }
    return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
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
  /// The value with its name: `Weight 81.95 kg`.
  func named(_ value: Double, for units: PreferredUnits?) -> String {
    "\(title) \(text(value, for: units))"
  }
}
