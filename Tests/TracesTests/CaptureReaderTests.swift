import Care
import Foundation
import GATT
import Radio
import TestSupport
import Testing
import Traces

@Suite struct BtsnoopReaderTests {
  typealias Sessions = CaptureSessions

  @Test(arguments: CaptureWriter.Format.allCases)
  func `reads a session in any format`(format: CaptureWriter.Format) throws {
    let (events, error) = Sessions.read(CaptureWriter.session(format).bytes)
    #expect(error == nil)
    #expect(
      events.map(\.event) == [
        .advertisement(
          Advertisement(
            address: Sessions.strap, addressType: .public, rssi: -60,
            data: bytes("020106 03030D18"))),
        .connected(Sessions.strap),
        .services(Sessions.strap, Sessions.services),
        Sessions.value("0048"),
        Sessions.value("1049E803"),
        .written(Sessions.strap, characteristic: Sessions.controlPoint),
        Sessions.value("483130", of: Sessions.name, in: BluetoothUUID(0x1800)),
        .disconnected(Sessions.strap),
      ])
    // One record per second: the services are emitted at the first write after them.
    let seconds = events.map { ($0.time.microseconds - CaptureWriter.start) / 1_000_000 }
    #expect(seconds == [0, 1, 18, 20, 21, 23, 25, 26])
  }

  @Test func `recognises a capture by its first bytes`() {
    let capture = CaptureWriter(.uart).bytes
    #expect(BtsnoopReader.isCapture(prefix: capture))
    #expect(BtsnoopReader.isCapture(prefix: Array(capture.prefix(8))))
    #expect(!BtsnoopReader.isCapture(prefix: Array(capture.prefix(7))))
    #expect(!BtsnoopReader.isCapture(prefix: Array("{\"measured-trace\":1".utf8)))
    #expect(!BtsnoopReader.isCapture(prefix: []))
  }

  @Test(
    arguments: [
      ("", 0, .noCapture),
      ("62 74 73 6E 6F 6F 70", 0, .noCapture),
      ("62 74 73 6E 6F 6F 71 00 00000001 000003EA", 0, .noCapture),
      ("62 74 73 6E 6F 6F 70 00 00000001 0000", 14, .shortCaptureHeader),
      ("62 74 73 6E 6F 6F 70 00 00000002 000003EA", 8, .captureVersion(2)),
      ("62 74 73 6E 6F 6F 70 00 01000000 000003EA", 8, .captureVersion(16_777_216)),
      ("62 74 73 6E 6F 6F 70 00 00000001 000003EB", 12, .captureDatalink(1003)),
      ("62 74 73 6E 6F 6F 70 00 00000001 000007D2", 12, .captureDatalink(2002)),
    ] as [(String, Int, TraceError.Problem)])
  func `refuses a header`(hex: String, offset: Int, problem: TraceError.Problem) {
    let (events, error) = Sessions.read(bytes(hex))
    #expect(events.isEmpty)
    #expect(error == TraceError(file: "hci.log", offset: offset, problem))
  }

  @Test func `reads no events from an empty capture`() {
    let (events, error) = Sessions.read(CaptureWriter(.monitor).bytes)
    #expect(events.isEmpty && error == nil)
  }

  /// Cut at every byte: the events of the complete records, then the position of the cut.
  @Test(arguments: CaptureWriter.Format.allCases)
  func `reads the records before a cut`(format: CaptureWriter.Format) throws {
    let writer = CaptureWriter.session(format)
    let all = Sessions.read(writer.bytes).events
    for length in 0..<writer.bytes.count {
      let (events, error) = Sessions.read(Array(writer.bytes.prefix(length)))
      guard length >= 16 else {
        #expect(events.isEmpty && error?.offset == (length < 8 ? 0 : length))
        continue
      }
      let record = try #require(writer.boundaries.last { $0 <= length })
      #expect(events == Array(all.prefix(events.count)))
      if record == length {
        #expect(error == nil)
      } else {
        #expect(error?.offset == record)
        switch error?.problem {
        case .shortRecordHeader, .shortRecord: break
        default: Issue.record("\(String(describing: error))")
        }
      }
    }
  }

  @Test func `refuses an impossible record`() throws {
    var writer = CaptureWriter.session(.uart)
    let offset = writer.bytes.count
    let before = Sessions.read(writer.bytes).events
    writer.record(flags: 1, [4], includedLength: 65_537)
    var reader = try BtsnoopReader(MemoryStream(name: "hci.log", bytes: writer.bytes))
    for event in before { #expect(try reader.next() == event) }
    // The error repeats: bytes behind a damaged record are never read as records.
    let expected = TraceError(
      file: "hci.log", offset: offset, .longRecord(length: 65_537, limit: 65_536))
    #expect(throws: expected) { try reader.next() }
    #expect(throws: expected) { try reader.next() }
  }

  @Test(arguments: [-1, 7_258_118_400_000_001, .max, .min] as [Int64])
  func `refuses an impossible time`(time: Int64) {
    var writer = CaptureWriter(.uart)
    writer.time = time
    writer.event(0x3E, [])
    let (_, error) = Sessions.read(writer.bytes)
    #expect(error?.offset == 16)
    guard case .invalidRecord(let reason) = error?.problem else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("not between the years 1970 and 2200"))
  }

  @Test func `never lets time run backwards`() {
    var writer = CaptureWriter(.uart)
    for offset in [5, 3, 4, 6, 0] as [Int64] {
      writer.time = CaptureWriter.start + offset * 1_000_000
      writer.advertisement(Sessions.scale, [])
    }
    let times = Sessions.read(writer.bytes).events.map {
      ($0.time.microseconds - CaptureWriter.start) / 1_000_000
    }
    #expect(times == [5, 5, 5, 6, 6])
  }

  @Test func `counts bytes read`() throws {
    let writer = CaptureWriter.session(.monitor)
    var reader = try BtsnoopReader(MemoryStream(name: "hci.log", bytes: writer.bytes))
    while try reader.next() != nil {}
    #expect(reader.bytesRead == writer.bytes.count)
    #expect(reader.skipped == [:])
  }

  /// Reads a capture that is made while it is read, so that only one block of it exists at a time.
  @Test func streams() throws {
    var head = CaptureWriter(.uart)
    head.connected(0x40, Sessions.strap)
    head.discovery(0x40)
    var beat = CaptureWriter(.uart)
    beat.heartRate(0x40, "0048")
    let stream = RepeatingStream(
      head: head.bytes, body: Array(beat.bytes.dropFirst(16)), count: 20_000)
    var reader = try BtsnoopReader(stream)
    var values = 0
    while let event = try reader.next() {
      if case .value = event.event { values += 1 }
    }
    #expect(values == 20_000)
  }
}

/// A head, and a body many times over, in blocks of odd sizes.
private struct RepeatingStream: ByteStream {
  let name = "endless.log"
  let size: Int? = nil
  var head: [UInt8]
  let body: [UInt8]
  var count: Int

  mutating func read(upTo limit: Int) throws(TraceError) -> Data {
    while head.count < 1021, count > 0 {
      head += body
      count -= 1
    }
    let block = head.prefix(min(limit, 1021))
    head.removeFirst(block.count)
    return Data(block)
  }
}
