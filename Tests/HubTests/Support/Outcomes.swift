import Care

extension Event {
  /// The first value of that kind.
  func value(_ kind: String) -> Value? {
    outcome?.values.first { $0.kind == kind }?.value
  }

  /// The number of that kind; NaN, which equals no number, if missing.
  func number(_ kind: String) -> Double { value(kind)?.number ?? .nan }

  /// The kinds of its values, in order.
  var kinds: [String] { outcome?.values.compactMap(\.kind) ?? [] }
}
