public import Care
public import GATT
import StrictYAML

/// The description of a kind of device in a file of `Devices/`: how to recognise it, the steps of a
/// session, and how its bytes become readings.
///
/// A file is one YAML mapping; unknown keys are errors. `Devices/README.md` is its commented
/// template. In short:
///
/// - `id`, `name`, `vendor`, `description`: the device; `families`: the products that it serves;
///   `prepare`: what a person does.
/// - `match`: `any` and `all` of clauses by `service`, `characteristic`, `serviceData`,
///   `manufacturerData` (with `length`, `bytes` and the own `address`), `namePrefix`, `name` and
///   `nameContains`. A more specific rule has a higher score; the definition with the highest score
///   is used.
/// - `link`: `mode: advertisement` or `connect`, `bond: none` or `required`, `history`.
/// - `session`: steps (`subscribe`, `write`, `read`, `waitFor`, `delay`, `echo`, `increment`,
///   `consent`, `fetchRecords`) to `start` and to `end`, a write to `keepAlive`, `answers` to
///   frames, and the `password` of a pairing. A write may be put together when it is sent.
/// - `assembly`: how values of a characteristic become frames: streams and numbered parts.
/// - `memory`: where a device whose memory is read has its records, and the codec that reads it.
/// - `records`: for each source of frames, the `fields` (type, position, flags, scale, unit,
///   quantity or part of the time) and `motion` in them, or the `codec` for formats that fields
///   cannot describe; their `checksum`, and the mask that hides them (`unmask`); with
///   `commit` the rule by which an advertised measurement is final.
/// - `vectors`: frames with the expected results and their source.
///
/// Every bound of a frame is checked: one that is too short is refused as a whole.
public struct DeviceDefinition: Sendable {
  /// The identifier in plans and on the command line: `xiaomi-mi-scale-2`.
  public let id: String
  /// The display name: `Mi Body Composition Scale 2`.
  public let name: String
  /// The manufacturer.
  public let vendor: String
  /// The products that it serves, as people know them.
  ///
  /// `Renpho ES-26M`, `Yunmai Mini`. There are none if the file names none, which
  /// ``DeviceCatalog/lint(_:)`` reports.
  public let families: [String]
  /// The device and its requirements, in sentences.
  public let description: String
  /// The step by which a person makes it readable, in a few words: `step on barefoot`.
  public let prepare: String?
  /// How its data is obtained.
  public let link: Link
  /// The recorded or derived frames that test the definition.
  public let vectors: [DefinitionVector]

  let match: MatchRule
  let session: SessionScript
  let records: [RecordRule]
  let assembly: [AssemblyRule]
  let memory: MemoryRule?
  let origin: YAMLLocation
  /// Where each of ``families`` stands in the file.
  let familyOrigins: [YAMLLocation]
  /// Where each of the file's keys stands.
  private let places: [String: YAMLLocation]

  /// Where a key stands in the file, the definition's own place if the file does not have it.
  func place(of key: String) -> YAMLLocation { places[key] ?? origin }
}

extension DeviceDefinition {
  /// How a device's data is obtained.
  public struct Link: Hashable, Sendable {
    /// Whether the data is in the advertisements or needs a connection.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
      /// All data is in the advertisements: do not connect.
      case advertisement
      /// Connect, discover, and follow the session's steps.
      case connect
    }

    /// Whether the device sends data only to a paired machine.
    public enum Bond: String, Hashable, Sendable, CaseIterable {
      /// No pairing is needed.
      case none
      /// The device must be paired first.
      case required
    }

    /// Advertisement or connection.
    public var mode: Mode
    /// Whether it needs pairing.
    public var bond: Bond
    /// Whether a device that advertises its data stores it too, so that missed measurements can be
    /// fetched over a connection.
    public var keepsHistory: Bool

    /// Makes a link.
    public init(mode: Mode, bond: Bond = .none, keepsHistory: Bool = false) {
      self.mode = mode
      self.bond = bond
      self.keepsHistory = keepsHistory
    }
  }
}

// MARK: - Reading

extension DeviceDefinition {
  /// Reads a definition.
  ///
  /// - Throws: ``YAMLError`` for the first defect.
  init(_ file: DefinitionFile) throws(YAMLError) {
    try self.init(try YAMLDocument.parse(file.text, file: file.name))
  }

  /// Reads a definition from the tree of its file.
  init(_ node: YAMLNode) throws(YAMLError) {
    var root = try node.mapping()
    let id = try root.required("id")
    self.origin = id.location
    self.places = Dictionary(try node.pairs().map { ($0.key, $0.location) }) { first, _ in first }
    self.id = try id.identifier()
    self.name = try root.required("name").string()
    self.vendor = try root.required("vendor").string()
    let families = root.optional("families")
    self.families =
      try families?.elements(atMost: 32) { node throws(YAMLError) in
        try node.line(atMost: 80)
      } ?? []
    self.familyOrigins = try families?.sequence().map(\.location) ?? []
    self.description = try root.required("description").string()
    self.prepare = try root.optional("prepare")?.line(atMost: 80)
    self.match = try MatchRule(try root.required("match"))
    self.link = try Link(try root.required("link"))
    self.session = try root.optional("session").map(SessionScript.init(_:)) ?? SessionScript()
    self.records = try root.required("records").elements(atMost: 64, RecordRule.rules(_:))
      .flatMap(\.self)
    self.assembly =
      try root.optional("assembly")?.elements(atMost: 16, AssemblyRule.init(_:)) ?? []
    self.memory = try root.optional("memory").map(MemoryRule.init(_:))
    self.vectors =
      try root.optional("vectors")?.elements(atMost: 256, DefinitionVector.init(_:)) ?? []
    try root.finish()
  }
}

extension DeviceDefinition.Link {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var link = try node.mapping()
    self.init(
      mode: try link.required("mode").choice(),
      bond: try link.optional("bond")?.choice() ?? .none,
      keepsHistory: try link.optional("history")?.boolean() ?? false)
    try link.finish()
  }
}

extension Optional where Wrapped == YAMLNode {
  /// The result of `read` for the node, if present.
  func map<Value>(
    _ read: (YAMLNode) throws(YAMLError) -> Value
  ) throws(YAMLError) -> Value? {
    guard let self else { return nil }
    return try read(self)
  }
}

// MARK: - Summary

extension DeviceDefinition {
  /// The ways in which the device is recognised, in words; each is sufficient.
  public var recognisedBy: [String] {
    match.alternatives.map { $0.map(\.description).joined(separator: " and ") }
  }

  /// The services that a device of this kind may advertise, in the order of the file, for the
  /// filter of a scan.
  public var advertisedServices: [BluetoothUUID] {
    var services: [BluetoothUUID] = []
    for clause in match.all + match.any {
      for service in [clause.service, clause.serviceData?.key].compactMap(\.self)
      where !services.contains(service) {
        services.append(service)
      }
    }
    return services
  }

  /// The quantities that the device can measure, in the order of the file.
  public var quantities: [Quantity] {
    var quantities: [Quantity] = []
    for quantity in records.flatMap(\.quantities) where !quantities.contains(quantity) {
      quantities.append(quantity)
    }
    return quantities
  }

  /// Whether the device needs credentials from the plan: a key, a password, or the consent of its
  /// users.
  public var needsCredentials: Bool { needsKey || needsConsent || session.password != nil }

  /// Whether its frames are encrypted with a key that the plan must have.
  public var needsKey: Bool {
    records.contains { record in
      if case .codec(let name) = record.content { name.facts.needsKey } else { false }
    }
  }

  /// Whether the plan must have the index and the code of each of its users.
  var needsConsent: Bool {
    session.start.contains { if case .consent = $0 { true } else { false } }
  }

  /// Whether its readings say which of the device's users they are of, as far as the definition
  /// tells: by a field, by a codec with a key, by their consent, or in a vector.
  public var hasUsers: Bool {
    needsCredentials || records.contains { $0.userField != nil } || (memory?.users.count ?? 1) > 1
      || vectors.contains { $0.expected.contains { $0.reading?.user != nil } }
  }

  /// Whether the device's own address hides its frames.
  var looksAtAddress: Bool {
    records.contains { if case .address = $0.unmask?.key { true } else { false } }
  }

  /// Whether the device streams acceleration.
  public var streamsMotion: Bool { records.contains { $0.streamsMotion } }
}

extension RecordRule {
  fileprivate var quantities: [Quantity] {
    switch content {
    case .fields(let fields, _): fields.compactMap { $0.value?.quantity }
    case .codec(let name): name.facts.quantities
    case .nothing: []
    }
  }

  var streamsMotion: Bool {
    switch content {
    case .fields(_, let motion): motion != nil
    case .codec(let name): name.facts.streamsMotion
    case .nothing: false
    }
  }
}

// MARK: - Lint

extension DeviceDefinition {
  /// The defects of the definition by itself.
  var ownFindings: [DefinitionFinding] {
    var findings = records.flatMap(\.findings) + familyFindings + draftFindings + nameFindings
    if vectors.isEmpty {
      findings.append(
        DefinitionFinding(origin, "‘\(id)’ has no vectors: nothing shows that it reads its device"))
    }
    findings += session.findings(of: self)
    findings += unrequestedRecords.map {
      DefinitionFinding($0.origin, "\($0.source) is read but no step subscribes to it or reads it")
    }
    findings += memoryFindings
    findings += assembly.filter { rule in
      !records.contains { $0.source == .characteristic(rule.characteristic) }
    }.map {
      DefinitionFinding($0.origin, "the frames of \($0.characteristic) have no record")
    }
    let isSilent = link.mode == .advertisement && !link.keepsHistory
    if isSilent, session != SessionScript() {
      findings.append(
        DefinitionFinding(
          place(of: "session"), "‘\(id)’ is never connected to, so its session is never run"))
    }
    if link.keepsHistory, link.mode == .connect || session.start.isEmpty {
      findings.append(
        DefinitionFinding(
          place(of: "link"),
          "‘history’ is for a device that advertises its data and has a session to fetch the rest"))
    }
    return findings
  }

  /// The texts that a draft leaves to a person, and an id that is not that of the file.
  private var draftFindings: [DefinitionFinding] {
    func isOpen(_ text: String) -> Bool {
      text.split { !$0.isLetter && !$0.isNumber }.contains("TODO")
    }
    let texts: [(key: String, text: String, place: YAMLLocation)] =
      [("name", name), ("vendor", vendor), ("description", description)]
      .map { ($0, $1, place(of: $0)) }
      + (prepare.map { [("prepare", $0, place(of: "prepare"))] } ?? [])
      + zip(families, familyOrigins).map { ("families", $0, $1) }
      + vectors.flatMap { [("name", $0.name, $0.origin), ("from", $0.from, $0.origin)] }
    var findings = texts.filter { isOpen($0.text) }.map {
      DefinitionFinding($0.place, "‘\($0.key)’ is still to be written: \($0.text)")
    }
    let file = origin.file.split(separator: "/").last ?? ""
    let parts = file.split(separator: ".")
    if let stem = parts.first, parts.count == 2, ["yaml", "yml"].contains(parts[1]), stem != id {
      findings.append(
        DefinitionFinding(
          origin, "the id ‘\(id)’ is not the file's name: it is looked for in \(id).yaml"))
    }
    return findings
  }

  /// Matches by so few letters that other devices have them, too.
  private var nameFindings: [DefinitionFinding] {
    match.alternatives.compactMap { clauses in
      guard clauses.allSatisfy(\.isOnlyPartOfName) else { return nil }
      let letters = clauses.map { ($0.namePrefix ?? "").count + ($0.nameContains ?? "").count }
      guard letters.reduce(0, +) < 3 else {
        guard clauses.contains(where: { $0.namePrefix == "TODO" }) else { return nil }
        return DefinitionFinding(
          place(of: "match"), "‘match’ is still to be written: namePrefix TODO")
      }
      let words = clauses.map(\.description).joined(separator: " and ")
      return DefinitionFinding(
        place(of: "match"),
        "a match by nothing but \(words) takes in unrelated devices: three letters at least")
    }
  }

  /// Families that are missing, or named twice.
  private var familyFindings: [DefinitionFinding] {
    guard !families.isEmpty else {
      return [
        DefinitionFinding(
          origin,
          "‘\(id)’ names no ‘families’: the products that it serves, as people know them")
      ]
    }
    var known: Set<String> = []
    return zip(families, familyOrigins).compactMap { family, place in
      known.insert(family.lowercased()).inserted
        ? nil : DefinitionFinding(place, "the family ‘\(family)’ is named twice")
    }
  }

  /// A memory without records, or that is never opened.
  private var memoryFindings: [DefinitionFinding] {
    guard let memory else { return [] }
    let mine = records.filter { $0.source == .characteristic(memory.codec.source) }
    var findings: [DefinitionFinding] = []
    if !mine.contains(where: \.isStored) {
      findings.append(
        DefinitionFinding(
          memory.origin,
          "no record says what is stored in the memory: ‘characteristic: \(memory.codec.source)’"
            + " with ‘stored: true’"))
    }
    findings += mine.compactMap { record in
      guard let length = record.length, length != memory.length else { return nil }
      return DefinitionFinding(
        record.origin, "the record has \(length) bytes, those of the memory have \(memory.length)")
    }
    if link.mode != .connect || link.bond != .required {
      findings.append(
        DefinitionFinding(
          memory.origin, "a memory is only opened over a link with ‘bond: required’"))
    }
    return findings
  }

  /// Records of characteristics that no step of the session requests.
  private var unrequestedRecords: [RecordRule] {
    var requested = session.requested
    if let memory { requested.insert(memory.codec.source) }
    return records.filter { record in
      guard case .characteristic(let uuid) = record.source else { return false }
      return !requested.contains(uuid)
    }
  }
}

extension SessionScript {
  /// Every step in order with its place in the file, with those within a consent.
  private var steps: [(step: SessionStep, place: YAMLLocation?)] {
    start.enumerated().flatMap { index, step -> [(SessionStep, YAMLLocation?)] in
      let place = startOrigins.indices.contains(index) ? startOrigins[index] : nil
      guard case .consent(_, let then) = step else { return [(step, place)] }
      return ([step] + then).map { ($0, place) }
    }
  }

  /// The characteristics that a step subscribes to or reads.
  fileprivate var requested: Set<BluetoothUUID> {
    Set(
      steps.compactMap { item in
        switch item.step {
        case .subscribe(let uuid), .read(let uuid): uuid
        default: nil
        }
      })
  }

  /// The characteristics to which a step or an answer writes.
  var writable: [BluetoothUUID] {
    var written = answers.map(\.target)
    for (step, _) in steps {
      switch step {
      case .write(let uuid, _, _), .delete(let uuid, _, _), .increment(let uuid),
        .consent(let uuid, _), .fetchRecords(let uuid):
        written.append(uuid)
      case .echo(let uuids): written += uuids
      case .subscribe, .read, .waitFor, .delay: break
      }
    }
    return written
  }

  /// The defects of the order of the steps.
  fileprivate func findings(of definition: DeviceDefinition) -> [DefinitionFinding] {
    var findings: [DefinitionFinding] = []
    var requested: Set<BluetoothUUID> = []
    var takesTime = false
    for (step, place) in steps {
      func add(_ reason: String) {
        findings.append(DefinitionFinding(place ?? definition.origin, reason))
      }
      switch step {
      case .subscribe(let uuid):
        if takesTime {
          add(
            "the session subscribes to \(uuid) after a step that takes time; a scale may not wait")
        }
        requested.insert(uuid)
      case .read(let uuid): requested.insert(uuid)
      default:
        for uuid in step.awaitedCharacteristics where !requested.contains(uuid) {
          add("the session waits for \(uuid), which nothing subscribes to")
        }
      }
      takesTime = takesTime || step.takesTime
    }
    for answer in answers where !requested.contains(answer.characteristic) {
      findings.append(
        DefinitionFinding(
          answer.origin, "the session answers \(answer.characteristic), which nothing subscribes to"
        ))
    }
    if let password, !requested.contains(password.characteristic) {
      findings.append(
        DefinitionFinding(
          password.origin,
          "the password comes from \(password.characteristic), which nothing subscribes to"))
    }
    for answer in answers where password == nil {
      guard answer.payload.needsPassword || answer.state != nil else { continue }
      findings.append(
        DefinitionFinding(answer.origin, "the session has no ‘password’ that the answer depends on")
      )
    }
    for (step, place) in steps {
      guard case .write(_, let payload, _) = step, payload.needsPassword else { continue }
      findings.append(
        DefinitionFinding(
          place ?? definition.origin, "only an answer is an exclusive or with the password"))
    }
    // A device may delete what is acknowledged.
    for answer in answers
    where definition.records.contains(where: { $0.isHeldBack && answer.mayAnswer($0) }) {
      findings.append(
        DefinitionFinding(
          answer.origin, "a frame is answered whose value is held back until another frame comes"))
    }
    return findings
  }
}

extension SessionStep {
  /// The characteristics whose values end the step, which an earlier step must have requested.
  fileprivate var awaitedCharacteristics: [BluetoothUUID] {
    switch self {
    case .waitFor(let wait): [wait.characteristic]
    case .consent(let uuid, _), .fetchRecords(let uuid): [uuid]
    default: []
    }
  }
}
