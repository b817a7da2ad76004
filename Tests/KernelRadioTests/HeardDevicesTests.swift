import Radio
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct HeardDevicesTests {
  var heard = HeardDevices()
  let scale = DeviceAddress(rawValue: 0xC412_3456_789A)

  func found(
    _ address: DeviceAddress, rssi: Int? = -60, isConnectable: Bool = true, _ data: String = ""
  ) -> FoundDevice {
    FoundDevice(
      peer: PeerAddress(address, .random), rssi: rssi, isConnectable: isConnectable,
      data: bytes(data))
  }

  @Test mutating func choosesTheControllerThatHearsADeviceBest() {
    for (controller, rssi) in [(0, -70), (1, -50), (2, -60)] as [(UInt16, Int)] {
      _ = heard.hear(found(scale, rssi: rssi), by: controller, isAnswered: false)
    }
    #expect(heard.controller(for: scale, among: [0, 1, 2]) == 1)
    #expect(heard.controller(for: scale, among: [0, 2]) == 2)
    #expect(heard.controller(for: scale, among: [7]) == nil)
    #expect(heard.controller(for: DeviceAddress(rawValue: 1), among: [0]) == nil)
  }

  @Test mutating func passesAControllerByThatHearsTheDeviceNoMore() {
    _ = heard.hear(found(scale, rssi: -40), by: 0, isAnswered: false)
    for _ in 0..<HeardDevices.memory - 1 {
      _ = heard.hear(found(scale, rssi: -90), by: 1, isAnswered: false)
    }
    #expect(heard.controller(for: scale, among: [0, 1]) == 0)
    _ = heard.hear(found(scale, rssi: -90), by: 1, isAnswered: false)
    #expect(heard.controller(for: scale, among: [0, 1]) == 1)
    // It is reached through nobody rather than through one that lost it.
    #expect(heard.controller(for: scale, among: [0]) == nil)
  }

  @Test mutating func forgetsAControllerThatIsGone() {
    _ = heard.hear(found(scale), by: 0, isAnswered: false)
    heard.forget(controller: 0)
    #expect(heard.controller(for: scale, among: [0]) == nil)
    #expect(heard[scale]?.type == .random)
  }

  @Test mutating func takesAnUnmeasuredSignalForTheWeakest() {
    _ = heard.hear(found(scale, rssi: nil), by: 0, isAnswered: false)
    _ = heard.hear(found(scale, rssi: -100), by: 1, isAnswered: false)
    #expect(heard.controller(for: scale, among: [0, 1]) == 1)
  }

  @Test mutating func asksForANameOnce() {
    let first = heard.hear(found(scale), by: 0, isAnswered: false)
    let asked = heard.hear(found(scale), by: 0, isAnswered: true)
    let later = heard.hear(found(scale), by: 0, isAnswered: false)
    #expect([first, asked, later] == [true, false, false])
  }

  @Test mutating func remembersTheNameAndAsksNobodyWhoSaidOneOrTakesNoConnection() {
    let named = heard.hear(found(scale, "05 09 41 42 43 44"), by: 0, isAnswered: false)
    _ = heard.hear(found(scale), by: 0, isAnswered: false)
    let beacon = heard.hear(
      found(DeviceAddress(rawValue: 2), isConnectable: false), by: 0, isAnswered: false)
    #expect(!named)
    #expect(!beacon)
    #expect(heard[scale]?.name == "ABCD")
  }

  @Test mutating func forgetsWhoWasHeardLongestAgo() {
    for number in 1...UInt64(HeardDevices.capacity) {
      _ = heard.hear(found(DeviceAddress(rawValue: number)), by: 0, isAnswered: false)
    }
    _ = heard.hear(found(DeviceAddress(rawValue: 1)), by: 0, isAnswered: false)
    _ = heard.hear(found(scale), by: 0, isAnswered: false)
    #expect(heard[scale] != nil)
    #expect(heard[DeviceAddress(rawValue: 1)] != nil)
    #expect(heard[DeviceAddress(rawValue: 2)] == nil)
    #expect(heard[DeviceAddress(rawValue: UInt64(HeardDevices.capacity))] != nil)
  }
}
