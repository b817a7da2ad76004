package import Care
package import Foundation
import Motion
package import StrictYAML

extension PlanFile {
  /// Every mistake of a plan's file, by line.
  ///
  /// After a mistake the plan is read again without the wrong part, so that one run shows all of
  /// them. Mistakes that only follow from others are left out.
  ///
  /// - Parameters:
  ///   - text: The whole file.
  ///   - file: The file's name, for errors.
  ///   - activeTasks: The active tasks that a plan can ask for, with their keys.
  ///   - definitions: The device definitions; `nil` to take any.
  ///   - files: The files that it names; `nil` for a plan that comes alone.
  /// - Returns: The mistakes; the first one alone of a file that is no YAML.
  package static func mistakes(
    in text: String, file: String, activeTasks: [ActiveTaskForm],
    definitions: DefinitionIndex? = nil, files: PlanFiles? = nil
  ) -> [YAMLError] {
    PlanRepair.mistakes(in: text, file: file) { root throws(YAMLError) in
      _ = try document(
        root, activeTasks: activeTasks, definitions: definitions, files: files)
    }
  }

  /// A plan's file with everything that is to be said of it.
  package struct Check: Sendable {
    /// The plan; `nil` of a file with mistakes.
    package var plan: PlanDocument?
    /// Every mistake, by line.
    package var mistakes: [YAMLError] = []
    /// The parts that are valid and probably not meant, by line.
    package var doubts: [YAMLError] = []
  }

  /// Reads a plan, and finds its mistakes and the parts that are probably not meant in one run.
  ///
  /// - Parameters:
  ///   - text: The whole file.
  ///   - file: The file's name, for errors.
  ///   - surroundings: The facts against which the plan is checked.
  /// - Returns: The plan, or its mistakes; the first one alone of a file that is no YAML.
  package static func check(
    _ text: String, file: String, in surroundings: PlanSurroundings
  ) -> Check {
    var check = Check()
    do throws(YAMLError) {
      var repair = PlanRepair(try YAMLDocument.parse(text, file: file))
      while let root = repair.root {
        do throws(YAMLError) {
          let plan = try document(
            root, activeTasks: surroundings.activeTasks, definitions: surroundings.definitions,
            files: surroundings.files)
          check.doubts = plan.doubts(in: surroundings).compactMap { repair.located($0, in: root) }
          if repair.mistakes.isEmpty { check.plan = plan }
          break
        } catch {
          repair.take(error)
        }
      }
      check.mistakes = repair.mistakes
    } catch {
      check.mistakes = [error]
    }
    check.mistakes.sort { ($0.line, $0.column) < ($1.line, $1.column) }
    // Doubts about one line keep their order.
    check.doubts = check.doubts.enumerated().sorted {
      ($0.element.line, $0.offset) < ($1.element.line, $1.offset)
    }.map(\.element)
    return check
  }
}

/// Takes what is wrong out of a file's tree, mistake by mistake.
private struct PlanRepair: YAMLRepair {
  /// The tree without what is wrong; `nil` if further errors would only follow from the known ones.
  private(set) var root: YAMLNode?
  private(set) var mistakes: [YAMLError] = []
  /// The lists and mappings that are incomplete now: an error at one of them is no new mistake.
  private var damaged: Set<YAMLPlace> = []
  private var replaced: Set<YAMLPlace> = []
  /// The entries that lost a part of what tells them from others: that two are the same follows.
  private var anonymous: Set<YAMLPlace> = []

  /// The most mistakes that are reported.
  private static let most = 50

  /// A value in the tree, by its positions in the mappings and lists above it.
  private struct Found {
    var path: [Int]
    /// The key of a value in a mapping.
    var key: String?
    /// Whether the key stands at the place, and not the value.
    var isKey: Bool
  }

  init(_ root: YAMLNode) { self.root = root }

  /// Records a mistake, and takes it out of the tree.
  mutating func take(_ error: YAMLError) {
    guard let tree = root else { return }
    let place = YAMLPlace(error)
    let isRepetition = if case .repetition = error.fault { true } else { false }
    let isConsequence =
      isRepetition ? anonymous.contains(place) : damaged.contains(place)
    if !isConsequence { mistakes.append(error) }
    let lacksKey = if case .missingKey = error.fault { true } else { false }
    var found: [Found] = []
    Self.find(place, in: tree, path: [], &found)
    // The values stand from the outermost to the innermost.
    let values = found.filter { !$0.isKey }
    let target =
      isConsequence || lacksKey || isRepetition
      ? values.first ?? found.last : found.last { $0.isKey } ?? found.last
    guard mistakes.count < Self.most, let target else { return root = nil }
    // Of another quantity the units would be wrong.
    let suggestion = target.key == "quantity" ? nil : error.fault.meant.first
    if target.isKey, let suggestion, replaced.insert(place).inserted {
      root = Self.edit(tree, target.path[...]) { $0.rename(at: $1, to: suggestion) }
      return
    }
    let standIn =
      suggestion.map { YAMLNode.Content.scalar(YAMLScalar($0)) }
      ?? target.key.flatMap { self.standIn(for: $0, in: tree) }
    if !target.isKey, let standIn, replaced.insert(place).inserted {
      root = Self.edit(tree, target.path[...]) { $0.replace(at: $1, by: standIn) }
    } else {
      // Stop: references to a removed person or contact would be reported only because of the
      // removal. Of two equal entries, the other is still there.
      guard isRepetition || !isReferred(target.path, in: tree) else { return root = nil }
      root = Self.edit(tree, target.path[...]) { $0.remove(at: $1) }
    }
    if let parent = Self.node(at: target.path.dropLast(), in: tree) {
      damaged.insert(YAMLPlace(parent.location))
      if let key = target.key, Self.identifying.contains(key) {
        anonymous.insert(YAMLPlace(parent.location))
      }
    }
  }

  /// The keys of which no two entries of a list may have the same values.
  private static let identifying: Set<String> = [
    "id", "patient", "address", "sensor", "userIndex", "quantity", "device", "kind",
  ]

  /// A doubt with its line; `nil` if it may only follow from what was taken out.
  func located(_ doubt: PlanDoubt, in root: YAMLNode) -> YAMLError? {
    let nodes = root.nodes(on: doubt.path)
    // The root and the list of all entries stay the same without one of them.
    let own = nodes.dropFirst(2)
    let others = doubt.reasons.flatMap { root.nodes(on: $0).dropFirst() }
    guard !(own + others).contains(where: { damaged.contains(YAMLPlace($0.location)) }) else {
      return nil
    }
    return (nodes.last ?? root).error(doubt.text)
  }

  /// Whether other parts of the plan may refer to the entry at `path`.
  private func isReferred(_ path: [Int], in tree: YAMLNode) -> Bool {
    guard path.count <= 2, case .mapping(let pairs) = tree.content else { return false }
    let key = pairs[path[0]].key
    return ["timeZone", "patients", "contacts", "carePlans"].contains(key)
      || key == "tasks" && pairs.contains { $0.key == "notes" }
  }

  /// A value that is right, in place of one that every reader of its key needs.
  private func standIn(for key: String, in tree: YAMLNode) -> YAMLNode.Content? {
    func text(_ text: String) -> YAMLNode.Content { .scalar(YAMLScalar(text)) }
    switch key {
    case "timeZone": return text("UTC")
    case "title": return text("title")
    case "start": return text("2000-01-01")
    // Any user will do; the highest is the least likely one of another entry.
    case "userIndex": return text("255")
    case "interval":
      return .mapping([YAMLPair("days", at: tree.location, YAMLNode(text("1"), at: tree.location))])
    case "patient":
      guard case .mapping(let pairs) = tree.content,
        let people = pairs.first(where: { $0.key == "patients" })?.value,
        case .sequence(let elements) = people.content,
        case .mapping(let keys) = elements.first?.content
      else { return nil }
      return keys.first { $0.key == "id" }?.value.content
    default: return nil
    }
  }

  // MARK: The tree

  private static func find(
    _ place: YAMLPlace, in node: YAMLNode, path: [Int], _ found: inout [Found], key: String? = nil
  ) {
    if YAMLPlace(node.location) == place, !path.isEmpty {
      found.append(Found(path: path, key: key, isKey: false))
    }
    switch node.content {
    case .scalar: break
    case .sequence(let elements):
      for (index, element) in elements.enumerated() {
        find(place, in: element, path: path + [index], &found)
      }
    case .mapping(let pairs):
      for (index, pair) in pairs.enumerated() {
        if YAMLPlace(pair.location) == place {
          found.append(Found(path: path + [index], key: nil, isKey: true))
        }
        find(place, in: pair.value, path: path + [index], &found, key: pair.key)
      }
    }
  }

  private static func node(at path: ArraySlice<Int>, in node: YAMLNode) -> YAMLNode? {
    guard let index = path.first else { return node }
    switch node.content {
    case .scalar: return nil
    case .sequence(let elements): return self.node(at: path.dropFirst(), in: elements[index])
    case .mapping(let pairs): return self.node(at: path.dropFirst(), in: pairs[index].value)
    }
  }

  /// The tree with a change of the value at `path`, which the list or mapping above it makes.
  private static func edit(
    _ node: YAMLNode, _ path: ArraySlice<Int>, _ change: (inout YAMLNode, Int) -> Void
  ) -> YAMLNode {
    guard let index = path.first else { return node }
    var node = node
    guard path.count > 1 else {
      change(&node, index)
      return node
    }
    switch node.content {
    case .scalar: break
    case .sequence(var elements):
      elements[index] = edit(elements[index], path.dropFirst(), change)
      node.content = .sequence(elements)
    case .mapping(var pairs):
      pairs[index].value = edit(pairs[index].value, path.dropFirst(), change)
      node.content = .mapping(pairs)
    }
    return node
  }
}

extension YAMLNode {
  /// Removes the element or pair at `index`.
  fileprivate mutating func remove(at index: Int) {
    switch content {
    case .scalar: break
    case .sequence(var elements):
      elements.remove(at: index)
      content = .sequence(elements)
    case .mapping(var pairs):
      pairs.remove(at: index)
      content = .mapping(pairs)
    }
  }

  /// Renames the key at `index`; a key that is there already is left alone.
  fileprivate mutating func rename(at index: Int, to key: String) {
    guard case .mapping(var pairs) = content else { return }
    if pairs.contains(where: { $0.key == key }) {
      pairs.remove(at: index)
    } else {
      pairs[index].key = key
    }
    content = .mapping(pairs)
  }

  /// Replaces the value at `index`.
  fileprivate mutating func replace(at index: Int, by value: Content) {
    switch content {
    case .scalar: break
    case .sequence(var elements):
      elements[index].content = value
      content = .sequence(elements)
    case .mapping(var pairs):
      pairs[index].value.content = value
      content = .mapping(pairs)
    }
  }
}

// MARK: - Plan doubts

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
