import Foundation
import Synchronization

/// Hears what other connections commit.
///
/// A notification is a hint to look. One that is sent while nobody hears is lost, so that a new connection
/// counts as one.
final class PostgreSQLListener: @unchecked Sendable {
  private struct State {
    var count: Int64 = 0
    var sign: (@Sendable () -> Void)?
  }

  private let connection: PostgreSQLConnection
  private let writer: PostgreSQLConnection
  private let state = Mutex(State())
  /// Tells that something has come, while it is listened to; of the connection's queue.
  private var source: (any DispatchSourceRead)?

  /// Hears what others than `writer` do.
  init(_ address: PostgreSQLAddress, unless writer: PostgreSQLConnection) {
    connection = PostgreSQLConnection(address)
    self.writer = writer
  }

  deinit { source?.cancel() }

  /// A number that grows with each change of others that was heard of.
  func version() async throws -> Int64 {
    try await connection.perform { [self] in
      try listen()
      take()
      return state.withLock(\.count)
    }
  }

  /// Calls `sign` at each change of others that is heard of.
  func onChange(_ sign: (@Sendable () -> Void)?) { state.withLock { $0.sign = sign } }

  func close() {
    connection.queue.sync {
      stop()
      connection.close()
    }
  }

  private func listen() throws {
    guard source == nil else { return }
    try connection.connect()
    try connection.listen()
    let source = DispatchSource.makeReadSource(
      fileDescriptor: connection.socket, queue: connection.queue)
    source.setEventHandler { [weak self] in self?.take() }
    source.activate()
    self.source = source
    state.withLock { $0.count += 1 }
  }

  private func stop() {
    source?.cancel()
    source = nil
  }

  private func take() {
    guard source != nil else { return }
    let count = connection.notified(unless: writer)
    // It is made again when the next version is asked for.
    if count < 0 {
      stop()
      connection.drop()
    }
    guard count != 0 else { return }
    state.withLock { state in
      state.count += 1
      return state.sign
    }?()
  }
}
