import GATT
public import Radio

/// Reads the radio events of a pcapng, pcap or PacketLogger capture.
///
/// Wireshark writes the first two (pcapng: IETF draft-ietf-opsawg-pcapng; link types of Bluetooth HCI:
/// 187 H4, 201 H4 with direction, 254 Linux monitor), Apple's PacketLogger the third. Otherwise it is
/// as ``BtsnoopReader``: streamed, with the packets that become no event in ``skipped``.
public struct PacketCaptureReader: TraceReader {
  /// A format, by its first bytes.
  private enum Format {
    case pcapng
    case pcap(order: ByteOrder, isNanoseconds: Bool)
    case packetLogger(order: ByteOrder)
  }

  /// The longest accepted record or block, in bytes.
  private static let longestRecord = 1 << 17
  /// The limit of a pcapng file's interfaces.
  private static let mostInterfaces = 64
  /// 2200-01-01 in microseconds since 1970; a capture later than that is a damaged one.
  private static let latest: UInt64 = 7_258_118_400_000_000

  private let format: Format
  private var blocks: BlockReader
  private var playback = CapturePlayback()
  private var order = ByteOrder.little
  private var interfaces: [Interface] = []

  private struct Interface {
    var linkType: UInt16
    /// Ticks a second.
    var resolution: UInt64 = 1_000_000
  }

  public var bytesRead: Int { blocks.bytesRead }

  /// How many packets became no event so far, by reason.
  public var skipped: [CaptureSkip: Int] { playback.skipped }

  /// Whether a file that begins with `prefix`, at least 13 bytes, is such a capture.
  public static func isCapture(prefix: [UInt8]) -> Bool { format(prefix) != nil }

  private static func format(_ prefix: [UInt8]) -> Format? {
    guard prefix.count >= 13 else { return nil }
    switch Array(prefix[..<4]) {
    case [0x0A, 0x0D, 0x0D, 0x0A]: return .pcapng
    case [0xD4, 0xC3, 0xB2, 0xA1]: return .pcap(order: .little, isNanoseconds: false)
    case [0xA1, 0xB2, 0xC3, 0xD4]: return .pcap(order: .big, isNanoseconds: false)
    case [0x4D, 0x3C, 0xB2, 0xA1]: return .pcap(order: .little, isNanoseconds: true)
    case [0xA1, 0xB2, 0x3C, 0x4D]: return .pcap(order: .big, isNanoseconds: true)
    default: break
    }
    // PacketLogger has no magic number: a length, a time and a type. No text has zeros in its length.
    guard prefix[12] <= 0x13 || prefix[12] >= 0xF0 else { return nil }
    if prefix[0] == 0, prefix[1] == 0, Int(prefix[2]) << 8 | Int(prefix[3]) >= 9 {
      return .packetLogger(order: .big)
    }
    if prefix[2] == 0, prefix[3] == 0, Int(prefix[1]) << 8 | Int(prefix[0]) >= 9 {
      return .packetLogger(order: .little)
    }
    return nil
  }

  /// Reads the capture's header.
  ///
  /// - Throws: ``TraceError`` if this is no such capture, or one of another link type.
  public init(_ stream: any ByteStream) throws(TraceError) {
    let stream = try PrefixedStream(stream, looking: 64)
    guard let format = Self.format(stream.first) else {
      throw TraceError(file: stream.name, offset: 0, .noCapture)
    }
    self.format = format
    blocks = BlockReader(stream)
    guard case .pcap(let order, let isNanoseconds) = format else { return }
    self.order = order
    let header = try bytes(24)
    interfaces = [
      Interface(
        linkType: UInt16(truncatingIfNeeded: number(header, 20, 4)),
        resolution: isNanoseconds ? 1_000_000_000 : 1_000_000)
    ]
    try check(interfaces[0].linkType, at: 20)
  }

  /// The next event, `nil` after the last.
  ///
  /// - Throws: ``TraceError`` with the byte offset of a record that is damaged or cut off.
  public mutating func next() throws(TraceError) -> TimedEvent? {
    while true {
      if let event = playback.next() { return event }
      let hasMore =
        switch format {
        case .pcapng: try takeBlock()
        case .pcap: try takeRecord()
        case .packetLogger(let order): try takeLogRecord(order)
        }
      guard hasMore else { return nil }
    }
  }

  // MARK: Formats

  private mutating func takeRecord() throws(TraceError) -> Bool {
    let start = blocks.offset
    guard let header = try bytesOrEnd(16) else { return false }
    let length = try checked(number(header, 8, 4), at: start)
    let packet = try bytes(length)
    let interface = interfaces[0]
    let fraction = number(header, 4, 4) * 1_000_000 / interface.resolution
    try play(packet, interface.linkType, at: number(header, 0, 4) * 1_000_000 + fraction, start)
    return true
  }

  private mutating func takeLogRecord(_ order: ByteOrder) throws(TraceError) -> Bool {
    self.order = order
    let start = blocks.offset
    guard let header = try bytesOrEnd(13) else { return false }
    let length = try checked(number(header, 0, 4), at: start)
    guard length >= 9 else { throw damage(start, "it is shorter than its header") }
    let packet = try bytes(length - 9)
    let time = try checkedTime(number(header, 4, 4) * 1_000_000 + number(header, 8, 4), at: start)
    let kind: (PacketType, PacketDirection)? =
      switch header[12] {
      case 0: (.command, .sent)
      case 1: (.event, .received)
      case 2: (.acl, .sent)
      case 3: (.acl, .received)
      default: nil
      }
    guard let (type, direction) = kind else { return true }
    playback.take(at: time) { () throws(GATTError) in
      try CapturedPacket(adapter: 0, direction: direction, type: type, bytes: packet[...])
    }
    return true
  }

  private mutating func takeBlock() throws(TraceError) -> Bool {
    let start = blocks.offset
    guard let header = try bytesOrEnd(8) else { return false }
    if header[..<4] == [0x0A, 0x0D, 0x0D, 0x0A] {
      // A section begins; its byte order is in its magic number.
      let magic = try bytes(4)
      order = magic == [0x1A, 0x2B, 0x3C, 0x4D] ? .big : .little
      guard order == .big || magic == [0x4D, 0x3C, 0x2B, 0x1A] else {
        throw damage(start, "its byte order is unknown")
      }
      interfaces = []
      let length = try checked(number(header, 4, 4), at: start)
      guard length >= 16 else { throw damage(start, "it is shorter than its header") }
      _ = try bytes(length - 12)
      return true
    }
    let length = try checked(number(header, 4, 4), at: start)
    guard length >= 12, length.isMultiple(of: 4) else {
      throw damage(start, "its length is no block's")
    }
    let body = Array(try bytes(length - 8).dropLast(4))
    switch number(header, 0, 4) {
    case 1:
      guard body.count >= 8, interfaces.count < Self.mostInterfaces else {
        throw damage(start, "the interface is too short, or one too many")
      }
      interfaces.append(interface(body))
    case 6: try takePacket(body, start)
    default: break
    }
    return true
  }

  /// An Enhanced Packet Block.
  private mutating func takePacket(_ body: [UInt8], _ start: Int) throws(TraceError) {
    guard body.count >= 20 else { throw damage(start, "the packet is shorter than its header") }
    let index = Int(number(body, 0, 4))
    let length = Int(number(body, 12, 4))
    guard index < interfaces.count, length <= body.count - 20 else {
      throw damage(start, "its interface or its length is wrong")
    }
    let interface = interfaces[index]
    let ticks = number(body, 4, 4) << 32 | number(body, 8, 4)
    let (whole, rest) = ticks.quotientAndRemainder(dividingBy: interface.resolution)
    let (micro, overflow) = whole.multipliedReportingOverflow(by: 1_000_000)
    guard !overflow else { throw damage(start, "its time is no date") }
    let fraction = Double(rest) / Double(interface.resolution) * 1_000_000
    try play(
      Array(body[20..<(20 + length)]), interface.linkType, at: micro &+ UInt64(fraction), start)
  }

  private func interface(_ body: [UInt8]) -> Interface {
    var interface = Interface(linkType: UInt16(truncatingIfNeeded: number(body, 0, 2)))
    var place = 8
    while place + 4 <= body.count {
      let (code, length) = (number(body, place, 2), Int(number(body, place + 2, 2)))
      guard code != 0, place + 4 + length <= body.count else { break }
      // if_tsresol: a power of 10, or with the highest bit of 2.
      if code == 9, length == 1 {
        let value = body[place + 4]
        let exponent = Int(value & 0x7F)
        if value & 0x80 != 0 {
          interface.resolution = 1 << UInt64(min(exponent, 63))
        } else if exponent <= 18 {
          interface.resolution = (0..<exponent).reduce(1) { product, _ in product * 10 }
        }
      }
      place += 4 + (length + 3) / 4 * 4
    }
    return interface
  }

  // MARK: Packets

  /// Handles a packet of a link type.
  private mutating func play(
    _ packet: [UInt8], _ linkType: UInt16, at time: UInt64, _ start: Int
  ) throws(TraceError) {
    let time = try checkedTime(time, at: start)
    try check(linkType, at: start)
    playback.take(at: time) { () throws(GATTError) in
      switch linkType {
      case 254:
        guard packet.count >= 4 else {
          throw .truncated(field: "monitor header", needed: 4, available: packet.count)
        }
        let flags = packet[..<4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        return try CapturedPacket(
          flags: flags, packet: Array(packet[4...]), of: .monitor)
      case 201:
        guard packet.count >= 5 else {
          throw .truncated(field: "direction", needed: 5, available: packet.count)
        }
        return try CapturedPacket(
          flags: UInt32(packet[3] & 1), packet: Array(packet[4...]), of: .uart)
      default:
        // Without a direction: events and data come from the device, commands from the host.
        return try CapturedPacket(
          flags: packet.first == PacketType.command.rawValue ? 0 : 1, packet: packet, of: .uart)
      }
    }
  }

  private func check(_ linkType: UInt16, at offset: Int) throws(TraceError) {
    guard [187, 201, 254].contains(linkType) else {
      throw TraceError(file: blocks.name, offset: offset, .captureDatalink(UInt32(linkType)))
    }
  }

  // MARK: Bytes

  private func number(_ bytes: [UInt8], _ offset: Int, _ width: Int) -> UInt64 {
    let part = bytes[offset..<(offset + width)]
    return switch order {
    case .big: part.reduce(0) { $0 << 8 | UInt64($1) }
    case .little: part.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
  }

  private func checked(_ length: UInt64, at start: Int) throws(TraceError) -> Int {
    guard length <= UInt64(Self.longestRecord) else {
      throw TraceError(
        file: blocks.name, offset: start,
        .longRecord(length: Int(length), limit: Self.longestRecord))
    }
    return Int(length)
  }

  private func checkedTime(_ time: UInt64, at start: Int) throws(TraceError) -> Int64 {
    guard time <= Self.latest else { throw damage(start, "its time is no date") }
    return Int64(time)
  }

  private func damage(_ offset: Int, _ reason: String) -> TraceError {
    TraceError(file: blocks.name, offset: offset, .invalidRecord(reason: reason))
  }

  private mutating func bytesOrEnd(_ count: Int) throws(TraceError) -> [UInt8]? {
    let start = blocks.offset
    let bytes = try blocks.take(count)
    guard !bytes.isEmpty else { return nil }
    guard bytes.count == count else {
      throw TraceError(file: blocks.name, offset: start, .shortRecordHeader)
    }
    return bytes
  }

  private mutating func bytes(_ count: Int) throws(TraceError) -> [UInt8] {
    let start = blocks.offset
    let bytes = try blocks.take(count)
    guard bytes.count == count else {
      throw TraceError(
        file: blocks.name, offset: start,
        .shortRecord(length: count, missing: count - bytes.count))
    }
    return bytes
  }
}
