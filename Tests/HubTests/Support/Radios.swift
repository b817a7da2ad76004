import Care
import Foundation
import Radio
import Synchronization
import Traces

/// The order of events at a radio and a store.
final class Journal: Sendable {
  private let entries = Mutex<[String]>([])

  var lines: [String] { entries.withLock { $0 } }

  func note(_ line: String) { entries.withLock { $0.append(line) } }
}

/// A trace that runs a closure before each step.
final class PausingRadio: Radio {
  private let trace: TraceRadio
  var observe: ((Int) async throws -> Double)?
  private(set) var observations: [Double] = []
  private(set) var deadlines: [Date] = []
  private(set) var sent: [RadioCommand] = []
  let hasNext: Bool
  private let journal: Journal?

  /// Plays `events`.
  ///
  /// - Parameters:
  ///   - events: The trace.
  ///   - hasNext: The answer to whether another event is available.
  ///   - journal: Receives the confirmations.
  init(_ events: [TimedEvent], hasNext: Bool = false, journal: Journal? = nil) {
    trace = TraceRadio([SyntheticTrace(events)])
    self.hasNext = hasNext
    self.journal = journal
  }

  func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    do {
      if let value = try await observe?(observations.count) { observations.append(value) }
    } catch {
      throw RadioError.recording("\(error)")
    }
    let step = try await trace.next(until: deadline)
    if case .deadline(let time) = step { deadlines.append(time) }
    return step
  }

  func send(_ command: RadioCommand) async throws(RadioError) {
    sent.append(command)
    guard case .confirm(let confirmation) = command else { return }
    journal?.note("confirmed \(confirmation.number)")
  }
}

/// A store that records completed writes, and can refuse to write.
struct WatchedStore: Store {
  let base: any Store & Sendable
  let journal: Journal
  /// The numbers of the failing writes, from 1.
  var failing: Set<Int> = []

  func read<T: Sendable>(
    _ body: @Sendable (any StoreReader) throws -> T
  ) async throws -> T {
    try await base.read(body)
  }

  func write<T: Sendable>(
    _ body: @Sendable (any StoreWriter) throws -> T
  ) async throws -> T {
    let number = journal.lines.count { $0.hasPrefix("writ") } + 1
    guard !failing.contains(number) else {
      journal.note("write \(number) failed")
      throw StoreError.failed(.diskFull, store: "test")
    }
    let result = try await base.write(body)
    let values = try await base.read { try $0.samples(SampleQuery()).map(\.value) }
    journal.note("written \(values)")
    return result
  }
}

/// A trace that ends in a failure, without running on.
final class FailingRadio: Radio {
  private var events: ArraySlice<TimedEvent>
  private let failure: RadioError
  let hasNext: Bool

  init(_ events: [TimedEvent], hasNext: Bool, failure: RadioError) {
    self.events = events[...]
    self.hasNext = hasNext
    self.failure = failure
  }

  func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    guard let event = events.popFirst() else { throw failure }
    return .event(event)
  }

  func send(_ command: RadioCommand) async throws(RadioError) {}
}

/// A trace whose devices accept no command.
final class DeafRadio: Radio {
  private let trace: TraceRadio

  init(_ events: [TimedEvent]) {
    trace = TraceRadio([SyntheticTrace(events)])
  }

  func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    try await trace.next(until: deadline)
  }

  func send(_ command: RadioCommand) async throws(RadioError) {
    throw RadioError.recording("the device is gone")
  }
}

/// A radio that takes given steps, whatever its consumer waits for.
final class ScriptedRadio: Radio {
  private var steps: ArraySlice<RadioStep>
  /// The deadlines that the consumer asked for, one for each step.
  private(set) var deadlines: [Date?] = []
  private(set) var sent: [RadioCommand] = []

  init(_ steps: [RadioStep]) {
    self.steps = steps[...]
  }

  func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    deadlines.append(deadline)
    return steps.popFirst() ?? .end(nil)
  }

  func send(_ command: RadioCommand) async throws(RadioError) { sent.append(command) }
}
