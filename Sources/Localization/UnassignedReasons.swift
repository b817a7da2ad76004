package import Care

// The keys and values of why a reading is nobody's, or no measurement.

extension Sample {
  /// Why the sample is unassigned or not taken as a measurement; `nil` if it is neither.
  ///
  /// - Parameters:
  ///   - units: The units of the person who reads it.
  ///   - name: The name of the patient with an id.
  /// - Returns: A part of a sentence.
  package func unassignedText(
    for units: PreferredUnits? = nil, name: (String) -> String = { $0 }
  ) -> LocalizedText? {
    if let rule = reading.discardedBy {
      return rule == Reading.constant
        ? "unassigned.constant" : LocalizedText("unassigned.rule", ["rule": "\(rule)"])
    }
    if state == .notTaken {
      let quantity = reading.quantity
      return quantity.refusal(of: reading.value, in: quantity.unit, task: nil)
    }
    guard let text = unassignedReason else {
      // A reading that is unassigned on arrival has a reason: this one was assigned.
      return patient == nil && state == .live ? "unassigned.returned" : nil
    }
    return UnassignedReason(self)?.text(of: reading, for: units, name: name) ?? .verbatim(text)
  }
}

extension UnassignedReason {
  /// Why a reading belongs to no patient, as a part of a sentence.
  package func text(
    of reading: Reading, for units: PreferredUnits? = nil, name: (String) -> String = { $0 }
  ) -> LocalizedText {
    let value = LocalizedText.Value.figure(reading.quantity.text(reading.value, for: units))
    let device = LocalizedText.Value(reading.device.address.text)
    return switch self {
    case .weighing(let weighing): weighing.text(of: value, for: units, name: name)
    case .noPlan: "unassigned.noPlan"
    case .discarded: "unassigned.discarded"
    case .implausible:
      LocalizedText(
        "unassigned.implausible",
        ["value": value, "quantity": .quantityInSentence(reading.quantity)])
    case .unboundSlot(let index):
      LocalizedText("unassigned.unboundSlot", ["device": device, "index": .init(index)])
    case .unbound: LocalizedText("unassigned.unbound", ["device": device])
    case .severalPatients(let count):
      LocalizedText("unassigned.severalPatients", ["device": device, "number": .init(count)])
    case .notStored(let patient):
      LocalizedText("unassigned.notStored", ["device": device, "name": .init(name(patient))])
    case .weightNotStored(let patient):
      LocalizedText("unassigned.weightNotStored", ["value": value, "name": .init(name(patient))])
    case .unexpected(let patient):
      LocalizedText("unassigned.unexpected", ["value": value, "name": .init(name(patient))])
    case .deviceOfNobody: "unassigned.deviceOfNobody"
    case .withUnassignedWeight: "unassigned.withUnassignedWeight"
    case .withDisownedWeight: "unassigned.withDisownedWeight"
    }
  }
}

extension UnassignedWeighing {
  /// The doubt about a weight.
  fileprivate func text(
    of weight: LocalizedText.Value, for units: PreferredUnits?, name: (String) -> String
  ) -> LocalizedText {
    let names = patients.map { LocalizedText.Value(name($0)) }
    return LocalizedText("unassigned." + wording)
      .with("value", weight).with("names", .list(names)).with("name", names.first ?? "")
      .with("expected", .figure(expected.map { Quantity.bodyMass.text($0, for: units) } ?? ""))
      .with(witness, for: units)
  }

  /// The wording of the doubt, which depends on the facts that there are.
  private var wording: String {
    switch doubt {
    case .far: expected == nil ? "far" : "farFrom"
    case .changed: expected == nil ? "changed" : "changedFrom"
    case .witness: witness == nil ? "unclear" : "witness"
    case .unclear: (odds.first?.probability ?? 0) >= 0.5 ? "unclear" : "unclearStranger"
    default: doubt.rawValue
    }
  }

  /// The odds of the patients that have any, of those whose weight it may be: `anna 98 %, ben 1 %`.
  package func shares(name: (String) -> String = { $0 }) -> String {
    // Rounded down: 98.9 % is not the 99 % that assign.
    odds.filter { $0.probability >= 0.01 }
      .map { "\(name($0.patient)) \(Int(saturating: $0.probability * 100)) %" }
      .joined(separator: ", ")
  }
}

extension LocalizedText {
  /// The text with the value beside a weight that contradicts it.
  fileprivate func with(
    _ witness: UnassignedWeighing.Witness?, for units: PreferredUnits?
  ) -> LocalizedText {
    guard let witness, let quantity = Quantity(rawValue: witness.quantity) else { return self }
    func value(_ number: Double) -> Value { .figure(quantity.text(number.rounded(), for: units)) }
    return with("quantity", .quantityInSentence(quantity))
      .with("measured", value(witness.measured)).with("usual", value(witness.expected))
  }
}
