import Care
import Foundation
import Terminal

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
        text(context.isRecorded ? "nothingRecorded" : "nothingReceived"))
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
      + (readings.isEmpty ? text("noReading") : readings.joined(separator: ", "))
  }

  /// The binding of a device as a whole; `nil` if only its users are bound.
  func binding(of address: DeviceID) -> DeviceBinding? {
    plan.devices.first { $0.address == address && $0.userIndex == nil }
  }

  /// The answer that binds a device to nobody.
  func unboundWord(_ device: FoundDevice) -> String { word(device.tellsPeople ? .all : .shared) }

  /// The answers to whose a device is.
  func ownerWords(_ device: FoundDevice) -> [String] {
    let isOffered =
      device.tellsPeople || plan.patients.count > 1
      || plan.devices.contains { $0.address == device.address && $0.patient == nil }
    return plan.patients.map(\.displayName) + (isOffered ? [unboundWord(device)] : [])
      + [word(.none)]
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
    switch Word(answer, in: context.words) {
    case .none?:
      if plan.devices.contains(where: { $0.address == device.address }) {
        remarks.append(text("staysBound"))
      }
      return nextDevice()
    case .all where !device.tellsPeople && plan.patients.count > 1:
      throw SetupFlaw(
        text("tellsNobody", ["answers": ownerWords(device).joined(separator: ", ")]))
    case .all, .shared:
      // Users of a device with slots keep theirs.
      if plan.devices.allSatisfy({ $0.address != device.address || $0.userIndex == nil }) {
        bind { $0.patient = nil }
      }
      guard device.weight != nil else { return placeOrNext(device) }
      step = .weighed
    case .goOn, nil:
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
    if Word(answer, in: context.words) != Word.none, let device = waiting.first {
      guard let place = place(of: answer) else {
        throw unknownPerson(answer, among: plan.patients.map(\.displayName) + [word(.none)])
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
    throw SetupFlaw(
      text(
        "farFromUsual",
        [
          "weight": Quantity.bodyMass.text(weight, for: patient.units), "name": patient.displayName,
          "usual": Quantity.bodyMass.text(usual, for: patient.units),
        ]))
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
      text(
        "usualNow",
        [
          "name": patient.displayName,
          "weight": Quantity.bodyMass.text(weight, for: patient.units),
        ]))
  }

  private func unknownPerson(_ answer: String, among words: [String]) -> SetupFlaw {
    SetupFlaw(text("nobody", ["name": answer, "answers": words.joined(separator: ", ")]))
  }

  /// Whose the device is.
  var ownerQuestion: Question {
    guard let device = waiting.first else { return Question(text: "") }
    let bound = binding(of: device.address)
    let standard: String? =
      if let bound {
        bound.patient.map(displayName) ?? unboundWord(device)
      } else if plan.devices.contains(where: { $0.address == device.address }) {
        // Each of its users is bound.
        unboundWord(device)
      } else if device.readings.isEmpty {
        word(.none)
      } else if device.weight != nil, plan.patients.count > 1 {
        word(.all)
      } else {
        plan.patients.count == 1 ? plan.patients[0].displayName : nil
      }
    let meaning = text(device.tellsPeople ? "readingsTell" : "readingsWait")
    let words = ownerWords(device).dropLast().map { word in
      word == unboundWord(device) ? "\(word) (\(meaning))" : word
    }
    return Question(
      text: text("owner", ["answers": words.joined(separator: ", "), "none": word(.none)]),
      standard: standard)
  }

  /// Who was on a scale that belongs to everybody.
  var weighedQuestion: Question {
    let weight = waiting.first?.weight ?? 0
    let nearest = plan.patients.compactMap { patient -> (Double, String)? in
      patient.expects[Quantity.bodyMass.rawValue].map {
        (abs($0.value - weight), patient.displayName)
      }
    }.min { $0.0 < $1.0 }
    // As far as a weight changes from one month to the next.
    let standard = nearest.flatMap { $0.0 <= weight * 0.08 ? $0.1 : nil }
    let names = plan.patients.map(\.displayName).joined(separator: ", ")
    return Question(
      text: text("weighed", ["names": names, "none": word(.none)]),
      standard: standard ?? word(.none))
  }
}

extension Quantity {
  /// The value with its name: `Weight 81.95 kg`.
  fileprivate func named(_ value: Double, for units: PreferredUnits?) -> String {
    "\(title) \(text(value, for: units))"
  }
}
