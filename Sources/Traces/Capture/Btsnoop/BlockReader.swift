/// Takes runs of bytes from a stream, of which it holds one block at a time.
struct BlockReader {
  private static let blockSize = 1 << 16
  private var stream: any ByteStream
  private var block: ArraySlice<UInt8> = []
  private var isAtEnd = false
  /// How many bytes have been read from the stream.
  private(set) var bytesRead = 0

  /// The stream's name for messages.
  var name: String { stream.name }

  /// The offset of the byte that is taken next.
  var offset: Int { bytesRead - block.count }

  /// Reads `stream` from where it stands, which counts as byte 0.
  init(_ stream: any ByteStream) {
    self.stream = stream
  }

  /// The next `count` bytes; fewer where the stream ends.
  mutating func take(_ count: Int) throws(TraceError) -> [UInt8] {
    var taken = Array(block.prefix(count))
    block = block.dropFirst(taken.count)
    while taken.count < count, try fill() {
      let part = block.prefix(count - taken.count)
      taken += part
      block = block.dropFirst(part.count)
    }
    return taken
  }

  private mutating func fill() throws(TraceError) -> Bool {
    guard !isAtEnd else { return false }
    block = ArraySlice(try stream.read(upTo: Self.blockSize))
    bytesRead += block.count
    isAtEnd = block.isEmpty
    return !isAtEnd
  }
}
