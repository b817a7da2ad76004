import Care
import Foundation
import GATT
public import Radio

/// Reads the radio events of a btsnoop capture (Android's HCI log, `btmon -w`).
///
/// The capture is streamed; memory is bounded for any length and content of the file.
/// Advertisements, links, services and values are those of the recording host, the central. A
/// characteristic is known from the discovery in the capture, for each peer address, so a device
/// that reconnects without a discovery is still decoded; packets that the capture does not explain
/// are counted in ``skipped``.
public struct BtsnoopReader: TraceReader {
  private var records: BtsnoopRecords
  private var playback = CapturePlayback()
  private var drops: UInt32?

  public var bytesRead: Int { records.bytesRead }

  /// How many packets became no event so far, by reason.
  public var skipped: [CaptureSkip: Int] { playback.skipped }

  /// Reads the capture's header.
  ///
  /// - Throws: ``TraceError`` if this is no capture, or one of another version or datalink.
  public init(_ stream: any ByteStream) throws(TraceError) {
    records = try BtsnoopRecords(stream)
  }

  /// Whether a file that begins with `prefix`, at least 8 bytes, is a btsnoop capture.
  public static func isCapture(prefix: [UInt8]) -> Bool {
    prefix.starts(with: BtsnoopRecords.magic)
  }

  /// The next event, `nil` after the last.
  ///
  /// A record that is earlier than the previous one takes that one's time.
  ///
  /// - Throws: ``TraceError`` with the byte offset of a record that is damaged or cut off.
  public mutating func next() throws(TraceError) -> TimedEvent? {
    while true {
      if let event = playback.next() { return event }
      guard let record = try records.next() else { return nil }
      take(record)
    }
  }

  private mutating func take(_ record: BtsnoopRecord) {
    // The recorder's count may start at any number; only its changes matter.
    let hasGap = drops.map { $0 != record.drops } ?? false
    drops = record.drops
    let datalink = records.datalink
    playback.take(at: record.time, afterGap: hasGap) { () throws(GATTError) in
      try CapturedPacket(record, of: datalink)
    }
  }
}

// MARK: - Records

/// Splits a btsnoop capture into its records, one at a time.
///
/// It repeats the first error: nothing behind a damaged record can be trusted.
struct BtsnoopRecords {
  /// The first bytes of every capture.
  static let magic = Array("btsnoop\0".utf8)
  /// The longest accepted packet, in bytes; real ones are far shorter.
  static let longestPacket: UInt32 = 1 << 16

  /// How packets are wrapped.
  let datalink: Datalink
  private var blocks: BlockReader
  private var failure: TraceError?

  /// How many bytes have been read from the stream.
  var bytesRead: Int { blocks.bytesRead }

  /// Reads the header: 8 bytes of magic, the version and the datalink type.
  init(_ stream: any ByteStream) throws(TraceError) {
    blocks = BlockReader(stream)
    func error(_ offset: Int, _ problem: TraceError.Problem) -> TraceError {
      TraceError(file: stream.name, offset: offset, problem)
    }
    guard try blocks.take(Self.magic.count) == Self.magic else {
      throw error(0, .noCapture)
    }
    var header = ByteReader(try blocks.take(8))
    let version: UInt32
    let type: UInt32
    do {
      version = try header.u32("version", .big)
      type = try header.u32("datalink", .big)
    } catch {
      throw TraceError(file: stream.name, offset: blocks.offset, .shortCaptureHeader)
    }
    guard version == 1 else {
      throw error(8, .captureVersion(version))
    }
    guard let datalink = Datalink(rawValue: type) else {
      throw error(12, .captureDatalink(type))
    }
    self.datalink = datalink
  }

  /// The next record, `nil` at the end.
  mutating func next() throws(TraceError) -> BtsnoopRecord? {
    if let failure { throw failure }
    do throws(TraceError) {
      return try read()
    } catch {
      failure = error
      throw error
    }
  }

  private mutating func read() throws(TraceError) -> BtsnoopRecord? {
    let start = blocks.offset
    func damage(_ problem: TraceError.Problem) -> TraceError {
      TraceError(file: blocks.name, offset: start, problem)
    }
    let header = try blocks.take(BtsnoopRecord.headerLength)
    guard !header.isEmpty else { return nil }
    var record: BtsnoopRecord
    do {
      record = try BtsnoopRecord(header: header)
    } catch .truncated {
      throw damage(.shortRecordHeader)
    } catch {
      throw damage(.invalidRecord(reason: "\(error)"))
    }
    guard record.includedLength <= Self.longestPacket else {
      throw damage(
        .longRecord(length: Int(record.includedLength), limit: Int(Self.longestPacket)))
    }
    let length = Int(record.includedLength)
    record.packet = try blocks.take(length)
    guard record.packet.count == length else {
      throw damage(.shortRecord(length: length, missing: length - record.packet.count))
    }
    return record
  }
}

/// One record of a btsnoop capture.
///
/// All its numbers are big-endian.
struct BtsnoopRecord {
  /// The bytes of a record before its packet.
  static let headerLength = 24
  /// 1970-01-01 in the format's time, which counts microseconds since the year 0.
  private static let epoch: Int64 = 0x00DC_DDB3_0F2F_8000
  /// 2200-01-01 in microseconds since 1970; a capture later than that is a damaged one.
  private static let latest: Int64 = 7_258_118_400_000_000

  /// The packet's length in the file; the original length is ignored, because the packet's own
  /// header shows whether it was cut.
  let includedLength: UInt32
  /// The datalink's facts about the packet: its direction, or its opcode and adapter.
  let flags: UInt32
  /// How many packets the recorder had dropped, from an arbitrary start.
  let drops: UInt32
  /// Microseconds since 1970.
  let time: Int64
  /// The packet, empty until it has been read.
  var packet: [UInt8] = []

  /// Reads a record's header.
  init(header: [UInt8]) throws(GATTError) {
    var reader = ByteReader(header)
    _ = try reader.u32("original length", .big)
    includedLength = try reader.u32("included length", .big)
    flags = try reader.u32("flags", .big)
    drops = try reader.u32("cumulative drops", .big)
    let stamp = Int64(bitPattern: try reader.u64("timestamp", .big))
    let (time, overflow) = stamp.subtractingReportingOverflow(Self.epoch)
    guard !overflow, (0...Self.latest).contains(time) else {
      throw .invalid(field: "timestamp", reason: "it is not between the years 1970 and 2200")
    }
    self.time = time
  }
}

// MARK: - Skipped packets

/// Why a packet of a capture became no event.
public enum CaptureSkip: String, Hashable, Sendable, CaseIterable {
  /// A packet whose lengths contradict each other, or that the recorder cut short.
  case malformed
  /// The recorder itself reported that it dropped packets.
  case lostRecords
  /// Data of a link that was up before the capture began.
  case unknownLink
  /// A value of an attribute without a discovery in the capture.
  case unknownAttribute
  /// A message or an advertisement that is longer than any sensor sends.
  case oversized
  /// A message with missing fragments.
  case lostFragments
  /// An advertisement that the controller did not receive to its end.
  case truncatedAdvertisement
  /// A long value whose later parts were never read.
  case incompleteRead
  /// More links, services or characteristics than the reader stores.
  case tableFull
  /// The last line of a radio trace, which was not written to its end.
  case cutLine
}
