import Care
import DeviceCatalog
import Foundation
import GATT
import Radio
import TestSupport
import Testing

@Suite
struct DocumentationTests {
  @Test
  func `the example of the documentation reads a weight`() throws {
    // snippet
    let files = try DefinitionFile.files(in: URL(filePath: "Devices"))
    let catalog = try DeviceCatalog.load([files])
    let address = DeviceAddress(rawValue: 0x5CCA_D370_D4A2)
    let frame: [UInt8] = [
      0x10, 0x16, 0x1B, 0x18, 0x02, 0x26, 0xE6, 0x07, 2, 14, 16, 41, 58, 0xF7, 0x01, 0x9A, 0x38,
    ]
    let advertisement = Advertisement(
      address: address, addressType: .public, rssi: nil, data: frame)
    guard let match = catalog.matches(for: AdvertisedDevice(advertisement)).first else { return }
    var session = DeviceSession(definition: match.definition, address: address, timeZone: .gmt)
    let outputs = session.handle(.advertisement(advertisement), at: EventTime(Date()))
    print(match.definition.name, outputs)
    // end of snippet
    let weights = outputs.compactMap { output -> Double? in
      guard case .reading(let reading) = output, reading.quantity == .bodyMass else { return nil }
      return reading.value
    }
    #expect(match.definition.id == "xiaomi-mi-scale-2")
    #expect(weights == [72.45])
    #expect(
      try DocumentedSnippet.inArticle("Sources/DeviceCatalog/DeviceCatalog.docc/DeviceCatalog.md")
        == DocumentedSnippet.inSource())
  }
}
