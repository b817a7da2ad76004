import Assessments
import Care
import Foundation
import Interchange
import Localization
import Terminal

/// Reads many samples, oldest first, without holding all of them.
struct SamplePages {
  var query: SampleQuery

  /// The most samples that are held.
  private static let pageSize = 50_000

  /// Calls `body` with each sample that starts in the span of the query.
  func forEach(in reader: any StoreReader, _ body: (Sample) throws -> Void) throws {
    guard query.limit == nil else {
      try reader.samples(query).within(query).forEach(body)
      return
    }
    var first = query
    first.limit = Self.pageSize + 1
    let samples = try reader.samples(first)
    guard samples.count > Self.pageSize, let newest = samples.last else {
      try samples.within(query).forEach(body)
      return
    }
    // More than a page: day by day, from the oldest one.
    let day: TimeInterval = 86_400
    var from = try oldest(before: newest.start, in: reader)
    while from <= newest.start {
      var part = query
      (part.from, part.to) = (
        max(from, query.from ?? from), min(from + day, query.to ?? from + day)
      )
      try reader.samples(part).filter { $0.start >= from && $0.start < from + day }
        .within(query).forEach(body)
      from += day
    }
  }

  /// An instant before the oldest sample and less than a day from it, found by halves.
  private func oldest(before newest: Date, in reader: any StoreReader) throws -> Date {
    var (low, high) = (Date(timeIntervalSince1970: -86_400 * 365), newest)
    if let from = query.from { low = max(low, from - 1) }
    while high.timeIntervalSince(low) > 86_400 {
      let middle = low + high.timeIntervalSince(low) / 2
      var part = query
      (part.to, part.limit) = (middle, 1)
      if try reader.samples(part).isEmpty { low = middle } else { high = middle }
    }
    return low
  }
}

extension [Sample] {
  /// Those that start before the end of the query's span, which is exclusive for commands.
  func within(_ query: SampleQuery) -> [Sample] {
    guard let to = query.to else { return self }
    return filter { $0.start < to }
  }
}

/// Samples summed up by day.
struct SampleDays {
  var timeZone: TimeZone
  private var days: [Key: Reached] = [:]
  /// The sums: a span that several devices counted counts once, as it does for an event.
  private var counts: [Key: SpanCounts] = [:]

  private struct Key: Hashable {
    var day: String
    var patient: String
    var quantity: Quantity
  }

  init(timeZone: TimeZone) {
    self.timeZone = timeZone
  }

  /// Counts a sample on the day of its start.
  mutating func add(_ sample: Sample) {
    // The details of an assessment are other figures.
    guard sample.isResult else { return }
    let key = Key(
      day: sample.start.day(in: timeZone), patient: sample.patient ?? "",
      quantity: sample.quantity)
    guard sample.quantity.aggregation == .discrete else {
      return counts[key, default: SpanCounts()].add(sample)
    }
    let one = Reached(value: sample.value, date: sample.start)
    days[key] = days[key].map { $0.adding(one) } ?? one
  }

  /// The days, by date, patient and quantity.
  var outputs: [Output] {
    days.merging(counts.compactMapValues(\.reached)) { first, _ in first }.map { key, reached in
      Output(
        date: key.day, patient: key.patient.isEmpty ? nil : key.patient,
        quantity: key.quantity.rawValue, unit: key.quantity.unit.code, count: reached.count,
        least: reached.least.data(of: key.quantity),
        mean: (reached.sum / Double(reached.count)).data(of: key.quantity),
        most: reached.most.data(of: key.quantity),
        sum: key.quantity.aggregation == .cumulative ? reached.sum.data(of: key.quantity) : nil)
    }.sorted { ($0.date, $0.patient ?? "", $0.quantity) < ($1.date, $1.patient ?? "", $1.quantity) }
  }

  /// One quantity of one person on one day, as JSON.
  struct Output: Encodable {
    var date: String
    var patient: String?
    var quantity: String
    var unit: String
    var count: Int
    var least: Double
    var mean: Double
    var most: Double
    var sum: Double?

    static let csvHeading = "date,patient,quantity,unit,count,least,mean,most,sum"

    var csv: String {
      CSVLine([
        date, patient ?? "", quantity, unit, String(count), String(least), String(mean),
        String(most), sum.map { String($0) } ?? "",
      ]).text
    }

    /// For people.
    func cells(for units: [String: PreferredUnits]) -> [String] {
      let known = Quantity(rawValue: quantity)
      let numbers = [least, mean, most, sum].map { number in
        number.map { known?.text($0, for: patient.flatMap { units[$0] }) ?? $0.plainText } ?? ""
      }
      return [date, patient ?? "–", known?.title ?? quantity, String(count)] + numbers
    }
  }
}

extension SampleOutput {
  init(_ numbered: NumberedSample, in timeZone: TimeZone) {
    self.init(numbered, reason: numbered.sample.unassignedMessage, in: timeZone)
  }
}
