// Units in sentences for people.

extension UnitOfMeasure {
  /// The unit as people write it, and as a plan or a command can read it: `kg`, `mmHg`, `lb`, `deg`.
  package var name: String {
    code.contains { "[{".contains($0) } || self == .degreeCelsius ? symbol : code
  }

  /// How values in it are said: `measured in mmHg`, or of numbers without a unit `a plain number`.
  package var measuredIn: String {
    self == .one ? "a plain number" : "measured in \(name)"
  }

  /// How a value in it is given: `in mmHg`, `without a unit`.
  package var given: String { self == .one ? "without a unit" : "in \(name)" }
}
