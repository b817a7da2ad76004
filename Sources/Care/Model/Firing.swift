public import Foundation

/// An action that the plan took at an event, once: a reminder, a fallback, an alert or a rule.
public struct Firing: Hashable, Sendable {
  /// Kinds of firings.
  public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A reminder of an event that is not done.
    case reminder
    /// A request to measure or to enter a value, since no reading has arrived.
    case fallback
    /// A value for which a threshold is an alert.
    case alert
    /// A rule that changed a target or sent a message.
    case rule
    /// A person put the reminder of an event off, until the firing is due.
    case snooze
    /// A person has seen the alerts of an event, and looks after them.
    case seen
  }

  /// The identity of a firing, the same in every store.
  public struct Key: Hashable, Sendable {
    /// The kind of firing.
    public var kind: Kind
    /// The event; of a rule that of the result which made it fire.
    public var event: EventKey
    /// The rule.
    public var rule: Rule?
    /// The threshold.
    public var threshold: Threshold?
    /// Which of the event's reminders it is, from 0.
    public var number: Int

    /// Makes a key.
    public init(
      _ kind: Kind, _ event: EventKey, rule: Rule? = nil, threshold: Threshold? = nil,
      number: Int = 0
    ) {
      self.number = number
      self.kind = kind
      self.event = event
      self.rule = rule
      self.threshold = threshold
    }
  }

  /// A change of a target.
  public struct TargetChange: Hashable, Sendable {
    /// The target before and after.
    public var from: Double
    public var to: Double
    /// The unit of both.
    public var unit: UnitOfMeasure?
    /// From when on the new target holds.
    public var effectiveDate: Date
    /// The version of the task that says it.
    public var version: UUID?

    /// Makes a change.
    public init(
      from: Double, to: Double, unit: UnitOfMeasure? = nil, effectiveDate: Date,
      version: UUID? = nil
    ) {
      self.from = from
      self.to = to
      self.unit = unit
      self.effectiveDate = effectiveDate
      self.version = version
    }
  }

  /// The identity, the same in every store.
  public var key: Key
  /// When it was due: by the plan, or when the last result was measured.
  public var due: Date
  /// When it was recorded.
  public var date: Date
  /// The results that made a rule or an alert fire, by start.
  public var results: [RuleResult]
  /// The change that a rule made to a target.
  public var target: TargetChange?
  /// When a person took a rule's firing back.
  public var undoneDate: Date?
  /// The name of who has seen an alert; `nil` where nobody signs in.
  public var by: String?
  /// Why alerts are put off until ``due``; `nil` if somebody looks after them for good.
  public var reason: String?

  /// Makes a firing.
  public init(
    _ key: Key, due: Date, date: Date, results: [RuleResult] = [], target: TargetChange? = nil,
    undoneDate: Date? = nil, by: String? = nil, reason: String? = nil
  ) {
    self.key = key
    self.due = due
    self.date = date
    self.results = results
    self.target = target
    self.undoneDate = undoneDate
    self.by = by
    self.reason = reason
  }
}

extension Firing {
  /// The longest name of who has seen an alert, and the longest reason, in bytes.
  package static let longestName = 200

  /// The kind of firing.
  public var kind: Kind { key.kind }
  /// The event.
  public var event: EventKey { key.event }
  /// The rule.
  public var rule: Rule? { key.rule }
  /// The threshold.
  public var threshold: Threshold? { key.threshold }
  /// Whether a person took it back.
  public var isUndone: Bool { undoneDate != nil }
  /// Whether it is shown among the messages: an alert, or a rule.
  public var isMessage: Bool { kind == .alert || kind == .rule }
}

/// A firing in a store.
public struct StoredFiring: Hashable, Sendable, Identifiable {
  /// The same in every store.
  public var id: UUID
  /// Its short number in this store.
  public var number: Int64
  /// The firing.
  public var firing: Firing

  /// Makes a stored firing.
  public init(id: UUID, number: Int64, firing: Firing) {
    self.id = id
    self.number = number
    self.firing = firing
  }
}

/// A selection of firings; what is `nil` does not narrow it.
public struct FiringQuery: Hashable, Sendable {
  /// The patient.
  public var patient: String?
  /// The task's id.
  public var task: String?
  /// The kinds.
  public var kinds: Set<Firing.Kind>?
  /// The start of the span in which they were recorded.
  public var from: Date?
  /// The end of that span, which is not part of it.
  public var to: Date?
  /// The earliest start of their events.
  public var eventsFrom: Date?
  /// The largest number of firings; the latest are returned.
  public var limit: Int?

  /// Makes a query.
  public init(
    patient: String? = nil, task: String? = nil, kinds: Set<Firing.Kind>? = nil,
    from: Date? = nil, to: Date? = nil, eventsFrom: Date? = nil, limit: Int? = nil
  ) {
    self.patient = patient
    self.task = task
    self.kinds = kinds
    self.from = from
    self.to = to
    self.eventsFrom = eventsFrom
    self.limit = limit
  }
}

// MARK: - Coding

/// The parts of a firing that a store keeps beside its event: the rule or threshold, the results
/// and the target.
package struct FiringContent: Hashable, Sendable {
  package var due: Date
  package var rule: Rule?
  package var threshold: Threshold?
  /// Which of the event's reminders it is; `nil` for the first.
  package var number: Int?
  package var results: [RuleResult]
  package var target: Firing.TargetChange?
  /// The name of who has seen it.
  package var by: String?
  /// Why alerts are put off.
  package var reason: String?
}

extension Firing {
  /// The parts that a store keeps beside the event.
  package var content: FiringContent {
    FiringContent(
      due: due, rule: rule, threshold: threshold, number: key.number > 0 ? key.number : nil,
      results: results, target: target, by: by, reason: reason)
  }

  /// The firing of a row.
  package init(
    _ content: FiringContent, kind: Kind, event: EventKey, date: Date, undoneDate: Date?
  ) {
    self.init(
      Key(
        kind, event, rule: content.rule, threshold: content.threshold, number: content.number ?? 0),
      due: content.due, date: date, results: content.results, target: content.target,
      undoneDate: undoneDate, by: content.by, reason: content.reason)
  }
}

extension FiringContent: Codable {
  private enum CodingKeys: String, CodingKey {
    case due, rule, threshold, number, results, target, by, reason
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      due: try container.decode(CodedTime.self, forKey: .due).date,
      rule: try container.decodeIfPresent(Rule.self, forKey: .rule),
      threshold: try container.decodeIfPresent(Threshold.self, forKey: .threshold),
      number: try container.decodeIfPresent(Int.self, forKey: .number),
      results: try container.decodeIfPresent([RuleResult].self, forKey: .results) ?? [],
      target: try container.decodeIfPresent(Firing.TargetChange.self, forKey: .target),
      by: try container.decodeIfPresent(String.self, forKey: .by),
      reason: try container.decodeIfPresent(String.self, forKey: .reason))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(CodedTime(due), forKey: .due)
    try container.encodeIfPresent(rule, forKey: .rule)
    try container.encodeIfPresent(threshold, forKey: .threshold)
    try container.encodeIfPresent(number, forKey: .number)
    try container.encodeIfNotEmpty(results, forKey: .results)
    try container.encodeIfPresent(target, forKey: .target)
    try container.encodeIfPresent(by, forKey: .by)
    try container.encodeIfPresent(reason, forKey: .reason)
  }
}

extension Firing.TargetChange: Codable {
  private enum CodingKeys: String, CodingKey {
    case from, to, unit, effectiveDate, version
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      from: try container.decode(Double.self, forKey: .from),
      to: try container.decode(Double.self, forKey: .to),
      unit: try container.decodeIfPresent(UnitOfMeasure.self, forKey: .unit),
      effectiveDate: try container.decode(CodedTime.self, forKey: .effectiveDate).date,
      version: try container.decodeIfPresent(UUID.self, forKey: .version))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(from, forKey: .from)
    try container.encode(to, forKey: .to)
    try container.encodeIfPresent(unit, forKey: .unit)
    try container.encode(CodedTime(effectiveDate), forKey: .effectiveDate)
    try container.encodeIfPresent(version, forKey: .version)
  }
}
