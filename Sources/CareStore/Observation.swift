public import Care
public import Foundation
import Synchronization

extension SQLStore {
  /// The results of a query: the first at once, the next whenever a change to the store leads to
  /// another result, and again when a local day begins.
  ///
  /// ```swift
  /// for try await day in store.observe(in: .gmt, now: { Date() }, { reader, now in
  ///   try CareDay(reader, patient: "alex", on: now, in: .gmt)
  /// }) {
  ///   show(day)
  /// }
  /// ```
  ///
  /// A change by this process is seen when its `write` returns, a change by another process within
  /// 0.05 s. The query runs when a result is awaited and the store has changed since the last
  /// run. So a slow consumer skips intermediate results and gets the newest one; results never
  /// queue up. An iteration ends when its task is cancelled, or with an error of the query.
  ///
  /// While at least one iteration runs, the system tells when the store's file or log is written, and
  /// the store is asked whether another process changed it: then, and every five seconds; once for
  /// all iterations.
  ///
  /// - Parameters:
  ///   - timeZone: The zone of the local day until a plan is imported; then it is the plan's.
  ///   - now: The current time. It is read every five seconds, so the beginning of a day is noticed
  ///     also if the time is adjusted or the machine was asleep.
  ///   - clock: The clock of the pauses between two looks. The iterations of one store share the
  ///     clock of the first.
  ///   - query: Reads a result in one transaction. Its date is the current time.
  /// - Returns: The results; consecutive results differ unless a day begins. Iterations are
  ///   independent of each other. They throw `StoreError` (`.failed(.closed, …)` once the store is
  ///   closed) and the errors of `query`.
  public func observe<Value: Equatable & Sendable>(
    in timeZone: TimeZone, now: @escaping @Sendable () -> Date,
    clock: any Clock<Duration> = ContinuousClock(),
    _ query: @escaping @Sendable (any StoreReader, Date) throws -> Value
  ) -> some AsyncSequence<Value, any Error> & Sendable {
    Observation(store: self, timeZone: timeZone, now: now, clock: clock, query: query)
  }

  /// Tells states of the store apart: it differs after each change, by this process or another one.
  package struct Revision: Hashable, Sendable {
    let own: Int
    let others: Int64?
  }

  /// The store's revision now.
  ///
  /// - Throws: `StoreError.failed(_:store:)`.
  package func revision() async throws -> Revision {
    // Read first: a change in between makes the revision old.
    let own = changes.count
    do {
      return Revision(own: own, others: try await engine.versionOfOthers())
    } catch {
      throw StoreError(error, in: place)
    }
  }
}

/// The results of a query over time.
private struct Observation<Value: Equatable & Sendable>: AsyncSequence, Sendable {
  let store: SQLStore
  let timeZone: TimeZone
  let now: @Sendable () -> Date
  let clock: any Clock<Duration>
  let query: @Sendable (any StoreReader, Date) throws -> Value

  func makeAsyncIterator() -> Iterator { Iterator(observation: self) }

  struct Iterator: AsyncIteratorProtocol {
    let observation: Observation
    /// `nil` before the first result and after the end.
    private var subscription: StoreChanges.Subscription?
    private var last: Result?
    private var isFinished = false

    /// A result, and what it holds for.
    private struct Result {
      let value: Value
      /// The number of changes that it contains.
      let changes: Int
      let day: LocalDay
    }

    init(observation: Observation) { self.observation = observation }

    mutating func next(isolation actor: isolated (any Actor)?) async throws -> Value? {
      guard !isFinished else { return nil }
      do {
        let subscription = subscription ?? observation.store.subscribe(clock: observation.clock)
        self.subscription = subscription
        var wakes = subscription.wakes.makeAsyncIterator()
        while !Task.isCancelled {
          if let value = try await newResult(subscription) { return value }
          guard await wakes.next(isolation: actor) != nil else { break }
        }
        finish()
        return nil
      } catch {
        finish()
        guard !Task.isCancelled else { return nil }
        throw error
      }
    }

    private mutating func finish() {
      isFinished = true
      subscription = nil
      last = nil
    }

    /// The result, if it differs from the last or a day began.
    private mutating func newResult(
      _ subscription: StoreChanges.Subscription
    ) async throws -> Value? {
      // Read first: a change during the query leads to another run.
      let changes = subscription.changes
      let now = observation.now()
      let isSameDay = last?.day.contains(now) ?? false
      if isSameDay, last?.changes == changes { return nil }
      let (query, timeZone) = (observation.query, observation.timeZone)
      let (value, zone) = try await observation.store.read { reader in
        (try query(reader, now), try reader.planTimeZone() ?? timeZone)
      }
      let isNew = !isSameDay || value != last?.value
      last = Result(value: value, changes: changes, day: LocalDay(of: now, in: zone))
      return isNew ? value : nil
    }
  }
}

/// The day of a moment in a zone.
private struct LocalDay {
  let start: Date
  let end: Date

  init(of date: Date, in timeZone: TimeZone) {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = timeZone
    start = calendar.startOfDay(for: date)
    end = calendar.date(byAdding: .day, value: 1, to: start) ?? start.addingTimeInterval(86_400)
  }

  func contains(_ date: Date) -> Bool { start <= date && date < end }
}

// MARK: - Changes

extension SQLStore {
  fileprivate func subscribe(clock: any Clock<Duration>) -> StoreChanges.Subscription {
    changes.subscribe(
      clock: clock, path: path, signs: isOnServer ? engine.onChangeOfOthers : nil,
      version: engine.versionOfOthers)
  }
}

/// Counts the changes of a store and wakes its observers.
///
/// Changes of other processes are looked for only while there are observers. The system tells that
/// another program writes the file; the engine makes the change visible a moment later, once it is on the
/// disk. So the pauses between looks begin short after each sign, and double up to the longest.
final class StoreChanges: Sendable {
  /// The longest pause between two looks; observers notice the beginning of a day as late.
  static let pause = Duration.seconds(5)
  /// The pause after a sign that somebody writes.
  private static let shortestPause = Duration.milliseconds(10)
  /// The pause after a change: its observers run their queries meanwhile.
  private static let pauseAfterChange = Duration.milliseconds(30)
  /// The pause where the system gives no signs.
  private static let pauseWithoutSigns = Duration.milliseconds(100)

  private struct State {
    var changes = 0
    var lastID = 0
    var observers: [Int: AsyncStream<Void>.Continuation] = [:]
    var poll: Task<Void, Never>?
    var watch: FileWatch?

    func wakeObservers() {
      for observer in observers.values { observer.yield() }
    }
  }

  private let state = Mutex(State())

  /// Whether changes of other processes are looked for.
  var isPolling: Bool { state.withLock { $0.poll != nil } }

  /// The number of changes so far.
  var count: Int { state.withLock(\.changes) }

  /// Counts a change and wakes the observers.
  func announce() {
    state.withLock { state in
      state.changes += 1
      state.wakeObservers()
    }
  }

  /// Begins a write of this process, within its transaction.
  func beginWrite() { state.withLock(\.watch)?.beginWrite() }

  /// Ends a write of this process, as soon as its transaction is over.
  func endWrite() { state.withLock(\.watch)?.endWrite() }

  /// Starts to wake an observer; `version` changes with each change of another process.
  ///
  /// `path` is the store's file, `nil` for a store without one. `signs` takes what a server calls when
  /// another process has changed the store.
  fileprivate func subscribe(
    clock: any Clock<Duration>, path: String?,
    signs: (@Sendable ((@Sendable () -> Void)?) -> Void)?,
    version: @escaping @Sendable () async throws -> Int64?
  ) -> Subscription {
    // One wake is enough for any number of changes.
    let (wakes, continuation) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.lastID += 1
      state.observers[state.lastID] = continuation
      if state.poll == nil {
        state.poll = Task {
          await self.poll(clock: clock, path: path, signs: signs, version: version)
        }
      }
      return state.lastID
    }
    return Subscription(source: self, id: id, wakes: wakes)
  }

  private func unsubscribe(_ id: Int) {
    state.withLock { state in
      state.observers[id] = nil
      guard state.observers.isEmpty else { return }
      state.poll?.cancel()
      state.poll = nil
      state.watch = nil
    }
  }

  /// Why the next look is made.
  private enum Wake { case time, sign }

  private func poll(
    clock: any Clock<Duration>, path: String?,
    signs: (@Sendable ((@Sendable () -> Void)?) -> Void)?,
    version: @Sendable () async throws -> Int64?
  ) async {
    // A sign and the end of a pause: what is new replaces the oldest of three.
    let (wakes, wake) = AsyncStream.makeStream(of: Wake.self, bufferingPolicy: .bufferingNewest(2))
    let watch = path.flatMap { FileWatch(store: $0) { wake.yield(.sign) } }
    state.withLock { if !Task.isCancelled { $0.watch = watch } }
    signs? { wake.yield(.sign) }
    defer { if !Task.isCancelled { signs?(nil) } }
    let longest = path != nil && watch == nil ? Self.pauseWithoutSigns : Self.pause
    var iterator = wakes.makeAsyncIterator()
    var last: Int64?
    var pause = longest
    while !Task.isCancelled {
      // The first version counts as a change: the store may have changed since the first query. So
      // does an error: the observers' queries meet it themselves.
      let current = try? await version()
      let isChanged = current == nil || current != last
      if isChanged {
        announce()
      } else if pause == longest {
        // They look whether a day began.
        state.withLock { $0.wakeObservers() }
      }
      last = current
      let timer = Task { [pause] in
        if (try? await clock.sleep(for: pause)) != nil { wake.yield(.time) }
      }
      let reason = await iterator.next()
      timer.cancel()
      switch reason {
      case .time: pause = min(pause * 2, longest)
      case .sign:
        pause = Self.shortestPause
        let rest = isChanged ? Self.pauseAfterChange : pause
        guard (try? await clock.sleep(for: rest)) != nil else { return }
      case nil: return
      }
    }
  }

  /// An observer's place among those that are woken, which it has as long as this exists.
  fileprivate final class Subscription: Sendable {
    private let source: StoreChanges
    private let id: Int
    /// An element after each change and each look for changes.
    let wakes: AsyncStream<Void>

    init(source: StoreChanges, id: Int, wakes: AsyncStream<Void>) {
      self.source = source
      self.id = id
      self.wakes = wakes
    }

    deinit { source.unsubscribe(id) }

    /// The number of changes so far.
    var changes: Int { source.state.withLock(\.changes) }
  }
}
