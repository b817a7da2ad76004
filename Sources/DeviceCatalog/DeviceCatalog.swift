import StrictYAML

/// The device definitions of a machine.
///
/// ```swift
/// let catalog = try DeviceCatalog.load([builtIn, local])
/// let match = catalog.matches(for: AdvertisedDevice(advertisement)).first
/// var session = DeviceSession(definition: match.definition, address: address, timeZone: zone)
/// ```
public struct DeviceCatalog: Sendable {
  /// Every definition, ordered by id.
  public let definitions: [DeviceDefinition]

  init(_ definitions: [DeviceDefinition]) {
    self.definitions = definitions.sorted { $0.id < $1.id }
  }

  /// The definition of an id.
  public func definition(_ id: String) -> DeviceDefinition? {
    definitions.first { $0.id == id }
  }

  /// The definitions that match a device, by descending score, then by id.
  public func matches(for device: AdvertisedDevice) -> [DefinitionMatch] {
    explain(device, by: definitions.filter { $0.match.holds(for: device) })
  }

  /// The comparison of every definition with a device: matches first, by descending score, then by
  /// the number of missing clauses.
  public func explain(_ device: AdvertisedDevice) -> [DefinitionMatch] {
    explain(device, by: definitions)
  }

  private func explain(
    _ device: AdvertisedDevice, by definitions: [DeviceDefinition]
  ) -> [DefinitionMatch] {
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
  /// Reads definitions strictly.
  ///
  /// - Parameter layers: The files of each directory, the built-in ones first. A definition of a
  ///   later layer replaces one with the same id in an earlier, so that a machine can change a
  ///   device without a rebuild.
  /// - Returns: The catalogue.
  /// - Throws: ``CatalogError`` with a finding for each file that cannot be read, and for each
  ///   duplicate id of a layer.
  public static func load(_ layers: [[DefinitionFile]]) throws(CatalogError) -> DeviceCatalog {
    let (catalog, findings) = read(layers)
    guard findings.isEmpty else { throw CatalogError(findings: findings) }
    return catalog
  }

  /// Reads the valid definitions, for a daemon that must not stop for one broken file.
  ///
  /// - Returns: The catalogue of the valid definitions, and the findings of the others.
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
