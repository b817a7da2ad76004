import Care
import DeviceCatalog
import GATT
import Testing

@Suite("DeviceDefinition summary")
struct DefinitionSummaryTests {
  @Test func listsTheWaysOfRecognition() throws {
    #expect(
      try Repository.definition("polar-h10").recognisedBy == [
        "name begins with ‘Polar H10’", "service FB005C80-02E7-F387-1CAD-8ACD2D8DF0C8",
      ])
    #expect(
      try Repository.definition("ruuvitag").recognisedBy
        == ["manufacturer data 0x499 of 24 bytes beginning 05"])
  }

  @Test func listsTheAdvertisedServices() throws {
    #expect(
      try Repository.definition("sig-weight-scale").advertisedServices
        == [.weightScaleService, .bodyCompositionService])
    #expect(
      try Repository.definition("xiaomi-mi-scale-1").advertisedServices == [.weightScaleService])
    #expect(try Repository.definition("ruuvitag").advertisedServices == [])
  }

  @Test func listsTheQuantities() throws {
    let scale = try Repository.definition("xiaomi-mi-scale-2")
    #expect(scale.quantities == [.impedance, .bodyMass])
    #expect(!scale.streamsMotion)
    let strap = try Repository.definition("polar-h10")
    #expect(strap.quantities == [.heartRate, .energyExpended, .rrInterval, .batteryLevel])
    #expect(strap.streamsMotion)
    #expect(try Repository.definition("microbit-accelerometer").streamsMotion)
  }

  @Test func knowsWhichDevicesNeedCredentials() throws {
    #expect(
      try Repository.catalog().definitions.filter(\.needsCredentials).map(\.id)
        == ["beurer-bf500", "beurer-bf7xx", "sanitas-sbf72", "xiaomi-s400"])
  }

  @Test func everyDefinitionMeasuresSomething() throws {
    for definition in try Repository.catalog().definitions {
      #expect(definition.streamsMotion || !definition.quantities.isEmpty)
    }
  }
}
