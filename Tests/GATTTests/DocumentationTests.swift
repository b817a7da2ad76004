import GATT
import TestSupport
import Testing

@Suite
struct DocumentationTests {
  @Test
  func `the example of the documentation gives a name, a rate and an interval`() throws {
    // snippet
    let advertised = try AdvertisingData([0x03, 0x03, 0x0D, 0x18, 0x04, 0x09, 0x48, 0x31, 0x30])
    let isStrap = advertised.serviceUUIDs.contains(.heartRateService)
    let name = advertised.localName ?? "unnamed"

    var reader = ByteReader([0x10, 0x48, 0x00, 0x04])
    let measurement = try HeartRateMeasurement(from: &reader)
    let rate = measurement.rate ?? 0
    let intervals = measurement.rrIntervalsInSeconds.map(\.doubleValue)

    print(name, isStrap, rate, intervals)
    // end of snippet
    #expect(name == "H10")
    #expect(isStrap)
    #expect(rate == 72)
    #expect(intervals == [1])
    #expect(
      try DocumentedSnippet.inArticle("Sources/GATT/GATT.docc/GATT.md")
        == DocumentedSnippet.inSource())
  }
}
