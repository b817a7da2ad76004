import Actions
package import Care
import Foundation
import Localization

/// Whose the weighings of the household's scales are: each person's weights with their band, what
/// waits, and the question that helps.
package struct TracksPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let question: Tray.Question?
    let tabs: [Tab]
    let chart: String?
    let chartTitle: String
    let key: String
    let people: [Person]
    let hasPeople: Bool
    let guests: String?
  }

  private struct Person {
    let id: String
    let tint: String
    let name: String
    let now: String
    let count: String
    let waiting: String
    let waits: Bool
  }

  /// The band holds 19 of 20 weighings.
  private static let deviations = 1.96

  /// Reads the page, which is everyone's.
  package init(
    _ reader: any StoreReader, viewer: Viewer, span: PageSpan = .month, notice: Notice? = nil
  ) throws {
    let words = viewer.language
    let people = try reader.patients()
    let address = LocalAddress(
      "weighings", items: [("patient", viewer.patient), ("span", span.rawValue)])
    frame = Frame(
      viewer: viewer, section: .measurements, title: words.text("tracks.title"),
      address: address, notice: try NoticeText(notice, reader, viewer: viewer, back: address))
    let units = people.first { $0.id == viewer.patient }?.units ?? people.first?.units
    let read = try WeighingTracks(reader, viewer.weighings)
    let view = View(
      measure: Measure(.bodyMass, for: units, in: words), viewer: viewer, people: people,
      days: DayGrid(endingOn: viewer.now, count: span.dayCount, in: viewer.timeZone))
    let chart = view.chart(of: read)
    content = Content(
      question: try viewer.may(.correct)
        ? read.question.flatMap {
          try Tray.question(
            $0, reader, people: people, viewer: viewer, back: address.description, leadsOn: false)
        } : nil,
      tabs: Tab.all(span, at: address, words),
      chart: chart.tracks.isEmpty && chart.guests.isEmpty
        ? nil : chart.html(tableTitle: words.text("chart.table")),
      chartTitle: view.chartTitle,
      key: ([words.text("tracks.key")]
        + (chart.guests.isEmpty ? [] : [words.text("tracks.keyGuests")]))
        .joined(separator: words.text("list.comma")),
      people: read.tracks.enumerated().compactMap { view.person($1, place: $0) },
      hasPeople: !read.tracks.isEmpty,
      guests: read.guests.isEmpty
        ? nil : words.text("tracks.guests", count: read.guests.count))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("tracks", content, frame: frame) }

  /// How tracks read to a person.
  private struct View {
    let measure: Measure
    let viewer: Viewer
    let people: [Patient]
    let days: DayGrid

    private var words: Language { viewer.language }
    var chartTitle: String { words.text("tracks.chart", ["unit": measure.symbol]) }

    func name(_ track: WeighingTracks.Track) -> String {
      people.first { $0.id == track.patient }.map(words.fullName(of:))
        ?? words.text(
          "tracks.somebody", ["weight": measure.text(track.points.last?.weight ?? 0)])
    }

    func person(_ track: WeighingTracks.Track, place: Int) -> Person? {
      guard let last = track.points.last else { return nil }
      let waiting = track.waitingCount
      return Person(
        id: "track-\(place)", tint: Tint(place: place).rawValue, name: name(track),
        now: words.text(
          "tracks.now",
          [
            "weight": measure.text(last.weight),
            "deviation": measure.difference(deviations * last.deviation),
          ]),
        count: words.text("tracks.count", count: track.points.count),
        waiting: waiting == 0
          ? words.text("tracks.clear") : words.text("tracks.waiting", count: waiting),
        waits: waiting > 0)
    }

    func chart(of read: WeighingTracks) -> TrackChart {
      var rows: [[String]] = []
      let tracks = read.tracks.enumerated().map { place, track in
        let name = name(track)
        let points = track.points.filter { days.place(of: $0.sample.start) != nil }
        return TrackChart.Track(
          name: name, tint: Tint(place: place),
          points: points.map { point in
            rows.append(
              row(point.sample, point.waits ? words.text("tracks.waiting", count: 1) : name))
            let level = measure.charted(point.weight)
            return TrackChart.Point(
              x: days.position(of: point.sample.start), y: measure.charted(point.sample.value),
              level: level,
              spread: measure.charted(point.weight + deviations * point.deviation) - level,
              waits: point.waits, row: rows.count - 1)
          })
      }.filter { !$0.points.isEmpty }
      let guests = read.guests.filter { days.place(of: $0.start) != nil }
      for guest in guests { rows.append(row(guest, words.text("tracks.guests", count: 1))) }
      let values = tracks.flatMap(\.points).map(\.y)
      return TrackChart(
        title: chartTitle,
        summary: words.text(
          "tracks.summary",
          [
            "number": String(tracks.count), "least": measure.mark(values.min() ?? 0),
            "most": measure.mark(values.max() ?? 0), "unit": measure.symbol,
          ]),
        tracks: tracks,
        guests: guests.map { (days.position(of: $0.start), measure.charted($0.value)) },
        span: 0...Double(days.count), labels: words.labels(of: days), label: measure.mark,
        table: ChartTable(
          head: [
            words.text("chart.day"), words.text("tracks.owner"), words.title(of: .bodyMass),
          ], rows: rows))
    }

    private func row(_ sample: Sample, _ owner: String) -> [String] {
      [words.dayMonth(sample.start, in: viewer.timeZone), owner, measure.text(sample.value)]
    }
  }
}
