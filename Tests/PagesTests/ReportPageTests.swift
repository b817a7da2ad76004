import Care
import CareStore
import Foundation
import Localization
import Motion
import Testing

@testable import Pages

/// The report of a month whose numbers are known.
@Suite struct ReportPageTests {
  /// Four weeks with two pressures a day, a weight each morning, and a knee that is bent by a sensor and
  /// once read by hand.
  private static func home() async throws -> Household {
    let home = try await Household { builder in
      let schedule = try builder.schedule("2026-10-20T09:00")
      return [
        try builder.weighIn("alex"),
        PlannedTask(
          id: "pressure", patient: "alex", title: "Blood pressure",
          schedule: try builder.schedule(
            "2026-10-20T07:00", lasting: .seconds(7200),
            targets: [
              TargetValue(
                value: .integer(135), unit: .millimetreOfMercury, kind: "systolic", isAtMost: true)
            ]),
          linkages: [Quantity.bloodPressureSystolic, .bloodPressureDiastolic].map {
            Linkage(quantity: $0, type: .discrete, unit: .millimetreOfMercury)
          }),
        PlannedTask(
          id: "left", patient: "alex", title: "Left knee", schedule: schedule,
          activeTask: ActiveTask(
            type: ActiveTaskType(rawValue: "rangeOfMotion"), joint: .knee, side: .left)),
        PlannedTask(
          id: "right", patient: "alex", title: "Right knee", schedule: schedule,
          activeTask: ActiveTask(
            type: ActiveTaskType(rawValue: "rangeOfMotion"), joint: .knee, side: .right)),
      ]
    }
    let first = try home.date("2026-10-08")
    let days = DayGrid(endingOn: try home.date("2026-11-04T12:00"), count: 28, in: home.zone)
    #expect(days.start == first)
    try await home.store.write { writer in
      func insert(_ quantity: Quantity, _ value: Double, _ time: Date) throws {
        let cuff: DeviceID = "C8:47:8C:00:00:01"
        _ = try writer.insert(
          Sample(
            reading: Reading(
              quantity: quantity, value: value, arrival: time,
              device: DeviceIdentity(
                address: quantity == .bodyMass ? "5C:CA:D3:70:D4:A2" : cuff,
                definition: quantity == .bodyMass ? "xiaomi-mi-scale-2" : "sig-blood-pressure"),
              raw: [1],
              context: quantity == .bodyMass || value != 144 ? [] : .irregularPulse),
            patient: "alex", start: time, end: time))
      }
      for (k, day) in days.starts.enumerated() {
        let (morning, evening) = (day + 7.5 * 3600, day + 20 * 3600)
        try insert(.bloodPressureSystolic, Double(128 + k * 7 % 17), morning)
        try insert(.bloodPressureDiastolic, Double(78 + k * 5 % 11), morning)
        try insert(.bloodPressureSystolic, Double(120 + k * 3 % 13), evening)
        try insert(.bloodPressureDiastolic, Double(70 + k * 4 % 9), evening)
        try insert(
          .bodyMass,
          ((62.4 - 0.05 * Double(k) + Double(k * 11 % 7 - 3) * 0.1) * 100).rounded() / 100,
          morning)
      }
      let events = try writer.events(
        EventQuery(patient: "alex", from: first, to: days.end)
      ).filter { $0.task.activeTask != nil }
      for event in events {
        let angle =
          event.task.id == "left" ? 60 + event.occurrence.index : 120 - event.occurrence.index
        // The left knee is measured, the right one read by hand.
        let isTyped = event.task.id == "right"
        for (kind, value) in [("range", angle), ("maximum", angle + 5)]
        where kind == "range" || !isTyped {
          _ = try writer.insert(
            Sample(
              reading: Reading(
                quantity: .rangeOfMotion, value: Double(value), arrival: event.occurrence.start,
                device: DeviceIdentity(address: isTyped ? "entered" : "left-shank"),
                ordinal: kind == "range" ? 0 : 1, kind: kind,
                context: [.knee, isTyped ? .right : .left]),
              patient: "alex", start: event.occurrence.start, end: event.occurrence.start,
              provenance: isTyped ? .manual : .active))
        }
      }
      _ = try writer.insert(
        Sample(
          reading: Reading(
            quantity: .bodyMass, value: 70, arrival: days.end - 7200,
            device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2"), raw: [9]),
          unassignedReason: "far", start: days.end - 7200, end: days.end - 7200))
    }
    return home
  }

  private static func html(_ language: String = "en") async throws -> String {
    let (home, site) = (try await home(), try Site())
    let viewer = home.viewer(try #require(site.language(language)))
    let (from, to) = (try home.date("2026-10-08"), try home.date("2026-11-04"))
    return try await home.store.read {
      try ReportPage($0, viewer: viewer, from: from, to: to).html(site)
    }
  }

  /// The cells of a row of a table, by its heading.
  private static func cells(_ heading: String, in html: String) -> [String] {
    guard let row = html.split(separator: "<tr>").first(where: { $0.contains(">\(heading)<") })
    else { return [] }
    return row.matches(of: /<td[^>]*>([^<]*)<\/td>/).map {
      String($0.output.1).replacing("\u{A0}", with: " ").replacing("\u{202F}", with: " ")
    }
  }

  /// The numbers were computed apart from the program, from the formulas of the values.
  @Test(arguments: [
    ("All", ["56", "131/78", "120/70 – 144/88", "20 (36 %)"]),
    ("Before noon", ["28", "136/83", "128/78 – 144/88", "20 (71 %)"]),
    ("After noon", ["28", "126/74", "120/70 – 132/78", "0 (0 %)"]),
    ("Last seven days", ["14", "130/78", "120/70 – 143/88", "4 (29 %)"]),
    ("Weight", ["28", "62.10 kg", "61.05 kg", "1.1 kg less", "61.05 – 62.45", "61.73 kg"]),
  ])
  func `the first page has the known numbers`(heading: String, cells: [String]) async throws {
    let found = Self.cells(heading, in: try await Self.html())
    #expect(found == cells, "\(found)")
  }

  @Test func `a movement is of one joint and side, also when it was typed`() async throws {
    let html = try await Self.html()
    #expect(
      Self.cells("Range of motion, left knee", in: html) == [
        "Range", "16", "60°", "75°", "60° – 75°",
      ])
    #expect(
      Self.cells("Range of motion, right knee", in: html)
        == ["Range", "16", "120°", "105°", "105° – 120°"])
    // The greatest angle is no range, and stands under its own name.
    #expect(html.contains("<td>Greatest angle</td><td class=\"number\">16</td>"))
  }

  @Test func `each joint and side has a card, a chart and rows of its own`() async throws {
    let (home, site) = (try await Self.home(), try Site())
    let viewer = home.viewer(try #require(site.language("en")))
    let (cards, left, insights) = try await home.store.read { reader in
      (
        try MeasurementsPage(reader, viewer: viewer).html(site),
        try QuantityPage(
          reader, quantity: .rangeOfMotion, place: "left-knee", viewer: viewer
        ).html(site),
        try InsightsPage(reader, viewer: viewer).html(site)
      )
    }
    for knee in ["left knee", "right knee"] {
      #expect(cards.contains(">Range of motion, \(knee)</a>"))
      #expect(insights.contains("Range of motion, \(knee)"))
    }
    #expect(cards.contains("place=left-knee"))
    // One row a measurement, with the greatest angle beside the range.
    #expect(left.contains("<b>Range 75°</b>"))
    #expect(left.contains("Greatest angle 80°"))
    #expect(left.matches(of: /class="reading"/).count == 16)
    #expect(!left.contains("105°"))
  }

  @Test func `a chart draws the plan's goal and says it, and each point names its row`()
    async throws
  {
    let (home, site) = (try await Self.home(), try Site())
    let viewer = home.viewer(try #require(site.language("en")))
    let page = try await home.store.read {
      try QuantityPage($0, quantity: .bloodPressureSystolic, viewer: viewer).html(site)
    }
    #expect(page.contains(#"<line class="goal""#))
    #expect(page.contains(">goal 135</text>"))
    #expect(page.contains("lines: goal 135"))
    #expect(page.contains(#"<circle class="dot" data-row="27""#))
    let insights = try await home.store.read { try InsightsPage($0, viewer: viewer).html(site) }
    #expect(insights.contains(">goal 135</text>"))
  }

  @Test func `it says what waits, with what was measured, and the irregular pulse`() async throws {
    let html = try await Self.html()
    #expect(html.contains("are not counted here: Weight (1)."))
    let (home, site) = (try await Self.home(), try Site())
    let viewer = home.viewer(try #require(site.language("en")))
    let (insights, cards, weight, pressure) = try await home.store.read { reader in
      (
        try InsightsPage(reader, viewer: viewer).html(site),
        try MeasurementsPage(reader, viewer: viewer).html(site),
        try QuantityPage(reader, quantity: .bodyMass, viewer: viewer).html(site),
        try QuantityPage(reader, quantity: .bloodPressureSystolic, viewer: viewer).html(site)
      )
    }
    for page in [insights, cards, weight] {
      #expect(page.contains("are not counted here: Weight (1)."))
    }
    #expect(cards.components(separatedBy: #"<span class="tag late">1 waits</span>"#).count == 2)
    #expect(!pressure.contains("not counted here"))
    #expect(html.contains("Mi Scale 2"))
    #expect(html.contains("An irregular pulse was reported"))
    #expect(html.contains("High: from 135 or 85 on, the goal of the plan."))
    let chinese = try await Self.html("zh-Hant")
    #expect(Self.cells("中午前", in: chinese).first == "28")
    #expect(chinese.contains("使用的裝置：</b>"))
    #expect(!chinese.contains("⟦"))
  }
}
