import Care
import Foundation
import Localization
import Pages
import Testing

/// Writes pages and assets into the folder named by `MEASURED_PAGES`, to be looked at.
@Suite struct SnapshotTests {
  private static let folder = ProcessInfo.processInfo.environment["MEASURED_PAGES"]

  @Test(.enabled(if: folder != nil)) func `pages of a household`() async throws {
    let site = try Site()
    let folder = URL(filePath: try #require(Self.folder))
    let assets = folder.appending(path: "assets")
    try FileManager.default.createDirectory(at: assets, withIntermediateDirectories: true)
    for name in site.assetNames {
      let asset = try #require(site.asset(named: name))
      try Data(asset.bytes).write(to: assets.appending(path: name))
    }
    let household = try await Household()
    try await household.live()
    let answered = try await household.event("check-in", at: "2026-11-05T08:00")
    let knee = try await household.event("knee", at: "2026-11-05T11:00")
    let weight = try await household.event("weigh-in", at: "2026-11-05T07:00")
    let dose = try await household.event("metformin", at: "2026-11-05T08:00")
    for language in site.languages {
      let code = language.code
      var pages = [
        "today": try await household.today(site, code),
        "everyone": try await household.today(site, code, patient: nil),
        "kim": try await household.today(site, code, patient: "kim"),
        "past": try await household.today(site, code, date: "2026-11-01"),
        "notice": try await household.today(site, code, notice: .answered(dose.id)),
        "survey": try await household.page(
          of: answered, site, code, notice: .refused("missing", field: "pain")),
        "knee": try await household.page(of: knee, site, code),
        "weight": try await household.page(of: weight, site, code),
        "dose": try await household.page(of: dose, site, code),
        "message": MessagePage(viewer: household.viewer(language), problem: .notFound).html(site),
      ]
      pages["empty"] = try await Household(tasks: { _ in [] }, people: []).today(
        site, code, patient: nil)
      for (name, html) in pages {
        try Data(html.utf8).write(to: folder.appending(path: "\(name)-\(code).html"))
      }
    }
  }
}
