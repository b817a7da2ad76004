import EmbeddedFiles
import Foundation

/// Every language that the program contains.
package struct LanguageCatalogue: Sendable {
  /// The languages, English first.
  package let languages: [Language]
  package let english: Language

  /// Reads the languages' files.
  ///
  /// - Throws: `DecodingError` for a file that is no language; ``MissingLanguage`` without English.
  package init() throws {
    try self.init(
      EmbeddedFile.all(in: "languages").map {
        try Language(code: $0.name, json: $0.file.bytes)
      })
  }

  /// The languages that the program contains, read once.
  ///
  /// Texts are their keys if a file cannot be read, which a test excludes.
  package static let embedded =
    (try? LanguageCatalogue()) ?? LanguageCatalogue(english: Language(code: "en", texts: [:]))

  private init(english: Language) {
    self.english = english
    languages = [english]
  }

  /// - Throws: ``MissingLanguage`` without English.
  package init(_ languages: [Language]) throws(MissingLanguage) {
    guard let english = languages.first(where: { $0.code == "en" }) else {
      throw MissingLanguage(code: "en")
    }
    self.english = english
    self.languages =
      [english]
      + languages.filter { $0.code != "en" }.map { $0.fallingBack(on: english) }
  }

  /// A language that the program does not contain.
  package struct MissingLanguage: Error {
    package let code: String
  }
}

extension LanguageCatalogue {
  /// The language of a BCP 47 tag, compared without regard to case; `nil` if there is none.
  ///
  /// `zh-TW`, `zh-HK` and `zh` are read in Traditional Chinese, `en-GB` in English.
  package func language(_ tag: String) -> Language? {
    let tag = tag.lowercased()
    if let exact = languages.first(where: { $0.code.lowercased() == tag }) { return exact }
    let primary = tag.split(separator: "-").first.map(String.init) ?? tag
    return languages.first {
      $0.code.lowercased().split(separator: "-").first.map(String.init) == primary
    }
  }

  /// The first language of an `Accept-Language` field that there is; English without one.
  package func language(accepting field: String?) -> Language {
    let wishes = (field ?? "").prefix(500).split(separator: ",").enumerated().map { place, wish in
      let parts = wish.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
      let quality = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap {
        Double($0.dropFirst(2))
      }
      return (tag: parts.first ?? "", quality: quality ?? 1, place: place)
    }
    let ordered = wishes.filter { $0.quality > 0 }.sorted {
      $0.quality != $1.quality ? $0.quality > $1.quality : $0.place < $1.place
    }
    return ordered.lazy.compactMap { self.language($0.tag) }.first ?? english
  }

  /// The language of a terminal by the variables of its environment; English without one.
  ///
  /// `LANGUAGE` is a list, of which the first that there is counts; `LC_ALL`, `LC_MESSAGES` and `LANG`
  /// follow in this order (POSIX.1-2017, 8.2): `zh_TW.UTF-8`. `C` and `POSIX` are English, and so is a
  /// journal (`JOURNAL_STREAM`, systemd.exec(5)): it is searched, and read by others.
  package func language(environment variables: [String: String]) -> Language {
    guard variables["JOURNAL_STREAM"] == nil else { return english }
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy
      .compactMap { variables[$0] }.first { !$0.isEmpty }
    guard let locale, locale != "C", locale != "POSIX" else { return english }
    let wishes = (variables["LANGUAGE"] ?? "").split(separator: ":").map(String.init) + [locale]
    return wishes.lazy.compactMap { wish in
      let name = wish.prefix { $0 != "." && $0 != "@" }.replacing("_", with: "-")
      return self.language(String(name))
    }.first ?? english
  }
}
