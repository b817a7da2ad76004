import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Reads the bodies of requests, as long as their routes permit, into memory that is taken before.
enum BodyReading {
  /// Reads the whole body of a request.
  ///
  /// - Parameters:
  ///   - request: The request, whose body is in memory afterwards.
  ///   - most: The most bytes.
  ///   - memory: The memory that it takes.
  ///   - sender: Whose memory.
  /// - Returns: The memory, for as long as the body is there.
  /// - Throws: `NIOTooManyBytesError`; ``MemoryExhausted``; ``BrokenBody``; `HTTPError` for a body that
  ///   comes too slowly.
  static func collect(
    _ request: inout Request, upTo most: Int, in memory: MemoryBudget,
    for sender: MemoryBudget.Sender
  ) async throws -> MemoryBudget.Part {
    let said = request.headers[.contentLength].flatMap { Int($0) }
    if let said, said > most { throw NIOTooManyBytesError(maxBytes: most) }
    let part = try memory.take(0, for: sender)
    let body = request.body
    // A slow line has half a minute, and more for a long body.
    let patience = Duration.seconds(30 + most / 50_000)
    let buffer = try await withThrowingTaskGroup(of: ByteBuffer.self) { tasks in
      tasks.addTask {
        var buffer = ByteBuffer()
        try await forEachPiece(of: body) { piece in
          guard buffer.readableBytes + piece.readableBytes <= most else {
            throw NIOTooManyBytesError(maxBytes: most)
          }
          // A buffer that grows is there twice for a moment.
          try part.resize(to: 2 * (buffer.readableBytes + piece.readableBytes))
          buffer.writeImmutableBuffer(piece)
        }
        return buffer
      }
      tasks.addTask {
        try await Task.sleep(for: patience)
        throw timeout
      }
      defer { tasks.cancelAll() }
      return try await tasks.next() ?? ByteBuffer()
    }
    request.body = RequestBody(buffer: buffer)
    return part
  }

  /// Reads a body piece by piece.
  ///
  /// - Throws: ``BrokenBody`` for one that ends before its end, or is no body; what `take` throws.
  static func forEachPiece(
    of body: RequestBody, _ take: (ByteBuffer) throws -> Void
  ) async throws {
    var failure: (any Error)?
    do {
      for try await piece in body {
        do { try take(piece) } catch {
          failure = error
          break
        }
      }
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      throw BrokenBody()
    }
    if let failure { throw failure }
  }

  /// The body comes too slowly.
  static let timeout = HTTPError(.requestTimeout, message: "The body takes too long.")
}

/// A body is not as HTTP has it, or its client has gone: no fault of this program.
struct BrokenBody: Error, Hashable {}
