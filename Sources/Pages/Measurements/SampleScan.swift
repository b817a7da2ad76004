import Assessments
import Care
import Foundation

/// Reads the samples of many days in parts, the newest first, and not more than a page can afford.
///
/// A strap gives a sample each second, so a year can have tens of millions. Days and hours are
/// counted before they are read: counting a stream costs next to nothing.
enum SampleScan {
  /// How many samples are in memory at a time, about.
  static let part = 4000

  /// Calls `body` for each sample that starts on the days.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - query: The owner, quantity and states.
  ///   - days: The days.
  ///   - budget: How many samples are read at most.
  ///   - body: The closure to call with each sample; the days come newest first.
  /// - Returns: The beginning of what was read, if there is more before it that was not.
  /// - Throws: ``StoreError``.
  static func forEach(
    _ reader: any StoreReader, _ query: SampleQuery, on days: DayGrid, budget: Int,
    _ body: (Sample) throws -> Void
  ) throws -> Date? {
    var left = budget
    func count(_ span: Range<Date>) throws -> Int {
      try reader.sampleCount(query.within(span))
    }
    func read(_ span: Range<Date>, _ count: Int) throws {
      left -= count
      for sample in try reader.samples(query.within(span)) where span.contains(sample.start) {
        try body(sample)
      }
    }
    let whole = days.start..<days.end
    let total = try count(whole)
    if total <= min(part, left) {
      if total > 0 { try read(whole, total) }
      return nil
    }
    for place in days.starts.indices.reversed() {
      let day = days.starts[place]..<days.end(of: place)
      let inDay = try count(day)
      guard inDay > 0 else { continue }
      if inDay <= min(part, left) {
        try read(day, inDay)
        continue
      }
      var end = day.upperBound
      while end > day.lowerBound {
        let start = max(day.lowerBound, end - 3600)
        let inHour = try count(start..<end)
        guard inHour <= left else { return end }
        if inHour > 0 { try read(start..<end, inHour) }
        end = start
      }
    }
    return nil
  }
}

extension SampleQuery {
  /// The same query of the samples that touch a span, whose end does not count.
  fileprivate func within(_ span: Range<Date>) -> SampleQuery {
    var query = self
    query.from = span.lowerBound
    query.to = Date(microseconds: span.upperBound.microseconds - 1)
    return query
  }
}

// MARK: - Days

/// The values of one day, or hour, as they are read: what several devices counted over one span
/// counts once, as it does for an event.
struct ValueCollector {
  private var single = DaySummary()
  private var counts = SpanCounts()

  mutating func add(_ sample: Sample) {
    switch sample.quantity.aggregation {
    case .discrete: single.add(sample.value)
    case .cumulative: counts.add(sample)
    }
  }

  /// The values together.
  var summary: DaySummary {
    var summary = single
    counts.reached.map { summary.add($0) }
    return summary
  }
}

/// The values of one measurand by local day.
struct DailyValues: Sendable {
  /// The days.
  let days: DayGrid
  /// How the values of a day are one: the mean, or the sum of a cumulative quantity.
  let aggregation: Aggregation
  /// The days that have values, by place.
  private(set) var summaries: [Int: DaySummary] = [:]
  /// The beginning of what was read, if there is more before it that was not.
  private(set) var beginning: Date?

  /// How many samples of a quantity are read at most.
  static let budget = 20_000

  /// Reads the days of one quantity, apart for each measurand.
  ///
  /// - Parameters:
  ///   - reader: The store.
  ///   - patient: The person.
  ///   - quantity: The quantity.
  ///   - days: The days.
  ///   - budget: How many samples are read at most.
  ///   - body: The closure to call with each sample, the details of an assessment included.
  /// - Returns: The measurands that have values, in their order.
  /// - Throws: ``StoreError``.
  static func all(
    _ reader: any StoreReader, patient: String, quantity: Quantity, on days: DayGrid,
    budget: Int = DailyValues.budget, each body: (Sample) throws -> Void = { _ in }
  ) throws -> [MeasuredDays] {
    var collected: [Measurand: [Int: ValueCollector]] = [:]
    let query = SampleQuery(owner: .patient(patient), quantity: quantity)
    let beginning = try SampleScan.forEach(reader, query, on: days, budget: budget) { sample in
      try body(sample)
      guard sample.isResult, let place = days.place(of: sample.start) else { return }
      collected[sample.measurand, default: [:]][place, default: ValueCollector()].add(sample)
    }
    return collected.sorted { $0.key < $1.key }.map { measurand, collectors in
      var values = DailyValues(
        collectors.mapValues(\.summary), aggregation: quantity.aggregation, on: days)
      values.beginning = beginning
      return MeasuredDays(measurand: measurand, values: values)
    }
  }

  /// The days of values that are known.
  init(_ summaries: [Int: DaySummary], aggregation: Aggregation, on days: DayGrid) {
    self.days = days
    self.aggregation = aggregation
    self.summaries = summaries
  }

  /// The value of a day; `nil` for a day without one.
  func value(_ place: Int) -> Double? {
    summaries[place].flatMap { aggregation == .cumulative ? $0.sum : $0.mean }
  }

  /// The days' values by place, ascending.
  var points: [(x: Double, y: Double)] {
    summaries.keys.sorted().compactMap { place in value(place).map { (Double(place), $0) } }
  }

  /// The values of some of the days, together: each day counts once.
  func summary(of places: Range<Int>) -> DaySummary {
    DaySummary(places.compactMap(value))
  }
}

/// The measurements, by day.
struct MeasuredDays: Sendable {
  let measurand: Measurand
  let values: DailyValues

  var quantity: Quantity { measurand.quantity }
}
