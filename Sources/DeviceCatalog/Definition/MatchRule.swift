import GATT
import StrictYAML

/// How a device is recognised: every clause of `all`, and one of `any` where there are some.
struct MatchRule: Hashable, Sendable {
  var all: [MatchClause] = []
  var any: [MatchClause] = []

  /// The ways in which the rule can be met: `all` with each of `any`.
  var alternatives: [[MatchClause]] {
    any.isEmpty ? [all] : any.map { all + [$0] }
  }
}

/// What one clause asks of a device: each part that is given must hold.
struct MatchClause: Hashable, Sendable {
  /// A service that is advertised, or was found after connecting.
  var service: BluetoothUUID?
  /// Service data of a UUID, of a length, beginning with some bytes.
  var serviceData: DataClause<BluetoothUUID>?
  /// Manufacturer data of a company, likewise.
  var manufacturerData: DataClause<UInt16>?
  /// How the advertised name begins.
  var namePrefix: String?
}

/// Advertised data under a key, narrowed by length and first bytes.
struct DataClause<Key: Hashable & Sendable>: Hashable, Sendable {
  var key: Key
  var length: Int?
  var bytes: BytePattern?

  func matches(_ data: [UInt8]) -> Bool {
    (length ?? data.count) == data.count && bytes?.matches(data) ?? true
  }
}

extension MatchClause {
  /// How much the clause tells devices apart; the rule's score is the sum over what matched.
  ///
  /// An adopted 16-bit service says a kind of device (10), a vendor's own 128-bit one a family
  /// (20), advertised data says more with each thing that is asked of it, and a name counts by its
  /// letters.
  var specificity: Int {
    var score = 0
    if let service { score += service.short == nil ? 20 : 10 }
    if let serviceData { score += serviceData.specificity }
    if let manufacturerData { score += manufacturerData.specificity }
    if let namePrefix { score += 10 + min(2 * namePrefix.utf8.count, 40) }
    return score
  }

  /// Whether all that is asked is a 16-bit service of the range that vendors use without owning it
  /// (`FFE0`, `FFF0`, …), which hundreds of unrelated devices share.
  var isOnlyUnownedService: Bool {
    guard serviceData == nil, manufacturerData == nil, namePrefix == nil,
      let short = service?.short
    else { return false }
    return short >= 0xFF00
  }
}

extension DataClause {
  fileprivate var specificity: Int {
    20 + (length == nil ? 0 : 5) + min(bytes?.fixedNibbles ?? 0, 20)
  }
}

extension MatchRule {
  /// How much a device told that met the rule by `clauses`.
  static func specificity(of clauses: [MatchClause]) -> Int {
    clauses.reduce(0) { $0 + $1.specificity }
  }
}

// MARK: - Reading

extension MatchRule {
  /// Reads `all` and `any`.
  ///
  /// - Throws: ``YAMLError``; also where the rule would be met by a bare 16-bit service that its
  ///   vendor does not own, which is how other software takes one scale for another.
  init(_ node: YAMLNode) throws(YAMLError) {
    var rule = try node.mapping()
    all = try rule.optional("all")?.elements(atMost: 16, MatchClause.init(_:)) ?? []
    any = try rule.optional("any")?.elements(atMost: 16, MatchClause.init(_:)) ?? []
    try rule.finish()
    guard !(all.isEmpty && any.isEmpty) else {
      throw node.error("‘match’ needs a clause under ‘any’ or ‘all’")
    }
    for clauses in alternatives where clauses.allSatisfy(\.isOnlyUnownedService) {
      throw node.error(
        "a match by nothing but \(clauses.map(\.description).joined(separator: " and ")) is"
          + " refused: unrelated devices share that service; add the name or advertised data")
    }
  }
}

extension MatchClause {
  fileprivate init(_ node: YAMLNode) throws(YAMLError) {
    var clause = try node.mapping()
    service = try clause.optional("service")?.uuid()
    serviceData = try clause.optional("serviceData").map { node throws(YAMLError) in
      var data = try node.mapping()
      return try DataClause(key: try data.required("uuid").uuid(), &data)
    }
    manufacturerData = try clause.optional("manufacturerData").map { node throws(YAMLError) in
      var data = try node.mapping()
      let company = try data.required("company").integer(in: 0...0xFFFF)
      return try DataClause(key: UInt16(truncatingIfNeeded: company), &data)
    }
    namePrefix = try clause.optional("namePrefix")?.string()
    try clause.finish()
    guard self != MatchClause() else {
      throw node.error(
        "a clause needs one of ‘service’, ‘serviceData’, ‘manufacturerData’, ‘namePrefix’")
    }
  }
}

extension DataClause {
  fileprivate init(key: Key, _ data: inout MappingReader) throws(YAMLError) {
    self.key = key
    length = try data.optional("length")?.integer(in: 0...254)
    bytes = try data.optional("bytes")?.pattern()
    if let bytes, let length, bytes.count > length {
      throw data.location(of: "bytes").error(
        "the pattern looks at \(bytes.count) bytes of data that has \(length)")
    }
    try data.finish()
  }
}

// MARK: - Evaluation

/// A definition that describes a device, or nearly does, and why.
public struct DefinitionMatch: Sendable {
  /// The definition.
  public let definition: DeviceDefinition
  /// How much of the device it told; the highest is taken.
  public let score: Int
  /// What the definition asks for and the device has: `name begins with ‘Polar H10’`.
  public let matched: [String]
  /// What it asks for and the device lacks; empty in a match.
  public let missing: [String]

  /// Whether the definition describes the device.
  public var isMatch: Bool { missing.isEmpty }
}

extension MatchRule {
  /// How the rule fares with a device: of all the ways to meet it, the one that is met with the
  /// highest score, else the one that lacks least.
  func evaluate(_ device: AdvertisedDevice) -> (score: Int, matched: [String], missing: [String]) {
    let outcomes = alternatives.map { clauses in
      (
        score: Self.specificity(of: clauses),
        matched: clauses.filter { $0.holds(for: device) }.map(\.description),
        missing: clauses.filter { !$0.holds(for: device) }.map(\.description)
      )
    }
    let best = outcomes.max {
      ($1.missing.count, $0.score) < ($0.missing.count, $1.score)
    }
    return best ?? (0, [], ["nothing that it could be recognised by"])
  }
}

extension MatchClause: CustomStringConvertible {
  /// Whether everything that is asked holds.
  func holds(for device: AdvertisedDevice) -> Bool {
    if let service, !device.services.contains(service) { return false }
    if let serviceData {
      guard let data = device.serviceData[serviceData.key], serviceData.matches(data) else {
        return false
      }
    }
    if let manufacturerData {
      guard let data = device.manufacturerData[manufacturerData.key],
        manufacturerData.matches(data)
      else { return false }
    }
    if let namePrefix { return device.name?.hasPrefix(namePrefix) ?? false }
    return true
  }

  /// What is asked, for people.
  var description: String {
    var parts: [String] = []
    if let service { parts.append("service \(service)") }
    if let serviceData { parts.append("service data \(serviceData.key)" + serviceData.details) }
    if let manufacturerData {
      let company = String(manufacturerData.key, radix: 16)
      parts.append("manufacturer data 0x\(company)" + manufacturerData.details)
    }
    if let namePrefix { parts.append("name begins with ‘\(namePrefix)’") }
    return parts.joined(separator: " and ")
  }
}

extension DataClause {
  fileprivate var details: String {
    (length.map { " of \($0) bytes" } ?? "") + (bytes.map { " beginning \($0)" } ?? "")
  }
}
