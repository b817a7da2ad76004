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
