import Foundation

/// A stream whose first bytes were looked at and are given again.
struct PrefixedStream: ByteStream {
  private var prefix: Data
  private var rest: any ByteStream

  var name: String { rest.name }
  var size: Int? { rest.size }

  /// Reads up to `limit` bytes of `stream` to be looked at.
  init(_ stream: any ByteStream, looking limit: Int) throws(TraceError) {
    rest = stream
    prefix = try rest.read(upTo: limit)
  }

  /// The first bytes.
  var first: [UInt8] { Array(prefix) }

  mutating func read(upTo limit: Int) throws(TraceError) -> Data {
    guard !prefix.isEmpty else { return try rest.read(upTo: limit) }
    let block = Data(prefix.prefix(limit))
    prefix = Data(prefix.dropFirst(block.count))
    return block
  }
}
