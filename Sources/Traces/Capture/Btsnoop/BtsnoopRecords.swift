import GATT

/// Splits a btsnoop capture into its records, one at a time.
///
/// After an error it gives that error again: nothing behind a damaged record can be trusted.
struct BtsnoopRecords {
  /// What every capture begins with.
  static let magic = Array("btsnoop\0".utf8)
  /// The longest packet that is read, in bytes; real ones stay far below.
  static let longestPacket: UInt32 = 1 << 16

  /// How the packets are wrapped.
  let datalink: Datalink
  private var blocks: BlockReader
  private var failure: TraceError?

  /// How many bytes have been read from the stream.
  var bytesRead: Int { blocks.bytesRead }

  /// Reads the header: 8 bytes of magic, the version and the datalink type.
  init(_ stream: any ByteStream) throws(TraceError) {
    blocks = BlockReader(stream)
    func problem(_ offset: Int, _ reason: String) -> TraceError {
      TraceError(file: stream.name, offset: offset, reason: reason)
    }
    guard try blocks.take(Self.magic.count) == Self.magic else {
      throw problem(0, "this is no btsnoop capture: it does not begin with ‘btsnoop’ and a zero")
    }
    var header = ByteReader(try blocks.take(8))
    let version: UInt32
    let type: UInt32
    do {
      version = try header.u32("version", .big)
      type = try header.u32("datalink", .big)
    } catch {
      throw problem(blocks.offset, "the capture ends within its header; record it again")
    }
    guard version == 1 else {
      throw problem(8, "the capture has version \(version), and this program reads version 1")
    }
    guard let datalink = Datalink(rawValue: type) else {
      throw problem(
        12,
        "the capture has datalink type \(type), and this program reads 1001 (HCI), 1002 (H4) and"
          + " 2001 (btmon); convert it, or record with btmon -w or Android's HCI log")
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
    func problem(_ reason: String) -> TraceError {
      TraceError(file: blocks.name, offset: start, reason: reason)
    }
    let header = try blocks.take(BtsnoopRecord.headerLength)
    guard !header.isEmpty else { return nil }
    var record: BtsnoopRecord
    do {
      record = try BtsnoopRecord(header: header)
    } catch .truncated {
      throw problem("the capture ends within this record's header; it was cut off here")
    } catch {
      throw problem("this record is damaged. \(error)")
    }
    guard record.includedLength <= Self.longestPacket else {
      throw problem(
        "this record claims \(record.includedLength) bytes, and no packet is longer than"
          + " \(Self.longestPacket); the capture is damaged here")
    }
    let length = Int(record.includedLength)
    record.packet = try blocks.take(length)
    guard record.packet.count == length else {
      throw problem(
        "this record has \(length) bytes, of which the last \(length - record.packet.count) are"
          + " missing; the capture was cut off here")
    }
    return record
  }
}
