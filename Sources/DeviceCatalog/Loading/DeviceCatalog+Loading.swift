import StrictYAML

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
