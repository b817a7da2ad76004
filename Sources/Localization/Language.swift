package import Care
import Foundation

/// One language: every text that people read, by key.
///
/// A key is the path in the language's file: `today.toSortOut`. A text names its values in braces:
/// `{count} to go`. A text that depends on a number has one form for each plural category of the
/// language, below its key: `one`, `few`, `many`, `other`.
///
/// A text that the language does not have is read in another one, key by key.
package struct Language: Sendable, Identifiable {
  /// The BCP 47 tag: `en`, `zh-Hant`.
  package let code: String
  /// The texts by key.
  package let texts: [String: String]
  /// The rule by which a number chooses the form of a text.
  package let pluralRule: PluralRule
  /// The texts and the rule of the language that is read where this one has no text.
  private var fallback: Fallback?

  private struct Fallback {
    let texts: [String: String]
    let pluralRule: PluralRule
  }

  package var id: String { code }

  /// Reads a language's file: a JSON object of texts and of further objects.
  ///
  /// - Throws: `DecodingError` for anything else.
  package init(code: String, json: [UInt8]) throws {
    let sections = try JSONDecoder().decode([String: Section].self, from: Data(json))
    var texts: [String: String] = [:]
    for (key, section) in sections { section.flatten(under: key, into: &texts) }
    self.init(code: code, texts: texts)
  }

  /// The same language, which reads `other` where it has no text.
  func fallingBack(on other: Language) -> Language {
    var language = self
    language.fallback = Fallback(texts: other.texts, pluralRule: other.pluralRule)
    return language
  }

  /// The language of texts by key.
  init(code: String, texts: [String: String]) {
    self.code = code
    self.texts = texts
    pluralRule = PluralRule(language: code)
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
    optionalText(key, values) ?? "⟦\(key)⟧"
  }

  /// The text of a key in the form for a number, which is its value `count`.
  package func text(_ key: String, count: Int, _ values: [String: String] = [:]) -> String {
    let values = values.merging(["count": String(count)]) { given, _ in given }
    let form =
      Self.form(of: key, count: count, in: texts, by: pluralRule)
      ?? fallback.flatMap { Self.form(of: key, count: count, in: $0.texts, by: $0.pluralRule) }
    return form.map { Self.filled($0, values) } ?? text(key + ".other", values)
  }

  /// The text of a key, or `nil` if there is none.
  package func optionalText(_ key: String, _ values: [String: String] = [:]) -> String? {
    (texts[key] ?? fallback?.texts[key]).map { Self.filled($0, values) }
  }

  /// Whether a key begins those of texts: `today` of `today.toSortOut`.
  package func hasSection(_ key: String) -> Bool {
    let prefix = key + "."
    return texts.keys.contains { $0.hasPrefix(prefix) }
      || (fallback?.texts.keys.contains { $0.hasPrefix(prefix) } ?? false)
  }

  /// The form of a text for a number, by the plural rule of the language that has it.
  ///
  /// A language without plurals may still say one thing in a way of its own: 每天, not 每 1 天.
  private static func form(
    of key: String, count: Int, in texts: [String: String], by rule: PluralRule
  ) -> String? {
    let category = rule == .invariant && count == 1 ? .one : rule.category(of: count)
    return texts[key + "." + category.rawValue] ?? texts[key + ".other"]
  }

  /// `a`, `a and b`, `a, b and c`.
  package func list(_ items: [String]) -> String {
    guard let last = items.last, items.count > 1 else { return items.first ?? "" }
    let first = items.dropLast().joined(separator: text("list.comma"))
    return text("list.and", ["first": first, "last": last])
  }

  /// Puts values into their braces in one pass, so that a value is never read as a text.
  ///
  /// Between a Latin letter of a value and a Han character of the text stands a space.
  private static func filled(_ text: String, _ values: [String: String]) -> String {
    guard !values.isEmpty else { return text }
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      let name = String(rest[rest.index(after: open)..<close])
      result += rest[..<open]
      let value = values[name] ?? String(rest[open...close])
      if result.last?.isHan == true, value.first?.isLatinLetter == true { result += " " }
      result += value
      rest = rest[rest.index(after: close)...]
      if value.last?.isLatinLetter == true, rest.first?.isHan == true { result += " " }
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

  /// An assessment's name.
  package func title(of assessment: ActiveTaskType) -> String {
    optionalText("assessment." + assessment.rawValue) ?? assessment.rawValue
  }
}

extension Character {
  /// Whether it is a letter of an alphabet that is written with spaces beside Chinese.
  fileprivate var isLatinLetter: Bool {
    isLetter && unicodeScalars.first.map { $0.value < 0x250 } == true
  }

  /// Whether it is a Chinese character.
  fileprivate var isHan: Bool {
    unicodeScalars.first.map { (0x4E00...0x9FFF).contains($0.value) } == true
  }
}
