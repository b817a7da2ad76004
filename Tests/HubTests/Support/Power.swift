import Care
import Foundation
import Radio
import Synchronization
import Traces

/// The power supply of a machine: once cut, nothing is received or written any more.
final class PowerSwitch: Sendable {
  private let state = Mutex(true)

  var isOn: Bool { state.withLock { $0 } }

  func cut() { state.withLock { $0 = false } }
}

/// A trace during which the power is cut.
final class PoweredRadio: Radio {
  private let trace: TraceRadio
  private var left: Int
  private let power: PowerSwitch

  /// Plays the first `count` of `events`.
  init(_ events: [TimedEvent], until count: Int, power: PowerSwitch) {
    trace = TraceRadio([SyntheticTrace(events)])
    left = count
    self.power = power
  }

  func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    let step = try await trace.next(until: deadline)
    if case .deadline = step { return step }
    guard left > 0 else {
      power.cut()
      throw RadioError.recording("the power is gone")
    }
    left -= 1
    return step
  }

  func send(_ command: RadioCommand) async throws(RadioError) {}
}

/// A store that accepts writes while there is power.
struct PoweredStore: Store {
  let base: any Store & Sendable
  let power: PowerSwitch

  func read<T: Sendable>(_ body: @Sendable (any StoreReader) throws -> T) async throws -> T {
    try await base.read(body)
  }

  func write<T: Sendable>(_ body: @Sendable (any StoreWriter) throws -> T) async throws -> T {
    guard power.isOn else { throw StoreError.failed(.closed, store: "test") }
    return try await base.write(body)
  }
}
