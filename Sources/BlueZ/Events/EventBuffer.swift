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

  /// Ends the sequence once what waits has been taken.
  package func end() {
    answer { state in state.isEnded = true }
  }

  /// Whether another event waits.
  package var isBehind: Bool { state.withLock { !$0.queue.isEmpty } }

  /// The next event, the deadline that came first, or the end.
  ///
  /// A consumer whose task is cancelled is told the end.
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
      end()
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
    var isEnded = false
    var last: Date?

    /// The consumer's answer, if it waits and there is one: events before its deadline first.
    mutating func answer() -> (Consumer, RadioStep)? {
      guard let consumer else { return nil }
      let step: RadioStep
      if let time = queue.nextTime, consumer.deadline.map({ time <= $0 || !isDue }) ?? true,
        let event = queue.pop(notBefore: last)
      {
        last = event.time
        step = .event(event)
      } else if isDue, let deadline = consumer.deadline {
        step = .deadline(deadline)
      } else if isEnded {
        step = .end(last)
      } else {
        return nil
      }
      self.consumer = nil
      isDue = false
      return (consumer, step)
    }
  }
}
