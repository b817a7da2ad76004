/// The progress of an event towards its goal.
public struct EventProgress: Hashable, Sendable {
  /// What counts towards the goal, in the goal's unit.
  public var value: Double
  /// The value to reach; `nil` without a target.
  public var goal: Double?
  /// The completed part of it, 0…1.
  public var fraction: Double
  /// Whether all of it is done.
  public var isCompleted: Bool { fraction >= 1 }

  /// Makes a progress; a fraction outside 0…1 is clamped.
  public init(value: Double, goal: Double?, fraction: Double) {
    self.value = value
    self.goal = goal
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
  /// Its progress.
  ///
  /// Values add up towards the sum of the targets: numbers as they are, anything else as 1. Without
  /// a target, a sum above 0 completes the event; a goal of 0 is complete from the beginning. A
  /// target with a kind counts values of that kind only. Values are converted to the target's unit.
  ///
  /// Discrete readings (a weight, an angle) do not add up: the latest is compared with the target,
  /// and without a target one is enough. Of a performed measurement's values the first is the
  /// result and the others are its details. An answered assessment is complete.
  public var progress: EventProgress {
    let stored = outcome?.values ?? []
    // Of values with the same time, the last in the order counts as the latest.
    let values = task.activeTask == nil ? stored : stored.reversed()
    let goals = Goal.all(of: occurrence.element.targets)
    guard !goals.isEmpty else { return withoutTarget(values) }
    let parts = goals.map { goal in
      countsLatest ? goal.progressOfLatest(values) : goal.progressOfSum(values)
    }
    return EventProgress(
      value: parts.reduce(0) { $0 + $1.value }, goal: parts.reduce(0) { $0 + ($1.goal ?? 0) },
      fraction: EventProgress.mean(of: parts))
  }

  /// Whether the latest value counts instead of the sum.
  private var countsLatest: Bool { task.linkage?.type == .discrete || task.activeTask != nil }

  private func withoutTarget(_ values: [OutcomeValue]) -> EventProgress {
    if countsLatest {
      let latest = values.latest?.value.summand ?? 0
      return EventProgress(value: latest, goal: nil, fraction: values.isEmpty ? 0 : 1)
    }
    let unit = values.first?.unit
    let sum = values.reduce(0) { $0 + ($1.summand(in: unit) ?? 0) }
    let isDone = task.kind == .assessment ? outcome != nil : sum > 0
    return EventProgress(value: sum, goal: nil, fraction: isDone ? 1 : 0)
  }
}

/// The targets of one kind.
struct Goal {
  let kind: String?
  let unit: UnitOfMeasure?
  let sum: Double
  /// The kinds that other goals of the event count.
  let otherKinds: Set<String>

  /// The targets sorted by kind, in their order.
  static func all(of targets: [TargetValue]) -> [Goal] {
    let kinds = Set(targets.compactMap(\.kind))
    var goals: [Goal] = []
    for target in targets where !goals.contains(where: { $0.kind == target.kind }) {
      let same = targets.filter { $0.kind == target.kind }
      let unit = same.compactMap(\.unit).first
      goals.append(
        Goal(
          kind: target.kind, unit: unit, sum: same.reduce(0) { $0 + ($1.summand(in: unit) ?? 0) },
          otherKinds: target.kind == nil ? kinds : []))
    }
    return goals
  }

  func progressOfSum(_ values: [OutcomeValue]) -> EventProgress {
    let value = values.filter(counts).reduce(0) { $0 + ($1.summand(in: unit) ?? 0) }
    return EventProgress(value: value, goal: sum, fraction: sum > 0 ? value / sum : 1)
  }

  func progressOfLatest(_ values: [OutcomeValue]) -> EventProgress {
    guard let value = values.filter(counts).latest?.summand(in: unit) else {
      return EventProgress(value: 0, goal: sum, fraction: 0)
    }
    return EventProgress(
      value: value, goal: sum, fraction: sum > 0 ? value / sum : (value >= sum ? 1 : 0))
  }

  private func counts(_ value: OutcomeValue) -> Bool {
    guard let kind else { return value.kind.map { !otherKinds.contains($0) } ?? true }
    return value.kind == kind
  }
}

extension Sequence<OutcomeValue> {
  /// The one with the latest time; among equals the last.
  fileprivate var latest: OutcomeValue? {
    reduce(nil) { latest, value in
      guard let latest, latest.time > value.time else { return value }
      return latest
    }
  }
}
