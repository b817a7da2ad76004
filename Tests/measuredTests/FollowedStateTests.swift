import Care
import CareStore
import Foundation
import Logging
import Synchronization
import Testing

@testable import Daemon
@testable import Terminal

/// A clock whose pauses of an hour last until a test ends them.
private final class HeldClock: Clock {
  static let pause = Duration.seconds(3_600)
  private let held = Mutex<[CheckedContinuation<Void, Never>]>([])

  var now: ContinuousClock.Instant { ContinuousClock.now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    guard deadline - now > Self.pause / 2 else {
      return try await Task.sleep(until: deadline, tolerance: tolerance, clock: .continuous)
    }
    await withCheckedContinuation { pause in held.withLock { $0.append(pause) } }
  }

  /// Waits for a pause, and ends it.
  func endPause() async {
    while true {
      if let pause = held.withLock({ $0.popLast() }) { return pause.resume() }
      await Task.yield()
    }
  }
}

@Suite struct FollowedStateTests {
  private static let noon = Date(timeIntervalSince1970: 1_795_003_200)

  private func patients(_ count: Int, in store: SQLStore) async throws {
    let plan = PlanDocument(
      timeZone: .gmt,
      patients: (0..<count).map { Patient(id: "p\($0)", name: PersonName(given: "P\($0)")) },
      tasks: [])
    _ = try await store.write { try $0.importPlan(plan, now: Self.noon) }
  }

  @Test func `changes during a pause lead to one reading of the newest state`() async throws {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let clock = HeldClock()
    let (states, performed) = AsyncStream.makeStream(of: Int.self)
    let followed = FollowedState(
      of: store, every: HeldClock.pause, now: { Self.noon }, clock: clock,
      logger: Logger(label: "test")
    ) { try $0.patients().count }
    let task = Task { await followed.forEach { performed.yield($0) } }
    var iterator = states.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    for count in 1...3 { try await patients(count, in: store) }
    await clock.endPause()
    #expect(await iterator.next() == 3)
    task.cancel()
    await clock.endPause()
    await task.value
  }

  @Test func `an error of what is performed ends it with a line in the log`() async throws {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let lines = Mutex<[String]>([])
    let followed = FollowedState(
      of: store, every: .zero, now: { Self.noon }, clock: ContinuousClock(),
      logger: Logger(label: "test") { _ in
        JournalLogHandler(level: .info, environment: [:]) { line in
          lines.withLock { $0.append(line) }
        }
      }
    ) { _ in 0 }
    await followed.forEach { _ in throw CocoaError(.fileReadUnknown) }
    #expect(lines.withLock(\.count) == 1)
  }
}
