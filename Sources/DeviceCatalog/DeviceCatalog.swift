/// The device definitions of a machine: what to recognise, and how to read it.
///
/// ```swift
/// let catalog = try DeviceCatalog.load([builtIn, local])
/// let match = catalog.matches(for: AdvertisedDevice(advertisement)).first
/// var session = DeviceSession(definition: match.definition, address: address, timeZone: zone)
/// ```
public struct DeviceCatalog: Sendable {
  /// Every definition, by id.
  public let definitions: [DeviceDefinition]

  init(_ definitions: [DeviceDefinition]) {
    self.definitions = definitions.sorted { $0.id < $1.id }
  }

  /// The definition of that id.
  public func definition(_ id: String) -> DeviceDefinition? {
    definitions.first { $0.id == id }
  }

  /// The definitions that describe a device, the one that told most first; equals by id.
  public func matches(for device: AdvertisedDevice) -> [DefinitionMatch] {
    explain(device).filter(\.isMatch)
  }

  /// How every definition fares with a device: matches first, by score, then those that lack least.
  public func explain(_ device: AdvertisedDevice) -> [DefinitionMatch] {
    definitions.map { definition in
      let (score, matched, missing) = definition.match.evaluate(device)
      return DefinitionMatch(
        definition: definition, score: score, matched: matched, missing: missing)
    }.sorted {
      ($0.missing.count, -$0.score, $0.definition.id)
        < ($1.missing.count, -$1.score, $1.definition.id)
    }
  }
}
