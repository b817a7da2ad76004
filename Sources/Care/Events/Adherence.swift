public import Foundation

/// The completed part of a day's plan.
public enum Adherence: Hashable, Sendable {
  /// No task was effective yet.
  case noTasks
  /// Nothing was due.
  case noEvents
  /// The mean share of what was due, 0…1; see ``Event/share``.
  case progress(Double)

  /// Whether an event is due: it is not optional, not only to read, and not excused.
  public static func counts(_ event: Event) -> Bool {
    !event.task.isOptional && event.task.kind != .readOnly
      && event.outcome?.answer.state != .skipped
  }

  /// The mean share of the events that are due; 1 if none is.
  public static func fraction(of events: some Sequence<Event>) -> Double {
    var counts = Counts()
    for event in events { counts.add(event) }
    return counts.fraction ?? 1
  }

  /// One entry for each local day that begins in [from, to), and for the one that holds `from`.
  ///
  /// An event counts on the day of its start alone.
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
    var totals = starts.map { _ in Counts() }
    for event in events where (starts.first ?? end) <= event.occurrence.start {
      let start = event.occurrence.start
      guard start < end else { continue }
      // The last day that begins at the event's start or before.
      var (low, high) = (0, starts.count)
      while high - low > 1 {
        let middle = (low + high) / 2
        if starts[middle] <= start { low = middle } else { high = middle }
      }
      totals[low].add(event)
    }
    return starts.indices.map { place in
      let following = place + 1 < starts.count ? starts[place + 1] : end
      return (starts[place], totals[place].adherence(hasTasks: first < following))
    }
  }
}

// MARK: - Counts

extension Adherence {
  /// How many events of a period were due, performed and reached.
  public struct Counts: Hashable, Sendable {
    /// The sum of the shares of the events that were due; see ``Event/share``.
    public var shares = 0.0
    /// How many have a value or the answer that they were done.
    public var performed = 0
    /// How many met their target.
    public var reached = 0
    /// How many were due: not optional, not only to read, and not excused.
    public var due = 0
    /// How many a person skipped, for a reason.
    public var excused = 0

    /// Counts nothing.
    public init() {}

    /// Counts an event, unless it is optional or only to read.
    public mutating func add(_ event: Event) {
      guard event.task.kind != .readOnly, !event.task.isOptional else { return }
      guard Adherence.counts(event) else {
        excused += 1
        return
      }
      due += 1
      shares += event.share
      addPerformed(event)
    }

    /// Adds what others counted.
    package mutating func add(_ other: Self) {
      shares += other.shares
      performed += other.performed
      reached += other.reached
      due += other.due
      excused += other.excused
    }

    /// Counts an event of a task that is for when it is needed: it is never due.
    mutating func addPerformed(_ event: Event) {
      if event.isPerformed { performed += 1 }
      if event.isPerformed, event.progress.isCompleted { reached += 1 }
    }

    /// The shares of what was due; `nil` if nothing was.
    public var fraction: Double? { due > 0 ? shares / Double(due) : nil }

    fileprivate func adherence(hasTasks: Bool) -> Adherence {
      fraction.map(Adherence.progress) ?? (hasTasks ? .noEvents : .noTasks)
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
    /// How many events were due, performed and reached.
    public var counts: Counts

    /// Makes an entry.
    public init(patient: String, start: Date, adherence: Adherence, counts: Counts = Counts()) {
      self.patient = patient
      self.start = start
      self.adherence = adherence
      self.counts = counts
    }
  }
}

extension StoreReader {
  /// The adherence of each person in each day, week or month that has a part in [from, to).
  ///
  /// Each period counts whole, wherever in it the span begins or ends, and each event in the period
  /// of its start. Of a task that is for when it is needed, what was performed is counted only if the
  /// task is asked for by its id. No more than the events of a month are in memory at a time.
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
    guard let first = periods.first, let last = periods.last else { return [] }
    let none = Array(repeating: Adherence.Counts(), count: periods.count)
    var counts: [String: [Adherence.Counts]] = [:]
    var part = first.lowerBound
    while part < last.upperBound {
      let month = Adherence.Period.month.span(around: part, in: timeZone)
      let next = min(last.upperBound, month.upperBound)
      var place = 0
      let query = EventQuery(patient: patient, task: task, from: part, to: next, countsOnly: true)
      for event in try events(query)
      where event.occurrence.start >= part
        && now.map({ event.occurrence.start <= $0 }) ?? true
      {
        // Events are sorted by start.
        while place + 1 < periods.count, periods[place].upperBound <= event.occurrence.start {
          place += 1
        }
        counts[event.task.patient, default: none][place].add(event)
        if task != nil, event.task.isOptional {
          counts[event.task.patient, default: none][place].addPerformed(event)
        }
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
      return zip(periods, counts[patient] ?? none).map { period, counts in
        Adherence.Entry(
          patient: patient, start: period.lowerBound,
          adherence: counts.adherence(hasTasks: first < period.upperBound), counts: counts)
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
