import Care

/// Assigns readings to patients, on evidence only.
///
/// In this order: a device bound with its user slot; a bound device; for a weight, the last accepted
/// weight (else the expected one) of exactly one patient; a plan with one patient of whom nothing
/// else is expected. A reading without such evidence is unassigned.
struct Attribution {
  /// The patients of the plan.
  var patients: [Patient]
  /// The plan's devices.
  var bindings: [DeviceBinding]

  /// The patient of a reading, or the reason why it is unassigned.
  enum Owner: Hashable {
    case patient(String)
    case unassigned(reason: String)

    /// The patient; `nil` if the reading is unassigned.
    var patient: String? {
      guard case .patient(let patient) = self else { return nil }
      return patient
    }
  }

  /// The owner of `reading`; `lastWeight` returns the last accepted weight of a patient in kg, or
  /// `nil`.
  func owner(
    of reading: Reading, lastWeight: (String) throws -> Double?
  ) rethrows -> Owner {
    guard !patients.isEmpty else {
      return .unassigned(reason: "no plan has been imported")
    }
    guard reading.quantity.plausible.contains(reading.value) else {
      return .unassigned(
        reason:
          "\(reading.valueText) is no plausible \(reading.quantity.title.lowercased())"
      )
    }
    let bound = bindings.filter { $0.address == reading.device.address }
    if let slot = reading.userIndex,
      let patient = bound.first(where: { $0.userIndex == slot })?.patient
    {
      return owner(patient, of: reading)
    }
    if let slot = reading.userIndex, bound.contains(where: { $0.userIndex != nil }) {
      return .unassigned(reason: "user \(slot) of \(reading.device.address) is bound to no patient")
    }
    let owners = Set(bound.filter { $0.userIndex == nil }.compactMap(\.patient))
    if let patient = owners.first, owners.count == 1 { return owner(patient, of: reading) }
    if reading.quantity == .bodyMass {
      return try weighed(reading, lastWeight: lastWeight)
    }
    return onlyPatient(reading)
  }

  /// The patient that a device is bound to, unless only another patient's readings are stored.
  private func owner(_ patient: String, of reading: Reading) -> Owner {
    patients.contains { $0.id == patient }
      ? .patient(patient)
      : .unassigned(
        reason: "\(reading.device.address) is bound to \(patient), whose readings are not stored")
  }

  private func weighed(
    _ reading: Reading, lastWeight: (String) throws -> Double?
  ) rethrows -> Owner {
    var fitting: [String] = []
    var unknown: [Patient] = []
    for patient in patients {
      let expectation = patient.expects[Quantity.bodyMass.rawValue]
      guard let reference = try lastWeight(patient.id) ?? expectation?.value else {
        unknown.append(patient)
        continue
      }
      let tolerance = expectation?.tolerance ?? max(3, reference * 8 / 100)
      if reading.isWithin(tolerance, of: reference) { fitting.append(patient.id) }
    }
    if let patient = fitting.first, fitting.count == 1 { return .patient(patient) }
    guard fitting.isEmpty else {
      return .unassigned(
        reason: "\(reading.valueText) fits \(fitting.joined(separator: " and ")); assign it by hand"
      )
    }
    guard unknown.count == patients.count else {
      return .unassigned(
        reason: "\(reading.valueText) is far from the weight of every person in the plan")
    }
    return onlyPatient(reading)
  }

  private func onlyPatient(_ reading: Reading) -> Owner {
    guard let patient = patients.first, patients.count == 1 else {
      return .unassigned(
        reason: "\(reading.device.address) is bound to no patient, and the plan has"
          + " \(patients.count)")
    }
    guard let expectation = patient.expects[reading.quantity.rawValue],
      let tolerance = expectation.tolerance
    else { return .patient(patient.id) }
    guard reading.isWithin(tolerance, of: expectation.value) else {
      return .unassigned(
        reason: "\(reading.valueText) is far from what \(patient.id) is expected to have")
    }
    return .patient(patient.id)
  }
}

extension Reading {
  /// Whether the value is at most `tolerance` away from `reference`.
  ///
  /// Compared in millionths of the unit, so that 86.4 is exactly 6.4 away from 80.
  func isWithin(_ tolerance: Double, of reference: Double) -> Bool {
    (abs(value - reference) * 1_000_000).rounded() <= (tolerance * 1_000_000).rounded()
  }

  /// The value with its unit, as people read it: `61.75 kg`.
  var valueText: String {
    let unit = quantity.unit.symbol
    return unit.isEmpty ? "\(value)" : "\(value) \(unit)"
  }
}
