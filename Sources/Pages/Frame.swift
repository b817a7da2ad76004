package import Actions
import Care
import EmbeddedFiles
package import Foundation
package import Localization
import Mustache

/// The frame around a page's content: title, navigation, people, notice, languages.
struct Frame {
  /// Who looks at it.
  var viewer: Viewer
  /// The page of the navigation that it belongs to, if any.
  var section: Section?
  /// A line above the title.
  var kicker: String?
  /// The page's title.
  var title: String
  /// The page's own address, without language and notice.
  var address: LocalAddress
  /// The people to choose among; the choice is not offered for fewer than two.
  var people: [Patient] = []
  /// A message about the latest action.
  var notice: NoticeText?
  /// Whether the pages are offered; not before a person has signed in.
  var hasNavigation = true
  /// Whether other languages are offered.
  var hasLanguages = true
  /// After how many seconds a browser without scripts asks again; `nil` for never.
  var refresh: Int?

  /// The pages of the navigation.
  enum Section: String {
    case morning, today, measurements, insights, connect, devices

    /// The pages that are offered: no device is near a centre.
    static func offered(to viewer: Viewer) -> [Section] {
      viewer.isCentre
        ? [.morning, .today, .measurements, .insights, .connect]
        : [.today, .measurements, .insights, .connect, .devices]
    }
  }
}

/// The five tints, by place.
enum Tint: String, CaseIterable {
  case teal, rose, blue, plum, amber

  /// The tint of the thing at that place of a list.
  init(place: Int) {
    self =
      Self.allCases[((place % Self.allCases.count) + Self.allCases.count) % Self.allCases.count]
  }
}

// MARK: - Content of the layout

/// The frame as the layout reads it.
struct FrameContent {
  let language: String
  let direction: String
  let documentTitle: String
  let kicker: String?
  let title: String
  /// Where the page can be asked for, also after it answered a form.
  let address: String
  /// The name of a household's only person, for print; the screen does not show it.
  let onPaper: String?
  let sections: [SectionLink]
  let people: People?
  let notice: NoticeText?
  let languages: [LanguageLink]
  let isSetup: Bool
  let account: String?
  /// The day that a demo shows, whose clock is not that of the machine.
  let demo: String?
  let isAccount: Bool
  let token: String?
  let hasNavigation: Bool
  let refresh: Int?
  let hasSetup: Bool
  let assets: Assets

  struct SectionLink {
    let address: String
    let glyph: String
    let title: String
    let isCurrent: Bool
  }

  struct People {
    let label: String
    let initial: String?
    let isEveryone: Bool
    let currentTint: String
    let choices: [Choice]
  }

  struct Choice {
    let name: String
    let address: String
    let isCurrent: Bool
  }

  struct LanguageLink {
    let code: String
    let name: String
    let address: String
  }

  struct Assets {
    let style: String
    let charts: String
    let script: String
    let measure: String
    let setup: String
    let icon: String
    let touchIcon: String
    let manifest: String
  }

  init(_ frame: Frame, site: Site) {
    let viewer = frame.viewer
    let words = viewer.language
    language = words.code
    direction = words.direction
    title = frame.title
    self.address = frame.address.description
    kicker = Self.kicker(frame)
    onPaper =
      frame.people.count == 1
      ? frame.people.first.map(words.fullName(of:)).flatMap { frame.title.contains($0) ? nil : $0 }
      : nil
    documentTitle = words.text("frame.documentTitle", ["title": frame.title])
    sections = Frame.Section.offered(to: viewer).map { section in
      // The devices and the morning are everyone's.
      let patient = [.devices, .morning].contains(section) ? nil : viewer.patient
      return SectionLink(
        address: LocalAddress(section.rawValue, items: [("patient", patient)]).description,
        glyph: section.rawValue, title: words.text("nav." + section.rawValue),
        isCurrent: frame.section == section)
    }
    people = Self.people(frame)
    notice = frame.notice
    languages = site.languages.filter { frame.hasLanguages && $0.code != words.code }.map { other in
      LanguageLink(
        code: other.code, name: other.name,
        address: frame.address.setting("lang", other.code).description)
    }
    isSetup = frame.address.path == "/setup"
    account = viewer.account?.name
    demo =
      site.isDemo
      ? words.text("frame.demo", ["date": words.dayMonthYear(viewer.now, in: viewer.timeZone)])
      : nil
    isAccount = frame.address.path == "/account"
    token = viewer.account?.formToken
    hasNavigation = frame.hasNavigation
    refresh = frame.refresh
    hasSetup = frame.hasNavigation && viewer.may(.plan)
    func address(_ name: String) -> String { site.asset(named: name)?.address ?? "" }
    assets = Assets(
      style: address("style.css"), charts: address("charts.css"), script: address("page.js"),
      measure: address("measure.js"),
      setup: address("setup.js"),
      icon: address("icon.svg"),
      touchIcon: address("icon-192.png"),
      manifest: address("manifest.webmanifest"))
  }

  /// The line above the title, with whose page it is where there are several people.
  private static func kicker(_ frame: Frame) -> String? {
    guard frame.people.count > 1,
      let name = frame.people.first(where: { $0.id == frame.viewer.patient }).map(
        frame.viewer.language.fullName(of:))
    else { return frame.kicker }
    guard !frame.title.contains(name) else { return frame.kicker }
    guard let kicker = frame.kicker, !kicker.hasPrefix(name) else { return frame.kicker ?? name }
    return frame.viewer.language.text("frame.kicker", ["name": name, "kicker": kicker])
  }

  private static func people(_ frame: Frame) -> People? {
    guard frame.people.count > 1 else { return nil }
    let words = frame.viewer.language
    let current = frame.people.firstIndex { $0.id == frame.viewer.patient }
    let everyone = words.text("frame.everyone")
    let name = current.map { words.fullName(of: frame.people[$0]) } ?? everyone
    let choices =
      frame.people.map { person in
        Choice(
          name: words.fullName(of: person),
          address: frame.address.setting("patient", person.id).description,
          isCurrent: person.id == frame.viewer.patient)
      } + [
        Choice(
          name: everyone, address: frame.address.setting("patient", nil).description,
          isCurrent: current == nil)
      ]
    return People(
      label: words.text("frame.person", ["name": name]),
      initial: current.flatMap { _ in name.first.map { String($0).uppercased() } },
      isEveryone: current == nil, currentTint: Tint(place: (current ?? 0) + 3).rawValue,
      choices: choices)
  }
}

// MARK: - Site

/// The templates, languages and files of the pages.
package struct Site: Sendable {
  /// The languages.
  package let catalogue: LanguageCatalogue
  private let library: MustacheLibrary
  private let assets: [String: Asset]
  /// Whether everything is made up, at a time that is not now.
  package var isDemo = false

  /// Makes it of what the program contains, which is read once.
  ///
  /// - Throws: The parser's error for a template or a language's file that cannot be read.
  package init() throws { self = try Self.embedded.get() }

  private static let embedded = Result { try Site(reading: EmbeddedFile.all(in: "templates")) }

  private init(reading templates: [(name: String, file: EmbeddedFile)]) throws {
    catalogue = try LanguageCatalogue()
    var library = MustacheLibrary()
    for (name, file) in templates {
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

// MARK: - Viewer

/// Who looks at a page: in which language, at whom, when and where.
package struct Viewer: Sendable {
  /// The language.
  package var language: Language
  /// The id of the patient whose page it is; `nil` for everyone's.
  package var patient: String?
  /// The current time.
  package var now: Date
  /// The zone of days and times.
  package var timeZone: TimeZone
  /// The names of device definitions for people, by id; one that is missing is made of its id.
  package var deviceNames: [String: String]
  /// The person who signed in; `nil` where nobody has to.
  package var account: Account?
  /// Whether sensors can be read here, so that a person can measure.
  package var canMeasure = false
  /// Whether boxes bring what is measured here, and no sensor is near.
  package var isCentre = false
  /// Whether devices can be paired here.
  package var canPair = false
  /// The knowledge of earlier pages of whose the weighings are.
  package var weighings = WeighingMemory()
  /// The rights of the person: buttons for the rest are not shown.
  package var rights = Set(Right.allCases)

  /// Something that a page offers to some of its readers only.
  package enum Right: Hashable, Sendable, CaseIterable {
    /// Answer tasks and write messages.
    case answer
    /// Import other programs' files, of everyone.
    case add
    /// Correct, delete and assign samples.
    case correct
    /// See and change the tasks and people of the set-up.
    case plan
    /// Read and replace the whole plan, of everyone.
    case wholePlan
    /// Read what is everyone's.
    case readAll
    /// Add, bind and remove devices.
    case devices
    /// Accounts, tokens, the audit log.
    case administer
  }

  /// A person who signed in.
  package struct Account: Hashable, Sendable {
    /// The person's name.
    package var name: String
    /// The token that the forms of the person's pages carry.
    package var formToken: String

    /// Makes an account.
    package init(name: String, formToken: String) {
      self.name = name
      self.formToken = formToken
    }
  }

  /// Whether the person may do this.
  func may(_ right: Right) -> Bool { rights.contains(right) }

  /// Makes a viewer.
  package init(
    language: Language, patient: String?, now: Date, timeZone: TimeZone,
    deviceNames: [String: String] = [:]
  ) {
    self.deviceNames = deviceNames
    self.language = language
    self.patient = patient
    self.now = now
    self.timeZone = timeZone
  }
}

/// A local address: a path with its query.
package struct LocalAddress: Hashable, Sendable, CustomStringConvertible {
  /// The path, percent-encoded.
  package var path: String
  /// The items of the query, in order.
  package var items: [Item]

  /// A name of the query with its value.
  package struct Item: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Makes an address.
  ///
  /// - Parameters:
  ///   - segments: The parts of the path, not encoded.
  ///   - items: The query; items without a value are left out.
  package init(_ segments: String..., items: [(String, String?)] = []) {
    path = segments.map { "/" + Self.encoded($0) }.joined()
    self.items = items.compactMap { name, value in value.map { Item(name, $0) } }
  }

  /// The same address with another value of `name`, or without it for `nil`.
  package func setting(_ name: String, _ value: String?) -> LocalAddress {
    var address = self
    address.items.removeAll { $0.name == name }
    if let value { address.items.append(Item(name, value)) }
    return address
  }

  /// The address as a link has it.
  package var description: String {
    guard !items.isEmpty else { return path }
    return path + "?"
      + items.map { Self.encoded($0.name) + "=" + Self.encoded($0.value) }.joined(separator: "&")
  }

  /// Every byte but the unreserved ones of RFC 3986 percent-encoded.
  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return text.utf8.reduce(into: "") { result, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        result += "%" + String(digits[Int(byte >> 4)]) + String(digits[Int(byte & 15)])
      }
    }
  }
}
