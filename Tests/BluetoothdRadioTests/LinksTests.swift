import GATT
import Radio
import Testing

@testable import BluetoothdRadio

@Suite struct LinksTests {
  static let path = "/org/bluez/hci0/dev_A"
  static let address = DeviceAddress(rawValue: 1)
  var links = Links()

  mutating func begin() -> DeviceLink? {
    links.begin(Self.address, path: Self.path, adapter: "/org/bluez/hci0", wantsBond: false)
  }

  @Test mutating func `stores one link per device`() {
    let link = begin()
    let second = begin()
    #expect(link?.phase == .connecting)
    #expect(second == nil)
    #expect(links.paths == [Self.path])
    #expect(links.paths(over: "/org/bluez/hci0") == [Self.path])
    #expect(links.paths(over: "/org/bluez/hci1").isEmpty)
    #expect(links.link(to: Self.address)?.number == link?.number)
  }

  @Test mutating func `distinguishes a link from an earlier one`() {
    let first = begin()?.number ?? 0
    links.remove(Self.path)
    let second = begin()?.number ?? 0
    #expect(links[Self.path, first] == nil)
    #expect(links[Self.path, second] != nil)
    let turn = links.takeNumber()
    #expect(turn > second)
  }

  /// While a link is being connected, the reply to that call reports its end.
  @Test mutating func `reports a disconnect once it is up`() {
    _ = begin()
    let early = links.peerDisconnected(Self.path)
    #expect(early == nil)
    #expect(links[Self.path]?.disconnectedEarly == true)
    links.attempted(Self.path, isOwn: true)
    #expect(links[Self.path]?.disconnectedEarly == false)
    links.connected(Self.path)
    let late = links.peerDisconnected(Self.path)
    #expect(late?.phase == .up)
  }

  @Test mutating func `disconnects once`() {
    _ = begin()
    let isFirst = links.beginDisconnecting(Self.path) != nil
    let isSecond = links.beginDisconnecting(Self.path) != nil
    #expect(isFirst)
    #expect(!isSecond)
  }

  @Test mutating func `holds discovery once`() {
    _ = begin()
    let changes = [true, true, false, false].map { links.holdDiscovery($0, for: Self.path) }
    #expect(changes == [true, false, true, false])
  }

  @Test func `performs one operation at a time`() {
    var queue = LinkOperations()
    let battery = LinkOperation.read(BatteryLevel.uuid)
    let name = LinkOperation.subscribe(BluetoothUUID(0x2A00))
    let added = [queue.add(battery), queue.add(name)]
    #expect(added == [true, true])
    let first = queue.begin()
    let blocked = queue.begin()
    #expect(first == battery)
    #expect(blocked == nil)
    #expect(queue.current == 1)
    queue.end()
    let second = queue.begin()
    #expect(second == name)
    #expect(queue.current == 2)
  }

  @Test func `refuses operations when full`() {
    var queue = LinkOperations()
    let added = (0...LinkOperations.capacity).map { _ in
      queue.add(.read(BatteryLevel.uuid))
    }
    #expect(added.count(where: \.self) == LinkOperations.capacity)
    #expect(added.last == false)
  }
}
