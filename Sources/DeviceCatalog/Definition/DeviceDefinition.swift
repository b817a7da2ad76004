public import Care
public import GATT
import StrictYAML

/// What a file of `Devices/` says of a kind of device: how to recognise it, what to do when a link is
/// up, and how its bytes become readings.
///
/// A file is one YAML mapping; unknown keys are errors. `Devices/README.md` is its commented
/// template. In short:
///
/// - `id`, `name`, `vendor`, `description`: what it is.
/// - `match`: `any` and `all` of clauses by `service`, `serviceData`, `manufacturerData` (each with
///   `length` and `bytes`) and `namePrefix`. The more a rule asks for, the higher its score, and the
///   highest is taken.
/// - `link`: `mode: advertisement` or `connect`, `bond: none` or `required`, `history`.
/// - `session`: steps (`subscribe`, `write`, `read`, `waitFor`, `delay`, `echo`, `increment`,
///   `consent`, `fetchRecords`) to `start` and to `end`, and what to `keepAlive`.
/// - `records`: for each source of frames, the `fields` (type, place, flags, scale, unit, quantity)
///   and `motion` in them, or the `codec` that reads what fields cannot say; with `commit` the rule
///   by which an advertised measurement is final.
/// - `vectors`: frames with what must come of them, and where they were taken from.
///
/// Frames are read with every bound checked: one that is too short is refused as a whole.
public struct DeviceDefinition: Sendable {
  /// The name that plans and the command line use: `xiaomi-mi-scale-2`.
  public let id: String
  /// What people read: `Mi Body Composition Scale 2`.
  public let name: String
  /// Who makes it.
  public let vendor: String
  /// What it is and what it needs, for people.
  public let description: String
  /// How its data is come by.
  public let link: Link
  /// The recorded or derived frames that prove the definition.
  public let vectors: [DefinitionVector]

  let match: MatchRule
  let session: SessionScript
  let records: [RecordRule]
  let origin: YAMLLocation
}

extension DeviceDefinition {
  /// How a device's data is come by.
  public struct Link: Hashable, Sendable {
    /// Whether the data is in the advertisements or behind a connection.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
      /// Everything is in the advertisements: never connect.
      case advertisement
      /// Connect, discover, and follow the session's steps.
      case connect
    }

    /// Whether the device speaks only to someone it has paired with.
    public enum Bond: String, Hashable, Sendable, CaseIterable {
      /// It speaks to anyone.
      case none
      /// It must be paired first (`measured pair`).
      case required
    }

    /// Advertisement or connection.
    public var mode: Mode
    /// What pairing it needs.
    public var bond: Bond
    /// Whether a device whose data is in the advertisements stores it too, so that now and then it
    /// is connected to for what nobody heard.
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
  /// - Throws: ``YAMLError`` for the first thing that is not as the format wants it.
  init(_ file: DefinitionFile) throws(YAMLError) {
    var root = try YAMLDocument.parse(file.text, file: file.name).mapping()
    let id = try root.required("id")
    self.origin = id.location
    self.id = try id.identifier()
    self.name = try root.required("name").string()
    self.vendor = try root.required("vendor").string()
    self.description = try root.required("description").string()
    self.match = try MatchRule(try root.required("match"))
    self.link = try Link(try root.required("link"))
    self.session = try root.optional("session").map(SessionScript.init(_:)) ?? SessionScript()
    self.records = try root.required("records").elements(atMost: 64, RecordRule.init(_:))
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
  /// What `read` makes of the node, where there is one.
  func map<Value>(
    _ read: (YAMLNode) throws(YAMLError) -> Value
  ) throws(YAMLError) -> Value? {
    guard let self else { return nil }
    return try read(self)
  }
}

// MARK: - Summary

extension DeviceDefinition {
  /// The ways in which the device is recognised, for people; each is enough by itself.
  public var recognisedBy: [String] {
    match.alternatives.map { $0.map(\.description).joined(separator: " and ") }
  }

  /// The services that a device of this kind may advertise, in the order of the file: what a radio
  /// can be asked to look for.
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

  /// Whether the device tells nothing without something that the plan holds: a key, or the consent of
  /// its users.
  public var needsCredentials: Bool {
    records.contains { if case .codec(.xiaomiScale) = $0.content { true } else { false } }
      || session.start.contains { if case .consent = $0 { true } else { false } }
  }

  /// Whether the device streams acceleration, from which steps and movements are measured.
  public var streamsMotion: Bool { records.contains { $0.streamsMotion } }
}

extension RecordRule {
  fileprivate var quantities: [Quantity] {
    switch content {
    case .fields(let fields, _): fields.compactMap { $0.value?.quantity }
    case .codec(let name): name.quantities
    case .nothing: []
    }
  }

  fileprivate var streamsMotion: Bool {
    switch content {
    case .fields(_, let motion): motion != nil
    case .codec(let name): name == .polarMotion || name == .witMotion
    case .nothing: false
    }
  }
}

extension CodecName {
  fileprivate var quantities: [Quantity] {
    switch self {
    case .weightMeasurement: [.bodyMass, .bodyMassIndex, .height]
    case .bodyComposition:
      [
        .bodyFatPercentage, .basalMetabolicRate, .musclePercentage, .muscleMass, .fatFreeMass,
        .softLeanMass, .bodyWaterMass, .impedance, .bodyMass, .height,
      ]
    case .heartRate: [.heartRate, .energyExpended, .rrInterval]
    case .bloodPressure:
      [.bloodPressureSystolic, .bloodPressureDiastolic, .bloodPressureMean, .pulseRate]
    case .cuffPressure: [.cuffPressure]
    case .temperature, .intermediateTemperature: [.bodyTemperature]
    case .pulseOximeterSpotCheck, .pulseOximeterContinuous:
      [.oxygenSaturation, .pulseRate, .pulseAmplitudeIndex]
    case .glucose: [.bloodGlucose, .bloodGlucoseMass]
    case .battery: [.batteryLevel]
    case .xiaomiScale: [.bodyMass, .heartRate, .impedance, .impedanceHighFrequency]
    case .polarMotion, .witMotion: []
    }
  }
}

// MARK: - Lint

extension DeviceDefinition {
  /// What is wrong with the definition by itself.
  var ownFindings: [DefinitionFinding] {
    var findings = records.flatMap(\.findings)
    if vectors.isEmpty {
      findings.append(
        DefinitionFinding(origin, "‘\(id)’ has no vectors: nothing shows that it reads its device"))
    }
    findings += session.findings(of: self)
    findings += neverAskedFor.map {
      DefinitionFinding($0.origin, "\($0.source) is read but no step subscribes to it or reads it")
    }
    let isSilent = link.mode == .advertisement && !link.keepsHistory
    if isSilent, session != SessionScript() {
      findings.append(
        DefinitionFinding(origin, "‘\(id)’ is never connected to, so its session is never run"))
    }
    if link.keepsHistory, link.mode == .connect || session.start.isEmpty {
      findings.append(
        DefinitionFinding(
          origin,
          "‘history’ is for a device that advertises its data and has a session to fetch the rest"))
    }
    return findings
  }

  /// Records of characteristics that no step of the session asks for.
  private var neverAskedFor: [RecordRule] {
    let asked = session.asked
    return records.filter { record in
      guard case .characteristic(let uuid) = record.source else { return false }
      return !asked.contains(uuid)
    }
  }
}

extension SessionScript {
  /// Every step, those within a consent too, in order.
  private var steps: [SessionStep] {
    start.flatMap { step -> [SessionStep] in
      guard case .consent(_, let then) = step else { return [step] }
      return [step] + then
    }
  }

  /// The characteristics that some step subscribes to or reads.
  fileprivate var asked: Set<BluetoothUUID> {
    Set(
      steps.compactMap { step in
        switch step {
        case .subscribe(let uuid), .read(let uuid): uuid
        default: nil
        }
      })
  }

  /// What is wrong with the order of the steps.
  fileprivate func findings(of definition: DeviceDefinition) -> [DefinitionFinding] {
    var findings: [DefinitionFinding] = []
    var asked: Set<BluetoothUUID> = []
    var takesTime = false
    func add(_ reason: String) {
      findings.append(DefinitionFinding(definition.origin, reason))
    }
    for step in steps {
      switch step {
      case .subscribe(let uuid):
        if takesTime {
          add(
            "the session subscribes to \(uuid) after a step that takes time; a scale may not wait")
        }
        asked.insert(uuid)
      case .read(let uuid): asked.insert(uuid)
      default:
        for uuid in step.listensTo where !asked.contains(uuid) {
          add("the session waits for \(uuid), which nothing subscribes to")
        }
      }
      takesTime = takesTime || step.takesTime
    }
    return findings
  }
}

extension SessionStep {
  /// The characteristics whose values end the step, and which somebody must have asked for.
  fileprivate var listensTo: [BluetoothUUID] {
    switch self {
    case .waitFor(let wait): [wait.characteristic]
    case .consent(let uuid, _), .fetchRecords(let uuid): [uuid]
    default: []
    }
  }
}
