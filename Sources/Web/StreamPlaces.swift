import Synchronization

/// How many streams a sender may have open, and how many different queries they may be of: each
/// query runs again at every change of the store.
final class StreamPlaces: Sendable {
  /// The most streams of a sender.
  static let most = 48
  /// The most different queries of a sender's streams.
  static let mostQueries = 12
  /// The most different queries of all streams.
  static let mostQueriesOfAll = 96

  private struct State {
    var streams: [MemoryBudget.Sender: [QueryKey: Int]] = [:]
    var queries: [QueryKey: Int] = [:]
  }

  private let state = Mutex(State())

  /// Takes a place until the last reference to it ends.
  ///
  /// - Throws: ``TooManyStreams``.
  func take(_ key: QueryKey, for sender: MemoryBudget.Sender) throws(TooManyStreams) -> Place {
    let isFree = state.withLock { state in
      var own = state.streams[sender] ?? [:]
      guard own.values.reduce(0, +) < Self.most,
        own[key] != nil || own.count < Self.mostQueries,
        state.queries[key] != nil || state.queries.count < Self.mostQueriesOfAll
      else { return false }
      own[key, default: 0] += 1
      state.streams[sender] = own
      state.queries[key, default: 0] += 1
      return true
    }
    guard isFree else { throw TooManyStreams() }
    return Place(of: self, key, sender)
  }

  private func leave(_ key: QueryKey, _ sender: MemoryBudget.Sender) {
    state.withLock { state in
      var own = state.streams[sender] ?? [:]
      own[key] = own[key].flatMap { $0 > 1 ? $0 - 1 : nil }
      state.streams[sender] = own.isEmpty ? nil : own
      state.queries[key] = state.queries[key].flatMap { $0 > 1 ? $0 - 1 : nil }
    }
  }

  /// A place that is taken.
  final class Place: Sendable {
    private let places: StreamPlaces
    private let key: QueryKey
    private let sender: MemoryBudget.Sender

    fileprivate init(of places: StreamPlaces, _ key: QueryKey, _ sender: MemoryBudget.Sender) {
      self.places = places
      self.key = key
      self.sender = sender
    }

    deinit { places.leave(key, sender) }
  }
}

/// A sender has as many streams, or as many different ones, as there may be.
struct TooManyStreams: Error, Hashable {}

// MARK: - Query turns

/// Lets each sender run one query at a time; further ones of theirs wait in order, so that one
/// sender's long queries leave a processor to the short ones of others.
actor QueryTurns {
  /// The most queries of a sender that run at a time: the smallest boxes have two processors.
  static let running = 1
  /// The most queries of a sender that wait.
  static let waiting = 32

  private struct Line {
    var running = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private var lines: [MemoryBudget.Sender: Line] = [:]

  /// Runs `body` when it is its turn.
  ///
  /// - Throws: ``MemoryExhausted`` if too many wait; what `body` throws.
  func run<Result: Sendable>(
    for sender: MemoryBudget.Sender, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await begin(sender)
    defer { end(sender) }
    return try await body()
  }

  private func begin(_ sender: MemoryBudget.Sender) async throws(MemoryExhausted) {
    var line = lines[sender] ?? Line()
    guard line.running >= Self.running else {
      line.running += 1
      lines[sender] = line
      return
    }
    guard line.waiting.count < Self.waiting else { throw MemoryExhausted() }
    await withCheckedContinuation { lines[sender, default: Line()].waiting.append($0) }
  }

  private func end(_ sender: MemoryBudget.Sender) {
    guard var line = lines[sender] else { return }
    if line.waiting.isEmpty {
      line.running -= 1
      lines[sender] = line.running > 0 ? line : nil
    } else {
      // The next one takes the turn over.
      line.waiting.removeFirst().resume()
      lines[sender] = line
    }
  }
}
