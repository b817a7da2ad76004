import Radio
import TestSupport
import Testing

@testable import KernelRadio

@Suite struct ReceivedDevicesTests {
  var received = ReceivedDevices()
  let now = ContinuousClock.now
  let scale = DeviceAddress(rawValue: 0xC412_3456_789A)

  func found(
    _ address: DeviceAddress, rssi: Int? = -60, isConnectable: Bool = true, _ data: String = ""
  ) -> FoundDevice {
    FoundDevice(
      peer: PeerAddress(address, .random), rssi: rssi, isConnectable: isConnectable,
      data: bytes(data))
  }

  @Test mutating func `chooses the controller with the strongest signal`() {
    for (controller, rssi) in [(0, -70), (1, -50), (2, -60)] as [(UInt16, Int)] {
      _ = received.receive(found(scale, rssi: rssi), by: controller, isAnswered: false, at: now)
    }
    #expect(received.controller(for: scale, among: [0, 1, 2]) == 1)
    #expect(received.controller(for: scale, among: [0, 2]) == 2)
    #expect(received.controller(for: scale, among: [7]) == nil)
    #expect(received.controller(for: DeviceAddress(rawValue: 1), among: [0]) == nil)
  }

  @Test mutating func `skips a controller that stopped receiving the device`() {
    _ = received.receive(found(scale, rssi: -40), by: 0, isAnswered: false, at: now)
    for _ in 0..<ReceivedDevices.memory - 1 {
      _ = received.receive(found(scale, rssi: -90), by: 1, isAnswered: false, at: now)
    }
    #expect(received.controller(for: scale, among: [0, 1]) == 0)
    _ = received.receive(found(scale, rssi: -90), by: 1, isAnswered: false, at: now)
    #expect(received.controller(for: scale, among: [0, 1]) == 1)
    // The device has no controller rather than one that stopped receiving it.
    #expect(received.controller(for: scale, among: [0]) == nil)
  }

  @Test mutating func `removes a controller`() {
    _ = received.receive(found(scale), by: 0, isAnswered: false, at: now)
    received.forget(controller: 0)
    #expect(received.controller(for: scale, among: [0]) == nil)
    #expect(received[scale]?.type == .random)
  }

  @Test mutating func `ranks an unmeasured signal weakest`() {
    _ = received.receive(found(scale, rssi: nil), by: 0, isAnswered: false, at: now)
    _ = received.receive(found(scale, rssi: -100), by: 1, isAnswered: false, at: now)
    #expect(received.controller(for: scale, among: [0, 1]) == 1)
  }

  /// The answer may have been lost: it is requested again, ever more rarely.
  @Test mutating func `requests a name again after a pause`() {
    var time = now
    for pause in [60, 120, 240, 480, 960, 1920, 3840, 3840] {
      let first = received.receive(found(scale), by: 0, isAnswered: false, at: time)
      // Several reports of one request.
      let asked = received.receive(found(scale), by: 0, isAnswered: true, at: time)
      let again = received.receive(found(scale), by: 0, isAnswered: true, at: time + .seconds(1))
      time += .seconds(pause)
      let early = received.receive(found(scale), by: 0, isAnswered: false, at: time - .seconds(1))
      #expect([first, asked, again, early] == [true, false, false, false])
    }
  }

  @Test mutating func `requests names only from unnamed connectable devices`() {
    let named = received.receive(
      found(scale, "05 09 41 42 43 44"), by: 0, isAnswered: false, at: now)
    _ = received.receive(found(scale), by: 0, isAnswered: false, at: now)
    let beacon = received.receive(
      found(DeviceAddress(rawValue: 2), isConnectable: false), by: 0, isAnswered: false, at: now)
    #expect(!named)
    #expect(!beacon)
    #expect(received[scale]?.name == "ABCD")
  }

  @Test mutating func `removes the least recently received devices`() {
    for number in 1...UInt64(ReceivedDevices.capacity) {
      _ = received.receive(
        found(DeviceAddress(rawValue: number)), by: 0, isAnswered: false, at: now)
    }
    _ = received.receive(found(DeviceAddress(rawValue: 1)), by: 0, isAnswered: false, at: now)
    _ = received.receive(found(scale), by: 0, isAnswered: false, at: now)
    #expect(received[scale] != nil)
    #expect(received[DeviceAddress(rawValue: 1)] != nil)
    #expect(received[DeviceAddress(rawValue: 2)] == nil)
    #expect(received[DeviceAddress(rawValue: UInt64(ReceivedDevices.capacity))] != nil)
  }
}
