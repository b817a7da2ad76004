import Testing

@testable import Radio

@Suite struct KnownDevicesTests {
  @Test func `removes the least recently used device`() {
    var devices = KnownDevices<Int>()
    let capacity = KnownDevices<Int>.capacity
    for number in 0..<capacity { devices.remember(DeviceAddress(rawValue: UInt64(number)), number) }
    devices.remember(DeviceAddress(rawValue: 0), 7)
    devices.remember(DeviceAddress(rawValue: 9999), 1)
    #expect(devices.count == capacity)
    #expect(devices[DeviceAddress(rawValue: 0)] == 7)
    #expect(devices[DeviceAddress(rawValue: 1)] == nil)
    #expect(devices[DeviceAddress(rawValue: 9999)] == 1)
  }

  @Test func `removes a device`() {
    var devices = KnownDevices<Void>()
    let address = DeviceAddress(rawValue: 1)
    devices.remember(address)
    #expect(devices.contains(address))
    devices.forget(address)
    #expect(!devices.contains(address))
  }
}
