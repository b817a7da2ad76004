import Care
import DeviceCatalog
import Foundation
import Hub
import Localization
import Pages
import Radio
import Testing

@testable import Daemon
@testable import Terminal

/// The devices that the page shows as near.
@Suite struct NearbyDevicesTests {
  private let catalog: DeviceCatalog
  private let start = Date(timeIntervalSince1970: 1_795_000_000)

  init() throws {
    catalog = try DeviceCatalog.readable(folder: nil).catalog
  }

  private func advertisement(_ last: UInt8, rssi: Int, name: String, after seconds: TimeInterval)
    throws -> TimedEvent
  {
    let address = try #require(DeviceAddress("A0:9E:1A:00:00:0\(last)"))
    let bytes = [UInt8(name.utf8.count + 1), 0x09] + Array(name.utf8)
    return TimedEvent(
      time: start + seconds,
      event: .advertisement(
        Advertisement(address: address, addressType: .public, rssi: rssi, data: bytes)))
  }

  /// A cuff that showed an error has ended its link, and is silent.
  @Test func `what could not be measured is said for a while, and until it could`() throws {
    let nearby = NearbyDevices()
    nearby.add(try advertisement(1, rssi: -60, name: "BM54", after: 0))
    let address = try #require(DeviceAddress("A0:9E:1A:00:00:01"))
    func note(_ frame: FrameNote) -> HubReport {
      .device(SessionNote(address: address, name: "BM54", kind: .frame(frame)))
    }
    nearby.add(note(.noSkinContact), at: start)
    #expect(nearby.devices(at: start + 10, by: catalog).map(\.remark) == [nil])
    nearby.add(note(.noBloodPressure), at: start + 20)
    let remark = nearby.devices(at: start + 600, by: catalog).first?.remark
    #expect(
      remark?.message
        == "BM54 (A0:9E:1A:00:00:01) could not measure the blood pressure.")
    #expect(nearby.devices(at: start + 921, by: catalog).isEmpty)
    let reading = Reading(
      quantity: .bloodPressureSystolic, value: 120, arrival: start + 30,
      device: DeviceIdentity(address: DeviceID(address.description)))
    nearby.add(
      .stored(
        Sample(reading: reading, patient: "john", start: start + 30, end: start + 30)),
      at: start + 30)
    #expect(nearby.devices(at: start + 40, by: catalog).map(\.remark) == [nil])
  }

  @Test(arguments: [-86_400.0, 86_400])
  func `a clock that is set leaves what is near, and what it said`(jump: Double) throws {
    let nearby = NearbyDevices()
    nearby.add(try advertisement(1, rssi: -60, name: "BM54", after: 0))
    let address = try #require(DeviceAddress("A0:9E:1A:00:00:01"))
    let note = SessionNote(address: address, name: "BM54", kind: .frame(.noBloodPressure))
    nearby.add(.device(note), at: start)
    nearby.follow(clockSetBy: jump)
    let now = nearby.devices(at: start + 60 + jump, by: catalog)
    #expect(now.map(\.lastHeard) == [start + jump])
    #expect(now.first?.remark != nil)
    #expect(nearby.devices(at: start + 901 + jump, by: catalog).isEmpty)
  }

  @Test
  func `what advertises is near for two minutes, with the name of its kind`() throws {
    let nearby = NearbyDevices()
    nearby.add(try advertisement(1, rssi: -60, name: "Polar H10 0001", after: 0))
    nearby.add(try advertisement(2, rssi: -50, name: "a\u{1B}[2Jb", after: 100))
    let first = nearby.devices(at: start + 120, by: catalog)
    #expect(first.map(\.address.text) == ["A0:9E:1A:00:00:01", "A0:9E:1A:00:00:02"])
    #expect(first.map(\.title) == ["Polar H10", nil])
    #expect(first.map(\.signal) == [-60, -50])
    #expect(first.map(\.name) == ["Polar H10 0001", "a[2Jb"])
    #expect(nearby.devices(at: start + 121, by: catalog).map(\.signal) == [-50])
    #expect(nearby.devices(at: start + 500, by: catalog).isEmpty)
  }
}
