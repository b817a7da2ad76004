import EmbeddedFiles
import Foundation
package import Localization
import Mustache

/// The templates, languages and files of the pages, read once.
package struct Site: Sendable {
  /// The languages.
  package let catalogue: LanguageCatalogue
  private let library: MustacheLibrary
  private let assets: [String: Asset]

  /// Reads what the program contains.
  ///
  /// - Throws: The parser's error for a template or a language's file that cannot be read.
  package init() throws {
    catalogue = try LanguageCatalogue()
    var library = MustacheLibrary()
    for (name, file) in EmbeddedFile.all(in: "templates") {
      try library.register(String(decoding: file.bytes, as: UTF8.self), named: name)
    }
    self.library = library
    assets = Dictionary(
      Self.files.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private static var files: [Asset] {
    EmbeddedFile.all.compactMap { file in
      guard file.path.hasPrefix("assets/") else { return nil }
      return Asset(String(file.path.dropFirst("assets/".count)), file.bytes)
    }
  }
}

// MARK: - Assets

/// A static file.
package struct Asset: Sendable {
  /// The name under `/assets/`.
  package let name: String
  /// The media type, with the character set of a text.
  package let mediaType: String
  /// The content.
  package let bytes: [UInt8]
  /// 16 hex digits that follow from the content: FNV-1a, 64 bits.
  package let hash: String

  private static let mediaTypes = [
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "webmanifest": "application/manifest+json",
  ]

  /// Makes the asset; the media type follows from the name's extension, `nil` if it has none.
  init?(_ name: String, _ bytes: [UInt8]) {
    guard let mediaType = Self.mediaTypes[String(name.split(separator: ".").last ?? "")] else {
      return nil
    }
    self.name = name
    self.mediaType = mediaType
    self.bytes = bytes
    let hash = bytes.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01b3
    }
    let digits = String(hash, radix: 16)
    self.hash = String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// The address by which pages link it; another content has another address.
  package var address: String { "/assets/\(name)?v=\(hash)" }
}

extension Site {
  /// The file under `/assets/` with that name; `nil` if there is none.
  package func asset(named name: String) -> Asset? { assets[name] }

  /// The names of the files.
  package var assetNames: [String] { assets.keys.sorted() }
}

// MARK: - Languages

extension Site {
  /// The languages, the default first.
  package var languages: [Language] { catalogue.languages }

  /// The language of a BCP 47 tag; see ``LanguageCatalogue/language(_:)``.
  package func language(_ tag: String) -> Language? { catalogue.language(tag) }

  /// The language of an `Accept-Language` field; see ``LanguageCatalogue/language(accepting:)``.
  package func language(accepting field: String?) -> Language {
    catalogue.language(accepting: field)
  }
}

// MARK: - Rendering

extension Site {
  /// A page's HTML: `template` fills the layout's `main` with `page`, `frame` the rest.
  func html(_ template: String, _ page: Any, frame: Frame) -> String {
    let content: [String: Any] = [
      "t": Words(language: frame.viewer.language, prefix: ""), "page": page,
      "frame": FrameContent(frame, site: self),
    ]
    return library.render(content, withTemplate: template) ?? ""
  }
}

/// A section of a language's texts, so that a template can name them: `{{t.today.toSortOut}}`.
private struct Words: MustacheParent {
  let language: Language
  let prefix: String

  func child(named name: String) -> Any? {
    let key = prefix + name
    if let text = language.optionalText(key) { return text }
    return language.hasSection(key)
      ? Words(language: language, prefix: key + ".") : language.text(key)
  }
}
