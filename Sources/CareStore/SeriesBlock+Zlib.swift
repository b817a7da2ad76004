import CZlib

/// The calls of zlib that ``SeriesBlock`` needs.
extension SeriesBlock {
  /// The CRC-32 of bytes (ISO-HDLC, as in zlib and PNG).
  static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    let sum = unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe crc32_z(0, buffer.baseAddress, buffer.count)
    }
    return UInt32(truncatingIfNeeded: sum)
  }

  /// Compresses bytes; at each of `cuts` their statistics may change.
  static func deflated(
    _ bytes: [UInt8], cuts: [Int]
  ) throws(BlockRefusal) -> [UInt8] {
    var stream = unsafe z_stream()
    // A raw stream: the block has its own header and checksum.
    guard
      unsafe deflateInit2_(
        &stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
        Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw .noMemory }
    defer { unsafe deflateEnd(&stream) }
    var bytes = bytes
    // Room for the incompressible case and for what each cut adds.
    let room = Int(unsafe deflateBound(&stream, UInt(bytes.count))) + 16 * (cuts.count + 1)
    var result = [UInt8](repeating: 0, count: room)
    var length = 0
    let isComplete = unsafe bytes.withUnsafeMutableBufferPointer { input in
      unsafe result.withUnsafeMutableBufferPointer { output in
        unsafe stream.next_in = input.baseAddress
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = UInt32(output.count)
        var done = 0
        for cut in cuts {
          unsafe stream.avail_in = UInt32(cut - done)
          // Ends a deflate block, so that the next has codes of its own.
          guard unsafe deflate(&stream, Z_BLOCK) == Z_OK else { return false }
          done = cut
        }
        unsafe stream.avail_in = UInt32(input.count - done)
        guard unsafe deflate(&stream, Z_FINISH) == Z_STREAM_END else { return false }
        length = unsafe output.count - Int(stream.avail_out)
        return true
      }
    }
    guard isComplete else { throw .noMemory }
    return Array(result[..<length])
  }

  /// Expands a whole stream to exactly `size` bytes.
  static func inflated(
    _ bytes: ArraySlice<UInt8>, size: Int
  ) throws(BlockDamage) -> [UInt8] {
    var stream = unsafe z_stream()
    guard
      unsafe inflateInit2_(
        &stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { throw .noMemory }
    defer { unsafe inflateEnd(&stream) }
    var bytes = Array(bytes)
    var result = [UInt8](repeating: 0, count: size)
    let isWhole = unsafe bytes.withUnsafeMutableBufferPointer { input in
      unsafe result.withUnsafeMutableBufferPointer { output in
        unsafe stream.next_in = input.baseAddress
        unsafe stream.avail_in = UInt32(input.count)
        unsafe stream.next_out = output.baseAddress
        unsafe stream.avail_out = UInt32(output.count)
        return unsafe inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0
          && stream.avail_out == 0
      }
    }
    guard isWhole else { throw .notInflatable }
    return result
  }
}
