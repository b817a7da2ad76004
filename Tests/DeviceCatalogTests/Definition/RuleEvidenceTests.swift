import DeviceCatalog
import Testing

/// Rules are proven by the frames that pass through them, and by no others.
struct RuleEvidenceTests {
  private func evidence(_ definition: DeviceDefinition) -> [RuleEvidence.Kind: [DefinitionEvidence]]
  {
    Dictionary(grouping: definition.ruleEvidence, by: \.kind).mapValues { $0.map(\.evidence) }
  }

  @Test func `a derived vector proves nothing`() throws {
    let derived = try SampleDefinition.definition()
    #expect(evidence(derived) == [.recognised: [.specified], .reads: [.specified]])
    #expect(derived.ruleCount.recorded == 0 && derived.ruleCount.all == 2)
  }

  @Test func `a real frame proves the layout that it has, and no way to recognise the device`()
    throws
  {
    let real = try SampleDefinition.definition("provenance: derived", "provenance: real")
    #expect(evidence(real) == [.recognised: [.specified], .reads: [.recorded]])
    #expect(real.ruleCount.recorded == 1 && real.ruleCount.all == 2)
  }

  /// One whose values are not those that are expected proves nothing.
  @Test func `a vector that fails proves nothing`() throws {
    let text = SampleDefinition.text("provenance: derived", "provenance: real")
      .replacing("value: 80", with: "value: 81")
    let file = DefinitionFile(name: "sample.yaml", text: text)
    let definition = try #require(try DeviceCatalog.load([[file]]).definition("sample"))
    #expect(definition.ruleCount.recorded == 0)
  }

  @Test func `the shipped rules are counted`() throws {
    let catalog = try Repository.catalog()
    let rules = catalog.ruleEvidence()
    #expect(rules.count == catalog.definitions.map(\.ruleCount.all).reduce(0, +))
    #expect(rules.count { $0.evidence == .recorded } >= 129)
    #expect(catalog.definitions.allSatisfy { $0.ruleCount.all > 0 })
  }

  @Test func `every rule of a Mi Smart Scale is proven`() throws {
    let count = try Repository.definition("xiaomi-mi-scale-1").ruleCount
    #expect(count.recorded == count.all)
  }
}
