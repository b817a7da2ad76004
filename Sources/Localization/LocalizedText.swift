package import Care

/// A text that any language can say: the key of its wording, and its values.
///
/// Libraries carry cases and facts. The room that has to tell people of a case gives it a key and
/// values; the wording stands in the languages' files alone.
///
///     LocalizedText("store.noSuchOccurrence", ["occurrence": 3, "task": "knee"])
package struct LocalizedText: Sendable, Hashable {
  /// The path in a language's file.
  package let key: String
  /// The values by their names in braces.
  package let values: [String: Value]
  /// The number that chooses the form of the text, which is its value `count`; `nil` if the text has
  /// one form.
  package let count: Int?

  /// A value of a text.
  package indirect enum Value: Sendable, Hashable {
    /// As it is: an id, a name, a figure.
    case verbatim(String)
    /// A text of its own.
    case text(LocalizedText)
    /// Several, joined as the language joins them: `a, b and c`.
    case list([Value])
    /// A quantity's name.
    case quantity(Quantity)
    /// A quantity's name within a sentence: `body mass index`.
    case quantityInSentence(Quantity)
    /// Numbers with a decimal point, and their units: `82.15 kg`.
    case figure(String)
    /// A text that begins a sentence.
    case capitalized(LocalizedText)
  }

  package init(_ key: String, _ values: [String: Value] = [:], count: Int? = nil) {
    self.key = key
    self.values = values
    self.count = count
  }

  /// A text that is known as it is: what another program or a recording says.
  package static func verbatim(_ text: String) -> LocalizedText {
    LocalizedText("verbatim", ["text": .verbatim(text)])
  }

  /// The text with a further value.
  package func with(_ name: String, _ value: Value) -> LocalizedText {
    LocalizedText(key, values.merging([name: value]) { given, _ in given }, count: count)
  }

  /// This text and another after it, as sentences of the language follow each other.
  package func followed(by next: LocalizedText) -> LocalizedText {
    LocalizedText("sentences", ["first": .text(self), "next": .text(next)])
  }
}

/// A text without values is its key.
extension LocalizedText: ExpressibleByStringLiteral {
  package init(stringLiteral key: String) { self.init(key) }
}

extension LocalizedText: Localizable {
  package var localized: LocalizedText { self }
}

extension LocalizedText.Value: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral {
  package init(stringLiteral text: String) { self = .verbatim(text) }
  package init(integerLiteral number: Int) { self = .verbatim(String(number)) }
  /// A whole number as it is.
  package init(_ number: some BinaryInteger) { self = .verbatim(String(number)) }
  /// A text as it is.
  package init(_ text: some StringProtocol) { self = .verbatim(String(text)) }
}

/// An error, a finding or a notice that reads as a text.
package protocol Localizable {
  /// The failure, the thing that it concerns, its reason, and the advice.
  var localized: LocalizedText { get }
}

extension Language {
  /// The text in this language.
  package func text(_ text: LocalizedText) -> String {
    let values = text.values.mapValues(string)
    guard let count = text.count else { return self.text(text.key, values) }
    return self.text(text.key, count: count, values)
  }

  /// The text of an error, a finding or a notice in this language.
  package func text(of subject: any Localizable) -> String { text(subject.localized) }

  private func string(_ value: LocalizedText.Value) -> String {
    switch value {
    case .verbatim(let string): string
    case .text(let text): self.text(text)
    case .list(let values): list(values.map(string))
    case .quantity(let quantity): title(of: quantity)
    case .quantityInSentence(let quantity):
      title(of: quantity).prefix(1).lowercased() + title(of: quantity).dropFirst()
    case .figure(let figure): self.figure(figure)
    case .capitalized(let text):
      self.text(text).prefix(1).uppercased() + self.text(text).dropFirst()
    }
  }
}
