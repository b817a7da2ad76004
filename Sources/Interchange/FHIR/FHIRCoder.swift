public import Care
public import Foundation

/// Writes the types of a store as FHIR, and reads them from it.
///
/// A written resource is read again as the same. Facts for which FHIR has no place are in extensions
/// of ours (``FHIRName``). A resource from elsewhere that says what a plan cannot is refused, with the path
/// of the element; what only describes is left out and named.
///
/// ```swift
/// let coder = FHIRCoder(.r4, timeZone: berlin)
/// let text = FHIRJSON.text(of: try coder.encode(patient))
/// let again = try coder.patient(FHIRJSON.value(of: text)).value
/// ```
public struct FHIRCoder: Sendable {
  /// The release that is read and written.
  public var release: FHIRRelease
  /// The changes of what is read and written.
  public var mapping: FHIRMapping
  /// The zone of times that say none.
  public var timeZone: TimeZone
  /// When schedules begin that do not say it; `nil` to refuse them.
  public var start: Date?
  /// Whose the resources are that are read, whatever they say.
  public var patient: String?
  /// The days of which the single occurrences are written where FHIR has no rule for a schedule.
  public var horizon: Range<Date>?

  /// Makes a coder.
  public init(
    _ release: FHIRRelease = .r4, mapping: FHIRMapping = FHIRMapping(), timeZone: TimeZone,
    start: Date? = nil, patient: String? = nil, horizon: Range<Date>? = nil
  ) {
    self.release = release
    self.mapping = mapping
    self.timeZone = timeZone
    self.start = start
    self.patient = patient
    self.horizon = horizon
  }
}

/// A value that was read, and the paths of the elements that were left out of it.
public struct FHIRReading<Value> {
  /// The value.
  public var value: Value
  /// The elements that only describe, and were not taken over.
  public var omitted: [String]
}

extension FHIRReading: Sendable where Value: Sendable {}
extension FHIRReading: Equatable where Value: Equatable {}

/// The changes that a user makes to the mapping.
public struct FHIRMapping: Sendable {
  /// Changes each resource before it is written.
  public var writing: @Sendable (_ resource: inout FHIRObject) -> Void = { _ in }
  /// Changes each resource before it is read: the name of a task from an extension, say.
  public var reading: @Sendable (_ resource: inout FHIRObject) -> Void = { _ in }
  /// The codes of a quantity in place of its own LOINC code, for writing and reading.
  public var codes: [Quantity: [FHIRCoding]] = [:]
  /// Our ids of people, by the reference or id of the other side.
  public var patients: [String: String] = [:]
  /// The times of FHIR's `when`: `MORN` is `08:00:00`.
  public var times: [String: String] = [:]

  /// Makes a mapping that changes nothing.
  public init() {}
}

// MARK: - Our JSON inside FHIR

extension FHIRCoder {
  /// A value as the JSON of a plan or an export.
  static func coded(_ value: some Encodable, at path: String) throws(FHIRRefusal) -> FHIRValue {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return try FHIRJSON.value(of: encoder.encode(value))
    } catch let refusal as FHIRRefusal {
      throw refusal
    } catch {
      throw FHIRRefusal(at: path, .notExpressible)
    }
  }

  /// The value of that JSON.
  static func decoded<Value: Decodable>(
    _ type: Value.Type, _ json: FHIRValue, at path: String
  ) throws(FHIRRefusal) -> Value {
    do {
      return try JSONDecoder().decode(type, from: FHIRJSON.text(of: json))
    } catch let error as DecodingError {
      throw FHIRRefusal(at: path, .invalid(error.rule))
    } catch {
      throw FHIRRefusal(at: path, .invalid(String(describing: error)))
    }
  }

  /// An extension of ours that holds a value as JSON.
  static func codedExtension(
    _ name: String, _ value: some Encodable, at path: String
  ) throws(FHIRRefusal) -> FHIRValue {
    Self.extension(name, json: try coded(value, at: path))
  }

  static func `extension`(_ name: String, json: FHIRValue) -> FHIRValue {
    let text = String(decoding: FHIRJSON.text(of: json), as: UTF8.self)
    return Self.extension(FHIRName.extension(name), "valueString", .string(text))
  }

  static func `extension`(_ url: String, _ key: String, _ value: FHIRValue) -> FHIRValue {
    .object(["url": .string(url), key: value])
  }

  /// The JSON in an extension of ours.
  static func json(_ value: FHIRValue, at path: String) throws(FHIRRefusal) -> FHIRValue {
    guard let text = value.text else {
      throw FHIRRefusal(at: path, .wrongType(expected: "string"))
    }
    do throws(FHIRRefusal) {
      return try FHIRJSON.value(of: Data(text.utf8))
    } catch {
      throw FHIRRefusal(at: path, error.reason)
    }
  }

  /// The value of an extension of ours; `nil` without it.
  static func decodedExtension<Value: Decodable>(
    _ type: Value.Type, _ name: String, of node: FHIRNode
  ) throws(FHIRRefusal) -> Value? {
    guard let value = try node.extended(FHIRName.extension(name)) else { return nil }
    let path = node.path + ".extension(\(name))"
    return try decoded(type, json(value, at: path), at: path)
  }
}

extension DecodingError {
  /// The rule that it names.
  fileprivate var rule: String {
    switch self {
    case .dataCorrupted(let context), .typeMismatch(_, let context),
      .valueNotFound(_, let context), .keyNotFound(_, let context):
      (context.codingPath.map(\.stringValue) + [context.debugDescription]).joined(separator: ": ")
    @unknown default: String(describing: self)
    }
  }
}

/// The keys of one of our types that FHIR has no place for, each in an extension.
///
/// A type that grows a key needs no change: its key travels by itself.
struct FHIRRest {
  /// The beginning of the names: `task`.
  let prefix: String
  /// The keys whose text stands as it is; any other value as JSON.
  let texts: Set<String>

  static let task = FHIRRest(
    prefix: "task",
    texts: [
      "kind", "text", "progress", "group", "style", "image", "video", "details", "remoteID",
      "effectiveDate",
    ])
  static let patient = FHIRRest(prefix: "patient", texts: ["language", "units", "timeZone"])
  static let carePlan = FHIRRest(prefix: "care-plan", texts: ["effectiveDate"])
  static let device = FHIRRest(prefix: "device", texts: ["definition"])

  /// The extensions of the members of `object` that are not among `native`.
  func extensions(_ object: FHIRObject, besides native: Set<String>) -> [FHIRValue] {
    object.members.filter { !native.contains($0.key) }.map { member in
      let url = FHIRName.extension(prefix + "-" + member.key)
      switch member.value {
      case .boolean: return FHIRCoder.extension(url, "valueBoolean", member.value)
      case .string where texts.contains(member.key):
        return FHIRCoder.extension(url, "valueString", member.value)
      default: return FHIRCoder.extension(prefix + "-" + member.key, json: member.value)
      }
    }
  }

  /// Reads the extensions of a resource into the members of `object`.
  func read(from node: FHIRNode, into object: inout FHIRObject) throws(FHIRRefusal) {
    let start = FHIRName.extension(prefix + "-")
    for entry in node.list("extension") {
      guard let url = entry.value.object?["url"]?.text, url.hasPrefix(start) else { continue }
      let key = String(url.dropFirst(start.count))
      guard object[key] == nil else {
        throw FHIRRefusal(at: entry.path, .contradiction(rule: url))
      }
      entry.take()
      let value = entry.value.object?.members.first { $0.key.hasPrefix("value") }?.value
      switch value {
      case .boolean(let flag)?: object[key] = .boolean(flag)
      case .string(let text)? where texts.contains(key): object[key] = .string(text)
      case let value?: object[key] = try FHIRCoder.json(value, at: entry.path)
      case nil: throw FHIRRefusal(at: entry.path, .missing)
      }
    }
  }
}

// MARK: - Whole resources

extension FHIRCoder {
  /// A written resource, once it is one of the release.
  func finished(_ resource: FHIRObject) throws(FHIRRefusal) -> FHIRValue {
    var resource = resource
    let type = resource["resourceType"]?.text ?? ""
    try FHIRCheck(FHIRTables.of(release)).check(.object(resource), type: type, at: type)
    mapping.writing(&resource)
    return .object(resource)
  }

  /// A resource that is read, of one of these types.
  func opened(
    _ value: FHIRValue, _ types: String..., at path: String? = nil
  ) throws(FHIRRefusal) -> FHIRNode {
    var value = value
    if var object = value.object {
      mapping.reading(&object)
      value = .object(object)
    }
    let node = try FHIRNode(value, release: release, at: path)
    guard types.isEmpty || types.contains(node.type) else {
      throw FHIRRefusal(at: node.path, .unknownResource(node.type))
    }
    // The id names the resource, and what a server keeps says nothing of it.
    for key in ["id", "meta", "language"] where node.type != "Bundle" { node[key]?.take() }
    return node
  }

  /// The id of the person that a resource refers to.
  func person(_ node: FHIRNode?, orNil isOptional: Bool = false) throws(FHIRRefusal) -> String? {
    guard let node else { return patient }
    node.take()
    let reference = node.value.object?["reference"]?.text
    let identifier = node.value.object?["identifier"]?.object
    if let patient { return patient }
    if let identifier, identifier["system"]?.text == FHIRName.system("patient"),
      let id = identifier["value"]?.text
    {
      return id
    }
    guard let reference else { throw node.refusal(.missing, of: "reference") }
    if let id = mapping.patients[reference] { return id }
    let parts = reference.split(separator: "/")
    guard parts.count >= 2, parts[parts.count - 2] == "Patient", let id = parts.last else {
      throw node.refusal(.unknownReference(reference))
    }
    return mapping.patients[String(id)] ?? String(id)
  }

  /// A reference to a person of ours, who keeps the id as identifier.
  func reference(to patient: String) -> FHIRValue {
    var reference = FHIRObject()
    reference["reference"] = .string("Patient/" + FHIRName.id(of: "Patient", [patient]))
    if release == .r4 { reference["identifier"] = FHIRName.identifier("patient", patient) }
    return .object(reference)
  }
}
