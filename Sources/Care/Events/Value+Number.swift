extension Value {
  /// The number, for an integer or a decimal; `nil` for every other type.
  public var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .double(let value): value
    case .boolean, .text, .binary, .date: nil
    }
  }

  /// What it adds to a sum: a number itself, anything else 1.
  var summand: Double { number ?? 1 }
}

extension OutcomeValue {
  /// What it adds to a sum in `unit`; `nil` for a number of another dimension.
  func summand(in unit: UnitOfMeasure?) -> Double? {
    Self.convert(value, from: self.unit, to: unit)
  }

  fileprivate static func convert(
    _ value: Value, from source: UnitOfMeasure?, to unit: UnitOfMeasure?
  ) -> Double? {
    guard let number = value.number, let source, let unit else { return value.summand }
    return source.convert(number, to: unit)
  }
}

extension TargetValue {
  /// What it adds to a goal in `unit`; `nil` for a number of another dimension.
  func summand(in unit: UnitOfMeasure?) -> Double? {
    OutcomeValue.convert(value, from: self.unit, to: unit)
  }
}
