import Foundation
import GATT
import Radio

/// Writes btsnoop captures as a recorder would: a packet at a time, in any of the three wrappings.
struct CaptureWriter {
  enum Format: UInt32, CaseIterable, Sendable {
    case hci = 1001
    case uart = 1002
    case monitor = 2001
  }

  /// 2026-11-20T15:09:58Z in microseconds since 1970.
  static let start: Int64 = 1_795_187_398_000_000

  let format: Format
  private(set) var bytes: [UInt8]
  /// Where each record begins, and where the last one ends.
  private(set) var boundaries: [Int]
  /// The next record's time in microseconds since 1970; each record takes a second.
  var time = Self.start
  var drops: UInt32 = 0

  init(_ format: Format, magic: String = "btsnoop\0", version: UInt32 = 1, type: UInt32? = nil) {
    self.format = format
    var header = ByteWriter()
    header.append(magic.utf8)
    header.unsigned(UInt64(version), width: 4, .big)
    header.unsigned(UInt64(type ?? format.rawValue), width: 4, .big)
    bytes = header.bytes
    boundaries = [header.bytes.count]
  }

  /// Appends a record as it is.
  mutating func record(flags: UInt32, _ packet: [UInt8], includedLength: UInt32? = nil) {
    var writer = ByteWriter()
    let length = UInt64(includedLength ?? UInt32(packet.count))
    for number in [length, length, UInt64(flags), UInt64(drops)] {
      writer.unsigned(number, width: 4, .big)
    }
    writer.unsigned(UInt64(bitPattern: time &+ 0x00DC_DDB3_0F2F_8000), width: 8, .big)
    bytes += writer.bytes + packet
    boundaries.append(bytes.count)
    time &+= 1_000_000
  }

  /// Appends a packet by its H4 type: 1 command, 2 ACL data, 3 synchronous data, 4 event.
  mutating func packet(type: UInt8, sent: Bool, adapter: UInt16 = 0, _ packet: [UInt8]) {
    let direction: UInt32 = sent ? 0 : 1
    switch format {
    case .hci: record(flags: direction | (type == 2 ? 0 : 2), packet)
    case .uart: record(flags: direction, [type] + packet)
    case .monitor:
      let opcode: UInt32 =
        switch type {
        case 1: 2
        case 2: sent ? 4 : 5
        case 3: sent ? 6 : 7
        default: 3
        }
      record(flags: UInt32(adapter) << 16 | opcode, packet)
    }
  }

  /// Appends an event of the controller.
  mutating func event(_ code: UInt8, _ parameters: [UInt8], adapter: UInt16 = 0) {
    packet(
      type: 4, sent: false, adapter: adapter, [code, UInt8(parameters.count)] + parameters)
  }

  /// Appends LE Advertising Report with one report.
  mutating func advertisement(
    _ address: DeviceAddress, type: UInt8 = 0, rssi: UInt8 = 0xC4, _ data: [UInt8]
  ) {
    event(
      0x3E,
      [0x02, 1, type, 0] + address.octets + [UInt8(data.count)] + data + [rssi])
  }

  /// Appends LE Connection Complete, or its Enhanced forms.
  mutating func connected(
    _ handle: UInt16, _ address: DeviceAddress, subevent: UInt8 = 0x01, status: UInt8 = 0,
    adapter: UInt16 = 0
  ) {
    let rest = [UInt8](repeating: 0, count: subevent == 0x01 ? 7 : 19)
    event(
      0x3E, [subevent, status] + handle.octets + [0, 0] + address.octets + rest, adapter: adapter)
  }

  /// Appends Disconnection Complete.
  mutating func disconnected(_ handle: UInt16, adapter: UInt16 = 0) {
    event(0x05, [0] + handle.octets + [0x13], adapter: adapter)
  }

  /// Appends one ACL data packet.
  mutating func fragment(
    _ handle: UInt16, sent: Bool, boundary: UInt16, adapter: UInt16 = 0, _ payload: [UInt8]
  ) {
    packet(
      type: 2, sent: sent, adapter: adapter,
      (handle | boundary << 12).octets + UInt16(payload.count).octets + payload)
  }

  /// Appends an attribute protocol message, in fragments of at most `fragment` bytes.
  mutating func att(
    _ handle: UInt16, sent: Bool, adapter: UInt16 = 0, channel: UInt16 = 4, fragment: Int = 251,
    _ pdu: [UInt8]
  ) {
    let message = UInt16(pdu.count).octets + channel.octets + pdu
    for start in stride(from: 0, to: message.count, by: fragment) {
      self.fragment(
        handle, sent: sent, boundary: start == 0 ? (sent ? 0 : 2) : 1, adapter: adapter,
        Array(message[start..<min(start + fragment, message.count)]))
    }
  }

  /// Appends a request and its answer.
  mutating func exchange(
    _ handle: UInt16, adapter: UInt16 = 0, _ request: [UInt8], _ answer: [UInt8]
  ) {
    att(handle, sent: true, adapter: adapter, request)
    att(handle, sent: false, adapter: adapter, answer)
  }
}

extension DeviceAddress {
  /// The six bytes on the air, least significant first.
  var octets: [UInt8] {
    (0..<6).map { UInt8(truncatingIfNeeded: rawValue >> UInt64(8 * $0)) }
  }
}

extension UInt16 {
  /// The two bytes on the air, least significant first.
  var octets: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)] }
}
