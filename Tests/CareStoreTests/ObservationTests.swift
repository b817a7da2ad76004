import Care
import Foundation
import Synchronization
import Testing

@testable import CareStore

/// The results of a query as the store changes.
struct ObservationTests {
  private let clock = ManualClock()
  private let wall = WallClock(day(0, hour: 9))

  /// How many weights are in the tray, over time.
  private func counts(_ store: SQLStore) -> some AsyncSequence<Int, any Error> & Sendable {
    store.observe(in: .gmt, now: wall.now, clock: clock) { reader, _ in
      try reader.samples(SampleQuery(owner: .unassigned, quantity: .bodyMass)).count
    }
  }

  private func add(
    _ number: Int, _ quantity: Quantity = .bodyMass, to store: SQLStore
  ) async throws {
    var sample = Sample.weight(identity: "scale|\(number)", patient: nil)
    sample.quantity = quantity
    _ = try await store.write { [sample] in try $0.insert(sample) }
  }

  /// Lets the store look for changes once, and its only observer for a new day.
  private func tick() async {
    let looks = wall.looks
    await clock.advance(by: StoreChanges.pause)
    while wall.looks == looks { await Task.yield() }
  }

  @Test
  func `the first result comes at once, the next after a relevant change only`() async throws {
    let store = try SQLStore.example()
    let runs = Mutex(0)
    let (received, results) = AsyncStream.makeStream(of: Int.self)
    let consumer = Task {
      let counts = store.observe(in: .gmt, now: wall.now, clock: clock) { reader, _ in
        defer { runs.withLock { $0 += 1 } }
        return try reader.samples(SampleQuery(owner: .unassigned, quantity: .bodyMass)).count
      }
      for try await count in counts { results.yield(count) }
    }
    var next = received.makeAsyncIterator()
    #expect(await next.next() == 0)
    try await add(1, to: store)
    #expect(await next.next() == 1)
    // The consumer waits, and neither of these gives it a result.
    let before = runs.withLock(\.self)
    try await add(2, .heartRate, to: store)
    while runs.withLock(\.self) == before { await Task.yield() }
    _ = try await store.write { try $0.importPlan(.example(try .daily()), now: midnight) }
    await tick()
    await tick()
    try await add(3, to: store)
    #expect(await next.next() == 2)
    consumer.cancel()
  }

  @Test
  func `a change that is undone is no change`() async throws {
    struct Refused: Error {}
    let store = try SQLStore.example()
    let runs = Mutex(0)
    var results = store.observe(in: .gmt, now: wall.now, clock: clock) { reader, _ in
      runs.withLock { $0 += 1 }
      return try reader.samples(SampleQuery()).count
    }.makeAsyncIterator()
    #expect(try await results.next() == 0)
    await #expect(throws: Refused.self) {
      try await store.write { writer in
        _ = try writer.insert(.weight(patient: nil))
        throw Refused()
      }
    }
    try await add(1, to: store)
    #expect(try await results.next() == 1)
    // One more than the results: the first look for other processes counts as a change.
    #expect(runs.withLock(\.self) <= 3)
  }

  @Test
  func `a change by another connection is seen by its sign, without a look at the time`()
    async throws
  {
    /// A clock whose long pauses never end.
    struct ShortPauses: Clock {
      typealias Duration = Swift.Duration
      let real = ContinuousClock()
      var now: ContinuousClock.Instant { real.now }
      var minimumResolution: Duration { real.minimumResolution }

      func sleep(
        until deadline: ContinuousClock.Instant, tolerance: Duration?
      ) async throws {
        let isShort = deadline - now < StoreChanges.pause * 0.9
        try await real.sleep(until: isShort ? deadline : now + .seconds(3_600))
      }
    }
    let scratch = try ScratchDirectory()
    let path = try TestEngine.makePlace(scratch.file("care.db"))
    let daemon = try SQLStore.example(at: path)
    var results = daemon.observe(in: .gmt, now: wall.now, clock: ShortPauses()) { reader, _ in
      try reader.samples(SampleQuery(owner: .unassigned, quantity: .bodyMass)).count
    }.makeAsyncIterator()
    #expect(try await results.next() == 0)
    let command = try SQLStore.example(at: path)
    for number in 1...5 {
      try await add(number, to: command)
      #expect(try await results.next() == number)
    }
    // The log ends with the last program that has the store, and another one begins a new one.
    try command.close()
    for number in 6...8 {
      let command = try SQLStore.example(at: path)
      try await add(number, to: command)
      try command.close()
      #expect(try await results.next() == number)
    }
  }

  @Test
  func `a file is watched by its name, also after another one took its place`() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let (signs, sign) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .unbounded)
    let watch = try #require(FileWatch(store: path) { sign.yield() })
    var next = signs.makeAsyncIterator()
    for name in ["care.db-shm", "care.db.secrets", "other.db"] {
      try Data([1]).write(to: URL(fileURLWithPath: scratch.file(name)))
    }
    for name in ["care.db", "care.db-wal"] {
      for _ in 0..<2 {
        try Data([1]).write(to: URL(fileURLWithPath: scratch.file(name)), options: .atomic)
        #expect(await next.next() != nil)
        try FileManager.default.removeItem(atPath: scratch.file(name))
        #expect(await next.next() != nil)
      }
    }
    withExtendedLifetime(watch) {}
    #expect(FileWatch(store: scratch.file("none/care.db")) {} == nil)
  }

  @Test
  func `a program's own writes are no signs, and hide none of another program`() async throws {
    let scratch = try ScratchDirectory()
    let path = scratch.file("care.db")
    let log = URL(fileURLWithPath: path + "-wal")
    let signs = Mutex(0)
    let (others, other) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .unbounded)
    let watch = try #require(
      FileWatch(store: path) {
        signs.withLock { $0 += 1 }
        other.yield()
      })
    for byte in 0..<50 as Range<UInt8> {
      watch.beginWrite()
      try Data([byte]).write(to: log)
      watch.endWrite()
    }
    #expect(signs.withLock { $0 } == 0)
    // Another program's write is told, also where the next own one begins at once.
    try Data([50]).write(to: log)
    watch.beginWrite()
    watch.endWrite()
    var next = others.makeAsyncIterator()
    #expect(await next.next() != nil)
    withExtendedLifetime(watch) {}
  }

  @Test
  func `all observers of a store share one look for changes`() async throws {
    let store = try SQLStore.example()
    #expect(!store.changes.isPolling)
    do {
      var first = counts(store).makeAsyncIterator()
      #expect(!store.changes.isPolling)
      _ = try await first.next()
      do {
        var second = counts(store).makeAsyncIterator()
        _ = try await second.next()
        await clock.advance(by: StoreChanges.pause)
        while clock.sleepers == 0 { await Task.yield() }
        #expect(clock.sleepers == 1)
        try await add(1, to: store)
        #expect(try await second.next() == 1)
      }
      #expect(store.changes.isPolling)
      #expect(try await first.next() == 1)
    }
    #expect(!store.changes.isPolling)
    while clock.sleepers > 0 { await Task.yield() }
  }

  @Test
  func `a local day begins with a result, even an equal one, in the plan's zone`() async throws {
    let store = try SQLStore.example()
    _ = try await store.write { try $0.importPlan(.example(try .daily()), now: midnight) }
    let (received, results) = AsyncStream.makeStream(of: Date.self)
    let consumer = Task {
      let same = store.observe(in: .gmt, now: wall.now, clock: clock) { _, _ in "same" }
      for try await _ in same { results.yield(wall.now()) }
    }
    var next = received.makeAsyncIterator()
    #expect(await next.next() == day(0, hour: 9))
    // The first look counts as a change; wait until it is over.
    await tick()
    await tick()
    // Midnight in Greenwich is none here.
    for moment in [day(0, hour: 16, minute: 30), day(0, hour: 23, minute: 59)] {
      wall.set(moment)
      await tick()
    }
    // A midnight, a machine that slept for days, and a clock that is set back.
    for moment in [day(1), day(9, hour: 3), day(4, hour: 12)] {
      wall.set(moment)
      await tick()
      #expect(await next.next() == moment)
    }
    consumer.cancel()
  }

  @Test
  func `a query is run with the current time`() async throws {
    let store = try SQLStore.example()
    var days = store.observe(in: losAngeles, now: wall.now, clock: clock) { reader, now in
      try CareDay(reader, patient: nil, on: now, in: losAngeles).start
    }.makeAsyncIterator()
    #expect(try await days.next() == day(0))
    wall.set(day(1, hour: 2))
    #expect(try await days.next() == day(1))
  }

  @Test
  func `a slow consumer gets the newest result, and no intermediate ones`() async throws {
    let store = try SQLStore.example()
    var results = counts(store).makeAsyncIterator()
    #expect(try await results.next() == 0)
    for number in 1...100 { try await add(number, to: store) }
    #expect(try await results.next() == 100)
    try await add(101, to: store)
    #expect(try await results.next() == 101)
  }

  @Test
  func `no change is lost between a query and the next wait`() async throws {
    let store = try SQLStore.example()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          var last = -1
          for try await count in counts(store) {
            #expect(count > last)
            last = count
            if count == 80 { return }
          }
        }
      }
      for writer in 0..<2 {
        group.addTask {
          for number in 0..<40 { try await add(writer * 40 + number, to: store) }
        }
      }
      try await group.waitForAll()
    }
    #expect(!store.changes.isPolling)
  }

  @Test
  func `a cancelled task ends the iteration and the looks for changes`() async throws {
    let store = try SQLStore.example()
    let (results, received) = AsyncStream.makeStream(of: Int.self)
    let task = Task {
      for try await count in counts(store) { received.yield(count) }
      received.finish()
    }
    var first = results.makeAsyncIterator()
    #expect(await first.next() == 0)
    task.cancel()
    try await task.value
    #expect(await first.next() == nil)
    #expect(!store.changes.isPolling)
    while clock.sleepers > 0 { await Task.yield() }
  }

  @Test
  func `errors of the store and of the query end the iteration`() async throws {
    struct Odd: Error {}
    let scratch = try ScratchDirectory()
    let path = try TestEngine.makePlace(scratch.file("care.db"))
    let store = try SQLStore.example(at: path)
    var results = counts(store).makeAsyncIterator()
    var odd = store.observe(in: .gmt, now: wall.now, clock: clock) { reader, _ in
      let count = try reader.samples(SampleQuery()).count
      guard count == 0 else { throw Odd() }
      return count
    }.makeAsyncIterator()
    #expect(try await results.next() == 0)
    #expect(try await odd.next() == 0)
    try await add(1, to: store)
    do {
      let result = try await odd.next()
      Issue.record("There is no error but \(String(describing: result)).")
    } catch {
      #expect(error is Odd)
    }
    #expect(try await odd.next() == nil)
    #expect(try await results.next() == 1)
    try store.close()
    do {
      let result = try await results.next()
      Issue.record("There is no error but \(String(describing: result)).")
    } catch {
      #expect(error as? StoreError == .failed(.closed, store: path))
    }
    #expect(try await results.next() == nil)
  }
}

/// A time that a test sets.
private final class WallClock: Sendable {
  private let state: Mutex<(time: Date, looks: Int)>

  init(_ time: Date) { state = Mutex((time, 0)) }

  /// How often the time was read.
  var looks: Int { state.withLock(\.looks) }

  func set(_ time: Date) { state.withLock { $0.time = time } }

  @Sendable func now() -> Date {
    state.withLock { state in
      state.looks += 1
      return state.time
    }
  }
}
