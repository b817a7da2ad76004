/// How sure it is that a definition reads its device.
///
/// The raw value is the word for people.
public enum DefinitionEvidence: String, Hashable, Sendable, CaseIterable {
  /// Frames that such a device sent, as somebody recorded them, give the values that belong to them.
  case recorded
  /// Frames that somebody published as examples give the values that belong to them.
  case published
  /// It follows a published protocol; no frame from elsewhere was read with it.
  case specified = "protocol"
}

extension DeviceDefinition {
  /// The best evidence that its vectors give.
  ///
  /// A vector without a result shows what is refused, or how a device is recognised, and counts for
  /// nothing here.
  public var evidence: DefinitionEvidence {
    let origins = Set(vectors.filter { $0.expectedCount > 0 }.map(\.provenance))
    if origins.contains(.real) { return .recorded }
    return origins.contains(.published) ? .published : .specified
  }
}
