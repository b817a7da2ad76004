import Care
package import Localization

/// The fields of a form as a person filled them, in no order.
package struct FormFields: Hashable, Sendable {
  private var values: [String: [String]] = [:]

  /// Takes the fields that were sent.
  package init(_ fields: [(name: String, value: String)] = []) {
    for field in fields { values[field.name, default: []].append(field.value) }
  }

  /// The names of the fields.
  var names: [String] { values.keys.sorted() }

  /// The first value of a field, trimmed; `nil` for an absent or empty one.
  package subscript(name: String) -> String? {
    get {
      let text = values[name]?.first?.trimmingWhitespace
      return text?.isEmpty == true ? nil : text
    }
    set { values[name] = newValue.map { [$0] } }
  }

  /// Every value of a field, trimmed, without empty ones.
  func all(_ name: String) -> [String] {
    (values[name] ?? []).map(\.trimmingWhitespace).filter { !$0.isEmpty }
  }

  /// Every value of a field as it was sent.
  func sent(_ name: String) -> [String] { values[name] ?? [] }

  mutating func set(_ name: String, _ all: [String]) { values[name] = all }

  /// Sets a field to what it is in others.
  mutating func set(_ name: String, to others: FormFields) { values[name] = others.values[name] }

  /// Whether a field was sent, filled or not.
  func has(_ name: String) -> Bool { values[name] != nil }
}

extension String {
  /// The text without white space around it.
  var trimmingWhitespace: String {
    let start = drop(while: \.isWhitespace)
    return String(start.reversed().drop(while: \.isWhitespace).reversed())
  }
}

/// Why what a person filled in makes no task or person.
package struct DraftFlaw: Error, Hashable {
  /// The field at which it stands.
  var field: String
  /// The rule: a key of the language files' section `flaw`.
  var code: String
  /// The values of the text.
  var values: [String: String] = [:]
  /// Whether the same answer is taken when it is given once more.
  var isDoubt = false

  init(
    _ field: String, _ code: String, _ values: [String: String] = [:], isDoubt: Bool = false
  ) {
    self.field = field
    self.code = code
    self.values = values
    self.isDoubt = isDoubt
  }

  package func text(_ words: Language) -> String { words.text("flaw." + code, values) }
}

extension FormFields {
  /// Remembers a doubted answer, so that it is taken once more.
  mutating func insist(on flaw: DraftFlaw) {
    if flaw.isDoubt { self[flaw.field + ".sure"] = self[flaw.field] }
  }

  /// Checks that the form names one of the people.
  func checkPerson(among people: [Patient]) throws(DraftFlaw) {
    guard people.contains(where: { $0.id == self["patient"] }) else {
      throw DraftFlaw("patient", "choose")
    }
  }

  /// A whole number in a range.
  func whole(_ name: String, in range: ClosedRange<Int>, default value: Int? = nil)
    throws(DraftFlaw) -> Int
  {
    guard let text = self[name] else {
      guard let value else { throw DraftFlaw(name, "noNumber") }
      return value
    }
    guard let number = Int(text) else { throw DraftFlaw(name, "noNumber") }
    guard range.contains(number) else {
      throw DraftFlaw(
        name, "range", ["least": String(range.lowerBound), "most": String(range.upperBound)])
    }
    return number
  }

  /// A number with a decimal point or comma; `nil` for an empty field.
  func number(_ name: String) throws(DraftFlaw) -> Double? {
    guard let text = self[name] else { return nil }
    guard let number = Double(text.replacing(",", with: ".")), number.isFinite else {
      throw DraftFlaw(name, "noNumber")
    }
    return number
  }
}
