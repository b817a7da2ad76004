package import Care

extension Language {
  /// The remarks of a device about its value, and of what it is: `irregular pulse`, `left knee`.
  package func remarks(of context: MeasurementContext) -> [String] {
    context.subtracting(.movements).names.map { text("context." + $0) }
      + (movement(context).map { [$0] } ?? [])
  }

  /// The joint and side of a movement, `left knee`; `nil` for one of neither.
  package func movement(_ context: MeasurementContext) -> String? {
    let sides: MeasurementContext = [.left, .right]
    let side = context.intersection(sides).names.first.map { text("body." + $0) }
    let joint = context.intersection(.movements).subtracting(sides).names.first
      .map { text("body." + $0) }
    guard let side, let joint else { return joint ?? side }
    return text("body.sided", ["side": side, "joint": joint])
  }

  /// The measurand of a value: `Range of motion, left knee`.
  package func title(of measurand: Measurand) -> String {
    ([title(of: measurand.quantity)] + remarks(of: measurand.place))
      .joined(separator: text("list.comma"))
  }
}
