package import Care
package import Foundation

/// One language of the pages: every word that people read, by key.
///
/// A key is the path in the language's file: `today.toSortOut`. A text names its values in braces:
/// `{count} to go`.
package struct Language: Sendable, Identifiable {
  /// The BCP 47 tag: `en`, `zh-Hant`.
  package let code: String
  /// The texts by key.
  package let texts: [String: String]

  /// The language's own name.
  package var name: String { text("language.name") }
  package var id: String { code }

  /// Reads a language's file: a JSON object of texts and of further objects.
  ///
  /// - Throws: `DecodingError` for anything else.
  init(code: String, json: [UInt8]) throws {
    self.code = code
    let sections = try JSONDecoder().decode([String: Section].self, from: Data(json))
    var texts: [String: String] = [:]
    for (key, section) in sections { section.flatten(under: key, into: &texts) }
    self.texts = texts
  }

  private enum Section: Decodable {
    case text(String)
    case sections([String: Section])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let text = try? container.decode(String.self) {
        self = .text(text)
      } else {
        self = .sections(try container.decode([String: Section].self))
      }
    }

    func flatten(under key: String, into texts: inout [String: String]) {
      switch self {
      case .text(let text): texts[key] = text
      case .sections(let sections):
        for (name, section) in sections { section.flatten(under: key + "." + name, into: &texts) }
      }
    }
  }
}

// MARK: - Texts

extension Language {
  /// The text of a key with its values in place; the key in `⟦⟧` if there is none.
  package func text(_ key: String, _ values: [String: String] = [:]) -> String {
    guard let text = texts[key] else { return "⟦\(key)⟧" }
    return values.isEmpty ? text : Self.filled(text, values)
  }

  /// The text of `key.one` or `key.other` for a number, which is its value `count`.
  package func text(_ key: String, count: Int, _ values: [String: String] = [:]) -> String {
    let form = count == 1 ? ".one" : ".other"
    return text(key + form, values.merging(["count": String(count)]) { given, _ in given })
  }

  /// The text of a key, or `nil` if the language has none.
  package func optionalText(_ key: String, _ values: [String: String] = [:]) -> String? {
    texts[key].map { Self.filled($0, values) }
  }

  /// `a`, `a and b`, `a, b and c`.
  package func list(_ items: [String]) -> String {
    guard let last = items.last, items.count > 1 else { return items.first ?? "" }
    let first = items.dropLast().joined(separator: text("list.comma"))
    return text("list.and", ["first": first, "last": last])
  }

  /// Puts values into their braces in one pass, so that a value is never read as a text.
  private static func filled(_ text: String, _ values: [String: String]) -> String {
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      let name = String(rest[rest.index(after: open)..<close])
      result += rest[..<open]
      result += values[name] ?? String(rest[open...close])
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }

  /// The names in braces of a text.
  package static func placeholders(in text: String) -> Set<String> {
    Set(
      text.split(separator: "{", omittingEmptySubsequences: false).dropFirst()
        .compactMap { $0.split(separator: "}").first.map(String.init) })
  }

  /// A quantity's name.
  package func title(of quantity: Quantity) -> String {
    optionalText("quantity." + quantity.rawValue) ?? quantity.title
  }
}

// MARK: - Dates

extension Language {
  /// A day as people say it: `5 November`, `11月5日`.
  package func dayMonth(_ date: Date, in timeZone: TimeZone) -> String {
    text("date.dayMonth", dateValues(date, in: timeZone))
  }

  /// `5 November 2026`.
  package func dayMonthYear(_ date: Date, in timeZone: TimeZone) -> String {
    text("date.dayMonthYear", dateValues(date, in: timeZone))
  }

  /// `Thu 5 November`.
  package func weekdayDayMonth(_ date: Date, in timeZone: TimeZone) -> String {
    var values = dateValues(date, in: timeZone)
    values["weekday"] = weekday(date, in: timeZone, isShort: code.hasPrefix("en"))
    return text("date.weekdayDayMonth", values)
  }

  /// `November 2026`.
  package func monthYear(_ date: Date, in timeZone: TimeZone) -> String {
    text("date.monthYear", dateValues(date, in: timeZone))
  }

  /// `Nov`.
  package func shortMonth(_ date: Date, in timeZone: TimeZone) -> String {
    text("date.monthShort.\(LocalDateTime(date, in: timeZone).month)")
  }

  /// `Thursday`, or `Thu`.
  package func weekday(_ date: Date, in timeZone: TimeZone, isShort: Bool = false) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    // Foundation counts from Sunday, ISO 8601 from Monday.
    let day = (calendar.component(.weekday, from: date) + 5) % 7 + 1
    return text(isShort ? "date.weekdayShort.\(day)" : "date.weekday.\(day)")
  }

  /// The time of day: `07:05`.
  package func time(_ date: Date, in timeZone: TimeZone) -> String {
    String(LocalDateTime(date, in: timeZone).description.dropFirst(11).prefix(5))
  }

  /// The time on the day of `now`, else the time with the day: `07:05`, `07:05, 4 November`.
  package func time(_ date: Date, relativeTo now: Date, in timeZone: TimeZone) -> String {
    let time = time(date, in: timeZone)
    guard date.day(in: timeZone) != now.day(in: timeZone) else { return time }
    return text("date.timeOn", ["time": time, "date": day(date, relativeTo: now, in: timeZone)])
  }

  /// `today`, `yesterday`, or the day, with its year if it is not that of `now`.
  package func day(_ date: Date, relativeTo now: Date, in timeZone: TimeZone) -> String {
    if date.day(in: timeZone) == now.day(in: timeZone) { return text("date.today") }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    if let yesterday = calendar.date(byAdding: .day, value: -1, to: now),
      yesterday.day(in: timeZone) == date.day(in: timeZone)
    {
      return text("date.yesterday")
    }
    let isThisYear =
      LocalDateTime(date, in: timeZone).year == LocalDateTime(now, in: timeZone).year
    return isThisYear ? dayMonth(date, in: timeZone) : dayMonthYear(date, in: timeZone)
  }

  private func dateValues(_ date: Date, in timeZone: TimeZone) -> [String: String] {
    let local = LocalDateTime(date, in: timeZone)
    return [
      "day": String(local.day), "month": text("date.month.\(local.month)"),
      "year": String(local.year), "weekday": weekday(date, in: timeZone),
    ]
  }
}

extension Date {
  /// The local day in ISO 8601: `2026-11-22`.
  package func day(in timeZone: TimeZone) -> String {
    String(LocalDateTime(self, in: timeZone).description.prefix(10))
  }
}
