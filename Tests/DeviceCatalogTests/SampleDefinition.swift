import DeviceCatalog

/// A small valid definition, of which tests change or add lines.
enum SampleDefinition {
  static let lines = """
    id: sample
    name: Sample
    vendor: Nobody
    description: A synthetic scale.
    match:
      any:
        - {service: "181D", namePrefix: SAMPLE}
    link: {mode: connect}
    session:
      start:
        - subscribe: "2A9D"
    records:
      - characteristic: "2A9D"
        length: 3
        fields:
          - {name: flags, type: u8}
          - {name: weight, type: u16le, quantity: bodyMass, scale: 0.005, unit: kg}
    vectors:
      - name: a weight
        provenance: derived
        from: nothing
        frames:
          - {characteristic: "2A9D", hex: 00 803e}
        expect:
          - {quantity: bodyMass, value: 80}
    families: [Sample]
    """

  /// The text with `old` replaced by `new`.
  static func text(_ old: String = "", _ new: String = "") -> String {
    old.isEmpty ? lines : lines.replacing(old, with: new)
  }

  /// The file.
  static func file(
    _ old: String = "", _ new: String = "", name: String = "sample.yaml"
  ) -> DefinitionFile {
    DefinitionFile(name: name, text: text(old, new))
  }

  /// The definition, or the reason why it cannot be read.
  static func definition(
    _ old: String = "", _ new: String = ""
  ) throws -> DeviceDefinition {
    guard let definition = try DeviceCatalog.load([[file(old, new)]]).definition("sample") else {
      throw DecodeError.unknownDefinition("sample")
    }
    return definition
  }
}
