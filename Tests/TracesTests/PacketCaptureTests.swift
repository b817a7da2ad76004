import Care
import Foundation
import GATT
import Radio
import TestSupport
import Testing
import Traces

/// Captures of Wireshark and PacketLogger.
@Suite struct PacketCaptureTests {
  /// The session of the btsnoop tests: packets with their H4 type, direction and time.
  private static let records: [(packet: [UInt8], isReceived: Bool, time: Int64)] = {
    let capture = CaptureWriter.session(.uart)
    return zip(capture.boundaries, capture.boundaries.dropFirst()).enumerated().map { index, ends in
      let record = capture.bytes[ends.0..<ends.1]
      return (
        Array(record.dropFirst(24)), record[ends.0 + 11] & 1 == 1,
        CaptureWriter.start + Int64(index) * 1_000_000
      )
    }
  }()

  private static func number(_ value: Int64, _ width: Int, isBig: Bool = false) -> [UInt8] {
    let bytes = (0..<width).map { UInt8(truncatingIfNeeded: value >> Int64(8 * $0)) }
    return isBig ? bytes.reversed() : bytes
  }

  private static func block(_ type: Int64, _ body: [UInt8]) -> [UInt8] {
    let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    let length = number(Int64(padded.count + 12), 4)
    return [number(type, 4), length, padded, length].flatMap(\.self)
  }

  static func pcapng(linkType: Int64 = 201) -> [UInt8] {
    var section: [UInt8] = number(0x1A2B_3C4D, 4)
    section += [1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]
    // Times in nanoseconds.
    var interface: [UInt8] = number(linkType, 2)
    interface += [0, 0, 0, 0, 0, 0, 9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0]
    var file: [UInt8] = block(0x0A0D_0D0A, section)
    file += block(1, interface)
    for record in records {
      var packet: [UInt8] = []
      if linkType == 201 { packet += [0, 0, 0, record.isReceived ? 1 : 0] }
      packet += record.packet
      let ticks = record.time * 1000
      var body: [UInt8] = number(0, 4)
      body += number(ticks >> 32, 4)
      body += number(ticks, 4)
      body += number(Int64(packet.count), 4)
      body += number(Int64(packet.count), 4)
      body += packet
      file += block(6, body)
    }
    return file
  }

  static func pcap() -> [UInt8] {
    var file: [UInt8] = number(0xA1B2_C3D4, 4, isBig: true)
    file += [0, 2, 0, 4]
    file += [UInt8](repeating: 0, count: 12)
    file += number(201, 4, isBig: true)
    for record in records {
      let length: [UInt8] = number(Int64(record.packet.count + 4), 4, isBig: true)
      file += number(record.time / 1_000_000, 4, isBig: true)
      file += number(record.time % 1_000_000, 4, isBig: true)
      file += length
      file += length
      file += [0, 0, 0, record.isReceived ? 1 : 0]
      file += record.packet
    }
    return file
  }

  static func packetLogger(isBig: Bool) -> [UInt8] {
    var file: [UInt8] = []
    for record in records {
      let type: UInt8 =
        switch record.packet[0] {
        case 1: 0
        case 4: 1
        default: record.isReceived ? 3 : 2
        }
      file += number(Int64(record.packet.count + 8), 4, isBig: isBig)
      file += number(record.time / 1_000_000, 4, isBig: isBig)
      file += number(record.time % 1_000_000, 4, isBig: isBig)
      file.append(type)
      file += record.packet.dropFirst()
    }
    return file
  }

  private static func read(_ bytes: [UInt8]) -> (events: [TimedEvent], error: TraceError?) {
    var events: [TimedEvent] = []
    do throws(TraceError) {
      var reader = try TraceFile().open(MemoryStream(name: "hci.pcapng", bytes: bytes))
      while let event = try reader.next() { events.append(event) }
      return (events, nil)
    } catch {
      return (events, error)
    }
  }

  @Test(arguments: [pcapng(), pcap(), packetLogger(isBig: true), packetLogger(isBig: false)])
  func `reads the session as from btsnoop`(bytes: [UInt8]) {
    let expected = CaptureSessions.read(CaptureWriter.session(.uart).bytes).events
    let (events, error) = Self.read(bytes)
    #expect(error == nil)
    #expect(events == expected)
    #expect(events.count == 8)
  }

  @Test func `refuses damaged captures`() {
    #expect(
      Self.read(Self.pcapng(linkType: 1)).error?.problem == .captureDatalink(1))
    let good = Self.pcapng()
    #expect(Self.read(Array(good.dropLast(3))).error?.problem != nil)
    var long = good
    // The length of the interface's block, behind 28 bytes of section.
    long[28 + 7] = 0x7F
    guard case .longRecord? = Self.read(long).error?.problem else {
      Issue.record("a block of 2 GB must be refused")
      return
    }
    #expect(
      Self.read(Array(Self.packetLogger(isBig: true).dropLast(1))).error?.problem
        == .shortRecord(length: Self.records.last.map { $0.packet.count - 1 } ?? 0, missing: 1))
  }

  @Test func `survives random changes`() {
    var generator = SeededGenerator(seed: 11)
    for good in [Self.pcapng(), Self.pcap(), Self.packetLogger(isBig: true)] {
      for _ in 0..<500 {
        var bytes = good
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
          bytes[Int.random(in: 13..<bytes.count, using: &generator)] = .random(
            in: 0...255, using: &generator)
        }
        #expect(Self.read(bytes).events.count <= 10_000)
      }
    }
  }
}
