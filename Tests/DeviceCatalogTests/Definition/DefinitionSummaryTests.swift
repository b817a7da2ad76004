import Care
import GATT
import Testing

@testable import DeviceCatalog

struct DefinitionSummaryTests {
  @Test func `lists the ways of recognition`() throws {
    #expect(
      try Repository.definition("polar-h10").recognisedBy == [
        "name begins with ‘Polar H10’", "service FB005C80-02E7-F387-1CAD-8ACD2D8DF0C8",
      ])
    #expect(
      try Repository.definition("ruuvitag").recognisedBy
        == ["manufacturer data 0x499 of 24 bytes beginning 05"])
  }

  @Test func `lists the advertised services`() throws {
    #expect(
      try Repository.definition("sig-weight-scale").advertisedServices
        == [.weightScaleService, .bodyCompositionService])
    #expect(
      try Repository.definition("xiaomi-mi-scale-1").advertisedServices == [.weightScaleService])
    #expect(try Repository.definition("ruuvitag").advertisedServices == [])
  }

  @Test func `lists the quantities`() throws {
    let scale = try Repository.definition("xiaomi-mi-scale-2")
    #expect(scale.quantities == [.impedance, .bodyMass])
    #expect(!scale.streamsMotion)
    let strap = try Repository.definition("polar-h10")
    #expect(strap.quantities == [.heartRate, .energyExpended, .rrInterval, .batteryLevel])
    #expect(strap.streamsMotion)
    #expect(try Repository.definition("microbit-accelerometer").streamsMotion)
  }

  @Test func `knows which devices need credentials`() throws {
    #expect(
      try Repository.catalog().definitions.filter(\.needsCredentials).map(\.id)
        == [
          "beurer-bf500", "beurer-bf7xx", "sanitas-sbf72", "transtek-body-connect",
          "trisa-body-analyze", "weight-gurus-0376b", "xiaomi-s200", "xiaomi-s400", "xiaomi-s800",
        ])
    #expect(
      try Repository.definition("trisa-body-analyze").pairing
        == "put it into the plan, then pair it once")
  }

  @Test func `says what is read`() throws {
    func reads(_ id: String) throws -> [String] { try Repository.definition(id).reads }
    #expect(try reads("qn-scale") == ["weight", "impedance", "history", "clock"])
    #expect(try reads("yunmai-scale") == ["weight", "impedance", "clock"])
    #expect(try reads("eufy-c20") == ["weight", "impedance"])
    #expect(
      try reads("polar-h10") == ["heart rate", "beat intervals", "energy", "battery", "movement"])
    #expect(try reads("movesense") == ["movement"])
    #expect(try reads("omron-blood-pressure") == ["blood pressure", "pulse", "history", "clock"])
  }

  /// Every quantity that a definition gives has a word, and one only.
  @Test func `has a word for every quantity`() throws {
    let words = DeviceDefinition.words
    for definition in try Repository.catalog().definitions {
      for quantity in definition.quantities {
        #expect(words.filter { $0.quantities.contains(quantity) }.count == 1, "\(quantity)")
      }
    }
    #expect(Set(words.map(\.word)).count == words.count)
  }

  @Test func `knows whose clock is set`() throws {
    #expect(try Repository.definition("qn-scale").setsClock)
    #expect(try Repository.definition("omron-blood-pressure").setsClock)
    #expect(try !Repository.definition("koogeek-s1").setsClock)
    #expect(try !Repository.definition("eufy-c20").setsClock)
  }

  @Test func `says what a person does`() throws {
    func preparation(_ id: String) throws -> [String] { try Repository.definition(id).preparation }
    #expect(try preparation("ruuvitag") == [])
    #expect(try preparation("qn-scale") == ["step on barefoot", "close its app"])
    #expect(
      try preparation("beurer-bf7xx")
        == ["step on barefoot", "pair it once; user and code in the plan"])
    #expect(
      try preparation("xiaomi-s800")
        == ["set it up in Xiaomi's app; step on", "key in the plan"])
  }

  /// A vector, its results and the evidence that they are.
  @Test(arguments: [
    ("derived", "protocol"), ("published", "published"), ("real", "recorded"),
  ])
  func `is as sure as its vectors`(provenance: String, evidence: String) throws {
    let definition = try SampleDefinition.definition(
      "provenance: derived", "provenance: \(provenance)")
    #expect(definition.evidence.rawValue == evidence)
  }

  @Test func `a vector without a result is no evidence`() throws {
    let definition = try SampleDefinition.definition(
      "  - name: a weight",
      "  - {name: none, provenance: real, from: x, frames: [], expect: []}\n  - name: a weight")
    #expect(definition.vectors.count == 2)
    #expect(definition.evidence == .specified)
  }

  @Test func `knows the kinds`() throws {
    let catalog = try Repository.catalog()
    func ids(_ kind: DeviceKind) -> [String] {
      catalog.definitions.filter { $0.kind == kind }.map(\.id)
    }
    #expect(ids(.rooms) == ["ruuvitag"])
    #expect(
      ids(.bloodPressure) == [
        "beurer-bm85", "microlife-bp3gy1", "omron-blood-pressure", "omron-hem-6161t",
        "omron-hem-6232t",
        "omron-hem-7142t2", "omron-hem-7146t2", "omron-hem-7150t", "omron-hem-7151t",
        "omron-hem-7155t", "omron-hem-7188t1", "omron-hem-7320t", "omron-hem-7322t",
        "omron-hem-7361t",
        "omron-hem-7380t1", "omron-hem-7530t", "omron-hem-7600t", "sig-blood-pressure",
        "yonker-yk-ibpa1",
      ])
    #expect(ids(.heartRate) == ["huami-band", "polar-h10", "polar-verity-sense", "sig-heart-rate"])
    #expect(
      ids(.sports)
        == ["sig-cycling-power", "sig-cycling-speed", "sig-fitness-machine", "sig-running-speed"])
  }

  @Test func `every definition measures something`() throws {
    for definition in try Repository.catalog().definitions {
      #expect(definition.streamsMotion || !definition.quantities.isEmpty)
    }
  }
}
