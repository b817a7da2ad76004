import Care
import Foundation
import TestSupport
import Testing

@Suite
struct DocumentationTests {
  @Test
  func `the example of the documentation expands a week`() throws {
    // snippet
    let berlin = TimeZone(identifier: "Europe/Berlin") ?? .gmt
    let start = Date("2026-11-02", in: berlin) ?? .distantPast
    let target = TargetValue(value: .integer(900), unit: .one)
    let schedule = try Schedule.daily(
      hour: 0, start: start, duration: .allDay, targets: [target], timeZone: berlin)
    let week = try schedule.occurrences(from: start, to: start + 7 * 86_400)
    let days = week.map { $0.start.rfc3339(in: berlin) }

    let pounds = UnitOfMeasure("lb").flatMap { Quantity.bodyMass.unit.convert(82, to: $0) }
    print(days.count, Quantity.bodyMass.title, pounds ?? 0)
    // end of snippet
    #expect(days.count == 7)
    #expect(days.first == "2026-11-02T00:00:00+01:00")
    #expect(abs((pounds ?? 0) - 180.779) < 0.001)
    #expect(
      try DocumentedSnippet.inArticle("Sources/Care/Care.docc/Care.md")
        == DocumentedSnippet.inSource())
  }
}
