import Care

/// The kinds of devices, in the order in which a list has them.
public enum DeviceKind: String, Hashable, Sendable, CaseIterable {
  case scales = "Scales"
  case bloodPressure = "Blood pressure"
  case oximeters = "Oximeters"
  case glucose = "Glucose"
  case thermometers = "Thermometers"
  case heartRate = "Heart rate"
  case sports = "Sports"
  case movement = "Movement"
  case rooms = "Rooms"
}

extension DeviceDefinition {
  /// The kind of the device, by the quantities that it measures.
  public var kind: DeviceKind {
    let quantities = Set(self.quantities)
    func measures(_ some: Quantity...) -> Bool { !quantities.isDisjoint(with: some) }
    if measures(.bodyMass) { return .scales }
    if measures(.bloodPressureSystolic) { return .bloodPressure }
    if measures(.oxygenSaturation) { return .oximeters }
    if measures(.bloodGlucose, .bloodGlucoseMass, .interstitialGlucose) { return .glucose }
    if measures(.bodyTemperature) { return .thermometers }
    if measures(.airTemperature) { return .rooms }
    if records.first?.streamsMotion == true { return .movement }
    if measures(.speed, .cadence, .power, .wheelRevolutions) { return .sports }
    return measures(.heartRate) ? .heartRate : .movement
  }
}

/// The devices of a catalogue as the table of `docs/devices.md`: a row for each kind and how sure it is.
///
/// Behind each stands how many of its rules a real frame has passed through, of how many.
public struct DeviceTable: Sendable {
  /// The lines of the table in Markdown.
  public let lines: [String]
  /// The lines of a short one, for the README: a row for each kind with its counts.
  public let summary: [String]

  /// Makes the tables, the links relative to a folder beside `Devices/`.
  public init(_ catalog: DeviceCatalog) {
    var lines = ["| what | how sure | devices |", "|---|---|---|"]
    for kind in DeviceKind.allCases {
      for evidence in DefinitionEvidence.allCases {
        let cells = catalog.definitions.filter { $0.kind == kind && $0.evidence == evidence }
          .map { (name: $0.familyText, id: $0.id, rules: $0.ruleCount) }
          .sorted { ($0.name.lowercased(), $0.id) < ($1.name.lowercased(), $1.id) }
          .map { "[\($0.name)](../Devices/\($0.id).yaml) \($0.rules.recorded)/\($0.rules.all)" }
        guard !cells.isEmpty else { continue }
        lines.append(
          "| \(kind.rawValue) | \(evidence.rawValue) | \(cells.joined(separator: "; ")) |")
      }
    }
    self.lines = lines
    let evidences = DefinitionEvidence.allCases
    summary =
      [
        "| what | products | "
          + evidences.map { "definitions: \($0.rawValue)" }.joined(separator: " | ")
          + " | rules that real frames prove |",
        "|---|---|" + evidences.map { _ in "---|" }.joined() + "---|",
      ]
      + DeviceKind.allCases.compactMap { kind in
        let definitions = catalog.definitions.filter { $0.kind == kind }
        guard !definitions.isEmpty else { return nil }
        let products = definitions.reduce(0) { $0 + max($1.families.count, 1) }
        let counts = evidences.map { evidence in
          String(definitions.filter { $0.evidence == evidence }.count)
        }
        let rules = definitions.map(\.ruleCount)
        let (recorded, all) = (
          rules.reduce(0) { $0 + $1.recorded }, rules.reduce(0) { $0 + $1.all }
        )
        return "| \(kind.rawValue) | \(products) | \(counts.joined(separator: " | "))"
          + " | \(recorded) of \(all) |"
      }
  }
}

extension DeviceDefinition {
  /// Its families, or its name if it has none.
  fileprivate var familyText: String {
    (families.isEmpty ? [name] : families).joined(separator: ", ")
  }
}
