import Foundation
import Care
import DeviceCatalog
import Radio
import TestSupport
import Testing

/// Broadcasts of real devices that people have published, and the measurements in them.
struct RealBroadcastsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var definition: String
    var address: String
    var data: String
    var values: [String]
    var testDescription: String { "\(definition) \(data)" }
  }

  private static let cases = [
    // A scale without electrodes sends 600.0 Ω with every weight.
    Case(
      definition: "chipsea-c0", address: "B4:56:5D:00:00:01",
      data: "10ffc0451d7917700a0125b4565d000001", values: ["bodyMass 75.45"]),
    Case(
      definition: "chipsea-c0", address: "50:FB:19:11:22:33",
      data: "10ffc05524f917700a012550fb19112233", values: ["bodyMass 94.65"]),
    Case(
      definition: "chipsea-f0ff", address: "50:FB:19:00:00:01",
      data: "15fffff00204db03000000000000000050fb19000001", values: ["bodyMass 98.7"]),
    Case(
      definition: "eufy-p2", address: "CF:E8:12:00:00:01",
      data: "16ff48ffcfe812000001cf51c00e29dcd69700000000e4",
      values: ["bodyMass 105.1", "heartRate 81.0"]),
    Case(
      definition: "xiaomi-mi-scale-1", address: "C8:47:8C:00:00:01",
      data: "0d161d18229e43e507040b101301", values: ["bodyMass 86.55"]),
    // Stepped off, 9.55 kg of a thing, and a clock that was never set.
    Case(
      definition: "xiaomi-mi-scale-1", address: "C8:47:8C:00:00:01",
      data: "0d161d18627607b2070101000111", values: []),
    Case(
      definition: "xiaomi-mi-scale-1", address: "C8:47:8C:00:00:01",
      data: "0d161d18223a2fb207010c171d1a", values: ["bodyMass 60.45"]),
    Case(
      definition: "xiaomi-mi-scale-2", address: "C8:47:8C:00:00:01",
      data: "10161b180226b2070103131a15e601604a", values: ["bodyMass 95.2", "impedance 486.0"]),
    // An S400 that nobody stands on sends its address.
    Case(
      definition: "xiaomi-s400", address: "CF:00:00:00:00:01",
      data: "0f1695fe305ad53b000100000000cf08", values: []),
  ]

  @Test(arguments: cases)
  func `gives what was measured`(example: Case) throws {
    let address = try #require(DeviceAddress(example.address))
    let advertisement = Advertisement(
      address: address, addressType: .public, rssi: -60, data: bytes(example.data))
    let catalog = try Repository.catalog()
    let best = try #require(catalog.matches(for: AdvertisedDevice(advertisement)).first)
    #expect(best.definition.id == example.definition)
    var session = DeviceSession(
      definition: best.definition, address: address, timeZone: .gmt)
    var outputs: [SessionOutput] = []
    for second in 0..<4 {
      outputs += session.handle(
        .advertisement(advertisement), at: SessionBench.time(Double(second)))
    }
    outputs += session.wake(at: SessionBench.time(60))
    #expect(
      outputs.readings.map { "\($0.quantity.rawValue) \($0.value)" } == example.values)
    #expect(outputs.rejections == [])
  }
}
