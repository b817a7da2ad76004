import GATT
import Radio
import SystemBus
import Testing

@testable import BluetoothdRadio

@Suite struct SubscriptionsTests {
  static let device = "/org/bluez/hci0/dev_A"
  static let weight = device + "/service0010/char0011"
  static let template = CharacteristicValue(
    address: DeviceAddress(rawValue: 1), service: nil, characteristic: BluetoothUUID(0x2A9D),
    data: [])
  static func origin(
    _ template: CharacteristicValue = template, isIndicated: Bool = true
  ) -> EarlyValues.Origin {
    EarlyValues.Origin(template: template, isIndicated: isIndicated)
  }

  /// The values that are taken of that characteristic.
  static func taken(
    _ data: [[UInt8]], lost: Int = 0, isIndicated: Bool = true
  ) -> EarlyValues.Taken {
    EarlyValues.Taken(origin: origin(isIndicated: isIndicated), data: data, lost: lost)
  }

  var subscriptions = Subscriptions()
  let now = ContinuousClock.now

  /// bluetoothd restores subscriptions by itself when a device returns.
  @Test mutating func `reports early values on subscription`() {
    var earlier = Self.template
    earlier.address = DeviceAddress(rawValue: 2)
    let early = [
      subscriptions.signalled([1], of: Self.weight, earlyFrom: Self.origin(earlier), at: now),
      // The echo of another program's read is not an early value.
      subscriptions.signalled([2], of: Self.weight, earlyFrom: nil, at: now),
    ]
    #expect(early == [[], []])
    let taken = subscriptions.addSignals(of: Self.weight, template: Self.template, at: now)
    #expect(taken == Self.taken([[1]]))
    let next = subscriptions.signalled([3], of: Self.weight, earlyFrom: Self.origin(), at: now)
    #expect(next.map(\.data) == [[3]])
  }

  /// A value that nobody can read is never the echo of a read.
  @Test(
    arguments: [
      (["indicate"], false, true), (["notify"], false, true), (["read", "notify"], false, false),
      (["read", "notify"], true, true),
    ] as [([String], Bool, Bool)])
  func `knows what the device sent`(flags: [String], isNotifying: Bool, isSent: Bool) {
    let characteristic = CharacteristicObject(
      path: Self.weight,
      properties: [
        "Flags": .array(of: "s", flags.map { .string($0) }), "Notifying": .boolean(isNotifying),
      ])
    #expect(characteristic.isSentByDevice == isSent)
  }

  @Test mutating func `takes what a device has sent`() {
    let steps = Self.device + "/service0010/char0015"
    let other = "/org/bluez/hci0/dev_AB/service0010/char0011"
    for (path, isIndicated) in [(Self.weight, true), (steps, false), (other, true)] {
      let origin = Self.origin(isIndicated: isIndicated)
      _ = subscriptions.signalled([1], of: path, earlyFrom: origin, at: now)
    }
    #expect(subscriptions.waitingSources(at: now + .seconds(59)) == [])
    #expect(subscriptions.waitingSources(at: now + .seconds(60)) == [Self.weight, other])
    let taken = subscriptions.takeEarly(of: Self.device, at: now)
    #expect(taken == [Self.taken([[1]]), Self.taken([[1]], isIndicated: false)])
    #expect(subscriptions.earlySources == [other])
    let address = DeviceAddress(rawValue: 3)
    #expect(taken.first?.values(at: address).map(\.address) == [address])
    #expect(subscriptions.takeEarly(ofCharacteristic: other, at: now) == Self.taken([[1]]))
    #expect(subscriptions.takeEarly(of: Self.device, at: now) == [])
  }

  @Test mutating func `separates the echo of a read`() {
    _ = subscriptions.addSignals(of: Self.weight, template: Self.template, at: now)
    subscriptions.beginRead(of: Self.weight)
    for data: [UInt8] in [[1], [2]] {
      let values = subscriptions.signalled(
        data, of: Self.weight, earlyFrom: Self.origin(), at: now)
      #expect(values.isEmpty)
    }
    let values = subscriptions.endRead(of: Self.weight, [2], template: Self.template)
    #expect(values.map(\.data) == [[1], [2]])
  }

  @Test mutating func `ends with its device`() {
    _ = subscriptions.addSignals(of: Self.weight, template: Self.template, at: now)
    let other = "/org/bluez/hci0/dev_AB/service0010/char0011"
    _ = subscriptions.addSignals(of: other, template: Self.template, at: now)
    let watches = subscriptions.removeAll(of: Self.device)
    #expect(watches.isEmpty)
    #expect(!subscriptions.contains(Self.weight))
    #expect(subscriptions.contains(other))
    #expect(subscriptions.packet([1], of: Self.weight) == nil)
  }
}

@Suite struct EarlyValuesTests {
  let now = ContinuousClock.now

  private let indicated = SubscriptionsTests.origin()
  private let notified = SubscriptionsTests.origin(isIndicated: false)

  @Test func `stores values until they are taken`() {
    var early = EarlyValues()
    early.store([1], from: indicated, of: "/d/c1", at: now)
    early.store([2], from: indicated, of: "/d/c2", at: now)
    early.store([3], from: indicated, of: "/d/c1", at: now)
    // bluetoothd has confirmed them: they never expire.
    let first = early.take(of: "/d/c1", at: now + .seconds(86_400))
    #expect(first == SubscriptionsTests.taken([[1], [3]]))
    #expect(early.take(of: "/d/c1", at: now) == nil)
  }

  @Test func `forgets old notifications`() {
    var early = EarlyValues()
    early.store([1], from: notified, of: "/d/c1", at: now)
    early.store([2], from: notified, of: "/d/c2", at: now)
    early.store([3], from: notified, of: "/d/c1", at: now + .seconds(200))
    #expect(early.take(of: "/d/c2", at: now + .seconds(300)) == nil)
    let recent = early.take(of: "/d/c1", at: now + .seconds(300))
    #expect(recent?.data == [[3]])
    // Old values leave room for new ones.
    for number in 0..<64 { early.store([1], from: notified, of: "/d/c\(number)", at: now) }
    early.store([2], from: notified, of: "/d/new", at: now + .seconds(300))
    let new = early.take(of: "/d/new", at: now + .seconds(300))
    #expect(new?.data == [[2]])
  }

  @Test(arguments: [(true, 1024), (false, 64)])
  func `bounds the stored values`(isIndicated: Bool, limit: Int) {
    var early = EarlyValues()
    let origin = SubscriptionsTests.origin(isIndicated: isIndicated)
    // The first and the last characteristic get more than is stored, those between them one each.
    let counts = (0..<64).map { [0, 63].contains($0) ? limit + 6 : 1 } + [limit + 6, 1]
    for (number, count) in counts.enumerated() {
      for _ in 0..<count { early.store([1], from: origin, of: "/d/c\(number)", at: now) }
    }
    let taken = counts.indices.map { early.take(of: "/d/c\($0)", at: now) }
    #expect(taken.prefix(64).map { $0?.data.count } == counts.prefix(64).map { min($0, limit) })
    #expect(taken.prefix(64).map { $0?.lost } == counts.prefix(64).map { max($0 - limit, 0) })
    #expect(taken.dropFirst(64).allSatisfy { $0 == nil })
  }

  @Test func `makes room for a confirmed value`() {
    var early = EarlyValues()
    for number in 0..<64 { early.store([1], from: notified, of: "/d/c\(number)", at: now) }
    early.store([2], from: indicated, of: "/d/new", at: now)
    #expect(early.take(of: "/d/new", at: now) == SubscriptionsTests.taken([[2]]))
    #expect(early.take(of: "/d/c0", at: now) == nil)
    #expect(early.take(of: "/d/c1", at: now)?.data == [[1]])
  }
}

@Suite struct ReadEchoTests {
  @Test func `reports notifications at once without a read`() {
    var echo = ReadEcho()
    #expect(echo.notified([1]) == [[1]])
    #expect(echo.notified([1]) == [[1]])
  }

  @Test func `omits the echo of a read`() {
    var echo = ReadEcho()
    echo.begin()
    #expect(echo.notified([7]) == [])
    #expect(echo.end([7]) == [])
    #expect(echo.notified([7]) == [[7]])
  }

  @Test func `reports notifications that arrived during a read`() {
    var echo = ReadEcho()
    echo.begin()
    for value: UInt8 in [1, 7, 2, 7] { #expect(echo.notified([value]) == []) }
    #expect(echo.end([7]) == [[1], [7], [2]])
  }

  @Test func `reports all notifications after a refused read`() {
    var echo = ReadEcho()
    echo.begin()
    #expect(echo.notified([7]) == [])
    #expect(echo.end(nil) == [[7]])
    #expect(echo.end(nil) == [])
  }

  @Test func `bounds the buffered notifications`() {
    var echo = ReadEcho()
    echo.begin()
    var reported: [[UInt8]] = []
    for value: UInt8 in 0..<200 { reported += echo.notified([value]) }
    reported += echo.end(nil)
    #expect(reported == (0..<200).map { [UInt8($0)] })
  }
}
