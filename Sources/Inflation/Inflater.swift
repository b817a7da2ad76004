import CZlib

/// Expands a raw deflate stream piece by piece.
@safe package final class Inflater {
  private let stream: UnsafeMutablePointer<z_stream>
  private var input: [UInt8] = []
  private var used = 0
  /// Whether the stream has ended.
  package private(set) var isAtEnd = false
  private var hasMore = false

  /// Makes an inflater; `nil` if there is no memory.
  package init?() {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    guard
      unsafe inflateInit2_(
        stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else {
      unsafe stream.deallocate()
      return nil
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Whether all of the input has been expanded.
  package var needsInput: Bool { used == input.count && !hasMore && !isAtEnd }

  /// The input behind the stream's end.
  package var rest: [UInt8] { Array(input[used...]) }

  /// Gives the next piece.
  package func feed(_ bytes: [UInt8]) {
    input = bytes
    used = 0
  }

  /// The next expanded bytes, at most 64 KiB, possibly none; `nil` for what is no deflate stream.
  package func next() -> [UInt8]? {
    var output = [UInt8](repeating: 0, count: 1 << 16)
    var status: Int32 = Z_OK
    var (taken, made) = (0, 0)
    unsafe input.withUnsafeMutableBufferPointer { source in
      unsafe output.withUnsafeMutableBufferPointer { target in
        unsafe stream.pointee.next_in = source.baseAddress.map { unsafe $0 + used }
        unsafe stream.pointee.avail_in = UInt32(source.count - used)
        unsafe stream.pointee.next_out = target.baseAddress
        unsafe stream.pointee.avail_out = UInt32(target.count)
        status = unsafe inflate(stream, Z_NO_FLUSH)
        taken = unsafe source.count - used - Int(stream.pointee.avail_in)
        made = unsafe target.count - Int(stream.pointee.avail_out)
      }
    }
    used += taken
    hasMore = made == output.count
    isAtEnd = status == Z_STREAM_END
    // No progress is possible is no error here: more input follows.
    guard status == Z_OK || isAtEnd || status == Z_BUF_ERROR else { return nil }
    return Array(output[..<made])
  }
}

/// The CRC-32 of bytes that come piece by piece, as a ZIP archive has it of each file.
package struct Checksum: Hashable, Sendable {
  private var sum: UInt = 0

  /// Starts without bytes.
  package init() {}

  /// The checksum of the bytes so far.
  package var value: UInt32 { UInt32(truncatingIfNeeded: sum) }

  /// Adds the next bytes.
  package mutating func add(_ bytes: [UInt8]) {
    sum = unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe crc32_z(sum, buffer.baseAddress, buffer.count)
    }
  }
}
