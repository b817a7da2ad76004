import Assessments
package import Care
import Foundation
import Localization

/// One quantity of one person: a chart, then every sample by day.
package struct QuantityPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let person: String
    let tabs: [Tab]
    /// The other things that were measured of the quantity, and this one.
    let places: [Tab]
    let hasPlaces: Bool
    let chart: String
    let chartTitle: String
    let key: String
    let limit: String?
    let waiting: String?
    let days: [Day]
    let more: String?
    let deleted: Link?
    /// Whose the weighings of the household's scales are.
    let tracks: Link?
    let table: String?
    let forms: [NewSampleForm]
    let measurements: String
  }

  private struct Day {
    let title: String
    let summary: String?
    let hourTable: String
    let rows: [SampleRow]
  }

  private struct Link {
    let address: String
    let title: String
  }

  /// How many samples are listed at most.
  private static let rowLimit = 80
  /// How many samples are read at most.
  private static let budget = 60_000
  /// How many days show the hours of their streams.
  private static let hourDays = 7

  /// Reads the page of the viewer's person; without one, of the only person or the first.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - quantity: The quantity to show.
  ///   - place: The word of what was measured of it; `nil` for what was measured last.
  ///   - viewer: Who looks at it.
  ///   - span: How much of the past.
  ///   - showsDeleted: Whether the deleted samples are listed instead of those that count.
  ///   - notice: A message about the latest action.
  /// - Throws: ``StoreError``.
  package init(
    _ reader: any StoreReader, quantity: Quantity, place: String? = nil, viewer: Viewer,
    span: PageSpan = .month,
    showsDeleted: Bool = false, notice: Notice? = nil
  ) throws {
    let words = viewer.language
    let people = try reader.patients()
    let person = people.first { $0.id == viewer.patient } ?? people.first
    let measurand = try Self.measurand(reader, quantity, place, of: person)
    let address = LocalAddress(
      "measurements", quantity.rawValue,
      items: [
        ("patient", person?.id ?? viewer.patient), ("place", place ?? measurand.word),
        ("span", span.rawValue),
        ("deleted", showsDeleted ? "1" : nil),
      ])
    var frameViewer = viewer
    frameViewer.patient = person?.id ?? viewer.patient
    frame = Frame(
      viewer: frameViewer, section: .measurements,
      kicker: people.count > 1 ? person.map(words.fullName(of:)) : nil,
      title: words.title(of: measurand),
      address: address, people: people,
      notice: try NoticeText(notice, reader, viewer: viewer, back: address))
    let days = DayGrid(endingOn: viewer.now, count: span.dayCount, in: viewer.timeZone)
    let measure = Measure(quantity, for: person?.units, in: words)
    var query = SampleQuery(owner: .patient(person?.id ?? ""), quantity: quantity)
    if showsDeleted { query.states = [.deleted, .disowned, .notTaken] }
    let list = try SampleList(
      reader, query, of: measurand, on: days, budget: Self.budget, rowLimit: Self.rowLimit)
    let figure = QuantityFigure(
      measurand: measurand, measure: measure, words: words, days: days, summaries: list.summaries,
      limits: ChartLimits(
        tasks: try reader.histories(patient: person?.id ?? "").compactMap {
          $0.current(at: viewer.now)?.planned
        }, now: viewer.now))
    let rows = SampleRows(
      reader: reader, viewer: viewer, measure: figure.measure, people: people,
      back: address.description)
    content = Content(
      person: person.map(words.fullName(of:)) ?? "",
      tabs: Tab.all(span, at: address, words),
      places: list.measurands.map { other in
        Tab(
          title: words.title(of: other),
          address: address.setting("place", other.word ?? Self.noPlace).description,
          isCurrent: other == measurand)
      }, hasPlaces: list.measurands.count > 1,
      chart: showsDeleted ? "" : figure.html(), chartTitle: figure.title, key: figure.key,
      limit: list.beginning.map {
        words.text("quantityPage.limit", ["date": words.when($0, isToday: false, viewer)])
      },
      waiting: try WaitingReadings(reader, on: days, of: quantity).sentence(in: words),
      days: try list.days.map { place, samples in
        try Self.day(place, samples, list, rows, days, figure.measure, viewer)
      },
      more: list.omitted > 0
        ? words.text(
          "quantityPage.more", count: list.omitted, ["limit": String(Self.rowLimit)]) : nil,
      deleted: Link(
        address: address.setting("deleted", showsDeleted ? nil : "1").description,
        title: words.text(showsDeleted ? "quantityPage.live" : "quantityPage.deleted")),
      tracks: quantity == .bodyMass && viewer.may(.readAll)
        ? Link(
          address: LocalAddress("weighings", items: [("patient", viewer.patient)]).description,
          title: words.text("tray.tracks")) : nil,
      table: try person.flatMap { person in
        try ReadingTable.address(of: person.id, quantity, in: reader)
          ?? ReadingTable.address(of: person.id, quantity, from: days.start, in: reader)
      },
      forms: [
        person.flatMap {
          NewSampleForm(of: $0, quantity, viewer: viewer, back: address, notice: notice)
        }
      ].compactMap(\.self),
      measurements: LocalAddress("measurements", items: [("patient", viewer.patient)])
        .description)
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("quantity", content, frame: frame) }

  /// The word of what was measured without a place.
  private static let noPlace = "none"

  /// The subject of the page: the place that is asked for, else what was measured last.
  private static func measurand(
    _ reader: any StoreReader, _ quantity: Quantity, _ place: String?, of person: Patient?
  ) throws -> Measurand {
    if place == noPlace { return Measurand(quantity) }
    if let place, let measurand = Measurand(quantity, word: place) { return measurand }
    let latest = try person.flatMap {
      try reader.latestSample(patient: $0.id, quantity: quantity)
    }
    return latest?.measurand ?? Measurand(quantity)
  }

  private static func day(
    _ place: Int, _ samples: [Sample], _ list: SampleList, _ rows: SampleRows, _ days: DayGrid,
    _ measure: Measure, _ viewer: Viewer
  ) throws -> Day {
    let words = viewer.language
    let summary = list.streamed[place].map { words.summary($0, measure) }
    let isRecent = place >= days.count - hourDays
    let hours = (isRecent ? list.hours[place] ?? [:] : [:]).sorted { $0.key < $1.key }
    let dayTitle = words.weekdayDayMonth(days.starts[place], in: viewer.timeZone)
    return Day(
      title: dayTitle, summary: summary,
      hourTable: ChartTable(
        head: [words.text("chart.hour"), words.text("chart.values")],
        rows: hours.map { start, summary in
          [words.time(start, in: viewer.timeZone), words.summary(summary, measure)]
        }
      ).html(title: words.text("chart.hours"), of: dayTitle),
      rows: try rows.rows(samples))
  }
}

/// A choice of how much of the past is shown.
struct Tab {
  let title: String
  let address: String
  let isCurrent: Bool

  /// The choices, one of which is current.
  static func all(_ span: PageSpan, at address: LocalAddress, _ words: Language) -> [Tab] {
    PageSpan.allCases.map { other in
      Tab(
        title: words.text("span." + other.rawValue),
        address: address.setting("span", other.rawValue).description, isCurrent: other == span)
    }
  }
}

// MARK: - Reading

/// The samples of a span: single ones to list, streamed ones summed by hour and day.
struct SampleList {
  /// The days with something to show, the latest first, with their single samples, latest first.
  private(set) var days: [(place: Int, samples: [Sample])] = []
  /// All values by day.
  private(set) var summaries: [Int: DaySummary] = [:]
  /// The streamed values by day.
  private(set) var streamed: [Int: DaySummary] = [:]
  /// The streamed values by day and beginning of the hour.
  private(set) var hours: [Int: [Date: DaySummary]] = [:]
  /// Everything that was measured of the quantity, in order, also what is not listed.
  private(set) var measurands: [Measurand] = []
  /// How many single samples are not listed.
  private(set) var omitted = 0
  /// The beginning of what was read, if there is more before it that was not.
  private(set) var beginning: Date?

  init(
    _ reader: any StoreReader, _ query: SampleQuery, of measurand: Measurand, on grid: DayGrid,
    budget: Int, rowLimit: Int
  ) throws {
    var known: Set<Measurand> = []
    var single: [Int: [Sample]] = [:]
    var summaries: [Int: ValueCollector] = [:]
    var streamed: [Int: ValueCollector] = [:]
    var hours: [Int: [Date: ValueCollector]] = [:]
    var list = self
    list.beginning = try SampleScan.forEach(reader, query, on: grid, budget: budget) { sample in
      guard let place = grid.place(of: sample.start) else { return }
      known.insert(sample.measurand)
      guard sample.measurand == measurand else { return }
      if sample.isResult { summaries[place, default: ValueCollector()].add(sample) }
      guard sample.reading.isStreamed else {
        single[place, default: []].append(sample)
        return
      }
      streamed[place, default: ValueCollector()].add(sample)
      let elapsed = sample.start.timeIntervalSince(grid.starts[place])
      let hour = grid.starts[place] + (elapsed / 3600).rounded(.down) * 3600
      hours[place, default: [:]][hour, default: ValueCollector()].add(sample)
    }
    list.measurands = known.sorted()
    list.summaries = summaries.mapValues(\.summary)
    list.streamed = streamed.mapValues(\.summary)
    list.hours = hours.mapValues { $0.mapValues(\.summary) }
    self = list
    var left = rowLimit
    for place in Set(single.keys).union(list.streamed.keys).sorted(by: >) {
      let samples = (single[place] ?? []).sorted { $0.start > $1.start }
      let shown = samples.prefix(left)
      omitted += samples.count - shown.count
      left -= shown.count
      if !shown.isEmpty || list.streamed[place] != nil { days.append((place, Array(shown))) }
    }
  }
}

extension Language {
  /// The mean, least and most of several values, or their sum: `⌀ 102, 98 to 109 /min`.
  func summary(_ summary: DaySummary, _ measure: Measure) -> String {
    guard let mean = summary.mean else { return "" }
    let count = Double(summary.count).grouped(digits: 0)
    guard measure.quantity.aggregation == .discrete else {
      return text(
        "quantityPage.sum", ["sum": measure.text(summary.sum), "count": count])
    }
    return text(
      "quantityPage.mean",
      [
        "mean": measure.text(mean), "least": measure.number(summary.least),
        "most": measure.number(summary.most), "count": count,
      ])
  }
}
