import DeviceCatalog
import Foundation
import GATT
import Radio
import Testing

@testable import Commands
@testable import Terminal

@Suite struct ScanCommandTests {
  static func received(_ device: UInt64, _ data: [UInt8], rssi: Int? = -60, at time: Double)
    -> TimedEvent
  {
    TimedEvent(
      time: Date(timeIntervalSince1970: time),
      event: .advertisement(
        Advertisement(
          address: DeviceAddress(rawValue: device), addressType: .random, rssi: rssi, data: data)))
  }

  /// A heart-rate strap's service, then its name in the scan response.
  static let strap: [UInt8] = [0x02, 0x01, 0x06, 0x03, 0x03, 0x0D, 0x18]
  static let name: [UInt8] = [0x04, 0x09, 0x48, 0x52, 0x4D]

  @Test func `merges a devices advertisements`() throws {
    var results = ScanResults()
    results.add(Self.received(7, Self.strap, at: 1))
    results.add(Self.received(7, Self.name, rssi: nil, at: 2))
    let device = try #require(results.devices[DeviceAddress(rawValue: 7)])
    #expect(device.known.name == "HRM")
    #expect(device.known.services.map(\.description) == ["180D"])
    #expect(device.rssi == -60)
    #expect(device.advertisements == 2)
    #expect(device.last.date == Date(timeIntervalSince1970: 2))
  }

  @Test func `sorts matched devices first then by signal strength`() throws {
    let catalog = try DeviceCatalog.readable(folder: nil).catalog
    var results = ScanResults()
    results.add(Self.received(1, Self.name, rssi: -90, at: 1))
    results.add(Self.received(2, Self.name, rssi: -40, at: 1))
    results.add(Self.received(3, Self.strap, rssi: -80, at: 1))
    let rows = results.sorted(by: catalog)
    #expect(rows.map(\.device.known.address.rawValue) == [3, 2, 1])
    #expect(rows.map(\.kind?.id) == ["sig-heart-rate", nil, nil])
  }

  @Test func `stores a bounded number of devices`() {
    var results = ScanResults()
    for device in 0..<UInt64(ScanResults.most + 50) {
      results.add(Self.received(device, Self.name, at: Double(device)))
    }
    #expect(results.devices.count == ScanResults.most)
    #expect(results.devices[DeviceAddress(rawValue: 0)] == nil)
  }

  @Test func `removes terminal control characters`() {
    #expect("Sca\u{1B}[2Jle\u{202E}\n\u{7}".printable == "Sca[2Jle")
    #expect("Wägezelle 体重".printable == "Wägezelle 体重")
  }

  @Test func `explains a match and its absence`() throws {
    let catalog = try DeviceCatalog.readable(folder: nil).catalog
    var device = AdvertisedDevice(address: DeviceAddress(rawValue: 3))
    device.merge(
      Advertisement(
        address: device.address, addressType: .public, rssi: nil, data: Self.strap + Self.name))
    let explanation = Explanation(device: device, definitions: catalog)
    #expect(explanation.output.definition == "sig-heart-rate")
    #expect(explanation.lines[1].hasPrefix("It is a "))
    #expect(explanation.lines[2] == "  service 180D")
    let unknown = Explanation(
      device: AdvertisedDevice(address: DeviceAddress(rawValue: 4)), definitions: catalog)
    #expect(unknown.lines[1] == "No definition matches it.")
  }
}
