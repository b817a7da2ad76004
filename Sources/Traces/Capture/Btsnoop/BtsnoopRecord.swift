import GATT

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

  /// How long the packet is; the length it had on the air is not looked at, because the packet's
  /// own header tells when it was cut.
  let includedLength: UInt32
  /// What the datalink says about the packet: its direction, or its opcode and adapter.
  let flags: UInt32
  /// How many packets the recorder had dropped, counted from a time of its choice.
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
