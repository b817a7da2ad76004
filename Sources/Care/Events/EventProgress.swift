public import Foundation

/// The progress of an event towards its goal.
public struct EventProgress: Hashable, Sendable {
  /// The amount that counts towards the goal, in the goal's unit.
  public var value: Double
  /// The value to reach; `nil` without a target.
  public var goal: Double?
  /// The completed part of it, 0…1.
  public var fraction: Double
  /// Whether all of it is done.
  public var isCompleted: Bool { fraction >= 1 }

  /// Makes a progress; a fraction outside 0…1 is clamped, a value that is not a number is 0, and an
  /// infinite one is the greatest finite.
  public init(value: Double, goal: Double?, fraction: Double) {
    self.value = value.saturated
    self.goal = goal?.saturated
    // A comparison with NaN is false, so it ends up at 0.
    self.fraction = fraction >= 1 ? 1 : (fraction > 0 ? fraction : 0)
  }

  /// The mean of the fractions; 1 if there are none.
  public static func mean(of parts: some Collection<EventProgress>) -> Double {
    guard !parts.isEmpty else { return 1 }
    return parts.reduce(0) { $0 + $1.fraction } / Double(parts.count)
  }
}

extension Event {
  /// The values to reach: the targets of its schedule, or without any the repetitions that its
  /// exercise asks for.
  public var targets: [TargetValue] {
    let own = occurrence.element.targets
    return own.isEmpty ? task.activeTask?.goal.map { [$0] } ?? [] : own
  }

  /// Its progress.
  ///
  /// A person's answer decides first: an event that was not done has none, and one that was done
  /// without a value, or with a plain `true` for a linked task, is complete. So is one with an
  /// outcome, if the task's strategy is ``ProgressStrategy/exists``.
  ///
  /// Otherwise values add up towards the sum of the targets: numbers as they are, anything else as
  /// 1. Without a target, a sum above 0 completes the event; a goal of 0 is complete from the
  /// beginning. A target with a kind counts values of that kind only. Values are converted to the
  /// target's unit.
  ///
  /// A target that is an upper limit (``TargetValue/isAtMost``) is met by a value at or below it,
  /// and never without a value. Above it the fraction is limit ÷ value: 0.5 for twice the limit; it
  /// is 0 if the limit is 0 or less. Of a lower and an upper limit of one kind, each is half.
  ///
  /// Discrete readings (a weight, an angle) do not add up: the latest is compared with the target,
  /// and without a target one is enough. Of a performed measurement's values the first is the
  /// result and the others are its details. A task's own strategy overrides either. An answered
  /// assessment is complete, and so is an answered survey, whose value is 1: answers do not add up.
  /// A task with several linkages and no target is complete when
  /// each of them has a value. One that takes measurements and asks questions is half done with
  /// either; answers count only towards targets of their kind.
  public var progress: EventProgress {
    let measured = measuredProgress
    guard let fraction = answeredFraction else { return measured }
    return EventProgress(value: measured.value, goal: measured.goal, fraction: fraction)
  }

  /// Its share in adherence: where values add up to a goal the part of it that is reached, elsewhere
  /// 1 if it was performed.
  public var share: Double {
    guard isPerformed else { return 0 }
    let addsUp = targets.contains { !countsLatest(of: $0.kind) }
    return addsUp && task.progressStrategy != .exists ? progress.fraction : 1
  }

  /// The fraction that an answer or the strategy gives; `nil` if the values decide.
  private var answeredFraction: Double? {
    let isAnyEnough = task.progressStrategy == .exists
    guard let outcome else { return isAnyEnough ? 0 : nil }
    guard outcome.answer.state == .done else { return 0 }
    let isDone =
      isAnyEnough || outcome.values.isEmpty
      || !task.linkages.isEmpty && outcome.values.contains(where: \.saysDone)
    return isDone ? 1 : nil
  }

  /// The progress of the values alone: of the measurements, and of the survey beside them.
  private var measuredProgress: EventProgress {
    guard task.activeTask != nil || !task.linkages.isEmpty, !task.survey.isEmpty else {
      return progress(apartFrom: [])
    }
    let measured = progress(apartFrom: Set(task.survey.map(\.kind)))
    let kinds = Set(outcome?.values.compactMap(\.kind) ?? [])
    let answers = task.survey.filter { !$0.isOptional }.map { question in
      EventProgress(value: 0, goal: nil, fraction: kinds.contains(question.kind) ? 1 : 0)
    }
    guard !answers.isEmpty else { return measured }
    return EventProgress(
      value: measured.value, goal: measured.goal,
      fraction: (measured.fraction + EventProgress.mean(of: answers)) / 2)
  }

  /// The progress of the values that are not of these kinds, unless a target names their kind.
  private func progress(apartFrom kinds: Set<String>) -> EventProgress {
    let stored = (outcome?.values ?? []).filter { task.linkages.isEmpty || !$0.saysDone }
    // Of values with the same time, the last in the order counts as the latest.
    let values = task.activeTask == nil ? stored : stored.reversed()
    let goals = Goal.all(of: targets, apartFrom: kinds)
    guard !goals.isEmpty else {
      let values = values.filter { !($0.kind.map(kinds.contains) ?? false) }
      return task.linkages.count > 1 ? ofSeveralLinkages(values) : withoutTarget(values)
    }
    let parts = goals.map { $0.progress(of: values, isLatest: countsLatest(of: $0.kind)) }
    // A lower and an upper limit of one kind compare the same value.
    var seen: Set<String?> = []
    let firsts = zip(goals, parts).filter { seen.insert($0.0.kind).inserted }.map(\.1)
    return EventProgress(
      value: firsts.reduce(0) { $0 + $1.value }, goal: firsts.reduce(0) { $0 + ($1.goal ?? 0) },
      fraction: EventProgress.mean(of: parts))
  }

  /// Whether the latest value of a kind counts instead of the sum.
  private func countsLatest(of kind: String?) -> Bool {
    switch task.progressStrategy {
    case .sum: false
    case .latest: true
    case .exists, nil:
      task.activeTask != nil || task.planned.linkage(of: kind)?.type == .discrete
    }
  }

  private func withoutTarget(_ values: [OutcomeValue]) -> EventProgress {
    if task.progressStrategy == nil, task.activeTask == nil, task.linkages.isEmpty,
      !task.survey.isEmpty
    {
      let answered = values.isEmpty ? 0.0 : 1
      return EventProgress(value: answered, goal: nil, fraction: answered)
    }
    if countsLatest(of: nil) {
      let latest = values.latest?.value.summand ?? 0
      return EventProgress(value: latest, goal: nil, fraction: values.isEmpty ? 0 : 1)
    }
    let sum = values.sum(in: values.first?.unit)
    // An answer may be 0.
    let takesAnyAnswer =
      task.kind == .assessment || !task.survey.isEmpty && task.linkages.isEmpty
    let isDone = takesAnyAnswer ? !values.isEmpty : sum > 0
    return EventProgress(value: sum, goal: nil, fraction: isDone ? 1 : 0)
  }

  /// One part for each linkage; the value is the first one's.
  private func ofSeveralLinkages(_ values: [OutcomeValue]) -> EventProgress {
    let parts = task.linkages.map { linkage in
      let kind = task.planned.valueKind(of: linkage)
      let own = values.filter { task.planned.isValue($0, of: linkage) }
      if countsLatest(of: kind) {
        let latest = own.latest?.summand(in: linkage.unit)
        return EventProgress(value: latest ?? 0, goal: nil, fraction: latest == nil ? 0 : 1)
      }
      let sum = own.sum(in: linkage.unit)
      return EventProgress(value: sum, goal: nil, fraction: sum > 0 ? 1 : 0)
    }
    return EventProgress(
      value: parts.first?.value ?? 0, goal: nil, fraction: EventProgress.mean(of: parts))
  }
}

/// The targets of one kind and direction.
struct Goal {
  let kind: String?
  let unit: UnitOfMeasure?
  let sum: Double
  /// Whether less is better.
  let isAtMost: Bool
  /// The kinds that a goal without a kind does not count.
  let otherKinds: Set<String>

  /// The targets sorted by kind and direction, in their order.
  ///
  /// A goal without a kind counts neither the kinds of other goals nor `others`.
  static func all(of targets: [TargetValue], apartFrom others: Set<String>) -> [Goal] {
    let kinds = others.union(targets.compactMap(\.kind))
    var goals: [Goal] = []
    for target in targets where !goals.contains(where: { $0.holds(target) }) {
      let same = targets.filter { $0.kind == target.kind && $0.isAtMost == target.isAtMost }
      let unit = same.compactMap(\.unit).first
      goals.append(
        Goal(
          kind: target.kind, unit: unit, sum: same.reduce(0) { $0 + ($1.summand(in: unit) ?? 0) },
          isAtMost: target.isAtMost, otherKinds: target.kind == nil ? kinds : []))
    }
    return goals
  }

  private func holds(_ target: TargetValue) -> Bool {
    kind == target.kind && isAtMost == target.isAtMost
  }

  /// The progress of the values of its kind: of the latest, or of their sum.
  func progress(of values: [OutcomeValue], isLatest: Bool) -> EventProgress {
    let counted = values.filter(counts)
    let value = isLatest ? counted.latest?.summand(in: unit) : counted.sum(in: unit)
    guard let value, !counted.isEmpty else {
      let isReached = !isLatest && !isAtMost && sum <= 0
      return EventProgress(value: 0, goal: sum, fraction: isReached ? 1 : 0)
    }
    return EventProgress(value: value, goal: sum, fraction: fraction(value, isLatest: isLatest))
  }

  private func fraction(_ value: Double, isLatest: Bool) -> Double {
    if isAtMost { return value <= sum ? 1 : (sum > 0 ? sum / value : 0) }
    if sum > 0 { return value / sum }
    return isLatest && value < sum ? 0 : 1
  }

  private func counts(_ value: OutcomeValue) -> Bool {
    guard let kind else { return value.kind.map { !otherKinds.contains($0) } ?? true }
    return value.kind == kind
  }
}

extension Sequence<OutcomeValue> {
  /// Returns the sum of the values in `unit`, without numbers of another dimension.
  fileprivate func sum(in unit: UnitOfMeasure?) -> Double {
    reduce(0) { $0 + ($1.summand(in: unit) ?? 0) }
  }

  /// The one with the latest time; among equals the last.
  fileprivate var latest: OutcomeValue? {
    reduce(nil) { latest, value in
      guard let latest, latest.time > value.time else { return value }
      return latest
    }
  }
}

// MARK: - Linkage

/// The link from a task to a quantity, so that samples complete its events.
public struct Linkage: Hashable, Sendable, Codable {
  /// The quantity.
  public var quantity: Quantity
  /// Whether each sample is a value (discrete) or their sum is one (cumulative).
  public var type: Aggregation
  /// The unit of the outcome's values.
  public var unit: UnitOfMeasure
  /// The only device whose samples count; `nil` for any.
  public var device: DeviceID?

  /// Makes a linkage.
  public init(quantity: Quantity, type: Aggregation, unit: UnitOfMeasure, device: DeviceID? = nil) {
    self.quantity = quantity
    self.type = type
    self.unit = unit
    self.device = device
  }
}

extension ScheduleOccurrence {
  /// When it stops taking samples: its end, or the next local midnight if it lasts all day.
  ///
  /// A sample exactly then belongs to the next occurrence.
  public var linkageEnd: Date { isAllDay ? end + 1 : end }

  /// When it is over and can only be late: one without a duration lasts a second.
  package var overFrom: Date { max(linkageEnd, start + 1) }

  /// Whether the span from `start` to `end` falls in it.
  ///
  /// A cumulative sample belongs to where it began, so that nothing counts on both sides of a border. Of
  /// single values, a span that ends exactly at the occurrence's start counts, too. A span that
  /// starts exactly at the end never does.
  ///
  /// - Parameters:
  ///   - start: The beginning of the span.
  ///   - end: Its end; the beginning for an instant.
  ///   - type: Whether what was measured in the span adds up.
  /// - Returns: Whether it does.
  public func contains(start: Date, end: Date, as type: Aggregation = .discrete) -> Bool {
    let border = type == .cumulative ? start : end
    return border >= self.start && (start < linkageEnd || start == self.start)
  }
}

extension ScheduleOccurrence {
  /// When a value was measured that a person enters at `now` without a time: then, or at the start if the
  /// occurrence and its day are over.
  package func timeOfEntry(_ now: Date) -> Date {
    contains(start: now, end: now) || isOnDay(now) ? now : start
  }

  /// Whether an instant is on the local day on which it starts.
  private func isOnDay(_ date: Date) -> Bool {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = element.timeZone
    return calendar.startOfDay(for: start) <= date && date < nextMidnight
  }
}

extension Event {
  /// Whether `sample` counts for it: it is the patient's, of the linked quantity and device, and in
  /// the event's span.
  public func takes(_ sample: Sample) -> Bool {
    task.linkages.contains { takes(sample, by: $0) }
  }

  /// Whether `sample` counts for it by that linkage.
  package func takes(_ sample: Sample, by linkage: Linkage) -> Bool {
    guard sample.patient == task.patient,
      [linkage.quantity, linkage.quantity.counterpart].contains(sample.quantity)
    else { return false }
    if let device = linkage.device, device != sample.device.address { return false }
    // A movement of another joint or side is none of the task's; one of which neither is known may be.
    let (asked, moved) = (task.movement, sample.context.intersection(.movements))
    guard asked.isEmpty || moved.isEmpty || asked == moved else { return false }
    return occurrence.contains(start: sample.start, end: sample.end, as: linkage.type)
  }
}

extension CareTask {
  /// The joint and side that its assessment moves; empty without either.
  fileprivate var movement: MeasurementContext {
    planned.activeTask.map { MeasurementContext($0) } ?? []
  }
}

/// A summary of many samples, so that an event need not list them one by one.
///
/// Values are in the quantity's canonical unit.
public struct Reached: Hashable, Sendable {
  /// How many samples.
  public var count: Int
  /// Their sum.
  public var sum: Double
  /// The smallest value.
  public var least: Double
  /// The largest value.
  public var most: Double
  /// The value with the latest start; of several the one that arrived last.
  public var latest: Double
  /// When the latest value was measured.
  public var latestDate: Date

  /// Makes the summary of these samples; `nil` if there are none.
  public init?(_ samples: some Sequence<(value: Double, start: Date)>) {
    var reached: Reached?
    for sample in samples {
      let one = Reached(value: sample.value, date: sample.start)
      reached = reached.map { $0.adding(one) } ?? one
    }
    guard let reached else { return nil }
    self = reached
  }

  /// Makes the summary of one sample.
  public init(value: Double, date: Date) {
    self.init(count: 1, sum: value, least: value, most: value, latest: value, latestDate: date)
  }

  /// Makes a summary.
  public init(
    count: Int, sum: Double, least: Double, most: Double, latest: Double, latestDate: Date
  ) {
    self.count = count
    self.sum = sum
    self.least = least
    self.most = most
    self.latest = latest
    self.latestDate = latestDate
  }

  /// Both together; of equal times the latest value of `later` counts.
  public func adding(_ later: Reached) -> Reached {
    let isLater = later.latestDate >= latestDate
    return Reached(
      count: count + later.count, sum: sum + later.sum, least: min(least, later.least),
      most: max(most, later.most), latest: isLater ? later.latest : latest,
      latestDate: isLater ? later.latestDate : latestDate)
  }
}

/// Adds up what several devices counted: over one span only the device that counted most counts.
public struct SpanCounts: Hashable, Sendable {
  private var spans: [ClosedRange<Date>: [String: Reached]] = [:]
  /// The counts of single moments.
  private var moments: Reached?

  /// Makes a sum of nothing.
  public init() {}

  /// Adds a sample of a cumulative quantity.
  public mutating func add(_ sample: Sample) {
    let one = Reached(value: sample.value, date: sample.start)
    guard sample.start < sample.end else {
      moments = moments?.adding(one) ?? one
      return
    }
    let (span, device) = (sample.start...sample.end, sample.device.address.text)
    let earlier = spans[span]?[device]
    spans[span, default: [:]][device] = earlier?.adding(one) ?? one
  }

  /// The device that counts for each span; of equal counts the first by address.
  var best: [ClosedRange<Date>: (device: String, reached: Reached)] {
    spans.compactMapValues { devices in
      devices.max { ($0.value.sum, $1.key) < ($1.value.sum, $0.key) }.map { ($0.key, $0.value) }
    }
  }

  /// All of it; `nil` if nothing was added.
  public var reached: Reached? {
    // In the order of time, so that the sum is the same on every machine.
    let spans = best.sorted { a, b in
      (a.key.lowerBound, a.key.upperBound) < (b.key.lowerBound, b.key.upperBound)
    }
    return spans.map(\.value.reached).reduce(moments) { $0?.adding($1) ?? $1 }
  }
}

extension Linkage {
  /// The most samples that an event lists one by one; more are summed up.
  public static let mostListed = 64

  /// The values of an event that is linked to samples.
  ///
  /// A discrete linkage gives one value for each sample, in the order of arrival; a cumulative one
  /// gives exactly one, their sum, at the start of the latest. Two devices that counted over the
  /// same span counted the same thing, so the higher count applies. Values that a person entered
  /// stand in place of measured ones; a correction stands in place of one only.
  ///
  /// - Parameters:
  ///   - event: The event; samples that do not count for it are ignored.
  ///   - samples: The samples around it, each once.
  ///   - existing: The values that are stored for it.
  /// - Returns: The values in the linkage's unit; empty if there is none.
  public func values(
    for event: Event, samples: [Sample], existing: [OutcomeValue] = []
  ) -> [OutcomeValue] {
    var taken = samples.filter { event.takes($0, by: self) }
    // A correction stands among what was measured, what a person entered alone.
    if taken.contains(where: { $0.provenance == .manual && $0.corrects == nil }) {
      taken.removeAll { $0.provenance != .manual }
    }
    return values(of: taken, existing: existing)
  }

  /// The values of an event that exactly these samples count for, whenever they were measured.
  ///
  /// A person may enter a value for an event that was over when it was measured.
  public func values(of counted: [Sample], existing: [OutcomeValue] = []) -> [OutcomeValue] {
    guard !existing.contains(where: { $0.provenance == .manual }) else { return existing }
    let taken = counted.compactMap { $0.measured(as: quantity) }.sorted(by: Self.arrivedBefore)
    switch type {
    case .cumulative:
      let counted = Self.countedOnce(taken)
      guard let reached = Reached(counted.map { ($0.value, $0.start) }) else { return existing }
      let isManual = counted.allSatisfy { $0.provenance == .manual }
      return sum(of: reached, provenance: isManual ? .manual : .passive).map { [$0] } ?? existing
    case .discrete:
      let values = taken.compactMap(value)
      let performed = existing.filter { earlier in
        earlier.provenance == .active
          && !values.contains { $0.time == earlier.time && $0.kind == earlier.kind }
      }
      return performed + values
    }
  }

  /// The values of an event that more than ``mostListed`` samples count for.
  ///
  /// A cumulative linkage gives their sum. A discrete one gives their mean, the least, the most and
  /// the latest value; the latest has no kind, and comes last.
  public func values(of reached: Reached, existing: [OutcomeValue] = []) -> [OutcomeValue] {
    guard !existing.contains(where: { $0.provenance == .manual }) else { return existing }
    switch type {
    case .cumulative: return sum(of: reached, provenance: .passive).map { [$0] } ?? existing
    case .discrete:
      let mean = reached.sum / Double(reached.count)
      let figures = [
        ("mean", mean), ("least", reached.least), ("most", reached.most), (nil, reached.latest),
      ]
      return existing.filter { $0.provenance == .active }
        + figures.compactMap { kind, figure in
          value(figure, of: kind, at: reached.latestDate, .passive)
        }
    }
  }

  /// The sum as a value.
  private func sum(of reached: Reached, provenance: Provenance) -> OutcomeValue? {
    value(reached.sum, of: nil, at: reached.latestDate, provenance)
  }

  /// The sample as a value in the linkage's unit; `nil` if its unit cannot be converted.
  private func value(of sample: Sample) -> OutcomeValue? {
    value(sample.value, of: sample.kind, at: sample.start, sample.provenance)
  }

  private func value(
    _ value: Double, of kind: String?, at time: Date, _ provenance: Provenance
  ) -> OutcomeValue? {
    guard let value = quantity.unit.convert(value, to: unit) else { return nil }
    return OutcomeValue(
      value: .double(value.saturated), unit: unit, kind: kind, time: time, provenance: provenance)
  }

  /// `samples` without those of a device that counted less than another over the same span.
  public static func countedOnce(_ samples: [Sample]) -> [Sample] {
    var counts = SpanCounts()
    for sample in samples { counts.add(sample) }
    let best = counts.best.mapValues(\.device)
    return samples.filter { sample in
      sample.start >= sample.end || best[sample.start...sample.end] == sample.device.address.text
    }
  }

  private static func arrivedBefore(_ a: Sample, _ b: Sample) -> Bool {
    (arrival(a), a.start, a.identity.text) < (arrival(b), b.start, b.identity.text)
  }

  /// When a sample came in; a correction takes the place of what was measured then, not the last.
  private static func arrival(_ sample: Sample) -> Date {
    sample.corrects == nil ? sample.arrival : sample.start
  }
}
