public import Foundation

/// A reaction to the results of a task: a change of its target, a message to a contact, or both.
///
/// A rule fires at the result that makes its trigger hold. No result counts twice for one rule.
public struct Rule: Hashable, Sendable {
  /// The condition under which a rule fires.
  public enum Trigger: Hashable, Sendable {
    /// So many of the last results match a condition, whose limits are in the rule's unit.
    case results(Int, ofLast: Int, Threshold.Condition)
    /// A result differs by this amount, in the rule's unit, from an earlier one of the span: it is
    /// higher for a positive amount, lower for a negative one.
    case change(by: Double, within: Span)
    /// A result differs by this amount, in the rule's unit, from the median of so many local days
    /// before it: it is higher for a positive amount, lower for a negative one.
    ///
    /// Each day counts with its first result, and at least three days must have one.
    case median(days: Int, by: Double)
    /// So many events in a row are missed.
    case missed(Int)
    /// Nothing was measured for so long.
    case silent(Span, of: Source)
  }

  /// The source that is silent.
  public enum Source: Hashable, Sendable {
    case quantity(Quantity)
    case device(DeviceID)
  }

  /// How far apart two results may be.
  ///
  /// Text: `2d`, `36h`, `90m`, `30s`.
  public enum Span: Hashable, Sendable {
    /// Local days: with 1, results of one day and of the next.
    case days(Int)
    /// Seconds.
    case seconds(Int)
  }

  /// A change of the targets of the rule's kind.
  public struct TargetChange: Hashable, Sendable {
    /// The new target, in the rule's unit.
    public enum Amount: Hashable, Sendable {
      /// This value.
      case to(Double)
      /// The present target and this much more.
      case by(Double)
    }

    /// The new target.
    public var amount: Amount
    /// The value that ``Amount/by(_:)`` does not pass, in the rule's unit.
    public var limit: Double?

    /// Makes a change.
    public init(_ amount: Amount, limit: Double? = nil) {
      self.amount = amount
      self.limit = limit
    }
  }

  /// Which of the task's values the rule reads: `range`, `pain`; `nil` for the only one.
  public var kind: String?
  /// The unit of the rule's numbers; `nil` for that of the values.
  public var unit: UnitOfMeasure?
  /// The condition under which it fires.
  public var trigger: Trigger
  /// The change of the target.
  public var target: TargetChange?
  /// The id of the contact to whom the message is.
  public var contact: String?
  /// The message of the plan's author when it fires.
  public var message: String?

  /// Makes a rule.
  public init(
    kind: String? = nil, unit: UnitOfMeasure? = nil, trigger: Trigger,
    target: TargetChange? = nil, contact: String? = nil, message: String? = nil
  ) {
    self.kind = kind
    self.unit = unit
    self.trigger = trigger
    self.target = target
    self.contact = contact
    self.message = message
  }

  /// The most results that a rule looks back at, which bounds what is read.
  public static let mostResults = 100
  /// The days that a median may be of.
  public static let medianDays = 3...31
  /// The fewest days that a median is of.
  static let fewestMedianDays = 3

  /// Whether it reads the results of events, not what is missing.
  public var readsResults: Bool {
    switch trigger {
    case .results, .change, .median: true
    case .missed, .silent: false
    }
  }
}

// MARK: - Results

/// A result that a rule reads: one number of one event.
public struct RuleResult: Hashable, Sendable {
  /// When the event starts, and its place among those that start together.
  public var start: Date
  public var ordinal: Int
  /// When it was measured or entered.
  public var time: Date
  /// The value, in ``unit``.
  public var value: Double
  /// The unit; `nil` for a plain number.
  public var unit: UnitOfMeasure?

  /// Makes a result.
  public init(
    start: Date, ordinal: Int = 0, time: Date, value: Double, unit: UnitOfMeasure? = nil
  ) {
    self.start = start
    self.ordinal = ordinal
    self.time = time
    self.value = value
    self.unit = unit
  }
}

extension Event {
  /// Its result for a rule: the latest value of the rule's kind, in the rule's unit.
  ///
  /// - Returns: `nil` without a number of that kind, if a person says that it was not done, and for
  ///   a measurement of low confidence.
  public func result(for rule: Rule) -> RuleResult? {
    guard let outcome, outcome.answer.state == .done,
      !outcome.values.contains(where: { $0.kind == "confidence" && $0.value == .text("low") })
    else { return nil }
    var found: RuleResult?
    for value in outcome.values where task.planned.isRead(value, by: rule) {
      guard var number = value.value.number, number.isFinite else { continue }
      var unit = value.unit
      if let wanted = rule.unit {
        guard let converted = (value.unit ?? wanted).convert(number, to: wanted) else { continue }
        (number, unit) = (converted, wanted)
      }
      // Of an assessment's equal times the first value is the result.
      if let found, found.time > value.time || found.time == value.time && task.activeTask != nil {
        continue
      }
      found = RuleResult(
        start: occurrence.start, ordinal: ordinal, time: value.time, value: number, unit: unit)
    }
    return found
  }
}

extension PlannedTask {
  /// Whether a rule reads a value.
  fileprivate func isRead(_ value: OutcomeValue, by rule: Rule) -> Bool {
    if rule.kind == value.kind { return true }
    guard let linkage, linkages.count == 1, isOwnKind(rule.kind) else { return false }
    return isValue(value, of: linkage)
  }

  /// Whether a rule's kind means the values of the only linkage, which have none.
  fileprivate func isOwnKind(_ kind: String?) -> Bool {
    linkages.count == 1 && (kind == nil || kind == linkage?.quantity.rawValue)
  }
}

// MARK: - Firing

extension Rule {
  /// The results that make it fire at the last of `results`.
  ///
  /// - Parameters:
  ///   - results: The results that may count, by start.
  ///   - timeZone: The zone of local days.
  /// - Returns: The results, by start; `nil` if it does not fire there.
  public func evidence(
    in results: some BidirectionalCollection<RuleResult>, timeZone: TimeZone
  ) -> [RuleResult]? {
    guard let last = results.last else { return nil }
    switch trigger {
    case .results(let count, let among, let condition):
      let limit = Threshold(condition: condition, says: "")
      guard limit.matches(last.value) else { return nil }
      let matching = results.suffix(among).filter { limit.matches($0.value) }
      return matching.count >= count ? Array(matching) : nil
    case .change(let amount, let span):
      let earlier = results.dropLast().last { other in
        span.contains(from: other.time, to: last.time, in: timeZone)
          && Self.reaches(last.value - other.value, amount)
      }
      return earlier.map { [$0, last] }
    case .median(let days, let amount):
      guard let base = Self.base(of: results, days: days, in: timeZone),
        Self.reaches(last.value - base.median, amount)
      else { return nil }
      return base.results + [last]
    case .missed, .silent: return nil
    }
  }

  /// Whether a difference is as large as an amount, in its direction.
  ///
  /// Differences of decimals miss their value by a little: 83.4 − 82.0 is 1.4000000000000057.
  private static func reaches(_ difference: Double, _ amount: Double) -> Bool {
    let slack = 1e-9 * max(1, abs(amount))
    return amount > 0 ? difference >= amount - slack : difference <= amount + slack
  }

  /// The first results of the days before the last one, and their median; `nil` of too few days, and
  /// unless the last one is the first of its own day.
  private static func base(
    of results: some BidirectionalCollection<RuleResult>, days: Int, in timeZone: TimeZone
  ) -> (results: [RuleResult], median: Double)? {
    guard let last = results.last else { return nil }
    func day(_ result: RuleResult) -> Int64? {
      LocalDateTime(result.time, in: timeZone).secondsSince1970
        .map { $0.flooredDivision(by: 86_400).quotient }
    }
    guard let today = day(last) else { return nil }
    var firsts: [Int64: RuleResult] = [:]
    for result in results.dropLast() {
      guard let day = day(result), (today - Int64(days)...today).contains(day) else { continue }
      if firsts[day].map({ result.time < $0.time }) ?? true { firsts[day] = result }
    }
    guard firsts[today] == nil, firsts.count >= fewestMedianDays else { return nil }
    let values = firsts.values.map(\.value).sorted()
    let middle = values.count / 2
    let median =
      values.count.isMultiple(of: 2) ? (values[middle - 1] + values[middle]) / 2 : values[middle]
    return (firsts.values.sorted { $0.start < $1.start }, median)
  }

  /// The results that may count after it fired at one that starts then.
  public func results(_ results: [RuleResult], after firing: (start: Date, ordinal: Int)?)
    -> [RuleResult]
  {
    guard let firing else { return results }
    return results.filter { result in
      switch trigger {
      case .results: (result.start, result.ordinal) > firing
      // The higher weight of one alert is the base of the next.
      case .change, .median: (result.start, result.ordinal) >= firing
      case .missed, .silent: false
      }
    }
  }
}

extension Rule.Span {
  /// Whether two instants, the earlier one first, are so close together.
  fileprivate func contains(from: Date, to: Date, in timeZone: TimeZone) -> Bool {
    switch self {
    case .seconds(let seconds): return abs(to.timeIntervalSince(from)) <= Double(seconds)
    case .days(let days):
      let first = LocalDateTime(from, in: timeZone)
      let second = LocalDateTime(to, in: timeZone)
      func number(_ day: LocalDateTime) -> Int64? {
        LocalDateTime(year: day.year, month: day.month, day: day.day).resolved(in: .gmt)
          .map { $0.microseconds / 86_400_000_000 }
      }
      guard let first = number(first), let second = number(second) else { return false }
      return abs(second - first) <= Int64(days)
    }
  }
}

extension Rule.Span {
  /// When it has passed since an instant; days end at the same time of the day.
  package func end(from date: Date, in timeZone: TimeZone) -> Date {
    switch self {
    case .seconds(let seconds): return date + Double(seconds)
    case .days(let days):
      guard let local = LocalDateTime(date, in: timeZone).secondsSince1970 else {
        return date + Double(days) * 86_400
      }
      let (day, second) = (local + Int64(days) * 86_400).flooredDivision(by: 86_400)
      return LocalDateTime(daysSince1970: day, secondOfDay: Int(second)).resolved(in: timeZone)
        ?? date + Double(days) * 86_400
    }
  }
}

// MARK: - Targets

extension PlannedTask {
  /// A task with other targets.
  public struct ChangedTarget: Hashable, Sendable {
    /// The task.
    public var task: PlannedTask
    /// The first target that differs, in its unit, before and after.
    public var from: Double
    public var to: Double
    /// The unit of both.
    public var unit: UnitOfMeasure?
  }

  /// The task with the targets that a rule gives it.
  ///
  /// - Returns: `nil` if the rule changes no target, or the targets are what it makes them.
  public func changed(by rule: Rule) -> ChangedTarget? {
    guard let change = rule.target else { return nil }
    var task = self
    var first: (from: Double, to: Double, unit: UnitOfMeasure?)?
    var elements = schedule.elements
    for element in elements.indices {
      var targets = elements[element].targets
      for place in targets.indices {
        let target = targets[place]
        guard isTarget(target, of: rule), let old = target.value.number,
          let new = change.target(from: old, in: target.unit, ruleUnit: rule.unit), new != old
        else { continue }
        targets[place].value = target.value.withNumber(new)
        if first == nil { first = (old, new, target.unit) }
      }
      guard let changed = elements[element].withTargets(targets) else { return nil }
      elements[element] = changed
    }
    guard let first, let schedule = try? Schedule(elements) else { return nil }
    task.schedule = schedule
    return ChangedTarget(task: task, from: first.from, to: first.to, unit: first.unit)
  }

  /// Whether a rule that changes targets changes this one.
  public func isTarget(_ target: TargetValue, of rule: Rule) -> Bool {
    target.value.number != nil
      && (target.kind == rule.kind || target.kind == nil && isOwnKind(rule.kind))
  }
}

extension Rule.TargetChange {
  /// The new target in `unit`, from a present one; `nil` for a unit of another dimension.
  fileprivate func target(
    from old: Double, in unit: UnitOfMeasure?, ruleUnit: UnitOfMeasure?
  ) -> Double? {
    func converted(_ value: Double) -> Double? {
      guard let unit, let ruleUnit else { return value }
      return ruleUnit.convert(value, to: unit)
    }
    switch amount {
    case .to(let value): return converted(value)
    case .by(let difference):
      guard let moved = converted(difference), let zero = converted(0) else { return nil }
      let new = old + (moved - zero)
      guard let limit = limit.flatMap(converted) else { return new }
      return difference > 0 ? max(old, min(new, limit)) : min(old, max(new, limit))
    }
  }
}

extension Value {
  /// The number as a value of the same type, if it is whole or the type is a decimal.
  fileprivate func withNumber(_ number: Double) -> Value {
    if case .integer = self, let whole = Int64(exactly: number) { return .integer(whole) }
    return .double(number)
  }
}

// MARK: - Coding

extension Rule.Span {
  /// Reads `2d`, `36h`, `90m` or `30s`; `nil` for anything else and for 0.
  public init?(_ text: String) {
    guard let unit = text.last, let number = Int(text.dropLast()), (1...100_000).contains(number)
    else { return nil }
    switch unit {
    case "d": self = .days(number)
    case "h": self = .seconds(number * 3_600)
    case "m": self = .seconds(number * 60)
    case "s": self = .seconds(number)
    default: return nil
    }
  }

  /// The longest time that it allows, in seconds.
  public var longest: TimeInterval {
    switch self {
    case .days(let days): Double(days + 1) * 90_000
    case .seconds(let seconds): Double(seconds)
    }
  }

  /// The shortest form: `2d`, `36h`.
  public var text: String {
    switch self {
    case .days(let days): "\(days)d"
    case .seconds(let seconds) where seconds % 3_600 == 0: "\(seconds / 3_600)h"
    case .seconds(let seconds) where seconds % 60 == 0: "\(seconds / 60)m"
    case .seconds(let seconds): "\(seconds)s"
    }
  }
}

/// Coded under the keys of a plan:
/// `{"after":3,"atLeast":90,"of":"range","then":{"target":100},"unit":"deg"}`,
/// `{"message":"…","of":"bodyMass","rises":2,"then":{"contact":"anna"},"within":"1d"}`,
/// `{"median":{"days":7,"rises":1.4},"message":"…","unit":"kg"}`, `{"message":"…","missed":3}`,
/// `{"message":"…","quantity":"bodyMass","silent":"3d"}`.
extension Rule: Codable {
  private enum CodingKeys: String, CodingKey {
    case after, ofLast, of, unit, rises, falls, within, then, message, median, missed, silent
    case quantity, device
  }

  private enum MedianKeys: String, CodingKey {
    case days, rises, falls
  }

  private enum ThenKeys: String, CodingKey {
    case target, by, atMost, atLeast, contact
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func corrupted(_ reason: String) -> DecodingError {
      .dataCorrupted(.init(codingPath: container.codingPath, debugDescription: reason))
    }
    let trigger: Trigger
    if let count = try container.decodeIfPresent(Int.self, forKey: .after) {
      let among = try container.decodeIfPresent(Int.self, forKey: .ofLast) ?? count
      guard count >= 1, among >= count, among <= Self.mostResults else {
        throw corrupted("a rule reads 1 to \(Self.mostResults) results")
      }
      trigger = .results(count, ofLast: among, try Threshold.Condition(from: decoder))
    } else if let count = try container.decodeIfPresent(Int.self, forKey: .missed) {
      guard (1...Self.mostResults).contains(count) else {
        throw corrupted("a rule counts 1 to \(Self.mostResults) missed events")
      }
      trigger = .missed(count)
    } else if let text = try container.decodeIfPresent(String.self, forKey: .silent) {
      let quantity = try container.decodeIfPresent(Quantity.self, forKey: .quantity)
      let device = try container.decodeIfPresent(String.self, forKey: .device)
      guard let span = Span(text),
        let source = quantity.map(Source.quantity) ?? device.map({ .device(DeviceID($0)) })
      else { throw corrupted("a silence has a span, and a quantity or a device") }
      trigger = .silent(span, of: source)
    } else if container.contains(.median) {
      let median = try container.nestedContainer(keyedBy: MedianKeys.self, forKey: .median)
      let days = try median.decode(Int.self, forKey: .days)
      let rise = try median.decodeIfPresent(Double.self, forKey: .rises)
      let fall = try median.decodeIfPresent(Double.self, forKey: .falls)
      guard Self.medianDays.contains(days), let amount = rise ?? fall.map(-), amount != 0,
        (rise == nil) != (fall == nil)
      else { throw corrupted("a median has ‘days’, and ‘rises’ or ‘falls’") }
      trigger = .median(days: days, by: amount)
    } else {
      let rise = try container.decodeIfPresent(Double.self, forKey: .rises)
      let fall = try container.decodeIfPresent(Double.self, forKey: .falls)
      let text = try container.decode(String.self, forKey: .within)
      guard let amount = rise ?? fall.map(-), amount != 0, (rise == nil) != (fall == nil),
        let span = Span(text)
      else { throw corrupted("a rule has ‘after’, or ‘rises’ or ‘falls’ and ‘within’") }
      trigger = .change(by: amount, within: span)
    }
    self.init(
      kind: try container.decodeIfPresent(String.self, forKey: .of),
      unit: try container.decodeIfPresent(UnitOfMeasure.self, forKey: .unit), trigger: trigger,
      message: try container.decodeIfPresent(String.self, forKey: .message))
    guard container.contains(.then) else { return }
    let then = try container.nestedContainer(keyedBy: ThenKeys.self, forKey: .then)
    contact = try then.decodeIfPresent(String.self, forKey: .contact)
    if let value = try then.decodeIfPresent(Double.self, forKey: .target) {
      target = TargetChange(.to(value))
    } else if let value = try then.decodeIfPresent(Double.self, forKey: .by) {
      target = TargetChange(
        .by(value),
        limit: try then.decodeIfPresent(Double.self, forKey: value > 0 ? .atMost : .atLeast))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(kind, forKey: .of)
    try container.encodeIfPresent(unit, forKey: .unit)
    try container.encodeIfPresent(message, forKey: .message)
    switch trigger {
    case .results(let count, let among, let condition):
      try container.encode(count, forKey: .after)
      if among != count { try container.encode(among, forKey: .ofLast) }
      try condition.encode(to: encoder)
    case .change(let amount, let span):
      try container.encode(abs(amount), forKey: amount > 0 ? .rises : .falls)
      try container.encode(span.text, forKey: .within)
    case .median(let days, let amount):
      var median = container.nestedContainer(keyedBy: MedianKeys.self, forKey: .median)
      try median.encode(days, forKey: .days)
      try median.encode(abs(amount), forKey: amount > 0 ? .rises : .falls)
    case .missed(let count): try container.encode(count, forKey: .missed)
    case .silent(let span, let source):
      try container.encode(span.text, forKey: .silent)
      switch source {
      case .quantity(let quantity): try container.encode(quantity, forKey: .quantity)
      case .device(let device): try container.encode(device.text, forKey: .device)
      }
    }
    guard target != nil || contact != nil else { return }
    var then = container.nestedContainer(keyedBy: ThenKeys.self, forKey: .then)
    try then.encodeIfPresent(contact, forKey: .contact)
    switch target?.amount {
    case .to(let value): try then.encode(value, forKey: .target)
    case .by(let value):
      try then.encode(value, forKey: .by)
      try then.encodeIfPresent(target?.limit, forKey: value > 0 ? .atMost : .atLeast)
    case nil: break
    }
  }
}

extension RuleResult: Codable {
  private enum CodingKeys: String, CodingKey {
    case start, ordinal, time, value, unit
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      start: try container.decode(CodedTime.self, forKey: .start).date,
      ordinal: try container.decodeIfPresent(Int.self, forKey: .ordinal) ?? 0,
      time: try container.decode(CodedTime.self, forKey: .time).date,
      value: try container.decode(Double.self, forKey: .value),
      unit: try container.decodeIfPresent(UnitOfMeasure.self, forKey: .unit))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(CodedTime(start), forKey: .start)
    if ordinal != 0 { try container.encode(ordinal, forKey: .ordinal) }
    try container.encode(CodedTime(time), forKey: .time)
    try container.encode(value, forKey: .value)
    try container.encodeIfPresent(unit, forKey: .unit)
  }
}
