import Care
import Localization

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
      viewer.isDemo
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
