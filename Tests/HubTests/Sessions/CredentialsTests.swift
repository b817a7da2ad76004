import Care
import Foundation
import GATT
import Hub
import Radio
import TestSupport
import Testing

/// A plan's key decrypts a scale's frames; a later key applies from then on.
@Suite struct CredentialsTests {
  private static let scale = DeviceAddress(rawValue: 0x8C_D0_B2_F6_BE_EF)
  private static let start = time("2025-04-09T19:03:26-07:00")
  private static let device = """
      - {address: "8C:D0:B2:F6:BE:EF", definition: xiaomi-s400, patient: john, \
    key: 0728974d657a4b60964c1b1677f35f7c}
    """

  private func beacon(at seconds: Double) throws -> TimedEvent {
    let frame = bytes("4859d53b0abc078ff2348c844138e930220000009e538599")
    let structure = try AdvertisingStructure.serviceData(BluetoothUUID(0xFE95), frame)
    return TimedEvent(
      time: Self.start + seconds,
      event: .advertisement(
        Advertisement(
          address: Self.scale, addressType: .public, rssi: nil,
          data: try AdvertisingData(structures: [structure]).encoded)))
  }

  @Test func `the key of the plan opens the scale`() async throws {
    let bench = try await Bench(Plans.john(expects: "70 kg", devices: Self.device))
    let run = try await bench.play([try beacon(at: 0)])
    #expect(run.stored.map(\.value) == [69.9, 92, 543.2])
    #expect(try await bench.samples(.bodyMass).map(\.patient) == ["john"])
  }

  @Test func `a later key is used`() async throws {
    let bench = try await Bench(Plans.john(expects: "70 kg"))
    let radio = PausingRadio([try beacon(at: 0), try beacon(at: 1), try beacon(at: 70)])
    radio.observe = { step in
      if step == 1 {
        try await bench.importPlan(
          Plans.john(expects: "70 kg", devices: Self.device), now: Self.start - 86_400)
      }
      return 0
    }
    let run = try await bench.play(radio)
    #expect(run.stored.map(\.value) == [69.9, 92, 543.2])
    #expect(run.stored.map(\.start).first == time("2025-04-10T02:03:25Z"))
  }
}
