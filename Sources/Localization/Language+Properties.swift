package import Care
package import Foundation

/// The properties of a language, which its file states under `language`.
extension Language {
  /// The language's own name.
  package var name: String { text("language.name") }

  /// In which direction its text runs, as the attribute `dir` of HTML says it: `ltr`, `rtl`.
  package var direction: String { text("language.direction") }

  /// The sign before the decimals of a number.
  package var decimalSign: String { text("language.decimalSign") }

  /// A unit's symbol beside a number: `kg`, `/min`, `次/分`.
  package func symbol(of unit: UnitOfMeasure) -> String {
    unit == .perMinute ? text("symbol.perMinute") : unit.symbol
  }

  /// The first day of the week, 1 (Monday) to 7 (Sunday); Monday for any other text.
  package var firstWeekday: Int {
    Int(text("language.firstWeekday")).flatMap { (1...7).contains($0) ? $0 : nil } ?? 1
  }

  /// The days of the week in their order, 1 (Monday) to 7 (Sunday).
  package var weekdays: [Int] { (0..<7).map { (firstWeekday - 1 + $0) % 7 + 1 } }

  /// The calendar week of an instant: seven local days from the first day of the week on.
  package func week(around date: Date, in timeZone: TimeZone) -> Range<Date> {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let place = weekdays.firstIndex(of: weekday(of: date, in: timeZone)) ?? 0
    let day = calendar.startOfDay(for: date)
    guard let start = calendar.date(byAdding: .day, value: -place, to: day),
      let end = calendar.date(byAdding: .day, value: 7 - place, to: day), start < end
    else { return Adherence.Period.week.span(around: date, in: timeZone) }
    return start..<end
  }

  /// A figure with the language's decimal sign and a true minus: `82,15 kg` for `82.15 kg`, `−8°` for `-8°`.
  ///
  /// - Parameter figure: Numbers with a decimal point, and their units.
  /// - Returns: The figure; a point that does not stand between digits stays, and so does a hyphen that
  ///   stands after a letter or digit, or before none.
  package func figure(_ figure: String) -> String {
    let perMinute = UnitOfMeasure.perMinute.symbol
    let figure =
      figure.contains(perMinute)
      ? figure.replacing(perMinute, with: symbol(of: .perMinute)) : figure
    let sign = decimalSign
    guard figure.contains("-") || sign != "." && figure.contains(".") else { return figure }
    let characters = Array(figure)
    return characters.indices.reduce(into: "") { text, place in
      let before = place > 0 ? characters[place - 1] : " "
      let isBeforeDigit = place + 1 < characters.count && characters[place + 1].isNumber
      switch characters[place] {
      case "." where before.isNumber && isBeforeDigit: text += sign
      case "-" where !before.isNumber && !before.isLetter && isBeforeDigit: text += "\u{2212}"
      default: text.append(characters[place])
      }
    }
  }

  /// A patient's name, or the id of one without a name.
  package func fullName(of patient: Patient) -> String { patient.displayName }

  /// A contact's name, or the title or the id of one without a name.
  package func fullName(of contact: Contact) -> String {
    contact.name.full ?? contact.title ?? contact.id
  }
}
