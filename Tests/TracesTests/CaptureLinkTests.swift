import GATT
import Radio
import TestSupport
import Testing
import Traces

@Suite struct CaptureLinkTests {
  typealias Sessions = CaptureSessions

  @Test(arguments: [0x01, 0x0A, 0x29] as [UInt8])
  func `reads every form of connection complete`(subevent: UInt8) throws {
    var writer = CaptureWriter(.uart)
    writer.connected(0x40, Sessions.scale, subevent: subevent, status: 0x3E)
    writer.connected(0x40, Sessions.strap, subevent: subevent)
    writer.disconnected(0x41)
    writer.disconnected(0x40)
    let (events, skipped) = try Sessions.whole(writer)
    #expect(events == [.connected(Sessions.strap), .disconnected(Sessions.strap)])
    #expect(skipped == [:])
  }

  @Test func `separates interleaved links`() throws {
    var writer = CaptureWriter(.uart)
    writer.connected(0x40, Sessions.strap)
    writer.connected(0x41, Sessions.scale)
    // Both ask before either is answered.
    writer.att(0x40, sent: true, bytes("10 0100FFFF 0028"))
    writer.att(0x41, sent: true, bytes("10 0100FFFF 0028"))
    writer.att(0x41, sent: false, bytes("11 06 1000 2000 1D18"))
    writer.att(0x40, sent: false, bytes("11 06 1000 2000 0D18"))
    writer.att(0x41, sent: true, bytes("08 0100FFFF 0328"))
    writer.att(0x40, sent: true, bytes("08 0100FFFF 0328"))
    writer.att(0x40, sent: false, bytes("09 07 1100 10 1200 372A"))
    writer.att(0x41, sent: false, bytes("09 07 1100 20 1200 9D2A"))
    // Two messages, fragment by fragment in turn.
    writer.fragment(0x41, sent: false, boundary: 2, bytes("0600 0400 1D"))
    writer.fragment(0x40, sent: false, boundary: 2, bytes("0500 0400 1B"))
    writer.fragment(0x41, sent: false, boundary: 1, bytes("1200 001234"))
    writer.fragment(0x40, sent: false, boundary: 1, bytes("1200 0048"))
    let (events, skipped) = try Sessions.whole(writer)
    let weight = BluetoothUUID(0x2A9D)
    let weightScale = BluetoothUUID(0x181D)
    #expect(
      events == [
        .connected(Sessions.strap), .connected(Sessions.scale),
        .services(
          Sessions.scale,
          [
            GATTService(
              uuid: weightScale,
              characteristics: [GATTCharacteristic(uuid: weight, properties: [.indicate])])
          ]),
        Sessions.value("001234", of: weight, in: weightScale, from: Sessions.scale),
        .services(
          Sessions.strap,
          [
            GATTService(
              uuid: Sessions.heartRateService,
              characteristics: [
                GATTCharacteristic(uuid: Sessions.heartRate, properties: [.notify])
              ])
          ]),
        Sessions.value("0048"),
      ])
    #expect(skipped == [:])
  }

  @Test func `separates adapters`() throws {
    var writer = CaptureWriter(.monitor)
    writer.connected(0x40, Sessions.strap, adapter: 0)
    writer.connected(0x40, Sessions.scale, adapter: 1)
    writer.discovery(0x40, adapter: 0)
    writer.heartRate(0x40, adapter: 1, "0050")
    writer.heartRate(0x40, adapter: 0, "0048")
    writer.disconnected(0x40, adapter: 1)
    writer.heartRate(0x40, adapter: 0, "0049")
    let (events, skipped) = try Sessions.whole(writer)
    #expect(
      events == [
        .connected(Sessions.strap), .connected(Sessions.scale),
        .services(Sessions.strap, Sessions.services), Sessions.value("0048"),
        .disconnected(Sessions.scale), Sessions.value("0049"),
      ])
    #expect(skipped == [.unknownAttribute: 1])
  }

  @Test func `remembers a reconnecting peer`() throws {
    var writer = CaptureWriter(.uart)
    writer.connected(0x40, Sessions.strap)
    writer.discovery(0x40)
    writer.disconnected(0x40)
    writer.connected(0x41, Sessions.strap)
    writer.heartRate(0x41, "0048")
    writer.connected(0x42, Sessions.scale)
    writer.heartRate(0x42, "0050")
    let (events, skipped) = try Sessions.whole(writer)
    #expect(
      events == [
        .connected(Sessions.strap), .disconnected(Sessions.strap), .connected(Sessions.strap),
        .services(Sessions.strap, Sessions.services), Sessions.value("0048"),
        .connected(Sessions.scale),
      ])
    #expect(skipped == [.unknownAttribute: 1])
  }

  @Test func `skips links that were up before`() throws {
    var writer = CaptureWriter(.uart)
    writer.discovery(0x40)
    writer.heartRate(0x40, "0048")
    let (events, skipped) = try Sessions.whole(writer)
    #expect(events.isEmpty)
    #expect(skipped == [.unknownLink: 17])
  }

  @Test func `ends a link whose handle is reassigned`() throws {
    var writer = CaptureWriter(.uart)
    writer.connected(0x40, Sessions.strap)
    writer.discovery(0x40)
    writer.connected(0x40, Sessions.scale)
    writer.heartRate(0x40, "0048")
    let (events, skipped) = try Sessions.whole(writer)
    #expect(
      events == [
        .connected(Sessions.strap), .disconnected(Sessions.strap), .connected(Sessions.scale),
      ])
    #expect(skipped == [.unknownAttribute: 1])
  }

  /// A reset, closed or removed adapter: its links end, oldest first.
  @Test(arguments: [nil, 9, 1] as [UInt32?])
  func `ends the links of an adapter`(opcode: UInt32?) throws {
    var writer = CaptureWriter(.monitor)
    writer.connected(0x42, Sessions.strap, adapter: 1)
    writer.connected(0x40, Sessions.scale, adapter: 0)
    writer.connected(0x41, Sessions.scale, adapter: 1)
    writer.packet(type: 1, sent: true, adapter: 1, bytes("0C20 02 00 00"))
    if let opcode {
      writer.record(flags: 1 << 16 | opcode, [])
    } else {
      writer.packet(type: 1, sent: true, adapter: 1, bytes("030C 00"))
    }
    let (events, _) = try Sessions.whole(writer)
    #expect(
      events == [
        .connected(Sessions.strap), .connected(Sessions.scale), .connected(Sessions.scale),
        .disconnected(Sessions.strap), .disconnected(Sessions.scale),
      ])
  }

  /// Behind a gap, a handle may be another device's: its data must not count as the first one's.
  @Test func `trusts no link across a gap`() throws {
    var writer = CaptureWriter(.uart)
    writer.drops = 7
    writer.connected(0x40, Sessions.strap)
    writer.discovery(0x40)
    writer.drops = 9
    writer.heartRate(0x40, "0048")
    writer.connected(0x40, Sessions.strap)
    writer.heartRate(0x40, "0049")
    let (events, skipped) = try Sessions.whole(writer)
    #expect(
      events == [
        .connected(Sessions.strap), .disconnected(Sessions.strap), .connected(Sessions.strap),
        .services(Sessions.strap, Sessions.services), Sessions.value("0049"),
      ])
    #expect(skipped == [.lostRecords: 1, .unknownLink: 1])
  }

  @Test func `limits the number of links`() throws {
    var writer = CaptureWriter(.uart)
    for handle in 0..<70 as Range<UInt16> {
      writer.connected(handle, DeviceAddress(rawValue: UInt64(handle)))
    }
    writer.disconnected(3)
    writer.connected(100, Sessions.strap)
    let (events, skipped) = try Sessions.whole(writer)
    #expect(events.count == 64 + 2)
    #expect(events.last == .connected(Sessions.strap))
    #expect(skipped == [.tableFull: 6])
  }

  /// The least recently linked peer is evicted.
  @Test(arguments: [(255, 1), (256, 0)])
  func `limits the number of peers`(others: Int, values: Int) throws {
    var writer = CaptureWriter(.uart)
    writer.connected(0x40, Sessions.strap)
    writer.discovery(0x40)
    writer.disconnected(0x40)
    for index in 0..<others {
      writer.connected(0x40, DeviceAddress(rawValue: UInt64(index)))
      writer.exchange(0x40, bytes("10 0100FFFF 0028"), bytes("11 06 0100 0500 0018"))
      writer.disconnected(0x40)
    }
    writer.connected(0x40, Sessions.strap)
    writer.heartRate(0x40, "0048")
    let (events, skipped) = try Sessions.whole(writer)
    #expect(events.filter { $0 == Sessions.value("0048") }.count == values)
    #expect(skipped == (values == 1 ? [:] : [.unknownAttribute: 1]))
  }
}
