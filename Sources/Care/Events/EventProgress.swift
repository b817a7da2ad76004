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
