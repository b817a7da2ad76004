package import Foundation
package import Radio
import Synchronization

/// The one ordered sequence of events of a live radio, bounded.
///
/// A radio's loop pushes, the one consumer pulls. What a device can send without end is bounded for
/// each device apart, so that one that floods harms no other: its newest values are dropped and
/// counted (``RadioEvent/lost(_:count:)``), its oldest advertisements make room for newer ones.
/// News of links is never dropped; a radio makes it itself, and only so often.
package final class EventBuffer: Sendable {
  /// How much may wait for the consumer.
  package struct Limits: Sendable {
    /// Values of one device: ten seconds of a sensor that sends 200 a second.
    package var valuesOfOneDevice = 2048
    /// Values of one device that wait among all others'; what is more takes turns with them.
    package var crowd = 64
    /// Values of all devices.
    package var values = 16_384
    /// Advertisements of one device: a weigh-in that is told in a few steps stays whole.
    package var advertisementsOfOneDevice = 16
    /// Advertisements of all devices.
    package var advertisements = 1024

    package init() {}
  }

  private let state: Mutex<State>
  private let loop: EventLoop
  private let now: @Sendable () -> Date

  /// Makes an empty buffer.
  ///
  /// - Parameters:
  ///   - loop: Where the consumer's deadlines are waited for.
  ///   - limits: How much may wait.
  ///   - now: The wall clock.
  package init(
    loop: EventLoop, limits: Limits = Limits(), now: @escaping @Sendable () -> Date
  ) {
    self.loop = loop
    self.now = now
    state = Mutex(State(queue: EventQueue(limits: limits)))
  }

  /// Adds an event that was heard now.
  package func push(_ event: RadioEvent) {
    let time = now()
    answer { state in state.queue.push(event, at: time) }
  }

  /// Tells the consumer an end once it has taken what was heard until now; what is heard later is
  /// there for the next consumer.
  package func interrupt() {
    let time = now()
    answer { state in state.interruption = time }
  }

  /// Whether another event waits.
  package var isBehind: Bool { state.withLock { !$0.queue.isEmpty } }

  /// How long the consumer has been busy with the event that it took last; zero while it waits.
  package var stall: Duration {
    state.withLock { state in
      guard state.consumer == nil, let taken = state.taken else { return .zero }
      return ContinuousClock.now - taken
    }
  }

  /// The next event, the deadline that came first, or the end of an interruption.
  ///
  /// A consumer whose task is cancelled is interrupted.
  package func next(until deadline: Date?) async -> RadioStep {
    let now = self.now
    let timer = deadline.map { deadline in
      loop.schedule(after: .seconds(max(0, deadline.timeIntervalSince(now())))) { [weak self] in
        self?.answer { $0.isDue = true }
      }
    }
    defer { if let timer { loop.cancel(timer) } }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        answer { state in
          state.consumer = Consumer(deadline: deadline, answer: continuation)
          state.isDue = deadline.map { $0 <= now() } ?? false
        }
      }
    } onCancel: {
      interrupt()
    }
  }

  /// Changes what waits, and tells the consumer if there is something to tell now.
  private func answer(_ change: (inout State) -> Void) {
    let answered = state.withLock { state in
      change(&state)
      return state.answer()
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

    /// The consumer's answer, if it waits and there is one: events before its deadline first.
    mutating func answer() -> (Consumer, RadioStep)? {
      guard let consumer else { return nil }
      let step: RadioStep
      let next = queue.nextTime
      if let next, interruption.map({ next <= $0 }) ?? true,
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
