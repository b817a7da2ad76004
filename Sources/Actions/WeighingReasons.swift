package import Attribution
package import Care

extension UnassignedWeighing {
  /// Why a weighing waits, as the evidence says.
  package init(_ verdict: Verdict) {
    var (expected, witness): (Double?, Witness?)
    let doubt: Doubt
    let patients: [String]
    switch verdict.decision {
    case .patient(let patient): (doubt, patients) = (.otherPatient, [patient])
    case .housemate: (doubt, patients) = (.housemate, [])
    case .unassigned(.witness(let patient, let found)):
      (doubt, patients, witness) = (.witness, [patient], Witness(found))
    case .unassigned(.unclear(let patient)): (doubt, patients) = (.unclear, [patient])
    case .unassigned(.alike(let alike)): (doubt, patients) = (.alike, alike)
    case .unassigned(.far(let patient, let weight)):
      (doubt, patients, expected) = (.far, [patient], Double(weight / 100) / 10)
    case .unassigned(.changed(let patient, let weight)):
      (doubt, patients, expected) = (.changed, [patient], Double(weight / 100) / 10)
    case .unassigned(.unknown(let patient)): (doubt, patients) = (.unknown, [patient])
    case .unassigned(.housemate): (doubt, patients) = (.housemate, [])
    case .unassigned(.stranger): (doubt, patients) = (.stranger, [])
    }
    self.init(
      doubt: doubt, patients: patients, expected: expected, witness: witness,
      odds: verdict.odds.map {
        Odds(patient: $0.patient, probability: Double($0.millionths) / 1_000_000)
      })
  }
}

extension UnassignedWeighing.Witness {
  fileprivate init(_ witness: Verdict.Witness) {
    let quantity: Quantity =
      switch witness.kind {
      case .impedance: .impedance
      case .bodyFat: .bodyFatPercentage
      case .heartRate: .heartRate
      }
    self.init(
      quantity: quantity.rawValue, measured: Double(witness.measured) / 100,
      expected: Double(witness.expected) / 100)
  }
}
