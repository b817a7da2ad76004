import GATT
import Radio
import TestSupport
import Testing
import Traces

@Suite struct CaptureAdvertisingTests {
  typealias Sessions = CaptureSessions

  /// One report of LE Extended Advertising Report; `type` 0x20 has more to come, 0x40 is cut off.
  static func extended(
    type: UInt16, from address: DeviceAddress = Sessions.scale, addressType: UInt8 = 1,
    set: UInt8 = 0, rssi: UInt8 = 0xC4, _ data: [UInt8]
  ) -> [UInt8] {
    let rest: [UInt8] = [1, 1, set, 0x7F, rssi, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    return type.octets + [addressType] + address.octets + rest + [UInt8(data.count)] + data
  }

  static func event(_ reports: [UInt8]...) -> [UInt8] {
    [0x0D, UInt8(reports.count)] + reports.flatMap(\.self)
  }

  static func advertisement(
    _ data: [UInt8], from address: DeviceAddress = Sessions.scale,
    type: AddressType = .random, rssi: Int? = -60
  ) -> RadioEvent {
    .advertisement(Advertisement(address: address, addressType: type, rssi: rssi, data: data))
  }

  /// The result of events with these parameters.
  static func read(
    _ parameters: [[UInt8]], adapters: [UInt16] = []
  ) throws -> (events: [RadioEvent], skipped: [CaptureSkip: Int]) {
    var writer = CaptureWriter(.monitor)
    for (index, parameters) in parameters.enumerated() {
      writer.event(0x3E, parameters, adapter: adapters.isEmpty ? 0 : adapters[index])
    }
    return try Sessions.whole(writer)
  }

  @Test func `reads several reports of one event`() throws {
    let parameters =
      bytes("02 03")
      + bytes("00 00") + Sessions.strap.octets + bytes("03 020106 BF")
      + bytes("04 01") + Sessions.scale.octets + bytes("00 7F")
      + bytes("03 03") + Sessions.scale.octets + bytes("02 010A 81")
    let (events, skipped) = try Self.read([parameters])
    #expect(
      events == [
        Self.advertisement(bytes("020106"), from: Sessions.strap, type: .public, rssi: -65),
        Self.advertisement([], rssi: nil),
        Self.advertisement(bytes("010A"), rssi: -127),
      ])
    #expect(skipped == [:])
  }

  @Test func `reads several extended reports of one event`() throws {
    let (events, skipped) = try Self.read([
      Self.event(
        Self.extended(type: 0x13, addressType: 2, bytes("020106")),
        Self.extended(type: 0x1B, rssi: 0x7F, []),
        Self.extended(type: 0, addressType: 0xFF, bytes("020106")))
    ])
    // An anonymous advertisement has no device.
    #expect(
      events == [
        Self.advertisement(bytes("020106"), type: .public), Self.advertisement([], rssi: nil),
      ])
    #expect(skipped == [:])
  }

  @Test func `reassembles a long advertisement`() throws {
    let whole = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
    let (events, _) = try Self.read([
      Self.event(Self.extended(type: 0x20, Array(whole[..<229]))),
      Self.event(Self.extended(type: 0, from: Sessions.strap, [9])),
      Self.event(Self.extended(type: 0x20, Array(whole[229..<458]))),
      Self.event(Self.extended(type: 0x28, [1])),
      Self.event(Self.extended(type: 0x20, set: 1, [7]), Self.extended(type: 0, set: 1, [8])),
      Self.event(Self.extended(type: 0x08, [2]), Self.extended(type: 0, Array(whole[458...]))),
    ])
    #expect(
      events == [
        Self.advertisement([9], from: Sessions.strap), Self.advertisement([7, 8]),
        Self.advertisement([1, 2]), Self.advertisement(whole),
      ])
  }

  @Test func `separates adapters`() throws {
    let (events, _) = try Self.read(
      [
        Self.event(Self.extended(type: 0x20, [1])), Self.event(Self.extended(type: 0x20, [2])),
        Self.event(Self.extended(type: 0, [3])), Self.event(Self.extended(type: 0, [4])),
      ], adapters: [0, 1, 0, 1])
    #expect(events == [Self.advertisement([1, 3]), Self.advertisement([2, 4])])
  }

  @Test func `drops truncated advertisements`() throws {
    let (events, skipped) = try Self.read([
      Self.event(Self.extended(type: 0x20, [1]), Self.extended(type: 0x40, [2])),
      Self.event(Self.extended(type: 0, [3])),
    ])
    #expect(events == [Self.advertisement([3])])
    #expect(skipped == [.truncatedAdvertisement: 1])
  }

  /// The longest is read; one that is a byte longer is skipped with its remaining parts.
  @Test(arguments: [(1650, 1), (1651, 0)])
  func `accepts advertisements up to the longest`(length: Int, received: Int) throws {
    let data = [UInt8](repeating: 0xAA, count: length)
    var parts = stride(from: 0, to: length, by: 229).map { start in
      Self.event(Self.extended(type: 0x20, Array(data[start..<min(start + 229, length)])))
    }
    parts.append(Self.event(Self.extended(type: 0, [])))
    let (events, skipped) = try Self.read(parts + [Self.event(Self.extended(type: 0, [3]))])
    #expect(
      events == (received == 1 ? [Self.advertisement(data)] : []) + [Self.advertisement([3])])
    #expect(skipped == (received == 1 ? [:] : [.oversized: 1]))
  }

  @Test func `limits incomplete advertisements`() throws {
    let addresses = (0..<65).map { DeviceAddress(rawValue: $0) }
    let begun = addresses.map { Self.event(Self.extended(type: 0x20, from: $0, [1])) }
    let last = Self.event(Self.extended(type: 0, from: addresses[64], [2]))
    let (events, skipped) = try Self.read(begun + [last])
    #expect(events == [Self.advertisement([1, 2], from: addresses[64])])
    #expect(skipped == [.truncatedAdvertisement: 1])
  }

  @Test(arguments: [
    "02", "02 01", "02 01 00 00 A2D470D3CA5C", "02 01 00 00 A2D470D3CA5C 03 0201 C4",
    "02 01 00 00 A2D470D3CA5C 00", "02 01 00 00 A2D470D3CA5C 00 C4 00", "0D",
    "0D 01 0000 00 A2D470D3CA5C 01 01 00 7F C4 0000 00 000000000000 02 01",
  ])
  func `counts a damaged event`(hex: String) throws {
    let (events, skipped) = try Self.read([bytes(hex)])
    #expect(events.isEmpty)
    #expect(skipped == [.malformed: 1])
  }
}
