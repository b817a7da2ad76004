import GATT
import StrictYAML

/// The rule that recognises a device: every clause of `all`, and one of `any` unless it is empty.
struct MatchRule: Hashable, Sendable {
  var all: [MatchClause] = []
  var any: [MatchClause] = []

  /// The ways to satisfy the rule: `all` with each of `any`.
  var alternatives: [[MatchClause]] {
    any.isEmpty ? [all] : any.map { all + [$0] }
  }
}

/// One clause of a rule: each part that is given must hold.
struct MatchClause: Hashable, Sendable {
  /// A service that is advertised, or was discovered after connecting.
  var service: BluetoothUUID?
  /// Service data of a UUID.
  var serviceData: DataClause<BluetoothUUID>?
  /// Manufacturer data of a company.
  var manufacturerData: DataClause<UInt16>?
  /// The beginning of the advertised name.
  var namePrefix: String?
}

/// Advertised data of a key, restricted by length and first bytes.
struct DataClause<Key: Hashable & Sendable>: Hashable, Sendable {
  var key: Key
  var length: Int?
  var bytes: BytePattern?

  func matches(_ data: [UInt8]) -> Bool {
    (length ?? data.count) == data.count && bytes?.matches(data) ?? true
  }
}

extension MatchClause {
  /// The clause's score; a rule's score is the sum over its clauses.
  ///
  /// An adopted 16-bit service identifies a kind of device (10), a vendor's own 128-bit one a
  /// family (20). Advertised data scores with its length and its fixed nibbles, a name with its
  /// letters.
  var specificity: Int {
    var score = 0
    if let service { score += service.short == nil ? 20 : 10 }
    if let serviceData { score += serviceData.specificity }
    if let manufacturerData { score += manufacturerData.specificity }
    if let namePrefix { score += 10 + min(2 * namePrefix.utf8.count, 40) }
    return score
  }

  /// Whether the clause is only a 16-bit service of the range that vendors use without owning it
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
  /// The score of a device that satisfies the rule by `clauses`.
  static func specificity(of clauses: [MatchClause]) -> Int {
    clauses.reduce(0) { $0 + $1.specificity }
  }
}

// MARK: - Reading

extension MatchRule {
  /// Reads `all` and `any`.
  ///
  /// - Throws: ``YAMLError``, also for a rule that a bare 16-bit service satisfies which its vendor
  ///   does not own: that would confuse one scale with another.
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

/// The result of comparing a definition with a device.
public struct DefinitionMatch: Sendable {
  /// The definition.
  public let definition: DeviceDefinition
  /// How specific the rule is; the definition with the highest score is used.
  public let score: Int
  /// The clauses that hold: `name begins with ‘Polar H10’`.
  public let matched: [String]
  /// The clauses that do not hold; empty in a match.
  public let missing: [String]

  /// Whether the definition matches the device.
  public var isMatch: Bool { missing.isEmpty }
}

extension MatchRule {
  /// Compares the rule with a device: of its alternatives, the satisfied one with the highest
  /// score, else the one with the fewest missing clauses.
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
  /// Whether every part of the clause holds.
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

  /// The clause in words.
  var description: String {
    var parts: [String] = []
    if let service { parts.append("service \(service)") }
    if let serviceData {
      parts.append("\(FrameSource.serviceData(serviceData.key))" + serviceData.details)
    }
    if let manufacturerData {
      let source = FrameSource.manufacturerData(manufacturerData.key)
      parts.append("\(source)" + manufacturerData.details)
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
