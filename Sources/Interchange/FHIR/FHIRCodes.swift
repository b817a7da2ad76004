import Care

/// How observations of a quantity are coded; LOINC, MDC and unit come from the registry.
struct FHIRQuantity {
  /// FHIR's category.
  var category: String
  /// The named profile of FHIR's vital signs.
  var profile: String?
  /// LOINC codes that stand before the registry's: a profile asks for them.
  var before: [String] = []
  /// LOINC codes that stand after it.
  var after: [String] = []
  /// The unit that a profile asks for, and by how many digits its numbers are shifted.
  var unit: (unit: UnitOfMeasure, places: Int)?
  /// Whether devices do not measure it, but estimate it by formulas of their makers.
  var isEstimate = false

  /// The panel of a blood pressure, whose parts are components.
  static let pressurePanel = "85354-9"
  static let pressures: [Quantity] = [
    .bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean,
  ]

  static func of(_ quantity: Quantity) -> FHIRQuantity {
    switch quantity {
    case .bodyMass: vital("bodyweight")
    case .bodyMassIndex:
      FHIRQuantity(category: "vital-signs", profile: "bmi", isEstimate: true)
    case .height:
      FHIRQuantity(
        category: "vital-signs", profile: "bodyheight", unit: (.centimetre, places: 2))
    case .heartRate: vital("heartrate")
    case .pulseRate: FHIRQuantity(category: "vital-signs", profile: "heartrate", after: ["8867-4"])
    case .bodyTemperature: vital("bodytemp")
    case .oxygenSaturation:
      FHIRQuantity(category: "vital-signs", profile: "oxygensat", before: ["2708-6"])
    case .bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean: vital(nil)
    case .bloodGlucose, .bloodGlucoseMass, .interstitialGlucose, .haemoglobinA1c:
      FHIRQuantity(category: "laboratory")
    case .stepCount, .distanceWalked, .distanceCycled, .exerciseTime, .energyExpended,
      .sittingBreaks:
      FHIRQuantity(category: "activity")
    case .timedUpAndGo: FHIRQuantity(category: "exam", after: ["89423-8"])
    case .chairStandCount: FHIRQuantity(category: "exam", after: ["66247-8"])
    default:
      FHIRQuantity(
        category: "exam",
        isEstimate: quantity.isMeasuredWithWeight && quantity != .impedance
          && quantity != .impedanceHighFrequency)
    }
  }

  private static func vital(_ profile: String?) -> FHIRQuantity {
    FHIRQuantity(category: "vital-signs", profile: profile)
  }
}

extension FHIRCoder {
  /// The codes of a quantity: those of the mapping, else LOINC; then MDC, and its name here.
  func codings(of quantity: Quantity) -> [FHIRCoding] {
    let own = FHIRCoding(
      system: FHIRName.codes("quantity"), code: quantity.rawValue, display: quantity.title)
    let codes = mapping.codes[quantity] ?? Self.loinc[quantity] ?? []
    let mdc = quantity.mdc.map { FHIRCoding(system: FHIRName.mdc, code: String($0)) }
    return codes + [mdc, own].compactMap(\.self)
  }

  private static let loinc: [Quantity: [FHIRCoding]] = {
    let codes = Quantity.all.map { quantity in
      let more = FHIRQuantity.of(quantity)
      let codes = more.before + [quantity.loinc].compactMap(\.self)
      return (
        quantity,
        (codes + more.after.filter { !codes.contains($0) })
          .map { FHIRCoding(system: FHIRName.loinc, code: $0) }
      )
    }
    return Dictionary(codes, uniquingKeysWith: { first, _ in first })
  }()

  /// The quantities by LOINC code; one that has the code as its own comes before others.
  private static let byLOINC: [String: Quantity] = {
    var known: [String: Quantity] = [:]
    for quantity in Quantity.all {
      for coding in loinc[quantity] ?? [] where known[coding.code] == nil {
        known[coding.code] = quantity
      }
    }
    for quantity in Quantity.all { if let code = quantity.loinc { known[code] = quantity } }
    return known
  }()

  /// The quantities of a code: one, of the panel of a blood pressure two, none of an unknown code.
  func quantities(system: String, code: String) -> [Quantity] {
    if system == FHIRName.codes("quantity") {
      return [Quantity(rawValue: code)].compactMap(\.self)
    }
    for quantity in Quantity.all {
      let codes = mapping.codes[quantity] ?? []
      if codes.contains(where: { $0.system == system && $0.code == code }) { return [quantity] }
    }
    switch system {
    case FHIRName.loinc where code == FHIRQuantity.pressurePanel:
      return Array(FHIRQuantity.pressures.prefix(2))
    case FHIRName.loinc: return [Self.byLOINC[code]].compactMap(\.self)
    case FHIRName.mdc: return Quantity.all.filter { $0.mdc.map(String.init) == code }
    default: return []
    }
  }

  /// The quantity of a concept, by the first code that says one; our own name before others.
  func quantity(of concept: FHIRValue?) -> Quantity? {
    let codings = (concept?.object?["coding"]?.elements ?? []).compactMap { coding in
      coding.object.map { ($0["system"]?.text ?? "", $0["code"]?.text ?? "") }
    }
    let own = codings.filter { $0.0 == FHIRName.codes("quantity") }
    return (own + codings).lazy.compactMap {
      self.quantities(system: $0.0, code: $0.1).first
    }.first
  }
}
