import Actions
import Attribution
import Care

/// Assigns readings to patients, on evidence only.
///
/// In this order: a device bound with its user slot; a device bound to one person, unless what is
/// expected of the person contradicts; for a weight, the evidence of all weighings before it; for a
/// device of the household, a plan with one patient. That a plan knows one patient is no evidence
/// that the devices in range are that patient's: what an unbound one measures is unassigned.
struct ReadingAttribution {
  /// The patients whose readings are stored.
  var patients: [Patient]
  /// The plan's devices.
  var bindings: [DeviceBinding]

  /// The patient of a reading, or the reason why it is unassigned.
  enum Owner: Hashable {
    case patient(String)
    case unassigned(UnassignedReason)
    /// A named housemate's, of whom nothing is stored under a name.
    case housemate(UnassignedReason)

    /// The patient; `nil` if the reading is unassigned.
    var patient: String? {
      guard case .patient(let patient) = self else { return nil }
      return patient
    }
  }

  /// The owner of `reading`; `verdict` judges a weight by the evidence of all weighings.
  func owner(of reading: Reading, verdict: () throws -> Verdict) rethrows -> Owner {
    guard !patients.isEmpty else {
      return .unassigned(.noPlan)
    }
    if reading.discardedBy != nil { return .unassigned(.discarded) }
    guard reading.quantity.plausible.contains(reading.value) else {
      return .unassigned(.implausible)
    }
    let slot = bindings.slot(of: reading)
    if let patient = slot.patient { return owner(patient) }
    if let index = reading.userIndex, slot.isBound {
      return .unassigned(.unboundSlot(index: Int(index)))
    }
    if let patient = bindings.onlyPatient(of: reading) {
      guard reading.quantity == .bodyMass, expectsWeight(of: patient) else {
        return unexpected(reading, of: patient) ?? owner(patient)
      }
      let verdict = try verdict()
      return verdict.excludes(patient)
        ? owner(by: verdict, of: reading) : owner(patient)
    }
    if reading.quantity == .bodyMass { return owner(by: try verdict(), of: reading) }
    let device = reading.device.address
    guard bindings.isOfHousehold(device) else {
      return .unassigned(.unbound)
    }
    guard let patient = patients.first, patients.count == 1 else {
      return .unassigned(.severalPatients(count: patients.count))
    }
    return unexpected(reading, of: patient.id) ?? .patient(patient.id)
  }

  private func expectsWeight(of patient: String) -> Bool {
    patients.contains { $0.id == patient && $0.expects[Quantity.bodyMass.rawValue] != nil }
  }

  /// The patient that a device is bound to, unless only another patient's readings are stored.
  private func owner(_ patient: String) -> Owner {
    patients.contains { $0.id == patient }
      ? .patient(patient) : .unassigned(.notStored(patient: patient))
  }

  private func owner(by verdict: Verdict, of reading: Reading) -> Owner {
    switch verdict.decision {
    // On a bound device another patient's weight waits, too: binding and weight contradict.
    case .patient(let patient) where bindings.onlyPatient(of: reading) ?? patient == patient:
      patients.contains { $0.id == patient }
        ? .patient(patient) : .unassigned(.weightNotStored(patient: patient))
    case .housemate where bindings.onlyPatient(of: reading) == nil:
      .housemate(.weighing(UnassignedWeighing(verdict)))
    case .patient, .housemate, .unassigned:
      .unassigned(.weighing(UnassignedWeighing(verdict)))
    }
  }

  /// The veto of what the plan expects of the patient, with a tolerance.
  private func unexpected(_ reading: Reading, of patient: String) -> Owner? {
    guard reading.quantity != .bodyMass,
      let expected = patients.first(where: { $0.id == patient })?.expects[
        reading.quantity.rawValue],
      let tolerance = expected.tolerance, !reading.isWithin(tolerance, of: expected.value)
    else { return nil }
    return .unassigned(.unexpected(patient: patient))
  }
}

extension PlanSnapshot {
  /// The rule that assigns readings.
  var attribution: ReadingAttribution {
    ReadingAttribution(patients: patients, bindings: bindings)
  }
}

extension Verdict {
  /// Whether the weight is probably another person's: odds below 1 in 20.
  fileprivate func excludes(_ patient: String) -> Bool {
    (odds.first { $0.patient == patient }?.millionths ?? 0) < 50_000
  }
}

extension Reading {
  /// Whether the value is at most `tolerance` away from `reference`.
  ///
  /// Compared in millionths of the unit, so that 86.4 is exactly 6.4 away from 80.
  func isWithin(_ tolerance: Double, of reference: Double) -> Bool {
    (abs(value - reference) * 1_000_000).rounded() <= (tolerance * 1_000_000).rounded()
  }
}
