/// How one vector of a definition fared.
public struct VectorResult: Hashable, Sendable {
  /// The definition's id.
  public let definition: String
  /// The vector's name.
  public let vector: String
  /// Whether the frames were recorded or derived.
  public let provenance: DefinitionVector.Provenance
  /// What came out otherwise than expected, for people; empty where all is well.
  public let failures: [String]

  /// Whether everything came out as expected.
  public var isPassed: Bool { failures.isEmpty }
}
