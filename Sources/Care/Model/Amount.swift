/// A number of a plan, or of a person's answer, that is beyond what it can be.
public struct AmountFlaw: Error, Hashable, Sendable {
  /// Where in a task a number stands; each index counts from 0.
  public enum Place: Hashable, Sendable {
    case target(element: Int, index: Int)
    /// A value of an outcome.
    case value
    case threshold(Int)
    case rule(Int)
    case reminder
    case fallback
    case activeTask(ActiveTaskForm.Key)
    /// A person's expected value of a quantity, and how far it may be off.
    case expectation(Quantity)
    /// The expected weight of a housemate.
    case other(Int)
  }

  /// Where it stands.
  public var place: Place
  /// The number, in ``unit``.
  public var number: Double
  /// The unit; `nil` for a plain number.
  public var unit: UnitOfMeasure?
  /// The limits, in ``unit``.
  public var limits: ClosedRange<Double>
  /// The quantity whose limits they are; `nil` for those of every number.
  public var quantity: Quantity?

  package init(
    place: Place, number: Double, unit: UnitOfMeasure?, limits: ClosedRange<Double>,
    quantity: Quantity? = nil
  ) {
    self.place = place
    self.number = number
    self.unit = unit
    self.limits = limits
    self.quantity = quantity
  }
}

extension Value {
  /// The numbers that a value, target or limit may be, whatever it measures.
  ///
  /// No sum of them that a store has room for is infinite, in whichever unit.
  public static let numbers = -1e30...1e30
}

extension Quantity {
  /// Checks an amount of it that a plan names: 0, or one that is possible.
  ///
  /// - Parameters:
  ///   - number: The amount, in `unit`.
  ///   - unit: A unit of its dimension.
  ///   - days: The days that it may be of, for what adds up.
  /// - Returns: The limits in `unit`, if the amount is outside.
  package func limits(
    exceededBy number: Double, in unit: UnitOfMeasure, days: Double = 1
  ) -> ClosedRange<Double>? {
    guard let value = unit.convert(number, to: self.unit) else {
      return Value.numbers.contains(number) ? nil : Value.numbers
    }
    let most = possible.upperBound * (aggregation == .cumulative ? max(days, 1) : 1)
    guard value != 0, !(possible.lowerBound...most).contains(value) else { return nil }
    let least = self.unit.convert(possible.lowerBound, to: unit) ?? possible.lowerBound
    return least...max(least, self.unit.convert(most, to: unit) ?? most)
  }
}

// MARK: - Tasks

extension PlannedTask {
  /// The quantity of its values of a kind, and the unit that they are in without one.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - forms: The active tasks whose figures are known.
  /// - Returns: Both; `nil` if the values are of no quantity.
  package func measured(
    _ kind: String?, activeTasks forms: [ActiveTaskForm] = []
  ) -> (quantity: Quantity, unit: UnitOfMeasure)? {
    if let kind, survey.contains(where: { $0.kind == kind }) { return nil }
    if let linkage = linkage(of: kind) { return (linkage.quantity, linkage.unit) }
    guard let type = activeTask?.type,
      let figures = forms.first(where: { $0.type == type })?.figures,
      let figure = kind == nil ? figures.first : figures.first(where: { $0.kind == kind }),
      let quantity = figure.quantity
    else { return nil }
    return (quantity, figure.unit)
  }

  /// Finds a number that is beyond what it can be.
  ///
  /// A plan file, a form, an edit and an import ask this, so that each refuses the same.
  ///
  /// - Parameter forms: The active tasks whose figures are known.
  /// - Returns: The first; `nil` if there is none.
  package func amountFlaw(activeTasks forms: [ActiveTaskForm] = []) -> AmountFlaw? {
    let days = schedule.elements.map { $0.interval.mean / 86_400 }.max() ?? 1
    func flaw(
      _ place: AmountFlaw.Place, _ number: Double, _ unit: UnitOfMeasure?, kind: String?
    ) -> AmountFlaw? {
      if let (quantity, own) = measured(kind, activeTasks: forms) {
        let unit = unit ?? own
        return quantity.limits(exceededBy: number, in: unit, days: days).map {
          AmountFlaw(place: place, number: number, unit: unit, limits: $0, quantity: quantity)
        }
      }
      guard !Value.numbers.contains(number) else { return nil }
      return AmountFlaw(place: place, number: number, unit: unit, limits: Value.numbers)
    }
    for (element, targets) in schedule.elements.map(\.targets).enumerated() {
      for (index, target) in targets.enumerated() {
        guard let number = target.value.number else { continue }
        let place = AmountFlaw.Place.target(element: element, index: index)
        if let flaw = flaw(place, number, target.unit, kind: target.kind) { return flaw }
      }
    }
    for (index, threshold) in thresholds.enumerated() {
      for limit in threshold.condition.limits {
        if let flaw = flaw(.threshold(index), limit, nil, kind: threshold.kind) { return flaw }
      }
    }
    for (index, rule) in rules.enumerated() {
      for amount in rule.amounts {
        if let flaw = flaw(.rule(index), amount, rule.unit, kind: rule.kind) { return flaw }
      }
      for change in rule.changes where !Value.numbers.contains(change) {
        return AmountFlaw(
          place: .rule(index), number: change, unit: rule.unit, limits: Value.numbers)
      }
    }
    if let offset = reminder?.offset, !Reminder.offsets.contains(offset) {
      return AmountFlaw(
        place: .reminder, number: offset, unit: .second, limits: Reminder.offsets)
    }
    if let after = fallback?.after, !Fallback.times.contains(after) {
      return AmountFlaw(place: .fallback, number: after, unit: .second, limits: Fallback.times)
    }
    return activeTask?.amountFlaw
  }
}

extension ActiveTask {
  /// The first of its keys with a number that it cannot have; `nil` if there is none.
  package var amountFlaw: AmountFlaw? {
    for key in ActiveTaskForm.Key.allCases {
      guard let argument = self[key], !key.permits(argument) else { continue }
      switch (key.values, argument) {
      case (.number(let range, let unit), .number(let number)):
        return AmountFlaw(place: .activeTask(key), number: number, unit: unit, limits: range)
      case (.count(let range, let unit), .count(let count)):
        return AmountFlaw(
          place: .activeTask(key), number: Double(count), unit: unit,
          limits: Double(range.lowerBound)...Double(range.upperBound))
      default: continue
      }
    }
    return nil
  }
}

extension Threshold.Condition {
  /// Its numbers.
  package var limits: [Double] {
    switch self {
    case .above(let limit), .atLeast(let limit), .below(let limit), .atMost(let limit),
      .equal(let limit):
      [limit]
    case .between(let lower, let upper, _): [lower, upper]
    }
  }
}

extension Rule {
  /// Its numbers that values are compared with, or targets become.
  fileprivate var amounts: [Double] {
    var amounts: [Double] = []
    if case .results(_, _, let condition) = trigger { amounts += condition.limits }
    if case .to(let value) = target?.amount { amounts.append(value) }
    if let limit = target?.limit { amounts.append(limit) }
    return amounts
  }

  /// Its numbers that are differences of values.
  fileprivate var changes: [Double] {
    var changes: [Double] = []
    switch trigger {
    case .change(let amount, _), .median(_, let amount): changes.append(amount)
    case .results, .missed, .silent: break
    }
    if case .by(let amount) = target?.amount { changes.append(amount) }
    return changes
  }
}

// MARK: - People

extension Patient {
  /// The first of its expected values that no person can have; `nil` if there is none.
  package var amountFlaw: AmountFlaw? {
    for (name, expectation) in expects.sorted(by: { $0.key < $1.key }) {
      guard let quantity = Quantity(rawValue: name) else { continue }
      if let flaw = expectation.flaw(of: quantity, at: .expectation(quantity)) { return flaw }
    }
    for (index, other) in others.enumerated() {
      if let flaw = other.flaw(of: .bodyMass, at: .other(index)) { return flaw }
    }
    return nil
  }
}

extension Expectation {
  fileprivate func flaw(of quantity: Quantity, at place: AmountFlaw.Place) -> AmountFlaw? {
    guard quantity.possible.contains(value) else {
      return AmountFlaw(
        place: place, number: value, unit: quantity.unit, limits: quantity.possible,
        quantity: quantity)
    }
    let widest = 0...(quantity.possible.upperBound - quantity.possible.lowerBound)
    guard let tolerance, !widest.contains(tolerance) else { return nil }
    return AmountFlaw(
      place: place, number: tolerance, unit: quantity.unit, limits: widest, quantity: quantity)
  }
}
