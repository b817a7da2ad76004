extension DeviceCatalog {
  /// Everything that is wrong with definitions: what ``load(_:)`` refuses, and what it would take
  /// but nobody should ship.
  ///
  /// Found are: keys, quantities, units, types and codecs that do not exist; ids that a layer has
  /// twice; definitions without vectors; fields past the end of a frame of fixed length; bits of
  /// fields that were not read before; data that is read but never asked for; and definitions that
  /// the same advertisement would match with the same score. Whether the vectors come out right is
  /// ``runVectors()``'s to say.
  ///
  /// - Returns: The findings by file and line. Cost: quadratic in the number of definitions.
  public static func lint(_ layers: [[DefinitionFile]]) -> [DefinitionFinding] {
    let (catalog, unreadable) = read(layers)
    let findings =
      unreadable + catalog.definitions.flatMap(\.ownFindings) + catalog.overlaps
    return findings.sorted { ($0.file, $0.line, $0.reason) < ($1.file, $1.line, $1.reason) }
  }
}
