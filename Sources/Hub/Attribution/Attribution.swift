import Care

/// Decides whose a reading is, from evidence alone.
///
/// In this order: a device bound with its user slot; a bound device; for a weight, the last accepted
/// weight (else the expected one) of exactly one patient; a plan with one patient of whom nothing
/// else is expected. What none of these settles is nobody's.
struct Attribution {
  /// The people of the plan.
  var patients: [Patient]
  /// The plan's devices.
  var bindings: [DeviceBinding]

  /// Whose a reading is, or why it is nobody's.
  enum Owner: Hashable {
    case patient(String)
    case nobody(reason: String)

    /// The patient, where it is one.
    var patient: String? {
      guard case .patient(let patient) = self else { return nil }
      return patient
    }
  }

  /// Whose `reading` is; `lastWeight` gives the last accepted weight of a patient in kg, where
  /// there is one.
  func owner(
    of reading: Reading, lastWeight: (String) throws -> Double?
  ) rethrows -> Owner {
    guard !patients.isEmpty else {
      return .nobody(reason: "no plan has been imported, so there is nobody to give it to")
    }
    guard reading.quantity.plausible.contains(reading.value) else {
      return .nobody(
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
      return .nobody(reason: "user \(slot) of \(reading.device.address) is bound to no patient")
    }
    let owners = Set(bound.filter { $0.userIndex == nil }.compactMap(\.patient))
    if let patient = owners.first, owners.count == 1 { return owner(patient, of: reading) }
    if reading.quantity == .bodyMass {
      return try weighed(reading, lastWeight: lastWeight)
    }
    return onlyPatient(reading)
  }

  /// The patient that a device is bound to, unless readings are kept of somebody else only.
  private func owner(_ patient: String, of reading: Reading) -> Owner {
    patients.contains { $0.id == patient }
      ? .patient(patient)
      : .nobody(
        reason: "\(reading.device.address) is bound to \(patient), whose readings are not taken")
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
      return .nobody(
        reason: "\(reading.valueText) fits \(fitting.joined(separator: " and ")); assign it by hand"
      )
    }
    guard unknown.count == patients.count else {
      return .nobody(
        reason: "\(reading.valueText) is far from the weight of everybody in the plan")
    }
    return onlyPatient(reading)
  }

  private func onlyPatient(_ reading: Reading) -> Owner {
    guard let patient = patients.first, patients.count == 1 else {
      return .nobody(
        reason: "\(reading.device.address) is bound to no patient, and the plan has"
          + " \(patients.count)")
    }
    guard let expectation = patient.expects[reading.quantity.rawValue],
      let tolerance = expectation.tolerance
    else { return .patient(patient.id) }
    guard reading.isWithin(tolerance, of: expectation.value) else {
      return .nobody(
        reason: "\(reading.valueText) is far from what \(patient.id) is expected to have")
    }
    return .patient(patient.id)
  }
}

extension Reading {
  /// Whether the value is at most `tolerance` away from `reference`.
  ///
  /// Compared in millionths of the unit, so that 86.4 is 6.4 away from 80, which no binary fraction is.
  func isWithin(_ tolerance: Double, of reference: Double) -> Bool {
    (abs(value - reference) * 1_000_000).rounded() <= (tolerance * 1_000_000).rounded()
  }

  /// The value with its unit, as people read it: `61.75 kg`.
  var valueText: String {
    let unit = quantity.unit.symbol
    return unit.isEmpty ? "\(value)" : "\(value) \(unit)"
  }
}
