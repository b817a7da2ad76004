import DeviceCatalog
import Testing

@Suite("Shipped definitions")
struct ShippedDefinitionsTests {
  @Test func areWithoutFindings() throws {
    #expect(DeviceCatalog.lint([try Repository.files()]) == [])
  }

  @Test func areThese() throws {
    #expect(
      try Repository.catalog().definitions.map(\.id) == [
        "beurer-bf7xx", "microbit-accelerometer", "nordic-thingy52", "omron-blood-pressure",
        "omron-sig-scale", "polar-h10", "polar-verity-sense",
        "ruuvitag", "sig-blood-pressure", "sig-glucose", "sig-heart-rate", "sig-pulse-oximeter",
        "sig-thermometer", "sig-weight-scale", "witmotion-bwt901ble", "xiaomi-mi-scale-1",
        "xiaomi-mi-scale-2", "xiaomi-s400",
      ])
  }

  @Test func haveVectorsThatPass() throws {
    let results = try Repository.catalog().runVectors()
    #expect(results.count > 40)
    #expect(results.filter { !$0.isPassed } == [])
  }

  @Test func haveFilesOfTheirNames() throws {
    for file in try Repository.files() {
      let id = try #require(try DeviceCatalog.load([[file]]).definitions.first?.id)
      #expect(file.name == "Devices/\(id).yaml")
    }
  }
}
