import GATT
import Radio
import RadioTestSupport
import SystemBus
import TestSupport
import Testing

@testable import BluetoothdRadio

@Suite struct ObjectTreeTests {
  static func interfaces(_ interfaces: [String: [String: BusValue]]) -> BusValue {
    .dictionary(
      of: "sa{sv}",
      Dictionary(
        uniqueKeysWithValues: interfaces.map { (.string($0.key), .properties($0.value)) }))
  }

  static func device(_ name: String, _ more: [String: BusValue] = [:]) -> BusValue {
    interfaces([
      BlueZInterface.device: [
        "Address": .string("C4:12:34:56:78:9A"), "Adapter": .path("/org/bluez/\(name)"),
      ].merging(more) { $1 }
    ])
  }

  @Test func `stores only the used interfaces`() {
    var tree = ObjectTree()
    let added = tree.add(
      "/d",
      Self.interfaces([
        BlueZInterface.device: ["Name": .string("Scale"), "Value": .bytes([1])],
        "org.freedesktop.DBus.Introspectable": [:],
      ]))
    #expect(added == [BlueZInterface.device])
    #expect(tree["/d", BlueZInterface.device] == ["Name": .string("Scale")])
    #expect(tree["/d", "org.freedesktop.DBus.Introspectable"] == nil)
    tree.change(
      "/d", BlueZInterface.device, changed: ["RSSI": .int16(-50)], invalidated: ["Name"])
    #expect(tree["/d", BlueZInterface.device] == ["RSSI": .int16(-50)])
    tree.change("/d", BlueZInterface.battery, changed: ["Percentage": .byte(1)], invalidated: [])
    tree.change("/e", BlueZInterface.device, changed: ["RSSI": .int16(-50)], invalidated: [])
    #expect(tree.count == 1)
    #expect(tree["/d", BlueZInterface.battery] == nil)
    tree.remove("/d", [BlueZInterface.battery, BlueZInterface.device])
    #expect(tree.count == 0)
  }

  @Test func `replaces the tree`() {
    var tree = ObjectTree()
    tree.add("/old", Self.device("hci0"))
    tree.replace(
      with: .dictionary(
        of: "oa{sa{sv}}", [.path("/new"): Self.device("hci0"), .path("/none"): .byte(1)]))
    #expect(tree.devices.map(\.path) == ["/new"])
    tree.replace(with: .string("not a tree"))
    #expect(tree.count == 0)
  }

  @Test func `omits large properties`() {
    var tree = ObjectTree()
    let flood = BusValue.array(of: "s", Array(repeating: .string("x"), count: 10_000))
    tree.add(
      "/d", Self.device("hci0", ["UUIDs": flood, "Name": .string("Scale")]))
    #expect(tree.device("/d")?.name == "Scale")
    #expect(tree.device("/d")?.properties["UUIDs"] == nil)
    tree.change(
      "/d", BlueZInterface.device,
      changed: ["Name": .string(String(repeating: "x", count: 9000))], invalidated: [])
    #expect(tree.device("/d")?.name == "Scale")
  }

  @Test func `bounds the objects`() {
    var tree = ObjectTree()
    for number in 0..<ObjectTree.maximumObjects + 10 {
      tree.add("/d\(number)", Self.interfaces([BlueZInterface.device: [:]]))
    }
    #expect(tree.count == ObjectTree.maximumObjects)
    let again = tree.add("/d0", Self.device("hci0"))
    #expect(again == [BlueZInterface.device])
  }

  @Test func `prefers the linked controller then the strongest signal`() {
    var tree = ObjectTree()
    let address = BluetoothdBench.scale
    tree.add("/org/bluez/hci0/d", Self.device("hci0"))
    #expect(tree.device(at: address)?.adapter == "/org/bluez/hci0")
    tree.add("/org/bluez/hci1/d", Self.device("hci1", ["RSSI": .int16(-80)]))
    #expect(tree.device(at: address)?.adapter == "/org/bluez/hci1")
    tree.change(
      "/org/bluez/hci0/d", BlueZInterface.device, changed: ["RSSI": .int16(-60)], invalidated: [])
    #expect(tree.device(at: address)?.adapter == "/org/bluez/hci0")
    tree.change(
      "/org/bluez/hci1/d", BlueZInterface.device, changed: ["Connected": .boolean(true)],
      invalidated: [])
    #expect(tree.device(at: address)?.adapter == "/org/bluez/hci1")
    #expect(tree.device(at: DeviceAddress(rawValue: 1)) == nil)
  }

  @Test func `lists services in the order of their handles`() {
    var tree = ObjectTree()
    tree.add("/d", Self.device("hci0"))
    tree.add("/d0", Self.device("hci0"))
    tree.add("/d/service002", Self.interfaces([BlueZInterface.service: ["UUID": .string("180d")]]))
    tree.add("/d/service001", Self.interfaces([BlueZInterface.service: ["UUID": .string("181d")]]))
    tree.add("/d0/service001", Self.interfaces([BlueZInterface.service: ["UUID": .string("1810")]]))
    tree.add(
      "/d/service001/char2",
      Self.interfaces([
        BlueZInterface.characteristic: [
          "UUID": .string("2a9d"), "Service": .path("/d/service001"),
          "Flags": .array(of: "s", [.string("indicate"), .string("secure-read"), .byte(1)]),
        ]
      ]))
    tree.add(
      "/d/service001/char3",
      Self.interfaces([
        BlueZInterface.characteristic: [
          "UUID": .string("nonsense"), "Service": .path("/d/service001"),
        ]
      ]))
    let weight = GATTService(
      uuid: BluetoothUUID(0x181D),
      characteristics: [
        GATTCharacteristic(uuid: BluetoothUUID(0x2A9D), properties: [.indicate])
      ])
    let heart = GATTService(uuid: BluetoothUUID(0x180D), characteristics: [])
    #expect(tree.services(of: "/d") == [weight, heart])
    tree.add("/d", Self.interfaces([BlueZInterface.battery: ["Percentage": .byte(80)]]))
    #expect(
      tree.services(of: "/d").last
        == GATTService(
          uuid: .batteryService,
          characteristics: [
            GATTCharacteristic(uuid: BatteryLevel.uuid, properties: [.read, .notify])
          ]))
    #expect(tree.batteryLevel(of: "/d") == 80)
  }

  @Test(
    arguments: [
      (BusValue.int16(-60), -60), (.int16(127), nil), (.int16(.min), nil), (.string("-60"), nil),
    ] as [(BusValue, Int?)])
  func `accepts a plausible signal strength`(value: BusValue, rssi: Int?) {
    #expect(DeviceObject(path: "/d", properties: ["RSSI": value]).rssi == rssi)
  }

  @Test(
    arguments: [
      ("00001812-0000-1000-8000-00805f9b34fb", true, false, true),
      ("00001850-0000-1000-8000-00805f9b34fb", true, false, true),
      ("03b80e5a-ede8-4b33-a751-6ce34ec4c700", true, false, true),
      ("00001812-0000-1000-8000-00805f9b34fb", false, false, false),
      ("00001812-0000-1000-8000-00805f9b34fb", true, true, false),
      ("0000181d-0000-1000-8000-00805f9b34fb", true, false, false), ("?", true, false, false),
    ])
  func `awaits what bluetoothd links by itself`(
    service: String, isBonded: Bool, isConnected: Bool, isAwaited: Bool
  ) {
    let device = DeviceObject(
      path: "/d",
      properties: [
        "UUIDs": .array(of: "s", [.string(service)]), "Bonded": .boolean(isBonded),
        "Connected": .boolean(isConnected),
      ])
    #expect(device.isAwaited == isAwaited)
  }
}
