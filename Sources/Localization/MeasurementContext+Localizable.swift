package import Care

extension Language {
  /// The remarks of a device about its value: `irregular pulse`, `cuff too loose`.
  package func remarks(of context: MeasurementContext) -> [String] {
    context.names.map { text("context." + $0) }
  }
}
