import Care
import Foundation

// Running totals: each is a sample that keeps the total that the device sent. Its value, what the
// total adds, follows from the totals around it, and is written again as others arrive.

extension SQLTransaction {
  func book(_ sample: Sample) throws -> BookedTotal? {
    try check(sample)
    guard let total = sample.reading.total, let counter = sample.reading.counter, total.isFinite
    else { throw StoreError.refused(.sampleNotFinite(sample.quantity)) }
    return try changing {
      var sample = sample
      sample.patient = try sample.patient.map { try aliases().current($0) }
      if try isErased(sample) { return nil }
      try requireOwner(of: sample)
      let attributed = sample.patient
      let counted = CountedTotal(sample, attributed: attributed)
      let series = try makeSeries(SeriesKey(sample.reading))
      let date = sample.start.microseconds
      if let before = try lastTotal(of: series, until: date),
        TotalLedger.isRepetition(counted, of: before.counted),
        !(try totalErasures(of: series).contains { $0.upperBound >= before.counted.date })
      {
        return nil
      }
      let share = try nextShare(counted, of: series, sample.quantity, counter)
      if let share { sample.reading.value = share }
      if let changed = try stateAfterChanges(of: sample) {
        (sample.patient, sample.state) = (changed.patient, changed.state)
      } else {
        let state = sample.ownState
        sample.state = state == .live && sample.addsNothing ? .duplicate : state
      }
      guard try insertRow(sample, attributed: attributed),
        let (number, _) = try locate(sample.identity)
      else { return nil }
      let reason = share == nil ? try rebook(series, date...date)[number]?.reason : nil
      guard let booked = try member(number)?.sample else { return nil }
      return BookedTotal(sample: booked, reason: reason)
    }
  }

  /// Returns the amount that a total adds if it goes on from all that arrived before it; `nil` if
  /// others have to be looked at.
  ///
  /// Most totals do, and a day has thousands.
  private func nextShare(
    _ total: CountedTotal, of series: Int64, _ quantity: Quantity, _ counter: RunningTotal
  ) throws -> Double? {
    let recent = try totals(
      of: series, from: (total.date - TotalLedger.lag).microseconds, to: .max)
    guard let last = recent.last, last.counted.date < total.date else { return nil }
    var before: StoredTotal?
    for row in recent {
      guard row.value > 0, row.value < row.counted.total,
        before.map({ row.counted.total - row.value == $0.counted.total }) ?? true
      else { return nil }
      before = row
    }
    let ledger = try ledger(counter, of: series, quantity)
    return ledger.goesOn(total, from: last.counted) ? total.total - last.counted.total : nil
  }

  /// Books the totals of a series again that one in a span may affect.
  ///
  /// - Parameters:
  ///   - series: The number of the series.
  ///   - span: Dates of totals that were added or removed, µs since 1970.
  /// - Returns: The amounts that the totals add, by the numbers of their rows.
  /// - Throws: `StoreError` or an error of the database.
  @discardableResult
  func rebook(
    _ series: Int64, _ span: ClosedRange<Int64>
  ) throws -> [Int64: TotalLedger.Share] {
    let reach = Int64(saturating: TotalLedger.reach * 1_000_000)
    let written = (span.lowerBound - reach)...(span.upperBound + reach)
    let first = written.lowerBound - reach
    var all = try totals(of: series, from: first, to: written.upperBound + reach)
    if let earlier = try lastTotal(of: series, until: first - 1) { all.insert(earlier, at: 0) }
    guard let counter = all.last?.counter,
      let quantity = try seriesKey(series).flatMap({ Quantity(rawValue: $0.quantity) })
    else { return [:] }
    let shares = try ledger(counter, of: series, quantity).shares(of: all.map(\.counted))
    var result: [Int64: TotalLedger.Share] = [:]
    for (row, share) in zip(all, shares)
    where written.contains(row.counted.date.microseconds) {
      result[row.number] = share
      guard row.value != share.counted else { continue }
      try execute(
        "UPDATE sample SET value = ?, stored = ? WHERE number = ?",
        [share.counted, try nextStored(), row.number])
      let range = quantity.possible
      let mayChangeState =
        (row.value > 0) != (share.counted > 0)
        || range.contains(row.value) != range.contains(share.counted)
      if mayChangeState, let member = try member(row.number) {
        try update(try group(of: member))
      }
    }
    return result
  }

  private func ledger(
    _ counter: RunningTotal, of series: Int64, _ quantity: Quantity
  ) throws -> TotalLedger {
    TotalLedger(
      counter, most: quantity.plausible.upperBound, timeZone: try zone(),
      erasures: try totalErasures(of: series))
  }

  /// The totals of a series in a span, in the order of ``TotalLedger/shares(of:)``.
  private func totals(of series: Int64, from: Int64, to: Int64) throws -> [StoredTotal] {
    try rows(
      """
      \(StoredTotal.select) AND start_date BETWEEN ? AND ? ORDER BY start_date, total, number
      """, [series, from, to], read: StoredTotal.init)
  }

  private func lastTotal(of series: Int64, until date: Int64) throws -> StoredTotal? {
    try rows(
      """
      \(StoredTotal.select) AND start_date <= ?
      ORDER BY start_date DESC, total DESC, number DESC LIMIT 1
      """, [series, date], read: StoredTotal.init
    ).first
  }

  /// The spans of which totals of a series were erased.
  private func totalErasures(of series: Int64) throws -> [ClosedRange<Date>] {
    guard let key = try seriesKey(series) else { return [] }
    return try rows("SELECT mark FROM erasure WHERE mark > 'total|' AND mark < 'total}'") {
      ErasureMark.Stream(try $0.text("mark"), of: .totals)
    }.compactMap { mark in
      guard let mark, mark.series == key else { return nil }
      return Date(microseconds: mark.first)...Date(microseconds: mark.last)
    }
  }

  /// Marks the totals among samples that are erased: the next total of the device is only the base
  /// from which later ones are counted.
  func markTotals(_ members: [SampleMember], erasedAt date: Int64) throws {
    let totals = members.filter { $0.sample.reading.total != nil }
    for (series, members) in Dictionary(grouping: totals, by: \.series) {
      let dates = members.map(\.sample.start.microseconds)
      guard let key = try seriesKey(series), let first = dates.min(), let last = dates.max()
      else { continue }
      try mark(ErasureMark.Stream(series: key, first: first, last: last, of: .totals).text, date)
      try rebook(series, first...last)
    }
  }
}

/// A row of `sample` that keeps a total.
private struct StoredTotal {
  var number: Int64
  var value: Double
  var counted: CountedTotal
  var counter: RunningTotal

  static let select = """
    SELECT number, start_date, total, counter, value, attributed, device_time, is_clock_trusted
    FROM sample WHERE series = ? AND total IS NOT NULL
    """

  init(_ row: Row) throws {
    number = try row.required("number")
    value = try row.required("value")
    counter = try row.parsed("counter", RunningTotal.init(text:))
    let isTrusted: Bool = try row.required("is_clock_trusted")
    counted = CountedTotal(
      date: try row.date("start_date"), total: try row.required("total"),
      day: isTrusted
        ? try row.optionalParsed("device_time", LocalDateTime.init(text:))?.dayNumber : nil,
      owner: try row.optional("attributed"))
  }
}

extension CountedTotal {
  fileprivate init(_ sample: Sample, attributed: String?) {
    self.init(
      date: sample.start, total: sample.reading.total ?? 0,
      day: sample.isClockTrusted ? sample.deviceTime?.dayNumber : nil, owner: attributed)
  }
}

extension LocalDateTime {
  /// The digits of the date as one number: 20261121.
  fileprivate var dayNumber: Int { (year * 100 + month) * 100 + day }
}

extension Sample {
  /// Whether it is a total that adds nothing to the one before, so that it does not count.
  var addsNothing: Bool { reading.total != nil && reading.value == 0 }
}

extension RunningTotal {
  /// The rule as the column `counter` has it: `daily`, `continuous`, `continuous 65536.0`.
  var text: String { period.rawValue + (limit.map { " \($0)" } ?? "") }

  /// Reads the text of ``text``; `nil` for anything else.
  init?(text: String) {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let period = Period(rawValue: String(parts[0])) else {
      return nil
    }
    self.init(period)
    guard parts.count == 2 else { return }
    guard let limit = Double(parts[1]), limit.isFinite, limit > 0 else { return nil }
    self.limit = limit
  }
}
