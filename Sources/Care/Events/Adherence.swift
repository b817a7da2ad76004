public import Foundation

/// The completed part of a day's plan.
public enum Adherence: Hashable, Sendable {
  /// No task was effective yet.
  case noTasks
  /// Nothing was due.
  case noEvents
  /// The mean fraction of what was due, 0…1.
  case progress(Double)

  /// Whether an event counts: optional and read-only tasks do not.
  public static func counts(_ event: Event) -> Bool {
    !event.task.isOptional && event.task.kind != .readOnly
  }

  /// The mean fraction of the events that count; 1 if none does.
  public static func fraction(of events: some Sequence<Event>) -> Double {
    EventProgress.mean(of: events.filter(counts).map(\.progress))
  }

  /// One entry for each local day that begins in [from, to), and for the one that holds `from`.
  ///
  /// An event counts on the day of its start, or on the first of these days if it started earlier.
  ///
  /// - Parameters:
  ///   - events: The events of [from, to).
  ///   - versions: The tasks: before the first is effective there are none.
  ///   - from: The beginning.
  ///   - to: The end, at most 100 years later.
  ///   - timeZone: The zone whose days they are.
  /// - Returns: The days' starts with their adherence, in order.
  public static func days(
    events: [Event], versions: [CareTask], from: Date, to: Date, timeZone: TimeZone
  ) -> [(day: Date, adherence: Adherence)] {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    let first = versions.map(\.effectiveDate).min() ?? .distantFuture
    var starts: [Date] = []
    var day = calendar.startOfDay(for: from)
    while day < to, starts.count <= 36_600 {
      starts.append(day)
      guard let next = calendar.date(byAdding: .day, value: 1, to: day) else { break }
      day = calendar.startOfDay(for: next)
    }
    let end = day
    var totals = starts.map { _ in (fractions: 0.0, count: 0) }
    for event in events where counts(event) && event.occurrence.start < end {
      let start = max(event.occurrence.start, from)
      // The last day that begins at the event's start or before.
      var (low, high) = (0, starts.count)
      while high - low > 1 {
        let middle = (low + high) / 2
        if starts[middle] <= start { low = middle } else { high = middle }
      }
      guard totals.indices.contains(low) else { continue }
      totals[low].fractions += event.progress.fraction
      totals[low].count += 1
    }
    return starts.indices.map { place in
      let (fractions, count) = totals[place]
      if count > 0 { return (starts[place], .progress(fractions / Double(count))) }
      let following = place + 1 < starts.count ? starts[place + 1] : end
      return (starts[place], first < following ? .noEvents : .noTasks)
    }
  }
}

// MARK: - Days, weeks and months

extension Adherence {
  /// The length of the period that one entry of a report covers.
  public enum Period: String, Hashable, Sendable, CaseIterable {
    case day
    /// A week of ISO 8601, from Monday.
    case week
    /// A month of the Gregorian calendar.
    case month

    /// The period of the zone's calendar that contains `date`.
    ///
    /// - Returns: Its first instant and that of the next period.
    public func span(around date: Date, in timeZone: TimeZone) -> Range<Date> {
      // Its weeks begin on Monday.
      var calendar = Calendar(identifier: .iso8601)
      calendar.timeZone = timeZone
      let component: Calendar.Component =
        switch self {
        case .day: .day
        case .week: .weekOfYear
        case .month: .month
        }
      guard let interval = calendar.dateInterval(of: component, for: date),
        interval.start < interval.end
      else { return date..<date + 86_400 }
      return interval.start..<interval.end
    }
  }

  /// The adherence of one person in one period.
  public struct Entry: Hashable, Sendable {
    /// The patient.
    public var patient: String
    /// The first instant of the period.
    public var start: Date
    /// The adherence.
    public var adherence: Adherence

    /// Makes an entry.
    public init(patient: String, start: Date, adherence: Adherence) {
      self.patient = patient
      self.start = start
      self.adherence = adherence
    }
  }
}

extension StoreReader {
  /// The adherence of each person in each day, week or month that has a part in [from, to).
  ///
  /// The fraction of a period is the mean over its events; each counts in the period of its start,
  /// or in the first one if it started earlier and lasts longer than a day. No more than the events
  /// of a month are in memory at a time.
  ///
  /// - Parameters:
  ///   - period: The length of an entry's period.
  ///   - patient: The patient; `nil` for each of them.
  ///   - task: The task's id; `nil` for all. Patients without such a task have no entries.
  ///   - from: The beginning.
  ///   - to: The end, at most 100 years later.
  ///   - timeZone: The zone whose days, weeks and months they are.
  ///   - now: The current time: events that begin later do not count yet; `nil` to count all.
  /// - Returns: An entry for each patient and period, also for those without an event; by patient,
  ///   then by time.
  /// - Throws: ``StoreError``.
  public func adherence(
    by period: Adherence.Period, patient: String?, task: String? = nil, from: Date, to: Date,
    in timeZone: TimeZone, now: Date? = nil
  ) throws -> [Adherence.Entry] {
    var periods: [Range<Date>] = []
    var start = from
    while start < to, periods.count <= 36_600 {
      periods.append(period.span(around: start, in: timeZone))
      start = periods[periods.count - 1].upperBound
    }
    let none = Array(repeating: (fraction: 0.0, count: 0), count: periods.count)
    var sums: [String: [(fraction: Double, count: Int)]] = [:]
    var part = from
    while part < start, part < to {
      let next = min(to, Adherence.Period.month.span(around: part, in: timeZone).upperBound)
      var place = 0
      for event in try events(patient: patient, task: task, from: part, to: next)
      where Adherence.counts(event)
        && (event.occurrence.start >= part || part == from && event.occurrence.isOfDay(from: part))
        && now.map({ event.occurrence.start <= $0 }) ?? true
      {
        // Events are sorted by start.
        let eventStart = max(event.occurrence.start, from)
        while place + 1 < periods.count, periods[place].upperBound <= eventStart { place += 1 }
        sums[event.task.patient, default: none][place].fraction += event.progress.fraction
        sums[event.task.patient, default: none][place].count += 1
      }
      part = next
    }
    let versions = try taskVersions(patient: patient).filter { task == nil || $0.id == task }
    let firsts = Dictionary(
      versions.map { ($0.patient, $0.effectiveDate) }, uniquingKeysWith: { min($0, $1) })
    let patients = try patients().map(\.id).filter { id in
      (patient == nil || id == patient) && (task == nil || firsts[id] != nil)
    }
    return patients.flatMap { patient in
      let first = firsts[patient] ?? .distantFuture
      return zip(periods, sums[patient] ?? none).map { period, sum in
        let empty: Adherence = first < period.upperBound ? .noEvents : .noTasks
        return Adherence.Entry(
          patient: patient, start: period.lowerBound,
          adherence: sum.count == 0 ? empty : .progress(sum.fraction / Double(sum.count)))
      }
    }
  }
}

extension Double {
  /// A fraction in whole per cent, rounded down: 100 only when all is done.
  ///
  /// A sum of fractions may miss a whole per cent by its rounding, which counts as that per cent.
  package var wholePercent: Int {
    Int(saturating: Swift.min(Swift.max(self, 0), 1) * 100 + 1e-9)
  }
}
