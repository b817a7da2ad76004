package import Care
package import Foundation
import Motion
package import StrictYAML

/// Reads the parts of a plan.
struct PlanReader {
  /// The zone of times without an offset.
  var timeZone: TimeZone
  /// Where the person is whose schedules are read.
  var stays: [Stay] = []
  /// The pauses of the whole plan.
  var pauses: [StepSelection.Pause] = []
  /// The active tasks that a task can ask for.
  var activeTasks: [ActiveTaskForm] = []
  /// The device definitions; `nil` to take any.
  var definitions: DefinitionIndex?
  /// The files beside the plan; `nil` if there are none.
  var files: PlanFiles?
  /// The contacts of the plan.
  var knownContacts: [Contact] = []
  /// Whether the people are those of the store that it is imported into.
  var isPart = false
  /// The secrets of the channels and the videos that were read so far.
  let secrets = FoundSecrets()

  /// Secrets stand beside what they open, videos in files of their own; both are kept elsewhere.
  final class FoundSecrets {
    fileprivate(set) var channels: [ChannelSecret] = []
    fileprivate(set) var videos: [PlanVideoFile] = []

    /// Notes one.
    func note(_ secret: ChannelSecret) { channels.append(secret) }

    /// Notes one, once for all tasks that show it.
    func note(_ video: PlanVideoFile) {
      if !videos.contains(video) { videos.append(video) }
    }
  }

  /// The patient that `node` names, who must be one of `patients`, or of the store.
  func patient(_ node: YAMLNode, of patients: [Patient]) throws(YAMLError) -> String {
    guard !isPart else { return try node.identifier() }
    let id = try node.string()
    let known = patients.map(\.id)
    guard known.contains(id) else {
      throw node.error(
        "there is no patient ‘\(id)’ in this plan",
        meant: Spelling.Suggestion(for: id, among: known))
    }
    return id
  }

  /// The patient of an entry, under the key `patient`; may be left out if the plan has only one.
  func owner(_ reader: inout MappingReader, of patients: [Patient]) throws(YAMLError) -> String {
    if patients.count == 1, let only = patients.first, reader.optional("patient") == nil {
      return only.id
    }
    if isPart, reader.optional("patient") == nil {
      throw reader.location.error(
        "this plan has no ‘patients’, so each task names one of the store's: patient: ID")
    }
    return try patient(reader.required("patient"), of: patients)
  }

  /// The elements of a list, each of which must differ from all before it.
  ///
  /// - Parameters:
  ///   - node: The list; none if `nil`.
  ///   - twice: The message if an element is the same as another.
  ///   - isSame: Whether two elements are the same.
  ///   - read: Reads one element.
  /// - Returns: The elements, in order.
  /// - Throws: ``YAMLError`` of `read`, and for the first element that is the same as another.
  func list<Element>(
    _ node: YAMLNode?, twice: (Element) -> String, isSame: (Element, Element) -> Bool,
    read: (YAMLNode) throws(YAMLError) -> Element
  ) throws(YAMLError) -> [Element] {
    var elements: [Element] = []
    for node in try node?.sequence() ?? [] {
      let element = try read(node)
      guard !elements.contains(where: { isSame($0, element) }) else {
        throw node.location.error(.repetition(twice(element)))
      }
      elements.append(element)
    }
    return elements
  }

  /// A list of texts, each once.
  func texts(_ node: YAMLNode?) throws(YAMLError) -> [String] {
    try list(node, twice: { "‘\($0)’ is given twice" }, isSame: ==) { node throws(YAMLError) in
      try node.string()
    }
  }
}

// MARK: - Devices

extension PlanReader {
  /// The devices of a plan, each address and user slot once.
  func devices(_ node: YAMLNode?, of patients: [Patient]) throws(YAMLError) -> [DeviceBinding] {
    try list(
      node,
      twice: { device in
        let slot = device.userIndex.map { ", user \($0)," } ?? ""
        return "the device \(device.address)\(slot) is given twice"
      }, isSame: { $0.address == $1.address && $0.userIndex == $1.userIndex }
    ) { node throws(YAMLError) in
      try device(node, of: patients)
    }
  }

  private func device(_ node: YAMLNode, of patients: [Patient]) throws(YAMLError) -> DeviceBinding {
    var reader = try node.mapping()
    var owner: String?
    if let node = reader.optional("patient") { owner = try patient(node, of: patients) }
    let code = reader.optional("consentCode")
    let device = DeviceBinding(
      address: try deviceID(&reader),
      definition: try definition(reader.optional("definition")), patient: owner,
      userIndex: try reader.optional("userIndex")?.integer(in: 0...255),
      placement: try placement(reader.optional("placement")),
      key: try reader.optional("key")?.deviceKey(), consentCode: try code?.consentCode())
    try reader.finish(meant: [
      "bindkey": "key", "bindKey": "key", "mac": "address", "type": "definition",
    ])
    if let code, device.userIndex == nil {
      throw code.error("a consent code opens one user's slot: give its ‘userIndex’ too")
    }
    return device
  }

  /// The device: `address`, or `sensor` for a wired or recorded one.
  private func deviceID(_ reader: inout MappingReader) throws(YAMLError) -> DeviceID {
    guard let sensor = reader.optional("sensor") else {
      return try reader.required("address").bluetoothAddress()
    }
    guard reader.optional("address") == nil else {
      throw reader.location(of: "sensor").error("give ‘address’ or ‘sensor’, not both")
    }
    let name = try sensor.identifier()
    guard !DeviceID(name).isAddress else {
      throw sensor.error("‘\(name)’ is a Bluetooth address; write address: \"\(name)\"")
    }
    return DeviceID(name)
  }

  /// The id of a device definition.
  private func definition(_ node: YAMLNode?) throws(YAMLError) -> String? {
    guard let node else { return nil }
    let id = try node.identifier()
    guard let definitions, definitions[id] == nil else { return id }
    let known = definitions.entries.map(\.id)
    let word = id.lowercased().replacing(" ", with: "-")
    let similar = known.filter { $0.contains(word) || word.contains($0) }
    throw node.error(
      "there is no device definition ‘\(id)’" + definitions.place,
      meant: similar.isEmpty
        ? Spelling.Suggestion(for: id, among: known)
        : Spelling.Suggestion(similar, isChoice: true))
  }

  private func placement(_ node: YAMLNode?) throws(YAMLError) -> Placement? {
    guard let node else { return nil }
    var reader = try node.mapping()
    let placement = Placement(
      joint: try reader.optional("joint")?.choice(), side: try reader.optional("side")?.choice(),
      segment: try reader.optional("segment")?.choice())
    try reader.finish()
    return placement
  }
}

extension YAMLNode {
  /// A Bluetooth address in any usual spelling.
  fileprivate func bluetoothAddress() throws(YAMLError) -> DeviceID {
    let text = try identifier()
    let device = DeviceID(text.withColons)
    guard device.isAddress else {
      throw error(
        text.looksLikeAddress
          ? "‘\(text)’ is no Bluetooth address; it has six pairs of hex digits:"
            + " A0:9E:1A:00:00:02"
          : "‘\(text)’ is no Bluetooth address such as A0:9E:1A:00:00:02; a wired or recorded"
            + " sensor is written sensor: \(text)")
    }
    return device
  }

  /// A Bluetooth address, or the name of a wired or recorded sensor.
  func deviceID() throws(YAMLError) -> DeviceID {
    let text = try identifier()
    return text.looksLikeAddress ? try bluetoothAddress() : DeviceID(text)
  }

  // The errors do not contain the secrets: they end up in a log.

  /// Sixteen bytes in hex.
  fileprivate func deviceKey() throws(YAMLError) -> Secret<[UInt8]> {
    guard let key = [UInt8](hex: try string()), key.count == 16 else {
      throw error(
        "the key must be 32 hex digits, as the vendor's account gives it; in quotes where it looks"
          + " like a number")
    }
    return Secret(key)
  }

  /// Four digits at most.
  fileprivate func consentCode() throws(YAMLError) -> Secret<UInt16> {
    guard let code = UInt16(try string()), code <= 9999 else {
      throw error("the consent code must be a number from 0 to 9999")
    }
    return Secret(code)
  }
}

extension String {
  /// The text with colons, if it is six pairs of hex digits with dashes or nothing between.
  fileprivate var withColons: String {
    let text = replacing("-", with: ":")
    guard text.utf8.count == 12, text.allSatisfy(\.isHexDigit) else { return text }
    let digits = Array(text)
    return stride(from: 0, to: 12, by: 2).map { String(digits[$0...($0 + 1)]) }
      .joined(separator: ":")
  }

  /// Whether it is meant as a Bluetooth address: pairs of hex digits, also too few of them, or in
  /// quotes of a word processor.
  fileprivate var looksLikeAddress: Bool {
    let bare = filter { !"“”„‘’\"'".contains($0) }
    guard bare.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "-" }) else { return false }
    let parts = bare.split(omittingEmptySubsequences: false) { $0 == ":" || $0 == "-" }
    return parts.count >= 4 && (11...20).contains(bare.count)
      || parts.count == 1 && bare.count == 12
  }
}

// MARK: - Plan file

/// A care plan's file: YAML or JSON, read completely or refused.
///
/// A file with tasks and without patients is a part of a store's plan (``PlanDocument/isPart``).
package enum PlanFile {
  /// Reads a plan.
  ///
  /// - Parameters:
  ///   - text: The whole file.
  ///   - file: The file's name, for errors.
  ///   - activeTasks: The active tasks that a plan can ask for, with their keys.
  ///   - definitions: The device definitions; `nil` to take any.
  ///   - files: The files that it names; `nil` for a plan that comes alone.
  /// - Returns: The plan; all its references are valid.
  /// - Throws: ``YAMLError`` with file, line and reason for the first thing that is wrong.
  package static func parse(
    _ text: String, file: String, activeTasks: [ActiveTaskForm],
    definitions: DefinitionIndex? = nil,
    files: PlanFiles? = nil
  ) throws(YAMLError) -> PlanDocument {
    try document(
      YAMLDocument.parse(text, file: file), activeTasks: activeTasks, definitions: definitions,
      files: files)
  }

  /// Reads a kit: a file with `devices` alone, as a plan has them, but without keys.
  ///
  /// - Parameters:
  ///   - text: The whole file.
  ///   - file: The file's name, for errors.
  ///   - definitions: The device definitions; `nil` to take any.
  /// - Returns: The devices.
  /// - Throws: ``YAMLError`` with file, line and reason for the first thing that is wrong.
  package static func kit(
    _ text: String, file: String, definitions: DefinitionIndex? = nil
  ) throws(YAMLError) -> [DeviceBinding] {
    var kit = try YAMLDocument.parse(text, file: file).mapping()
    let node = try kit.required("devices")
    try kit.finish()
    var reader = PlanReader(timeZone: .gmt, definitions: definitions)
    reader.isPart = true
    let devices = try reader.devices(node, of: [])
    guard devices.allSatisfy({ $0.key == nil && $0.consentCode == nil }) else {
      throw node.error("a kit travels, and has no ‘key’ and no ‘consentCode’: give them on the box")
    }
    return devices
  }

  /// Reads a plan from the tree of its file.
  static func document(
    _ root: YAMLNode, activeTasks: [ActiveTaskForm], definitions: DefinitionIndex?,
    files: PlanFiles?
  ) throws(YAMLError) -> PlanDocument {
    var plan = try root.mapping()
    let timeZone = try plan.required("timeZone").timeZone()
    let people = plan.optional("patients")
    let others = plan.optional("others")
    let carePlans = plan.optional("carePlans")
    let tasks = plan.optional("tasks")
    let devices = plan.optional("devices")
    let contacts = plan.optional("contacts")
    let notes = plan.optional("notes")
    let pauses = plan.optional("pauses")
    let notify = plan.optional("notify")
    // A misspelt key here would make names in the other lists unknown.
    try plan.finish()
    var reader = PlanReader(
      timeZone: timeZone, activeTasks: activeTasks, definitions: definitions, files: files)
    reader.pauses = try reader.pauses(pauses)
    let patients = try reader.patients(people, others: others)
    reader.isPart = tasks != nil && patients.isEmpty
    if reader.isPart {
      let others = [
        "carePlans": carePlans, "devices": devices, "contacts": contacts, "notes": notes,
        "notify": notify,
      ]
      for key in others.keys.sorted() where others[key] != .some(nil) {
        throw plan.location(of: key).error(
          "a plan without ‘patients’ has tasks only: add the patients, or leave this out")
      }
    }
    var document = PlanDocument(
      timeZone: timeZone, patients: patients, tasks: [],
      carePlans: try reader.carePlans(carePlans, of: patients))
    document.contacts = try reader.contacts(contacts, of: patients)
    reader.knownContacts = document.contacts
    try reader.readNotify(notify, people: people, for: &document.patients)
    document.tasks = try reader.tasks(tasks, of: patients, in: document.carePlans)
    guard !reader.isPart || !document.tasks.isEmpty else {
      throw plan.location(of: "tasks").error("there are tasks but no patients")
    }
    document.devices = try reader.devices(devices, of: patients)
    document.notes = try reader.notes(notes, of: patients, about: document.tasks)
    document.channelSecrets = reader.secrets.channels
    document.videos = reader.secrets.videos
    document.isPart = reader.isPart
    return document
  }
}

/// A file with a single schedule.
package enum ScheduleFile {
  /// A schedule and the zone of its times.
  package struct Document: Hashable, Sendable {
    /// The zone.
    package var timeZone: TimeZone
    /// The schedule.
    package var schedule: Schedule
  }

  /// Reads a file with `timeZone` and `schedule`.
  ///
  /// - Parameters:
  ///   - text: The whole file.
  ///   - file: The file's name, for errors.
  /// - Returns: The schedule.
  /// - Throws: ``YAMLError`` with file, line and reason for the first thing that is wrong.
  package static func parse(_ text: String, file: String) throws(YAMLError) -> Document {
    var root = try YAMLDocument.parse(text, file: file).mapping()
    let reader = PlanReader(timeZone: try root.required("timeZone").timeZone())
    let schedule = try reader.schedule(root.required("schedule"))
    try root.finish()
    return Document(timeZone: reader.timeZone, schedule: schedule)
  }
}
