import Foundation
import Localization
import Pages
import Testing

@Suite struct SiteTests {
  @Test func `a static file has its media type and an address of its content`() throws {
    let site = try Site()
    #expect(
      site.assetNames == [
        "answer.js", "charts.css", "consent.js", "icon-192.png", "icon.svg", "manifest.webmanifest",
        "measure.js", "page.js",
        "perform.js", "setup.js", "style.css",
      ])
    let style = try #require(site.asset(named: "style.css"))
    #expect(style.mediaType == "text/css; charset=utf-8")
    #expect(style.address == "/assets/style.css?v=\(style.hash)")
    #expect(style.hash.count == 16)
    #expect(site.asset(named: "en.json") == nil)
    #expect(site.asset(named: "../style.css") == nil)
  }

  @Test func `the manifest names files that there are`() throws {
    struct Manifest: Decodable {
      struct Icon: Decodable { let src: String }
      let icons: [Icon]
      let start_url: String
    }
    let site = try Site()
    let asset = try #require(site.asset(named: "manifest.webmanifest"))
    let manifest = try JSONDecoder().decode(Manifest.self, from: Data(asset.bytes))
    // Its addresses are told from its own, so that they hold below a path.
    #expect(manifest.start_url == "../today")
    for icon in manifest.icons { #expect(site.asset(named: icon.src) != nil) }
  }

  /// Both files are on every page: a class that both define is drawn as a mixture.
  @Test func `no class is defined in two style files`() throws {
    let site = try Site()
    let defined = try ["style.css", "charts.css"].map { name in
      let text = String(decoding: try #require(site.asset(named: name)).bytes, as: UTF8.self)
      // A rule within an at-rule changes one that stands elsewhere.
      let rules = text.replacing(/\/\*.*?\*\//.dotMatchesNewlines(), with: "")
        .replacing(/@[a-z-]+ [^{}]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}/, with: "")
      return Set(
        rules.matches(of: /([^{}]+)\{[^{}]*\}/)
          .flatMap { $0.output.1.split(separator: ",") }
          .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
          .filter { $0.wholeMatch(of: /\.[\w-]+/) != nil })
    }
    #expect(defined.allSatisfy { $0.count >= 10 })
    #expect(defined[0].intersection(defined[1]).isEmpty, "\(defined[0].intersection(defined[1]))")
  }

  @Test(
    arguments: [
      (nil, "en"), ("", "en"), ("de", "en"), ("en-GB", "en"),
      ("zh-TW,zh;q=0.9,en;q=0.8", "zh-Hant"),
      ("de, en;q=0.3, zh-Hant;q=0.7", "zh-Hant"), ("zh;q=0, en;q=0.1", "en"), ("*;q=x,;;,", "en"),
    ] as [(String?, String)])
  func `a browsers language is found`(_ field: String?, _ code: String) throws {
    #expect(try Site().language(accepting: field).code == code)
  }

  @Test func `a link switches the language of the same page`() async throws {
    let site = try Site()
    let household = try await Household()
    let html = try await household.today(site, "en", date: "2026-11-03")
    #expect(
      html.contains(
        #"<a href="/today?patient=alex&amp;date=2026-11-03&amp;lang=zh-Hant" lang="zh-Hant""#))
    #expect(
      try await household.today(site, "zh-Hant").contains(#"<html lang="zh-Hant" dir="ltr">"#))
  }
}

@Suite struct LocalAddressTests {
  @Test func `every byte that is not unreserved is encoded`() {
    let address = LocalAddress("events", "a/../b?c", items: [("patient", "K&M ü"), ("date", nil)])
    #expect(address.description == "/events/a%2F..%2Fb%3Fc?patient=K%26M%20%C3%BC")
    #expect(address.setting("patient", nil).description == "/events/a%2F..%2Fb%3Fc")
    #expect(
      address.setting("patient", "x").setting("lang", "en").description
        == "/events/a%2F..%2Fb%3Fc?patient=x&lang=en")
  }
}

@Suite struct NoticeTests {
  @Test(arguments: [
    Notice.answered("A_1"), .undone("A_1"), .assigned(7, patient: "kim"),
    .assigned(7, patient: nil), .assigned(7, patient: "kim", followers: 2), .unassigned(7),
    .corrected(-1), .deleted(9_007_199_254_740_993),
    .restored(1), .refused("missing", field: "pain"), .refused("other"),
  ])
  func `a notice is read from its query`(_ notice: Notice) {
    let query = Dictionary(
      uniqueKeysWithValues: notice.queryItems.map { ($0.name, $0.value) })
    #expect(Notice(query) == notice)
    #expect(Set(query.keys).isSubset(of: Notice.queryNames))
  }

  @Test(arguments: [
    [:], ["notice": "answered"], ["notice": "deleted", "sample": "x"],
    ["notice": "else", "event": "A_1"], ["event": "A_1"],
  ])
  func `anything else is none`(_ query: [String: String]) {
    #expect(Notice(query) == nil)
  }
}
