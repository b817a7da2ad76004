package import Foundation
import Synchronization

/// A live radio's ordered, bounded sequence of events.
///
/// A radio pushes events; one consumer pulls them. Each device has its own limits, so a flooding
/// device does not affect others: its newest values are dropped and counted
/// (``RadioEvent/lost(_:count:)``), and its newest advertisements replace its oldest. Link events
/// are never dropped: the radio bounds their rate.
package final class EventBuffer: Sendable {
  /// How many events may wait for the consumer.
  package struct Limits: Sendable {
    /// Values of one device: ten seconds of a sensor that sends 200 values a second.
    package var valuesOfOneDevice = 2048
    /// Values of one device on the regular lane; further ones go to the flood lane.
    package var regularValuesOfOneDevice = 64
    /// Values of all devices.
    package var values = 16_384
    /// Advertisements of one device: enough for every step of a weigh-in that a scale broadcasts.
    package var advertisementsOfOneDevice = 16
    /// Advertisements of all devices.
    package var advertisements = 1024

    package init() {}
  }

  /// Runs a handler after a delay, unless the closure that it returns is called first.
  package typealias Timer =
    @Sendable (_ delay: Duration, _ handler: @escaping @Sendable () -> Void) ->
    @Sendable () -> Void

  private let state: Mutex<State>
  private let timer: Timer
  private let now: @Sendable () -> Date
  private let instant: @Sendable () -> ContinuousClock.Instant

  /// Makes an empty buffer.
  ///
  /// - Parameters:
  ///   - limits: How many events may wait.
  ///   - timer: Schedules the consumer's deadlines.
  ///   - now: The wall clock, which may be set at any time.
  ///   - instant: A clock that only runs.
  package init(
    limits: Limits = Limits(), timer: @escaping Timer, now: @escaping @Sendable () -> Date,
    instant: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
  ) {
    self.timer = timer
    self.now = now
    self.instant = instant
    state = Mutex(State(queue: EventQueue(limits: limits)))
  }

  /// Adds an event that was received now.
  ///
  /// - Returns: Whether there was room for it: a value of a device that floods is counted instead.
  @discardableResult
  package func push(_ event: RadioEvent) -> Bool {
    var isKept = true
    answer { state, time in isKept = state.queue.push(event, at: time) }
    return isKept
  }

  /// Reports an end to the consumer after all events so far; later events wait for the next
  /// consumer.
  package func interrupt() {
    answer { state, time in state.interruption = time }
  }

  /// Whether another event waits.
  package var hasNext: Bool { state.withLock { !$0.queue.isEmpty } }

  /// How long the consumer has been processing the last event that it took; zero while it waits.
  package var stall: Duration {
    state.withLock { state in
      guard state.consumer == nil, let taken = state.taken else { return .zero }
      return ContinuousClock.now - taken
    }
  }

  /// The next event, the deadline if that comes first, or the end of an interruption.
  ///
  /// After the wall clock was set, the next step says so; the events that still wait are then dated
  /// by the clock as it is now.
  ///
  /// A consumer whose task is cancelled is interrupted.
  package func next(until deadline: Date?) async -> RadioStep {
    // While events wait, nothing else suspends the consumer. On a machine with one core a sensor that
    // floods would keep every other task, and so the signal to end, from the only thread.
    await Task.yield()
    let cancel = deadline.map { deadline in
      timer(.seconds(max(0, deadline.timeIntervalSince(now())))) { [weak self] in
        // The handler of an earlier wait may run late.
        self?.answer { state, _ in
          if state.consumer?.deadline == deadline { state.isDue = true }
        }
      }
    }
    defer { cancel?() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        answer { state, time in
          state.consumer = Consumer(deadline: deadline, answer: continuation)
          state.isDue = deadline.map { $0 <= time } ?? false
        }
      }
    } onCancel: {
      interrupt()
    }
  }

  /// Changes the state and resumes the consumer if a step is available.
  private func answer(_ change: (inout State, _ time: Date) -> Void) {
    let answered = state.withLock { state in
      let look = ClockWatch.Look(now, instant)
      state.look(look)
      change(&state, look.time)
      return state.answer(at: look.time)
    }
    if let (consumer, step) = answered { consumer.answer.resume(returning: step) }
  }

  private struct Consumer {
    var deadline: Date?
    var answer: CheckedContinuation<RadioStep, Never>
  }

  private struct State {
    var queue: EventQueue
    var consumer: Consumer?
    var isDue = false
    var interruption: Date?
    /// The time of the last event that was taken.
    var last: Date?
    /// When the consumer was last answered.
    var taken: ContinuousClock.Instant?
    private var clock = ClockWatch()
    /// By how many seconds the wall clock was set since the consumer was told; `nil` if it was not.
    private var jump: TimeInterval?

    /// Notices when the wall clock was set; what waits is dated by the clock as it is now.
    mutating func look(_ look: ClockWatch.Look) {
      guard let jump = clock.jump(at: look) else { return }
      self.jump = (self.jump ?? 0) + jump
      queue.clockWasSet(by: jump)
      last?.addTimeInterval(jump)
      interruption?.addTimeInterval(jump)
    }

    init(queue: EventQueue) {
      self.queue = queue
    }

    /// The step for a waiting consumer, if available; events up to its deadline come first.
    mutating func answer(at time: Date) -> (Consumer, RadioStep)? {
      guard let consumer else { return nil }
      let step: RadioStep
      let next = queue.nextTime
      if let jump {
        self.jump = nil
        step = .clockSet(by: jump, at: time)
      } else if let next, interruption.map({ next <= $0 }) ?? true,
        consumer.deadline.map({ next <= $0 || !isDue }) ?? true,
        let event = queue.pop(notBefore: last)
      {
        last = event.time
        step = .event(event)
      } else if interruption != nil {
        interruption = nil
        step = .end(last)
      } else if isDue, let deadline = consumer.deadline {
        step = .deadline(deadline)
      } else {
        return nil
      }
      self.consumer = nil
      isDue = false
      taken = .now
      return (consumer, step)
    }
  }
}
