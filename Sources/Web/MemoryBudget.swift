import Access
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// The memory that requests and answers under way may take, of everybody together.
///
/// Unfinished heads and bodies, uploads, answers that are read slowly, streams and copies all take
/// their part of one amount before they have it. Each sender has a share, so that none takes what
/// the others need; strangers share a part of it, so that nobody keeps out those who have signed in.
///
/// Beside it stay what the program has at rest, one derivation of a passcode, and what a few
/// queries hold while they run.
final class MemoryBudget: Sendable {
  /// The most bytes at a time.
  struct Limits: Hashable, Sendable {
    /// Of everybody.
    var total: Int
    /// Of all who have not signed in.
    var strangers: Int
    /// The part of it for networks that have little, ``little`` at most: several busy ones do not keep
    /// others out.
    var newcomers: Int
    var little: Int
    /// Of the strangers of one network.
    var network: Int
    /// Of one account, token, or address that the system protects.
    var sender: Int

    /// Of the disk, for long answers: several of the longest, of one sender two.
    ///
    /// Each is counted twice, as what everybody may share and as its reader's.
    static let disk = Limits(
      total: 256 << 20, strangers: 0, newcomers: 0, little: 0, network: 0, sender: 32 << 20)

    /// Far below the 256 MB of the service.
    static let standard = Limits(
      total: 72 << 20, strangers: 36 << 20, newcomers: 12 << 20, little: 24 << 10,
      network: 6 << 20, sender: 16 << 20)
  }

  /// Whose the memory is.
  enum Sender: Hashable, Sendable {
    /// The answers that are kept for all.
    case everybody
    /// Strangers behind a proxy, who cannot be told apart.
    case crowd
    /// A stranger, by their network.
    case network(String)
    /// A sender who is known.
    case known(String)
  }

  private struct State {
    var total = 0
    var strangers = 0
    var senders: [Sender: Int] = [:]
  }

  private let limits: Limits
  private let state = Mutex(State())

  init(_ limits: Limits = .standard) { self.limits = limits }

  /// How many bytes are taken.
  var taken: Int { state.withLock(\.total) }

  /// Takes memory until the last reference to the result ends.
  ///
  /// - Throws: ``MemoryExhausted`` if the sender's share, or all of it, is taken.
  func take(_ bytes: Int, for sender: Sender) throws(MemoryExhausted) -> Part {
    let part = Part(of: self, sender)
    try part.resize(to: bytes)
    return part
  }

  /// Memory that is taken.
  final class Part: Sendable {
    private let budget: MemoryBudget
    private let sender: Sender
    private let size = Mutex(0)

    fileprivate init(of budget: MemoryBudget, _ sender: Sender) {
      self.budget = budget
      self.sender = sender
    }

    deinit { budget.change(by: -size.withLock { $0 }, for: sender) }

    /// Takes more or less; it is as before if there is not as much.
    ///
    /// - Throws: ``MemoryExhausted``.
    func resize(to bytes: Int) throws(MemoryExhausted) {
      let isTaken = size.withLock { size in
        guard bytes <= size || budget.mayGrow(by: bytes - size, for: sender) else { return false }
        if bytes < size { budget.change(by: bytes - size, for: sender) }
        size = bytes
        return true
      }
      guard isTaken else { throw MemoryExhausted() }
    }
  }

  /// Takes `bytes` more if there are as many.
  private func mayGrow(by bytes: Int, for sender: Sender) -> Bool {
    state.withLock { state in
      let own = state.senders[sender] ?? 0
      let share =
        switch sender {
        case .everybody: limits.total
        case .crowd: limits.strangers
        case .network: limits.network
        case .known: limits.sender
        }
      let isLittle = own + bytes <= limits.little
      let strangers = limits.strangers - (isLittle ? 0 : limits.newcomers)
      guard bytes <= limits.total - state.total, bytes <= share - own,
        !sender.isStranger || bytes <= strangers - state.strangers
      else { return false }
      Self.change(&state, by: bytes, for: sender)
      return true
    }
  }

  private func change(by bytes: Int, for sender: Sender) {
    state.withLock { Self.change(&$0, by: bytes, for: sender) }
  }

  private static func change(_ state: inout State, by bytes: Int, for sender: Sender) {
    let own = (state.senders[sender] ?? 0) + bytes
    state.senders[sender] = own > 0 ? own : nil
    state.total += bytes
    if sender.isStranger { state.strangers += bytes }
  }
}

extension MemoryBudget.Sender {
  fileprivate var isStranger: Bool {
    switch self {
    case .crowd, .network: true
    case .everybody, .known: false
    }
  }
}

/// Too much is under way at once, of this sender or of all.
struct MemoryExhausted: Error, Hashable {
  /// After how many seconds to try again.
  static let patience = 5
}

// MARK: - Body reading

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
