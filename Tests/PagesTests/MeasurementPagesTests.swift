import Care
import CareStore
import Foundation
import Localization
import Testing

@testable import Pages

struct MeasurementPagesTests {
  private static let nearby = [
    NearbyDevice(
      address: "5C:CA:D3:70:D4:A2", name: "MIBFS", title: "Mi Scale 2", signal: -58,
      lastHeard: Date(rfc3339: "2026-11-22T11:29:40+01:00") ?? .distantPast),
    NearbyDevice(
      address: "A0:9E:1A:00:00:02", name: "Polar H10", title: "Polar H10", signal: -84,
      lastHeard: Date(rfc3339: "2026-11-22T11:12:00+01:00") ?? .distantPast,
      failure: "The strap ended the connection. Wet its electrodes and put it on."),
  ]

  private static let findings = [
    SetupFinding(
      title: LocalizedText(
        "doctor.line",
        ["subject": .text("doctor.subject.clock"), "finding": .text("doctor.clockLoose")]),
      advice: "doctor.clockLooseAdvice")
  ]

  /// Every page of one language, by name.
  private static func pages(
    _ home: SampleHome, _ site: Site, language: String, patient: String? = "alex"
  ) async throws -> [String: String] {
    let viewer = home.viewer(site, language, patient: patient)
    return try await home.store.read { reader in
      var pages = [
        "measurements": try MeasurementsPage(reader, viewer: viewer).html(site),
        "connect": try ConnectPage(reader, viewer: viewer).html(site),
        "devices": try DevicesPage(
          reader, viewer: viewer, nearby: nearby, findings: findings
        ).html(site), "report": try ReportPage(reader, viewer: viewer).html(site),
        "setup": try SetupPage(reader, viewer: viewer, findings: findings).html(site),
      ]
      for span in PageSpan.allCases {
        pages["insights-\(span)"] = try InsightsPage(reader, viewer: viewer, span: span).html(site)
        for quantity in [Quantity.bodyMass, .stepCount, .heartRate] {
          pages["\(quantity.rawValue)-\(span)"] = try QuantityPage(
            reader, quantity: quantity, viewer: viewer, span: span
          ).html(site)
        }
      }
      return pages
    }
  }

  @Test(arguments: [
    ("en", "clock: it is not set by the network"), ("zh-Hant", "時鐘：沒有由網路校時"),
  ])
  func `what doctor finds reads in the language of the page`(
    language: String, text: String
  ) async throws {
    let site = try Site()
    let pages = try await Self.pages(try await SampleHome(), site, language: language)
    #expect(pages["setup"]?.contains(text) == true)
  }

  /// Nobody is asked to step on a scale that cannot be heard.
  @Test(arguments: [
    ("en", "Nothing can be heard until this is mended.", "step on the scale"),
    ("zh-Hant", "排除上面的問題之前，收不到任何訊號。", "站上體重計"),
  ])
  func `a box that cannot hear says so and asks for nothing`(
    language: String, says: String, asks: String
  ) async throws {
    let (home, site) = (try await SampleHome(), try Site())
    let viewer = home.viewer(site, language, patient: "alex")
    func page(_ nearby: [NearbyDevice], _ findings: [SetupFinding]) async throws -> String {
      try await home.store.read {
        try DevicesPage($0, viewer: viewer, nearby: nearby, findings: findings).html(site)
      }
    }
    let deaf = try await page([], Self.findings)
    #expect(deaf.contains(says) && !deaf.contains(asks))
    let quiet = try await page([], [])
    #expect(quiet.contains(asks) && !quiet.contains(says))
  }

  @Test
  func `every page in every language is well formed, and no text is missing`() async throws {
    let site = try Site()
    let home = try await SampleHome()
    let empty = try SQLStore.inMemory(makeUUID: { UUID() })
    for language in site.languages {
      for (name, html) in try await Self.pages(home, site, language: language.code) {
        #expect(Markup(html: html).fault == nil, "\(name) \(language.code)")
        #expect(!html.contains("⟦"), "\(name) \(language.code): \(Self.missing(html))")
        #expect(html.contains("<html lang=\"\(language.code)\""))
        try Self.keep(html, "\(language.code)-\(name)")
      }
      let viewer = home.viewer(site, language.code, patient: nil)
      let bare = try await empty.read { reader in
        [
          try MeasurementsPage(reader, viewer: viewer).html(site),
          try QuantityPage(reader, quantity: .bodyMass, viewer: viewer).html(site),
          try InsightsPage(reader, viewer: viewer).html(site),
          try ConnectPage(reader, viewer: viewer).html(site),
          try ReportPage(reader, viewer: viewer).html(site),
          try DevicesPage(reader, viewer: viewer, nearby: nil).html(site),
          try SetupPage(reader, viewer: viewer).html(site),
        ]
      }
      for html in bare {
        #expect(Markup(html: html).fault == nil)
        #expect(!html.contains("⟦"), "\(Self.missing(html))")
      }
    }
  }

  private static func missing(_ html: String) -> [Substring] {
    html.split(separator: "⟦").dropFirst().map { $0.prefix { $0 != "⟧" } }
  }

  @Test
  func `hostile names, titles, reasons and messages are escaped everywhere`() async throws {
    let site = try Site()
    let home = try await SampleHome(hostile: "<img src=x onerror=alert(1)>{{page}}\"'&")
    for (name, html) in try await Self.pages(home, site, language: "en", patient: nil) {
      #expect(!html.contains("<img src=x"), "\(name)")
      #expect(Markup(html: html).fault == nil, "\(name)")
    }
  }

  /// Weighings go by the evidence, so a scale measures that nobody put into the plan.
  @Test
  func `a scale that measures without the plan is listed`() async throws {
    let site = try Site()
    let home = try await SampleHome()
    let time = home.now - 3_600
    try await home.store.write { writer in
      _ = try writer.insert(
        SampleHome.sample(.bodyMass, 82.4, at: time, device: "5C:CA:D3:00:00:09"))
      let level = Reading(
        quantity: .batteryLevel, value: 14, arrival: time,
        device: DeviceIdentity(address: "5C:CA:D3:00:00:09"))
      _ = try writer.insert(Sample(reading: level, start: time, end: time))
    }
    let html = try await Self.pages(home, site, language: "en")["devices"] ?? ""
    let others = try #require(html.range(of: "Scales that measure without the plan"))
    let listed = html[others.lowerBound...]
    #expect(listed.contains("5C:CA:D3:00:00:09") && !listed.contains("5C:CA:D3:70:D4:A2"))
    #expect(listed.contains("Weight 82.4"))
    #expect(listed.contains("Battery 14 %, low") && listed.contains(#"low="15""#))
    #expect(listed.contains("/devices/add?device=5C%3ACA%3AD3%3A00%3A00%3A09"))
  }

  /// 82.4 beside 82.55 looks like another scale.
  @Test
  func `the values of one place have the same decimals`() throws {
    let english = LanguageCatalogue.embedded.english
    let measure = Measure(.bodyMass, for: .metric, in: english)
    let days = [DaySummary([82.4, 82.55]), DaySummary([82]), DaySummary()]
    let even = measure.even(over: days)
    #expect([82.4, 82.55, 82, 82.476].map(even.number) == ["82.40", "82.55", "82.00", "82.48"])
    #expect(measure.even(over: [DaySummary([82.4, 82])]).number(82.04) == "82.0")
    #expect(measure.number(82.4) == "82.4")
    #expect(measure.even(over: []).number(82.4) == "82.40")
    let steps = Measure(.stepCount, for: .metric, in: english).even(over: [DaySummary([3_214])])
    #expect(steps.number(3_214) == Measure(.stepCount, for: .metric, in: english).number(3_214))
  }

  @Test
  func `a card shows the last value, when, how and with what, and how it went`() async throws {
    let site = try Site()
    let home = try await SampleHome()
    let html = try await Self.pages(home, site, language: "en")["measurements"] ?? ""
    #expect(html.contains("Weight"))
    #expect(html.contains("07:05 by itself, Mi Scale 2"))
    #expect(html.contains("in a week"))
    #expect(html.contains("href=\"/measurements/bodyMass?patient=alex\""))
    #expect(!html.contains("Battery"))
  }

  @Test
  func `a stream is summed by day and hour, and never listed singly`() async throws {
    let site = try Site()
    let home = try await SampleHome()
    let html = try await Self.pages(home, site, language: "en")["heartRate-week"] ?? ""
    #expect(html.contains("600 values"))
    #expect(!html.contains("class=\"reading\""))
    #expect(html.contains("Hour by hour"))
  }

  @Test
  func `a corrected sample shows what was measured, and can be put back`() async throws {
    let site = try Site()
    let home = try await SampleHome()
    let viewer = home.viewer(site)
    let now = home.now
    let number = try await home.store.write { writer -> Int64? in
      let latest = try writer.latestSample(patient: "alex", quantity: .bodyMass)
      guard let latest else { return nil }
      let correction = try writer.correct(
        latest.identity, value: 81.9, source: nil, reason: "held a bag <b>", now: now)
      return try writer.number(of: correction.identity)
    }
    func page(deleted: Bool = false, notice: Notice? = nil) async throws -> String {
      try await home.store.read { reader in
        try QuantityPage(
          reader, quantity: .bodyMass, viewer: viewer, span: .week, showsDeleted: deleted,
          notice: notice
        ).html(site)
      }
    }
    let corrected = try await page()
    #expect(corrected.contains("<b>81.90\u{A0}kg</b>"))
    #expect(corrected.contains("in place of"))
    #expect(corrected.contains("held a bag &lt;b&gt;"))
    #expect(corrected.contains("Put the measured value back"))
    let identity = try #require(number)
    #expect(corrected.contains("action=\"/samples/\(identity)/delete\""))
    // The corrected value is named by its own number, or by that of an earlier correction.
    let origin = try await home.store.read { reader in
      try reader.sample(reader.identity(ofNumber: identity))?.corrects.flatMap {
        try reader.number(of: $0)
      }
    }
    for number in [try #require(origin), identity] {
      let html = try await page(notice: .corrected(number))
      let notice = html.split(separator: "id=\"notice\"").last?.prefix(600) ?? ""
      #expect(notice.contains("action=\"/samples/\(identity)/delete\""))
    }
    try await home.store.write { writer in
      let sample = try writer.identity(ofNumber: identity)
      _ = try writer.change(.sample(sample), .delete, reason: "no", now: now)
    }
    #expect(try await page().contains("<b>81.9\u{A0}kg</b>") == false)
    let deleted = try await page(deleted: true)
    #expect(deleted.contains("action=\"/samples/\(identity)/restore\""))
  }

  @Test
  func `insights carry their numbers and their doubt`() async throws {
    let site = try Site()
    let home = try await SampleHome()
    let pages = try await Self.pages(home, site, language: "en")
    let html = pages["insights-month"] ?? ""
    #expect(html.contains("“Pain”: less on days with “Evening walk”"))
    #expect(
      html.contains("without. It is hardly chance") || html.contains("It may be chance: 1 in"))
    #expect(html.contains("Weight is going down"))
    #expect(html.contains("“Metformin” at 20:00 is the one missed"))
    #expect(html.contains("These 30 days against the 30 before"))
    #expect(html.contains("Please keep the knee target"))
    let chinese = try await Self.pages(home, site, language: "zh-Hant")["insights-month"] ?? ""
    #expect(chinese.contains("完成「Evening walk」的日子，「Pain」較低"))
  }

  @Test
  func `units are the person's own`() async throws {
    let site = try Site()
    let home = try await SampleHome()
    let viewer = home.viewer(site, patient: "kim")
    let html = try await home.store.read { reader in
      try MeasurementsPage(reader, viewer: viewer).html(site)
    }
    #expect(html.contains("<small>lb</small>"))
    #expect(!html.contains("<small>kg</small>"))
  }

  @Test
  func `only numbers and addresses that are some become links`() async throws {
    #expect(ContactLink.telephone("+49 (30) 123-4567", scheme: "tel") == "tel:+49301234567")
    #expect(ContactLink.telephone("call me", scheme: "tel") == nil)
    #expect(ContactLink.telephone("1", scheme: "tel") == nil)
    #expect(ContactLink.telephone("1;ext=2", scheme: "tel") == nil)
    #expect(ContactLink.mail("mila@example.org") == "mailto:mila@example.org")
    #expect(ContactLink.mail("a@b@c.org") == nil)
    #expect(ContactLink.mail("mila@example.org?cc=x@y.z") == nil)
    #expect(ContactLink.mail("javascript:alert(1)") == nil)
    let site = try Site()
    let html = try await Self.pages(try await SampleHome(), site, language: "en")["connect"] ?? ""
    #expect(html.contains("href=\"tel:+49301234567\""))
    #expect(html.contains("href=\"sms:01512345678\""))
    #expect(!html.contains("href=\"javascript"))
  }

  @Test
  func `devices show signal in bars and words, battery, place and failure`() async throws {
    let site = try Site()
    let html = try await Self.pages(try await SampleHome(), site, language: "en")["devices"] ?? ""
    for text in [
      "strong, −58 dBm", "weak, −84 dBm", "Battery 12 %, low", "left knee, shank",
      "Wet its electrodes", "now", "18 minutes ago", "Steps 295",
    ] { #expect(html.contains(text), "\(text)") }
    // The faults that keep the radio from measuring stand above the devices.
    #expect(html.contains("timedatectl set-ntp true"))
  }

  @Test
  func `set-up says schedules in words and shows the next seven days`() async throws {
    let site = try Site()
    let pages = try await Self.pages(try await SampleHome(), site, language: "en")
    let html = pages["setup"] ?? ""
    #expect(html.contains("Every day at 08:00, 14:00, 20:00, 1 h long"))
    #expect(html.contains("Every day, at any time"))
    #expect(html.contains("<small>20:00</small>"))
    #expect(html.contains("timedatectl set-ntp true"))
  }

  @Test
  func `a report has the period in its head, adherence, values, answers and reasons`() async throws
  {
    let site = try Site()
    let pages = try await Self.pages(try await SampleHome(), site, language: "en")
    let html = pages["report"] ?? ""
    for text in [
      "24 October 2026 to 22 November 2026", "Alex Example", "It rained.", "“Pain”: ", "Weight",
    ] {
      #expect(html.contains(text), "\(text)")
    }
  }

  /// Writes a page and the assets into the folder that `MEASURED_PAGES` names, to look at them.
  private static func keep(_ html: String, _ name: String) throws {
    guard let folder = ProcessInfo.processInfo.environment["MEASURED_PAGES"] else { return }
    let root = URL(fileURLWithPath: folder)
    let site = try Site()
    try FileManager.default.createDirectory(
      at: root.appendingPathComponent("assets"), withIntermediateDirectories: true)
    for asset in site.assetNames.compactMap(site.asset) {
      try Data(asset.bytes).write(to: root.appendingPathComponent("assets/\(asset.name)"))
    }
    try Data(html.utf8).write(to: root.appendingPathComponent("\(name).html"))
  }
}
