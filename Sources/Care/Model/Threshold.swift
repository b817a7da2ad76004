/// A condition on a value, and its meaning: `systolic` at 140 or above is `high`.
public struct Threshold: Hashable, Sendable {
  /// The values that a threshold matches.
  public enum Condition: Hashable, Sendable {
    case above(Double)
    case atLeast(Double)
    case below(Double)
    case atMost(Double)
    case equal(Double)
    /// Between two limits, which match only if `isInclusive`.
    case between(Double, Double, isInclusive: Bool)
  }

  /// If given, the only kind of values that it matches.
  public var kind: String?
  /// The values that it matches, in the unit of the outcome's values.
  public var condition: Condition
  /// The meaning of such a value, for people.
  public var says: String
  /// Whether such a value is an alert, once for each event.
  public var alerts: Bool

  /// Makes a threshold.
  public init(kind: String? = nil, condition: Condition, says: String, alerts: Bool = false) {
    self.kind = kind
    self.condition = condition
    self.says = says
    self.alerts = alerts
  }
}

extension Threshold {
  /// Whether the condition holds for `value`; NaN never matches.
  public func matches(_ value: Double) -> Bool {
    switch condition {
    case .above(let limit): value > limit
    case .atLeast(let limit): value >= limit
    case .below(let limit): value < limit
    case .atMost(let limit): value <= limit
    case .equal(let limit): value == limit
    case .between(let lower, let upper, isInclusive: true): value >= lower && value <= upper
    case .between(let lower, let upper, isInclusive: false): value > lower && value < upper
    }
  }

  /// Whether `value` is a number of the threshold's kind for which the condition holds.
  public func matches(_ value: OutcomeValue) -> Bool {
    guard let number = value.value.number, kind == nil || kind == value.kind else { return false }
    return matches(number)
  }

  /// Whether it is the more severe of two that hold: an alert before a word, and of two limits in
  /// one direction the one that is farther out.
  fileprivate func isMoreSevere(than other: Threshold) -> Bool {
    if alerts != other.alerts { return alerts }
    switch (bounds, other.bounds) {
    case (.from(let limit), .from(let lower)): return limit > lower
    case (.upTo(let limit), .upTo(let upper)): return limit < upper
    // A condition of one direction says more than a band.
    case (.from, .within), (.upTo, .within): return true
    case (.within(let width), .within(let wider)): return width < wider
    default: return false
    }
  }

  private enum Bounds {
    case from(Double), upTo(Double), within(Double)
  }

  private var bounds: Bounds {
    switch condition {
    case .above(let limit), .atLeast(let limit): .from(limit)
    case .below(let limit), .atMost(let limit): .upTo(limit)
    case .equal: .within(0)
    case .between(let lower, let upper, _): .within(upper - lower)
    }
  }

  /// The values that match, in their order.
  public func matches(in values: [OutcomeValue]) -> [OutcomeValue] {
    values.filter { matches($0) }
  }
}

extension Event {
  /// The thresholds that hold for its values, the severest first; of one kind and meaning one.
  ///
  /// Of a linked quantity the latest value counts, of a performed measurement the result.
  public var thresholds: [Threshold] {
    guard outcome?.answer.state == .done, let all = outcome?.values else { return [] }
    let questions = Set(task.survey.map(\.kind))
    let answers = all.filter { $0.kind.map(questions.contains) ?? false }
    let measured = all.filter { !($0.kind.map(questions.contains) ?? false) }
    let latest = task.linkages.compactMap { linkage in
      measured.last { task.planned.isValue($0, of: linkage) }
    }
    let values = answers + (latest.isEmpty ? measured : latest)
    // The figures of a performed measurement beside its result have kinds of their own.
    let results = task.activeTask == nil ? values : Array(measured.prefix(1))
    let held = task.thresholds.filter { threshold in
      !threshold.matches(in: threshold.kind == nil ? results : values).isEmpty
    }
    // Insertion keeps the plan's order of those that are alike.
    let sorted = held.reduce(into: [Threshold]()) { sorted, threshold in
      let place = sorted.firstIndex { threshold.isMoreSevere(than: $0) } ?? sorted.endIndex
      sorted.insert(threshold, at: place)
    }
    var seen: Set<[String?]> = []
    return sorted.filter { seen.insert([$0.kind, $0.says]).inserted }
  }
}

// MARK: - Coding

/// Coded under its name, as in a plan: `{"atLeast":140}`, `{"between":[65,85],"inclusive":true}`.
extension Threshold.Condition: Codable {
  private enum CodingKeys: String, CodingKey {
    case above, atLeast, below, atMost, equal, between, inclusive
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let corrupted = DecodingError.dataCorrupted(
      .init(codingPath: container.codingPath, debugDescription: "there is one condition"))
    let keys = container.allKeys.filter { $0 != .inclusive }
    guard let key = keys.first, keys.count == 1 else { throw corrupted }
    if key == .between {
      let limits = try container.decode([Double].self, forKey: key)
      guard limits.count == 2 else { throw corrupted }
      let isInclusive = try container.decodeIfPresent(Bool.self, forKey: .inclusive) ?? false
      self = .between(limits[0], limits[1], isInclusive: isInclusive)
      return
    }
    let limit = try container.decode(Double.self, forKey: key)
    switch key {
    case .above: self = .above(limit)
    case .atLeast: self = .atLeast(limit)
    case .below: self = .below(limit)
    case .atMost: self = .atMost(limit)
    case .equal: self = .equal(limit)
    case .between, .inclusive: throw corrupted
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .above(let limit): try container.encode(limit, forKey: .above)
    case .atLeast(let limit): try container.encode(limit, forKey: .atLeast)
    case .below(let limit): try container.encode(limit, forKey: .below)
    case .atMost(let limit): try container.encode(limit, forKey: .atMost)
    case .equal(let limit): try container.encode(limit, forKey: .equal)
    case .between(let lower, let upper, let isInclusive):
      try container.encode([lower, upper], forKey: .between)
      if isInclusive { try container.encode(true, forKey: .inclusive) }
    }
  }
}

/// The condition is coded beside the other keys: `{"atLeast":140,"kind":"systolic","says":"high"}`.
extension Threshold: Codable {
  private enum CodingKeys: String, CodingKey {
    case kind, says, alert
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      kind: try container.decodeIfPresent(String.self, forKey: .kind),
      condition: try Condition(from: decoder),
      says: try container.decode(String.self, forKey: .says),
      alerts: try container.decodeIfPresent(Bool.self, forKey: .alert) ?? false)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(kind, forKey: .kind)
    try container.encode(says, forKey: .says)
    if alerts { try container.encode(true, forKey: .alert) }
    try condition.encode(to: encoder)
  }
}
