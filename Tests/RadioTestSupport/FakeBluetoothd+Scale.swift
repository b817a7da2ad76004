package import Radio
package import SystemBus

@testable import BluetoothdRadio

// A controller, and a scale in range.
extension FakeBluetoothd {
  package static let weight = device + "/service0010/char0011"
  package static let feature = device + "/service0010/char0014"
  package static let record = device + "/service0010/char0017"
  package static let heartRate = device + "/service0020/char0021"

  package func placeAdapter(isPowered: Bool = true) {
    place(
      Self.adapter,
      [
        BlueZInterface.adapter: [
          "Address": .string("00:1B:DC:00:00:01"), "Powered": .boolean(isPowered),
          "Discovering": .boolean(false),
        ]
      ])
  }

  package static func scale(_ more: [String: BusValue] = [:]) -> [String: [String: BusValue]] {
    let properties: [String: BusValue] = [
      "Address": .string(address), "AddressType": .string("random"),
      "Adapter": .path(adapter), "Name": .string("Scale"), "Connected": .boolean(false),
      "ServicesResolved": .boolean(false), "Paired": .boolean(false),
      "UUIDs": .array(of: "s", [.string("0000181d-0000-1000-8000-00805f9b34fb")]),
      "RSSI": .int16(-60),
    ]
    return [BlueZInterface.device: properties.merging(more) { $1 }]
  }

  /// Adds any device in range of the controller.
  package func placeDevice(_ address: DeviceAddress, isPaired: Bool) {
    place(
      Self.adapter + "/dev_" + address.description.replacing(":", with: "_"),
      Self.scale(["Address": .string(address.description), "Paired": .boolean(isPaired)]))
  }

  /// The address in a device's path.
  package static func address(of path: String) -> DeviceAddress? {
    DeviceAddress(String(path.suffix(17)).replacing("_", with: ":"))
  }

  /// The scale connects on request, and then publishes its services.
  package func makeScaleLink() {
    react(to: "Connect") { daemon, _ in
      guard !daemon.refuses("Connect") else { return }
      await daemon.change(Self.device, BlueZInterface.device, ["Connected": .boolean(true)])
      await daemon.addServices()
      await daemon.change(Self.device, BlueZInterface.device, ["ServicesResolved": .boolean(true)])
    }
    react(to: "Disconnect") { daemon, _ in await daemon.hangUp() }
  }

  package func hangUp(after last: @Sendable () -> Void = {}) async {
    last()
    await change(
      Self.device, BlueZInterface.device,
      ["Connected": .boolean(false), "ServicesResolved": .boolean(false)])
  }

  package func addServices() async {
    await addService("service0010", "181d")
    await addService("service0020", "180d")
    await addCharacteristic(Self.weight, "2a9d", ["indicate"])
    await addCharacteristic(Self.feature, "2a9e", ["read", "encrypt-read"])
    await addCharacteristic(
      Self.record, "2a18", ["notify"], more: ["NotifyAcquired": .boolean(false)])
    await addCharacteristic(
      Self.heartRate, "2a37", ["notify"], more: ["NotifyAcquired": .boolean(false)])
  }

  private func addService(_ name: String, _ uuid: String) async {
    await add(
      Self.device + "/" + name,
      [BlueZInterface.service: ["UUID": .string(Self.full(uuid)), "Device": .path(Self.device)]])
  }

  private func addCharacteristic(
    _ path: String, _ uuid: String, _ flags: [String], more: [String: BusValue] = [:]
  ) async {
    let properties: [String: BusValue] = [
      "UUID": .string(Self.full(uuid)),
      "Service": .path(path.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }),
      "Flags": .array(of: "s", flags.map { .string($0) }),
    ]
    await add(path, [BlueZInterface.characteristic: properties.merging(more) { $1 }])
  }

  private static func full(_ uuid: String) -> String {
    "0000\(uuid)-0000-1000-8000-00805f9b34fb"
  }
}
