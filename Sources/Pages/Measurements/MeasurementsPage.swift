import Assessments
package import Care
import Foundation
import Localization

/// The latest value of each quantity that a person has, one card each.
package struct MeasurementsPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let groups: [Group]
    /// A form for each person that is shown.
    let forms: [NewSampleForm]
    let tables: [TableLink]
    let waiting: String?
  }

  private struct TableLink {
    let address: String
    let title: String
  }

  private struct Group {
    let name: String
    let cards: [Card]
  }

  private struct Card {
    let id: String
    let title: String
    let address: String
    let glyph: String
    let tint: String
    let number: String
    let symbol: String
    let isLong: Bool
    let source: String
    let doubt: String?
    let waiting: String?
    let trend: String?
    let sparkline: String
    let says: String
  }

  /// How many days the trend looks back.
  private static let trendDays = 30
  /// How many samples a trend reads at most.
  private static let budget = 8000
  /// How many samples before the trend are looked at for what was not measured since.
  private static let earlierLimit = 200

  /// Reads the page of the viewer's person, or of everyone.
  package init(
    _ reader: any StoreReader, viewer: Viewer, notice: Notice? = nil
  ) throws {
    let words = viewer.language
    let address = LocalAddress("measurements", items: [("patient", viewer.patient)])
    let people = try reader.patients()
    frame = Frame(
      viewer: viewer, section: .measurements, title: words.text("nav.measurements"),
      address: address, people: people,
      notice: try NoticeText(notice, reader, viewer: viewer, back: address))
    let shown = people.enumerated().filter {
      viewer.patient == nil || $0.element.id == viewer.patient
    }
    let days = DayGrid(endingOn: viewer.now, count: Self.trendDays, in: viewer.timeZone)
    let waiting = try WaitingReadings(reader, on: days)
    content = Content(
      groups: try shown.compactMap { place, person in
        let known = Set(try reader.quantities(of: .patient(person.id)))
        let cards = try Quantity.all.filter {
          $0.isPersonal && known.contains($0)
        }.flatMap { quantity in
          try Self.cards(quantity, of: person, place: place, days, waiting, reader, viewer)
        }
        guard !cards.isEmpty else { return nil }
        return Group(
          name: shown.count > 1 ? words.fullName(of: person) : words.text("measurements.latest"),
          cards: cards)
      },
      forms: shown.compactMap { _, person in
        NewSampleForm(
          of: person, viewer: viewer, back: address, isOne: shown.count == 1, notice: notice)
      },
      tables: try shown.compactMap { _, person in
        try ReadingTable.address(of: person.id, in: reader).map {
          TableLink(
            address: $0,
            title: shown.count == 1
              ? words.text("measurements.table")
              : words.text("measurements.tableOf", ["name": words.fullName(of: person)]))
        }
      },
      waiting: waiting.sentence(in: words))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("measurements", content, frame: frame) }

  /// A card of each thing that was measured of a quantity.
  private static func cards(
    _ quantity: Quantity, of person: Patient, place: Int, _ days: DayGrid,
    _ waiting: WaitingReadings, _ reader: any StoreReader, _ viewer: Viewer
  ) throws -> [Card] {
    guard let newest = try reader.latestSample(patient: person.id, quantity: quantity) else {
      return []
    }
    var latest: [Measurand: Sample] = [:]
    func take(_ sample: Sample) {
      let known = latest[sample.measurand]
      // Of a measurement with details, its result.
      guard let known else { return latest[sample.measurand] = sample }
      let isNewer =
        sample.isResult == known.isResult ? known.start <= sample.start : sample.isResult
      if isNewer { latest[sample.measurand] = sample }
    }
    let measured = try DailyValues.all(
      reader, patient: person.id, quantity: quantity, on: days, budget: budget, each: take)
    if newest.start < days.start || newest.kind != nil || !newest.measurand.place.isEmpty {
      let earlier = SampleQuery(
        owner: .patient(person.id), quantity: quantity, to: days.start, limit: earlierLimit)
      for sample in try reader.samples(earlier) where sample.start < days.start { take(sample) }
    }
    return latest.sorted { $0.key < $1.key }.map { measurand, sample in
      let values =
        measured.first { $0.measurand == measurand }?.values
        ?? DailyValues([:], aggregation: quantity.aggregation, on: days)
      return card(
        measurand, sample, values, of: person, place: place,
        waiting: waiting.tag(of: quantity, in: viewer.language), viewer)
    }
  }

  private static func card(
    _ measurand: Measurand, _ latest: Sample, _ values: DailyValues, of person: Patient,
    place: Int, waiting: String?, _ viewer: Viewer
  ) -> Card {
    let (words, quantity) = (viewer.language, measurand.quantity)
    let measure = Measure(quantity, for: person.units, in: words)
    // Of what adds up, the day's sum is the value.
    let isSum = quantity.aggregation == .cumulative
    let value = isSum ? values.days.place(of: latest.start).flatMap(values.value) : nil
    let number = measure.number(value ?? latest.value)
    let title = words.title(of: measurand)
    return Card(
      id: ["m-\(place)", quantity.rawValue, measurand.word].compactMap(\.self)
        .joined(separator: "-"),
      title: title,
      address: LocalAddress(
        "measurements", quantity.rawValue,
        items: [("patient", person.id), ("place", measurand.word)]
      ).description,
      glyph: quantity.glyph, tint: quantity.tint.rawValue, number: number, symbol: measure.symbol,
      isLong: number.count > 7, source: viewer.source(of: latest),
      doubt: latest.hasDistrustedClock ? words.text("source.doubt") : nil, waiting: waiting,
      trend: words.trend(of: values, measure),
      sparkline: Sparkline(
        points: values.points, summary: words.text("measurements.lately", ["title": title])
      ).html ?? "",
      says: words.text(
        "measurements.says", ["title": title, "value": measure.text(value ?? latest.value)]))
  }
}

// MARK: - Words

extension Language {
  /// The time of today, `yesterday 07:05`, or `07:05 on 4 November`.
  func when(_ date: Date, isToday: Bool, _ viewer: Viewer) -> String {
    let clock = time(date, in: viewer.timeZone)
    guard !isToday else { return clock }
    let day = dayMonthOrYear(date, viewer)
    return text("date.timeOn", ["time": clock, "date": day])
  }

  /// A day, with the year unless it is this one.
  func dayMonthOrYear(_ date: Date, _ viewer: Viewer) -> String {
    let years = [date, viewer.now].map { LocalDateTime($0, in: viewer.timeZone).year }
    return years[0] == years[1]
      ? dayMonth(date, in: viewer.timeZone) : dayMonthYear(date, in: viewer.timeZone)
  }

  /// How the values went lately; `nil` if too few are known.
  func trend(of values: DailyValues, _ measure: Measure) -> String? {
    guard values.aggregation == .discrete else {
      let count = values.days.count
      let week = values.summary(of: (count - 8)..<(count - 1))
      return week.mean.map { mean in
        text("measurements.perDay", count: week.count, ["mean": measure.text(mean)])
      }
    }
    let line = Trend.line(through: values.points, window: 10)
    guard let change = Trend.change(of: line, days: 7) else { return nil }
    if measure.isNothing(change) { return text("measurements.same") }
    return text(
      change < 0 ? "measurements.less" : "measurements.more",
      ["change": measure.difference(change)])
  }
}
