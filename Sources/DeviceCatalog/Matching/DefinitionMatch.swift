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
