import Dispatch
import Foundation
import RadioTestSupport
import Synchronization
import SystemBus
import Testing

@testable import Radio

@Suite struct EventBufferTests {
  let loop: EventLoop
  let buffer: EventBuffer

  init() throws {
    let loop = try EventLoop(name: "test")
    self.loop = loop
    buffer = EventBuffer(loop)
  }

  @Test func `returns waiting events in order and then the end`() async {
    let devices = (1...3).map { DeviceAddress(rawValue: $0) }
    for device in devices { buffer.push(.connected(device)) }
    buffer.interrupt()
    var received: [RadioEvent] = []
    var last: Date?
    while case .event(let event) = await buffer.next(until: nil) {
      received.append(event.event)
      last = event.time
    }
    #expect(received == devices.map { .connected($0) })
    #expect(last != nil)
    // The next consumer receives later events.
    buffer.push(.connected(devices[0]))
    guard case .event(let event) = await buffer.next(until: nil) else {
      Issue.record("the buffer ended for good")
      return
    }
    #expect(event.event == .connected(devices[0]))
    loop.stop()
  }

  @Test func `wakes at the deadline`() async {
    let deadline = Date(timeIntervalSinceNow: 0.02)
    #expect(await buffer.next(until: deadline) == .deadline(deadline))
    #expect(await buffer.next(until: .distantPast) == .deadline(.distantPast))
    loop.stop()
  }

  @Test func `wakes for an event before the deadline`() async {
    let device = DeviceAddress(rawValue: 7)
    Task { [buffer] in buffer.push(.connected(device)) }
    guard case .event(let event) = await buffer.next(until: .distantFuture) else {
      Issue.record("the event was not reported")
      return
    }
    #expect(event.event == .connected(device))
    loop.stop()
  }

  /// A machine with one core has one thread for all tasks.
  @Test func `lets other tasks run while events wait`() async {
    for number: UInt64 in 0..<1000 { buffer.push(.connected(DeviceAddress(rawValue: number))) }
    let thread = OneThread()
    let takenBefore = await Task(executorPreference: thread) { [buffer] in
      let taken = Count()
      let other = Task(executorPreference: thread) { taken.number.withLock { $0 } }
      for _ in 0..<1000 {
        _ = await buffer.next(until: nil)
        taken.number.withLock { $0 += 1 }
      }
      return await other.value
    }.value
    #expect(takenBefore == 0)
    loop.stop()
  }

  @Test func `ends for a cancelled consumer`() async {
    let consumer = Task { [buffer] in await buffer.next(until: nil) }
    consumer.cancel()
    #expect(await consumer.value == .end(nil))
    loop.stop()
  }
}

private final class Count: Sendable {
  let number = Mutex(0)
}

/// Runs tasks on one thread.
private final class OneThread: TaskExecutor {
  private let queue = DispatchQueue(label: "one")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// A buffer whose clocks and timers a test moves.
@Suite struct ClockSettingTests {
  private static let start = Date(timeIntervalSince1970: 1_800_000_000)
  private let device = DeviceAddress(rawValue: 7)
  private let clocks = Clocks()
  private let buffer: EventBuffer

  /// Two clocks, and the timers that run by the second.
  private final class Clocks: Sendable {
    struct Hands {
      var time = ClockSettingTests.start
      var instant = ContinuousClock.now
      var handlers: [@Sendable () -> Void] = []
    }
    let hands = Mutex(Hands())

    func pass(_ seconds: Double) {
      hands.withLock {
        $0.time.addTimeInterval(seconds)
        $0.instant += .seconds(seconds)
      }
    }

    func set(by seconds: Double) { hands.withLock { $0.time.addTimeInterval(seconds) } }

    func ring() {
      for handler in hands.withLock({ $0.handlers }) { handler() }
    }
  }

  init() {
    let clocks = clocks
    buffer = EventBuffer(
      timer: { _, handler in
        clocks.hands.withLock { $0.handlers.append(handler) }
        return {}
      },
      now: { clocks.hands.withLock { $0.time } }, instant: { clocks.hands.withLock { $0.instant } })
  }

  @Test(arguments: [-86_400.0, 86_400, -3600])
  func `dates events by the clock as it is`(jump: Double) async {
    buffer.push(.connected(device))
    clocks.pass(10)
    #expect(
      await buffer.next(until: nil)
        == .event(TimedEvent(time: Self.start, event: .connected(device))))
    // It waits while the clock is set, and is dated anew.
    buffer.push(.disconnected(device))
    clocks.set(by: jump)
    clocks.pass(1)
    buffer.push(.connected(device))
    let now = Self.start + 11 + jump
    #expect(await buffer.next(until: nil) == .clockSet(by: jump, at: now))
    #expect(
      await buffer.next(until: nil)
        == .event(TimedEvent(time: now - 1, event: .disconnected(device))))
    #expect(
      await buffer.next(until: nil) == .event(TimedEvent(time: now, event: .connected(device))))
  }

  /// The consumer waits for a deadline when the clock is set: it is told before the deadline, which
  /// it then moves.
  @Test func `tells of the clock before a deadline`() async {
    let deadline = Self.start + 5
    #expect(await buffer.next(until: Self.start) == .deadline(Self.start))
    clocks.set(by: -86_400)
    clocks.pass(5)
    #expect(
      await buffer.next(until: deadline) == .clockSet(by: -86_400, at: deadline - 86_400))
    #expect(await buffer.next(until: deadline - 86_400) == .deadline(deadline - 86_400))
  }

  /// The handler of a wait that has ended may have been taken already.
  @Test func `wakes no later wait by an earlier deadline`() async {
    buffer.push(.connected(device))
    _ = await buffer.next(until: Self.start + 1)
    let later = Task { [buffer] in await buffer.next(until: Self.start + 60) }
    while buffer.stall > .zero { await Task.yield() }
    clocks.hands.withLock { $0.handlers.first }?()
    buffer.push(.disconnected(device))
    let event = TimedEvent(time: Self.start, event: .disconnected(device))
    #expect(await later.value == .event(event))
  }

  @Test func `ends after the events before an interruption also when the clock is set`() async {
    buffer.push(.connected(device))
    buffer.interrupt()
    clocks.set(by: -600)
    buffer.push(.disconnected(device))
    let now = Self.start - 600
    #expect(await buffer.next(until: nil) == .clockSet(by: -600, at: now))
    #expect(
      await buffer.next(until: nil) == .event(TimedEvent(time: now, event: .connected(device))))
  }
}
