public import GATT
public import Radio
import StrictYAML

/// The rule that recognises a device: every clause of `all`, one of `any` unless it is empty, and none
/// of `none`.
struct MatchRule: Hashable, Sendable {
  var all: [MatchClause] = []
  var any: [MatchClause] = []
  var none: [MatchClause] = []

  /// Every clause.
  var clauses: [MatchClause] { all + any + none }

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
  /// The whole advertised name, in either case.
  var name: String?
  /// A part of the advertised name, in either case.
  var nameContains: String?
  /// A characteristic that was discovered after connecting.
  var characteristic: BluetoothUUID?
  /// Manufacturer data of any company, with the two bytes of its identifier before it.
  var anyManufacturerData: DataClause<AnyCompany>?
}

/// The key of manufacturer data whose company identifier is none: scales put a counter there.
struct AnyCompany: Hashable, Sendable {}

/// The device's own address in advertised data.
struct AddressPlace: Hashable, Sendable {
  var at: Int
  var order = AddressOrder.forward

  func holds(in data: [UInt8], of address: DeviceAddress) -> Bool {
    data.count >= at + 6 && data[at..<at + 6].elementsEqual(order.bytes(of: address))
  }
}

/// Advertised data of a key, restricted by length and first bytes.
struct DataClause<Key: Hashable & Sendable>: Hashable, Sendable {
  var key: Key
  var length: Int?
  var bytes: BytePattern?
  /// Where it must have the device's own address.
  var address: AddressPlace?

  /// Whether the length and the bytes fit.
  func fits(_ data: [UInt8]) -> Bool {
    (length ?? data.count) == data.count && bytes?.matches(data) ?? true
  }

  func matches(_ data: [UInt8], of device: DeviceAddress) -> Bool {
    fits(data) && address?.holds(in: data, of: device) ?? true
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
    if let anyManufacturerData { score += anyManufacturerData.specificity - 15 }
    if let namePrefix { score += 10 + min(2 * namePrefix.utf8.count, 40) }
    if let name { score += 15 + min(2 * name.utf8.count, 40) }
    if let nameContains { score += 5 + min(2 * nameContains.utf8.count, 40) }
    if let characteristic { score += characteristic.short == nil ? 20 : 10 }
    return score
  }

  /// Whether the clause is only a part of a name.
  var isOnlyPartOfName: Bool {
    var rest = self
    (rest.namePrefix, rest.nameContains) = (nil, nil)
    return rest == MatchClause()
  }

  /// Whether the clause is only a 16-bit service or characteristic of the range that vendors use
  /// without owning it (`FFE0`, `FFF0`, …), which hundreds of unrelated devices share.
  var isOnlyUnownedService: Bool {
    var rest = self
    (rest.service, rest.characteristic) = (nil, nil)
    guard rest == MatchClause() else { return false }
    return [service, characteristic].compactMap(\.self).allSatisfy { uuid in
      uuid.short.map { $0 >= 0xFF00 } ?? false
    }
  }
}

extension DataClause {
  fileprivate var specificity: Int {
    20 + (length == nil ? 0 : 5) + min(bytes?.fixedNibbles ?? 0, 20) + (address == nil ? 0 : 12)
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
  /// Reads `all`, `any` and `none`.
  ///
  /// - Throws: ``YAMLError``, also for a rule that a bare 16-bit service satisfies which its vendor
  ///   does not own: that would confuse one scale with another.
  init(_ node: YAMLNode) throws(YAMLError) {
    var rule = try node.mapping()
    all = try rule.optional("all")?.elements(atMost: 16, MatchClause.init(_:)) ?? []
    any = try rule.optional("any")?.elements(atMost: 16, MatchClause.init(_:)) ?? []
    none = try rule.optional("none")?.elements(atMost: 16, MatchClause.init(_:)) ?? []
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
    if let node = clause.optional("manufacturerData") {
      var data = try node.mapping()
      let company = try data.required("company")
      if company.isAny {
        let any = try DataClause(key: AnyCompany(), &data)
        guard any.address != nil || (any.bytes?.fixedNibbles ?? 0) >= 8 else {
          throw node.error(
            "data of any company needs the device's ‘address’ in it, or four fixed ‘bytes’")
        }
        anyManufacturerData = any
      } else {
        let number = try company.integer(in: 0...0xFFFF)
        manufacturerData = try DataClause(key: UInt16(truncatingIfNeeded: number), &data)
      }
    }
    namePrefix = try clause.optional("namePrefix")?.string()
    name = try clause.optional("name")?.string()
    nameContains = try clause.optional("nameContains")?.string().lowercased()
    characteristic = try clause.optional("characteristic")?.uuid()
    try clause.finish()
    guard self != MatchClause() else {
      throw node.error(
        "a clause needs one of ‘service’, ‘serviceData’, ‘manufacturerData’, ‘namePrefix’, ‘name’,"
          + " ‘nameContains’, ‘characteristic’")
    }
    if let nameContains, nameContains.count < 3 {
      throw node.error("‘\(nameContains)’ is in too many names: at least three letters")
    }
  }
}

extension DataClause {
  fileprivate init(key: Key, _ data: inout MappingReader) throws(YAMLError) {
    self.key = key
    length = try data.optional("length")?.integer(in: 0...254)
    bytes = try data.optional("bytes")?.pattern()
    address = try data.optional("address").map { node throws(YAMLError) in
      var place = try node.mapping()
      let address = AddressPlace(
        at: try place.required("at").integer(in: 0...254),
        order: try place.optional("order")?.choice() ?? .forward)
      try place.finish()
      return address
    }
    if let address, let length, address.at + 6 > length {
      throw data.location(of: "address").error(
        "the address ends at byte \(address.at + 6) of data that has \(length)")
    }
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
  /// Whether the device satisfies the rule, without saying why.
  func holds(for device: AdvertisedDevice) -> Bool {
    all.allSatisfy { $0.holds(for: device) }
      && (any.isEmpty || any.contains { $0.holds(for: device) })
      && !none.contains { $0.holds(for: device) }
  }

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
    guard var best else { return (0, [], ["nothing that it could be recognised by"]) }
    best.missing += none.filter { $0.holds(for: device) }.map { "no \($0.description)" }
    return best
  }
}

extension MatchClause: CustomStringConvertible {
  /// Whether every part of the clause holds.
  func holds(for device: AdvertisedDevice) -> Bool {
    if let service, !device.services.contains(service) { return false }
    if let serviceData {
      guard let data = device.serviceData[serviceData.key],
        serviceData.matches(data, of: device.address)
      else { return false }
    }
    if let manufacturerData {
      guard let data = device.manufacturerData[manufacturerData.key],
        manufacturerData.matches(data, of: device.address)
      else { return false }
    }
    if let anyManufacturerData {
      let isThere = device.manufacturerData.contains { company, data in
        anyManufacturerData.matches(FrameSource.whole(company, data), of: device.address)
      }
      guard isThere else { return false }
    }
    if let characteristic, !device.characteristics.contains(characteristic) { return false }
    guard namePrefix != nil || name != nil || nameContains != nil else { return true }
    guard let found = device.name else { return false }
    return namePrefix.map(found.hasPrefix) ?? true
      && name.map { $0 == found || $0.lowercased() == found.lowercased() } ?? true
      && nameContains.map(found.lowercased().contains) ?? true
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
    if let anyManufacturerData {
      parts.append("\(FrameSource.anyManufacturerData)" + anyManufacturerData.details)
    }
    if let namePrefix { parts.append("name begins with ‘\(namePrefix)’") }
    if let name { parts.append("name is ‘\(name)’") }
    if let nameContains { parts.append("name contains ‘\(nameContains)’") }
    if let characteristic { parts.append("characteristic \(characteristic)") }
    return parts.joined(separator: " and ")
  }
}

extension DataClause {
  fileprivate var details: String {
    (length.map { " of \($0) bytes" } ?? "") + (bytes.map { " beginning \($0)" } ?? "")
      + (address.map { " with its address at byte \($0.at)" } ?? "")
  }
}

// MARK: - Advertised device

/// The facts about a device: everything it has advertised, and the services found after connecting.
///
/// Names and UUIDs may follow the first advertisement, in scan responses or property by property
/// from bluetoothd, so each is added to the known ones. The number of entries is bounded.
public struct AdvertisedDevice: Hashable, Sendable {
  /// The device's address.
  public let address: DeviceAddress
  /// The longest name that was received.
  public private(set) var name: String?
  /// Advertised or discovered services.
  public private(set) var services: Set<BluetoothUUID> = []
  /// The latest service data of each UUID.
  public private(set) var serviceData: [BluetoothUUID: [UInt8]] = [:]
  /// Characteristics that were discovered after connecting.
  public private(set) var characteristics: Set<BluetoothUUID> = []
  /// The latest manufacturer data of each company.
  public private(set) var manufacturerData: [UInt16: [UInt8]] = [:]

  /// The maximum number of services and of data entries of each kind; a real device has a few.
  static let maximumEntries = 64
  /// The maximum number of characteristics.
  static let maximumCharacteristics = 256

  /// Makes a device without any facts.
  public init(address: DeviceAddress) {
    self.address = address
  }

  /// Makes a device from one advertisement.
  public init(_ advertisement: Advertisement) {
    self.init(address: advertisement.address)
    merge(advertisement)
  }

  /// Makes a device from an advertisement without an address.
  init(advertisement data: [UInt8], address: DeviceAddress = DeviceAddress(rawValue: 0)) {
    self.init(address: address)
    merge(data)
  }

  /// Adds an advertisement or scan response; for a malformed one, the readable part.
  public mutating func merge(_ advertisement: Advertisement) {
    merge(advertisement.data)
  }

  /// Adds the services that were discovered after connecting.
  public mutating func merge(services found: [GATTService]) {
    merge(name: nil, services: found.map(\.uuid), serviceData: [], manufacturerData: [])
    merge(characteristics: found.flatMap(\.characteristics).map(\.uuid))
  }

  mutating func merge(characteristics found: [BluetoothUUID]) {
    for uuid in found where characteristics.count < Self.maximumCharacteristics {
      characteristics.insert(uuid)
    }
  }

  private mutating func merge(_ data: [UInt8]) {
    let content = AdvertisingData.readable(in: data).data
    merge(
      name: content.localName, services: content.serviceUUIDs,
      serviceData: content.serviceData.map { ($0.uuid, $0.data) },
      manufacturerData: content.manufacturerData.map { ($0.company, $0.data) })
  }

  mutating func merge(
    name newName: String?, services newServices: [BluetoothUUID],
    serviceData newServiceData: [(BluetoothUUID, [UInt8])],
    manufacturerData newManufacturerData: [(UInt16, [UInt8])]
  ) {
    if let newName, newName.utf8.count >= name?.utf8.count ?? 0 { name = newName }
    for service in newServices where services.count < Self.maximumEntries {
      services.insert(service)
    }
    for (uuid, data) in newServiceData
    where serviceData[uuid] != nil || serviceData.count < Self.maximumEntries {
      serviceData[uuid] = data
    }
    for (company, data) in newManufacturerData
    where manufacturerData[company] != nil || manufacturerData.count < Self.maximumEntries {
      manufacturerData[company] = data
    }
  }
}
