import Care
import Foundation

/// The received devices and their owners.
extension SetupConversation {
  /// Takes the devices that were received.
  ///
  /// - Parameters:
  ///   - found: The devices; those that were asked about already are left out.
  ///   - failure: Why there was nothing to listen to.
  mutating func hear(_ found: [FoundDevice], failure: String? = nil) {
    remarks = []
    let new = found.filter { device in !devices.contains { $0.address == device.address } }
    devices += new
    waiting = new
    if let failure {
      remarks.append(failure)
    } else if new.isEmpty {
      remarks.append(
        context.isRecorded
          ? "The recording has no device that is known here."
          : "No new device was received. Wake it and bring it nearer; measured doctor checks this"
            + " machine.")
    }
    guard failure == nil else { return beginTasks(of: 0) }
    showDevice()
  }

  mutating func nextDevice() {
    if !waiting.isEmpty { waiting.removeFirst() }
    showDevice()
  }

  private mutating func showDevice() {
    guard !waiting.isEmpty else {
      guard context.isRecorded else { return step = .again }
      return beginTasks(of: 0)
    }
    step = .owner
    if let deviceLine { remarks.append(deviceLine) }
  }

  /// The device whose owner is asked for, with its first readings.
  var deviceLine: String? {
    guard case .owner = step, let device = waiting.first else { return nil }
    let units = plan.patients.count == 1 ? plan.patients[0].units : nil
    let readings = device.readings.map { $0.quantity.named($0.value, for: units) }
    return "\(device.name) (\(device.address)): "
      + (readings.isEmpty ? "no reading yet" : readings.joined(separator: ", "))
  }

  /// The binding of a device as a whole; `nil` if only its users are bound.
  func binding(of address: DeviceID) -> DeviceBinding? {
    plan.devices.first { $0.address == address && $0.userIndex == nil }
  }

  /// The answer that binds a device to nobody.
  func unboundWord(_ device: FoundDevice) -> String { device.tellsPeople ? "all" : "shared" }

  /// The answers to whose a device is.
  func ownerWords(_ device: FoundDevice) -> [String] {
    let isOffered =
      device.tellsPeople || plan.patients.count > 1
      || plan.devices.contains { $0.address == device.address && $0.patient == nil }
    return plan.patients.map(\.displayName) + (isOffered ? [unboundWord(device)] : []) + ["none"]
  }

  /// Changes the binding of the device that is asked about, and adds it if it is missing.
  mutating func bind(_ change: (inout DeviceBinding) -> Void) {
    guard let device = waiting.first else { return }
    let place =
      plan.devices.firstIndex { $0.address == device.address && $0.userIndex == nil }
      ?? {
        plan.devices.append(
          DeviceBinding(address: device.address, definition: device.definition))
        return plan.devices.count - 1
      }()
    change(&plan.devices[place])
  }

  mutating func takeOwner(_ answer: String) throws(SetupFlaw) {
    guard let device = waiting.first else { return nextDevice() }
    switch answer.lowercased() {
    case "none":
      if plan.devices.contains(where: { $0.address == device.address }) {
        remarks.append(
          "It stays in the plan. To unbind it, take its line out of what measured plan export writes,"
            + " and: measured plan import FILE --prune")
      }
      return nextDevice()
    case "all" where !device.tellsPeople && plan.patients.count > 1:
      throw SetupFlaw(
        "Its readings do not tell whose they are. Answer \(ownerWords(device).choices).")
    case "all", "shared":
      // Users of a device with slots keep theirs.
      if plan.devices.allSatisfy({ $0.address != device.address || $0.userIndex == nil }) {
        bind { $0.patient = nil }
      }
      guard device.weight != nil else { return placeOrNext(device) }
      step = .weighed
    default:
      guard let place = place(of: answer) else {
        throw unknownPerson(answer, among: ownerWords(device))
      }
      try doubt(device, of: place)
      let id = plan.patients[place].id
      bind { $0.patient = id }
      give(device, to: place)
      placeOrNext(device)
    }
  }

  private mutating func placeOrNext(_ device: FoundDevice) {
    guard device.isWorn else { return nextDevice() }
    step = .place
  }

  mutating func takeWeighed(_ answer: String) throws(SetupFlaw) {
    if answer.lowercased() != "none", let device = waiting.first {
      guard let place = place(of: answer) else {
        throw unknownPerson(answer, among: plan.patients.map(\.displayName) + ["none"])
      }
      try doubt(device, of: place)
      give(device, to: place)
    }
    nextDevice()
  }

  /// Asks again, once, if a device's weight is far from the usual one of the person.
  private mutating func doubt(_ device: FoundDevice, of place: Int) throws(SetupFlaw) {
    let patient = plan.patients[place]
    guard let weight = device.weight,
      let usual = patient.expects[Quantity.bodyMass.rawValue]?.value,
      abs(weight - usual) > usual * Self.likelyShare, doubted != patient.id
    else { return }
    doubted = patient.id
    let text = { Quantity.bodyMass.text($0, for: patient.units) }
    throw SetupFlaw(
      "\(text(weight)) is far from \(patient.displayName)'s usual \(text(usual)). If it was"
        + " \(patient.displayName), answer so again.")
  }

  /// Further than this share from the usual weight, a weight is doubted.
  private static let likelyShare = 0.1

  /// Gives the readings of a device to a person; a weight is the first usual one.
  private mutating func give(_ device: FoundDevice, to place: Int) {
    let patient = plan.patients[place]
    if !device.readings.isEmpty { owners[device.address] = patient.id }
    guard let weight = device.weight, patient.expects[Quantity.bodyMass.rawValue] == nil else {
      return
    }
    expect(weight, of: place)
    remarks.append(
      "\(patient.displayName)'s usual weight is now"
        + " \(Quantity.bodyMass.text(weight, for: patient.units)).")
  }

  private func unknownPerson(_ answer: String, among words: [String]) -> SetupFlaw {
    SetupFlaw("‘\(answer)’ is nobody in this plan. Answer \(words.choices).")
  }
}

extension [String] {
  /// The words as alternatives: `Anna, Karl or none`.
  fileprivate var choices: String {
    count > 1 ? dropLast().joined(separator: ", ") + " or " + (last ?? "") : first ?? ""
  }
}
