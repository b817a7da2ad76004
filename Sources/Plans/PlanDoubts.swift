package import Care
package import Foundation
import Motion
import StrictYAML

/// Something in a plan that is valid and probably not meant.
package struct PlanDoubt: Hashable, Sendable {
  /// Where it stands in the plan's file.
  package var path: PlanPath
  /// The other parts of the file from which the doubt follows.
  package var reasons: [PlanPath] = []
  /// A sentence that describes the doubt for people.
  package var text: String
}

/// The facts against which a plan is checked.
package struct PlanSurroundings: Sendable {
  /// The active tasks that a plan can ask for, with their figures.
  package var activeTasks: [ActiveTaskForm]
  /// The device definitions; `nil` if they are not known.
  package var definitions: DefinitionIndex?
  /// The files beside the plan; `nil` if there are none.
  package var files: PlanFiles?
  /// The languages of the page; empty if they are not known.
  package var languages: [String]
  /// When the plan is read.
  package var now: Date

  /// Makes surroundings.
  package init(
    activeTasks: [ActiveTaskForm], definitions: DefinitionIndex? = nil, files: PlanFiles? = nil,
    languages: [String] = [], now: Date
  ) {
    self.activeTasks = activeTasks
    self.definitions = definitions
    self.files = files
    self.languages = languages
    self.now = now
  }
}

extension PlanDocument {
  /// Finds parts that are valid and probably not meant.
  ///
  /// - Parameter surroundings: The facts against which the plan is checked.
  /// - Returns: The doubts, in the plan's order.
  package func doubts(in surroundings: PlanSurroundings) -> [PlanDoubt] {
    patientDoubts(surroundings)
      + tasks.enumerated().flatMap { index, task in
        PlanDoubt.of(task, at: PlanPath() / "tasks" / index, in: surroundings)
      } + notifyDoubts(surroundings) + linkedTaskDoubts(surroundings) + deviceDoubts(surroundings)
  }
}

// MARK: - People

/// The languages that a plan may give a person.
package enum PageLanguage {
  /// Why a tag is probably not meant; `nil` if the page is in that language.
  ///
  /// - Parameters:
  ///   - tag: A BCP 47 tag such as `de` or `pt-BR`.
  ///   - known: The languages of the page; empty if they are not known.
  /// - Returns: The reason.
  package static func doubt(_ tag: String, known: [String]) -> String? {
    guard exists(tag) else {
      return "there is no language ‘\(tag)’; write a tag such as de or pt-BR"
    }
    let languages = Set(known.map(primary))
    guard !known.isEmpty, !languages.contains(primary(tag)) else { return nil }
    return "the page is not in ‘\(tag)’ and stays English; it has \(known.joined(separator: ", "))"
  }

  /// Whether there is such a language.
  package static func exists(_ tag: String) -> Bool {
    Locale.LanguageCode(primary(tag)).isISOLanguage
  }

  /// Whether a text is the tag of a language that exists, as a plan can have it.
  package static func isTag(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return exists(text)
      && parts.allSatisfy { part in
        (1...8).contains(part.count)
          && part.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
      }
  }

  private static func primary(_ tag: String) -> String {
    String(tag.prefix { $0 != "-" }).lowercased()
  }
}

extension PlanDocument {
  private func patientDoubts(_ surroundings: PlanSurroundings) -> [PlanDoubt] {
    patients.enumerated().flatMap { index, patient in
      doubts(of: patient, at: PlanPath() / "patients" / index, surroundings)
        + sameWeightDoubts(of: index, surroundings)
    }
  }

  private func doubts(
    of patient: Patient, at path: PlanPath, _ surroundings: PlanSurroundings
  ) -> [PlanDoubt] {
    var doubts: [PlanDoubt] = []
    func doubt(_ key: String, _ text: String) {
      doubts.append(PlanDoubt(path: path / key, text: "patient \(patient.id): \(text)"))
    }
    if patient.id.contains(where: \.isWhitespace) {
      doubt("id", "the id has spaces, so commands need it in quotes")
    }
    let today = CalendarDate(String(surroundings.now.rfc3339(in: timeZone).prefix(10)))
    if let birthday = patient.birthday, let today {
      if birthday > today { doubt("birthday", "the birthday \(birthday) is yet to come") }
      let years = today.year - birthday.year
      if years > Self.greatestAge {
        doubt("birthday", "the birthday \(birthday) is \(years) years ago")
      }
    }
    if let language = patient.language,
      let text = PageLanguage.doubt(language, known: surroundings.languages)
    {
      doubt("language", text)
    }
    for (name, expectation) in patient.expects.sorted(by: { $0.key < $1.key }) {
      guard let quantity = Quantity(rawValue: name),
        let text = expectationDoubt(quantity, expectation)
      else { continue }
      doubts.append(
        PlanDoubt(
          path: path / "expects" / name, reasons: [PlanPath() / "patients"],
          text: "patient \(patient.id): \(text)"))
    }
    return doubts
  }

  /// No person has become older than 122 years.
  private static let greatestAge = 122

  private func expectationDoubt(_ quantity: Quantity, _ expectation: Expectation) -> String? {
    let range = quantity.plausible
    if expectation.value < range.lowerBound {
      let what = quantity.title.lowercased()
      return "a \(what) of \(quantity.text(expectation.value)) is expected, and readings below"
        + " \(quantity.text(range.lowerBound)) are given to nobody"
    }
    guard quantity != .bodyMass else { return nil }
    guard quantity.isPersonal else { return "\(quantity.rawValue) is not measured on a person" }
    if patients.count > 1 {
      return "an expected \(quantity.rawValue) changes nothing: of several people only weights are"
        + " told apart"
    }
    return expectation.tolerance == nil
      ? "an expected \(quantity.rawValue) changes nothing without a ‘tolerance’" : nil
  }

  /// Of two people who are expected to weigh the same, on a scale that tells them apart by weight.
  private func sameWeightDoubts(of index: Int, _ surroundings: PlanSurroundings) -> [PlanDoubt] {
    let key = Quantity.bodyMass.rawValue
    guard let own = patients[index].expects[key]?.value,
      let scale = devices.firstIndex(where: { isSharedScale($0, surroundings) })
    else { return [] }
    return patients[..<index].compactMap { other -> PlanDoubt? in
      guard let weight = other.expects[key]?.value, abs(weight - own) < Self.leastDifference else {
        return nil
      }
      let units = patients[index].units
      let weights = [other, patients[index]].compactMap { $0.expects[key]?.value }
        .map { Quantity.bodyMass.text($0, for: units) }.joined(separator: " and ")
      return PlanDoubt(
        path: PlanPath() / "patients" / index / "expects" / key,
        reasons: [PlanPath() / "patients", PlanPath() / "devices" / scale],
        text: "patients \(other.id) and \(patients[index].id): \(weights) are too near to tell them"
          + " apart by weight on \(devices[scale].address.text); what is not clear waits until"
          + " someone assigns it")
    }
  }

  /// A person's weight changes as much from one day to the next, in kg.
  private static let leastDifference = 1.5

  /// Whether a scale is bound to nobody, and has no users.
  private func isSharedScale(
    _ device: DeviceBinding, _ surroundings: PlanSurroundings
  ) -> Bool {
    guard let entry = device.definition.flatMap({ surroundings.definitions?[$0] }) else {
      return false
    }
    return entry.quantities.contains(.bodyMass) && device.patient == nil
      && !devices.contains { $0.address == device.address && $0.userIndex != nil }
  }
}

// MARK: - Devices

extension PlanDocument {
  private func deviceDoubts(_ surroundings: PlanSurroundings) -> [PlanDoubt] {
    devices.enumerated().flatMap { index, device -> [PlanDoubt] in
      let path = PlanPath() / "devices" / index
      let doubts = [
        (placementDoubt(device), path),
        (keyDoubt(device, surroundings), path),
        (ownerDoubt(device, surroundings), path),
      ]
      return doubts.compactMap { text, path in
        text.map { PlanDoubt(path: path, reasons: [PlanPath() / "patients"], text: $0) }
      }
    }
  }

  private func placementDoubt(_ device: DeviceBinding) -> String? {
    let name = device.address.text
    guard !device.address.isAddress, device.placement == nil, Placement(sensorName: name) == nil
    else { return nil }
    return "sensor \(name): the name states no place on the body such as left-shank; give its"
      + " ‘placement’ if it is worn"
  }

  private func keyDoubt(_ device: DeviceBinding, _ surroundings: PlanSurroundings) -> String? {
    guard let entry = device.definition.flatMap({ surroundings.definitions?[$0] }), entry.needsKey,
      !devices.contains(where: { $0.address == device.address && $0.key != nil })
    else { return nil }
    return
      "device \(device.address.text): a \(entry.name) encrypts what it sends; without its ‘key’"
      + " nothing of it can be read"
  }

  private func ownerDoubt(_ device: DeviceBinding, _ surroundings: PlanSurroundings) -> String? {
    guard patients.count > 1, device.patient == nil, device.userIndex == nil,
      !devices.contains(where: { $0.address == device.address && $0.patient != nil }),
      let entry = device.definition.flatMap({ surroundings.definitions?[$0] }),
      !entry.tellsPeople, entry.quantities.contains(where: \.isPersonal)
    else { return nil }
    return
      "device \(device.address.text): its readings do not tell whose they are, and it is bound to"
      + " nobody; give its ‘patient’, else each reading waits until someone assigns it"
  }
}

// MARK: - Tasks and devices

extension PlanDocument {
  /// Of tasks that no device of their person can complete.
  private func linkedTaskDoubts(_ surroundings: PlanSurroundings) -> [PlanDoubt] {
    guard !isPart, !devices.isEmpty, let definitions = surroundings.definitions else { return [] }
    return tasks.enumerated().flatMap { index, task -> [PlanDoubt] in
      let own = devices.filter { $0.patient == nil || $0.patient == task.patient }
      let entries = own.map { $0.definition.flatMap { definitions[$0] } }
      // An unknown device, or one that streams motion, may measure anything.
      guard entries.allSatisfy({ $0.map { !$0.streamsMotion } ?? false }) else { return [] }
      let given = Set(entries.compactMap { $0?.quantities }.flatMap(\.self))
      return task.linkages.enumerated().compactMap { place, linkage in
        let sent = linkage.device.map { device in
          Set(
            own.filter { $0.address == device }
              .compactMap { $0.definition.flatMap { definitions[$0] }?.quantities }
              .flatMap(\.self))
        }
        guard !(sent ?? given).measures(linkage.quantity) else { return nil }
        let path = PlanPath() / "tasks" / index
        let linkages = path / "linkages" / place / "quantity"
        return PlanDoubt(
          path: task.linkages.count == 1 ? path / "linkage" / "quantity" : linkages,
          reasons: [PlanPath() / "patients", PlanPath() / "devices"],
          text: "task \(task.id) of \(task.patient): "
            + (linkage.device.map { "its device \($0.text) does not measure" }
              ?? "none of \(task.patient)'s devices measures")
            + " \(linkage.quantity.rawValue), so it waits for a value by hand")
      }
    }
  }
}

extension Set<Quantity> {
  /// Whether one of them is what is asked for, or says the same in another dimension.
  fileprivate func measures(_ quantity: Quantity) -> Bool {
    contains(quantity) || quantity.counterpart.map(contains) ?? false
  }
}
