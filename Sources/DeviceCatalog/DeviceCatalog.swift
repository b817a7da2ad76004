import StrictYAML

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

// MARK: - Loading

extension DeviceCatalog {
  /// Reads definitions, strictly.
  ///
  /// - Parameter layers: Directories' files, the built-in ones first. A definition of a later layer
  ///   takes the place of one with the same id in an earlier, which is how a machine changes a
  ///   device without a rebuild.
  /// - Returns: The catalogue.
  /// - Throws: ``CatalogError`` with a finding for each file that cannot be read, and for each id
  ///   that a layer has twice.
  public static func load(_ layers: [[DefinitionFile]]) throws(CatalogError) -> DeviceCatalog {
    let (catalog, findings) = read(layers)
    guard findings.isEmpty else { throw CatalogError(findings: findings) }
    return catalog
  }

  /// Reads what can be read, for a daemon that must not stop for one broken file.
  ///
  /// - Returns: The catalogue of the sound definitions, and what is wrong with the others.
  public static func read(
    _ layers: [[DefinitionFile]]
  ) -> (catalog: DeviceCatalog, findings: [DefinitionFinding]) {
    var definitions: [String: DeviceDefinition] = [:]
    var findings: [DefinitionFinding] = []
    for files in layers {
      var layer: [String: DeviceDefinition] = [:]
      for file in files {
        do throws(YAMLError) {
          let definition = try DeviceDefinition(file)
          if let first = layer[definition.id] {
            findings.append(
              DefinitionFinding(
                definition.origin, "the id ‘\(definition.id)’ is \(first.origin.file)'s already"))
          } else {
            layer[definition.id] = definition
          }
        } catch {
          findings.append(DefinitionFinding(error))
        }
      }
      definitions.merge(layer) { _, later in later }
    }
    return (DeviceCatalog(Array(definitions.values)), findings)
  }
}
