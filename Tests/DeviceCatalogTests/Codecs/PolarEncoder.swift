import GATT

/// Writes frames as Polar's specification describes them, on its own: no code of the decoder's.
enum PolarEncoder {
  /// A frame of whole samples.
  static func raw(
    _ samples: [[Int]], type: UInt8 = 1, width: Int = 2, time: UInt64
  ) -> [UInt8] {
    var writer = header(time: time, type: type)
    for value in samples.joined() {
      writer.unsigned(UInt64(bitPattern: Int64(value)), width: width)
    }
    return writer.bytes
  }

  /// A frame of a first sample and blocks of differences, each block as narrow as it can be.
  static func deltas(_ samples: [[Int]], type: UInt8, perBlock: Int, time: UInt64) -> [UInt8] {
    var writer = header(time: time, type: 0x80 | type)
    for value in samples.first ?? [] {
      writer.unsigned(UInt64(bitPattern: Int64(value)), width: 2)
    }
    let differences = zip(samples.dropFirst(), samples).map { zip($0, $1).map { $0 - $1 } }
    var start = 0
    while start < differences.count {
      let block = differences[start..<min(start + perBlock, differences.count)]
      let values = block.flatMap { $0 }
      let bits = values.map(Self.width).max() ?? 1
      writer.append([UInt8(bits), UInt8(block.count)])
      // One long string of binary digits, the least significant of each value first.
      let digits = values.flatMap { value in (0..<bits).map { value >> $0 & 1 } }
      for byte in stride(from: 0, to: digits.count, by: 8) {
        let eight = digits[byte..<min(byte + 8, digits.count)]
        writer.u8(UInt8(eight.reversed().reduce(0) { $0 * 2 + $1 }))
      }
      start += perBlock
    }
    return writer.bytes
  }

  private static func header(time: UInt64, type: UInt8) -> ByteWriter {
    var writer = ByteWriter()
    writer.u8(2)
    writer.unsigned(time, width: 8)
    writer.u8(type)
    return writer
  }

  /// How many bits a number takes in two's complement.
  private static func width(_ value: Int) -> Int {
    var bits = 1
    while value < -(1 << (bits - 1)) || value >= 1 << (bits - 1) { bits += 1 }
    return bits
  }
}
