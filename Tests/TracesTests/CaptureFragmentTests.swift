import GATT
import Radio
import TestSupport
import Testing
import Traces

@Suite struct CaptureFragmentTests {
  typealias Sessions = CaptureSessions

  /// A link on which the services have been discovered and emitted.
  static func linked() -> CaptureWriter {
    var writer = CaptureWriter(.uart)
    writer.connected(0x40, Sessions.strap)
    writer.discovery(0x40)
    writer.exchange(0x40, bytes("12 1300 0100"), [0x13])
    return writer
  }

  /// The events that `write` adds to such a link.
  static func events(
    _ write: (inout CaptureWriter) -> Void
  ) throws -> (events: [RadioEvent], skipped: [CaptureSkip: Int]) {
    var writer = linked()
    write(&writer)
    let (events, skipped) = try Sessions.whole(writer)
    return (Array(events.dropFirst(2)), skipped)
  }

  @Test(arguments: 1...12)
  func `reassembles messages`(size: Int) throws {
    let (events, skipped) = try Self.events {
      $0.att(0x40, sent: false, fragment: size, bytes("1B 1200 1049E803"))
      $0.att(0x40, sent: true, fragment: size, bytes("12 1500 01"))
      $0.att(0x40, sent: false, fragment: size, bytes("13"))
    }
    #expect(
      events == [
        Sessions.value("1049E803"),
        .written(Sessions.strap, characteristic: Sessions.controlPoint),
      ])
    #expect(skipped == [:])
  }

  @Test func `separates directions`() throws {
    let (events, skipped) = try Self.events {
      $0.fragment(0x40, sent: false, boundary: 2, bytes("0500 0400 1B"))
      $0.fragment(0x40, sent: true, boundary: 0, bytes("0400 0400 12"))
      $0.fragment(0x40, sent: true, boundary: 1, bytes("1500 01"))
      $0.fragment(0x40, sent: false, boundary: 1, bytes("1200 0048"))
      $0.att(0x40, sent: false, [0x13])
    }
    #expect(
      events == [
        Sessions.value("0048"),
        .written(Sessions.strap, characteristic: Sessions.controlPoint),
      ])
    #expect(skipped == [:])
  }

  @Test func `ignores other channels`() throws {
    let (events, skipped) = try Self.events {
      $0.att(0x40, sent: false, channel: 5, bytes("1B 1200 0048"))
      $0.att(0x40, sent: false, channel: 0x40, fragment: 2, bytes("1B 1200 0048"))
      $0.packet(type: 3, sent: false, bytes("40 00 01 00"))
    }
    #expect(events.isEmpty)
    #expect(skipped == [:])
  }

  @Test func `resumes after a lost fragment`() throws {
    let (events, skipped) = try Self.events {
      // The end of a message is missing, then the beginning of one.
      $0.fragment(0x40, sent: false, boundary: 2, bytes("0500 0400 1B"))
      $0.heartRate(0x40, "0048")
      $0.fragment(0x40, sent: false, boundary: 1, bytes("1200 0049"))
      $0.heartRate(0x40, "004A")
    }
    #expect(events == [Sessions.value("0048"), Sessions.value("004A")])
    #expect(skipped == [.lostFragments: 2])
  }

  /// A response after lost packets is not matched with an earlier request.
  @Test func `matches no answer across a loss`() throws {
    let (events, skipped) = try Self.events {
      $0.att(0x40, sent: true, bytes("0A 0300"))
      $0.fragment(0x40, sent: true, boundary: 1, bytes("00"))
      $0.att(0x40, sent: false, bytes("0B 483130"))
    }
    #expect(events.isEmpty)
    #expect(skipped == [.lostFragments: 1])
  }

  @Test func `counts damaged packets`() throws {
    let (events, skipped) = try Self.events {
      // More than its length says, in the packet, in the message; and less, as some recorders cut.
      $0.packet(type: 2, sent: false, bytes("4020 0400 0500 0400 1B"))
      $0.fragment(0x40, sent: false, boundary: 2, bytes("0500 0400 1B 1200 0048 00"))
      $0.packet(type: 2, sent: false, bytes("4020 0900 0500 0400"))
      $0.packet(type: 2, sent: false, bytes("4020"))
      $0.packet(type: 4, sent: false, bytes("3E 05 01"))
      $0.packet(type: 1, sent: true, bytes("03"))
      $0.record(flags: 1, [])
      $0.heartRate(0x40, "0048")
    }
    #expect(events == [Sessions.value("0048")])
    #expect(skipped == [.malformed: 7])
  }

  @Test(arguments: [
    "", "1B", "1B12", "0B", "01 0A", "09 00 1200", "09 07 1200 10", "10 0100FFFF 002800",
    "23 1200 0300 0048",
  ])
  func `counts a damaged message`(hex: String) throws {
    let (events, skipped) = try Self.events {
      $0.att(0x40, sent: false, bytes(hex))
      $0.heartRate(0x40, "0048")
    }
    #expect(events == [Sessions.value("0048")])
    // An empty response is valid, but here it has no request.
    #expect(skipped == (hex == "0B" ? [:] : [.malformed: 1]))
  }

  /// A message longer than any sensor's is skipped with all its fragments.
  @Test(arguments: [(4093, 1), (4094, 0)])
  func `skips a long message`(length: Int, received: Int) throws {
    let data = [UInt8](repeating: 0xAB, count: length)
    let (events, skipped) = try Self.events {
      $0.att(0x40, sent: false, bytes("1B 1200") + data)
      $0.heartRate(0x40, "0048")
    }
    #expect(events.count == received + 1)
    #expect(events.last == Sessions.value("0048"))
    #expect(skipped == (received == 1 ? [:] : [.oversized: 1]))
  }
}
