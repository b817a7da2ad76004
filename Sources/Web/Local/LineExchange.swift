package import Foundation
import NIOCore
import Synchronization

/// One conversation with a program of this machine: it sends lines, and gets lines back meanwhile.
///
/// It ends when this function returns. While it runs it reads on, so that it notices a program that
/// is gone: then ``ClientLines/next()`` returns `nil`.
package typealias Conversation =
  @Sendable (_ client: inout ClientLines, _ answer: LineQueue) async -> Void

/// The lines that a program sends, one at a time.
///
/// Empty lines, by which a program shows that it is still there, are skipped.
package struct ClientLines: Sendable {
  /// The longest line, in bytes without its end.
  package static let longest = 128 << 10

  private let queue: LineQueue
  private var buffer = ByteBuffer()

  /// Splits what `queue` receives.
  init(_ queue: LineQueue) { self.queue = queue }

  /// The next line; `nil` at the end, whether it is orderly or not.
  ///
  /// - Throws: ``TooLong``.
  package mutating func next() async throws(TooLong) -> Data? {
    while true {
      if let line = try readLine() {
        if line.isEmpty { continue }
        return line
      }
      guard let part = await queue.next() else { return nil }
      buffer.discardReadBytes()
      buffer.writeImmutableBuffer(part)
    }
  }

  private mutating func readLine() throws(TooLong) -> Data? {
    let view = buffer.readableBytesView
    guard let end = view.firstIndex(of: UInt8(ascii: "\n")) else {
      guard view.count <= Self.longest else { throw TooLong() }
      return nil
    }
    let line = Data(view[view.startIndex..<end])
    guard line.count <= Self.longest else { throw TooLong() }
    buffer.moveReaderIndex(forwardBy: line.count + 1)
    return line
  }

  /// A line is longer than ``ClientLines/longest``.
  package struct TooLong: Error, Hashable {}
}

/// The bytes that wait for one reader, in order.
///
/// At most ``mostBytes`` wait.
package final class LineQueue: Sendable {
  /// How much waits, in bytes.
  package static let mostBytes = 1 << 20
  /// How much is sent at a time, in bytes.
  private static let part = 64 << 10

  /// More waits than may.
  package struct Full: Error, Hashable {}

  fileprivate struct State {
    var bytes = ByteBuffer()
    var isFinished = false
    /// The line that follows everything else.
    var last: Data?
  }

  private let state = Mutex(State())
  private let more: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)
  private let room: (stream: AsyncStream<Void>, continuation: AsyncStream<Void>.Continuation)

  package init() {
    more = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    room = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Adds a line, its end included, for a source that cannot wait.
  ///
  /// - Throws: ``Full``.
  package func put(_ line: Data) throws(Full) {
    let isAdded = state.withLock { state in
      guard !state.isFinished else { return true }
      guard state.bytes.readableBytes + line.count <= Self.mostBytes else { return false }
      state.bytes.writeBytes(line)
      return true
    }
    guard isAdded else { throw Full() }
    more.continuation.yield()
  }

  /// Adds a line, its end included, as soon as there is room.
  ///
  /// Only one task does so at a time.
  package func write(_ line: Data) async throws(Full) {
    while !Task.isCancelled {
      let hasRoom = state.withLock { state in
        state.isFinished
          || state.bytes.readableBytes + line.count <= Self.mostBytes
      }
      if hasRoom { break }
      for await _ in room.stream { break }
    }
    try put(line)
  }

  /// Ends it: what waits is sent, what is added later is not.
  ///
  /// - Parameter last: A line that is sent even if nothing else has room.
  package func finish(with last: Data? = nil) {
    state.withLock { state in
      guard !state.isFinished else { return }
      state.isFinished = true
      state.last = last
    }
    more.continuation.yield()
    room.continuation.yield()
  }

  /// The next bytes; `nil` at the end, and if the task is cancelled.
  func next() async -> ByteBuffer? {
    while !Task.isCancelled {
      let (part, isFinished) = state.withLock { ($0.take(upTo: Self.part), $0.isFinished) }
      if let part {
        room.continuation.yield()
        return part
      }
      if isFinished { return nil }
      for await _ in more.stream { break }
    }
    return nil
  }
}

extension LineQueue.State {
  /// Takes the first bytes, then the last line.
  fileprivate mutating func take(upTo limit: Int) -> ByteBuffer? {
    if let part = bytes.readSlice(length: min(limit, bytes.readableBytes)), part.readableBytes > 0 {
      bytes.discardReadBytes()
      return part
    }
    guard isFinished else { return nil }
    return last.take().map { ByteBuffer(bytes: $0) }
  }
}
