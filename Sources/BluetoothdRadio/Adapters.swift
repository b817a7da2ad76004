import Radio
import SystemBus

/// What the radio does with the controllers, by their paths.
///
/// It holds the tasks that wait for a turn or for quiet, and resumes them.
struct Adapters: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// What the radio does with one controller.
  private struct Adapter {
    var cycle: DiscoveryCycle
    var silence = SilenceWatch()
    /// When the cycle wants to be asked again.
    var timer: EventLoop.Watch?
    /// When it is tried again to switch it on.
    var powerTimer: EventLoop.Watch?
    /// The tasks that wait until discovery rests.
    var waitingForQuiet: [CheckedContinuation<Void, Never>] = []
    /// Which link is brought up next, by its number.
    var turns = LinkTurns<UInt64>()
    /// The tasks that wait for their turns; each learns whether it came.
    var waitingForTurns: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    /// The last trouble that was reported.
    var trouble: ControllerTrouble?
  }

  private var adapters: [String: Adapter] = [:]

  var isEmpty: Bool { adapters.isEmpty }

  /// The controllers' paths, sorted.
  var paths: [String] { adapters.keys.sorted() }

  func contains(_ path: String) -> Bool { adapters[path] != nil }

  // MARK: - Coming and going

  /// A controller appeared.
  ///
  /// - Returns: Whether it is new.
  mutating func add(_ path: String, isPowered: Bool, at now: Instant) -> Bool {
    guard adapters[path] == nil else { return false }
    var adapter = Adapter(cycle: DiscoveryCycle(at: now))
    adapter.cycle.isPowered = isPowered
    adapters[path] = adapter
    return true
  }

  /// A controller vanished: no turn comes any more, and waiting for quiet ends.
  ///
  /// - Returns: Its timers, which are to be cancelled.
  mutating func remove(_ path: String) -> [EventLoop.Watch] {
    guard let adapter = adapters.removeValue(forKey: path) else { return [] }
    for task in adapter.waitingForQuiet { task.resume() }
    for task in adapter.waitingForTurns.values { task.resume(returning: false) }
    return [adapter.timer, adapter.powerTimer].compactMap(\.self)
  }

  /// A controller was switched on or off.
  mutating func setPowered(_ isPowered: Bool, of path: String) {
    guard let wasPowered = adapters[path]?.cycle.isPowered else { return }
    adapters[path]?.cycle.isPowered = isPowered
    if isPowered, !wasPowered { adapters[path]?.trouble = nil }
  }

  /// Replaces the timer after which a controller is switched on again.
  ///
  /// - Returns: The earlier timer, which is to be cancelled.
  mutating func setPowerTimer(_ timer: EventLoop.Watch?, of path: String) -> EventLoop.Watch? {
    defer { adapters[path]?.powerTimer = timer }
    return adapters[path]?.powerTimer
  }

  /// A controller has trouble, or none any more.
  ///
  /// - Returns: Whether that is a change.
  mutating func setTrouble(_ trouble: ControllerTrouble?, of path: String) -> Bool {
    guard adapters[path] != nil, adapters[path]?.trouble != trouble else { return false }
    adapters[path]?.trouble = trouble
    return true
  }

  // MARK: - Discovery

  /// What to do with a controller now, and when to ask again; tasks that wait for quiet continue as
  /// soon as discovery rests.
  mutating func next(
    _ path: String, at now: Instant
  ) -> (action: DiscoveryCycle.Action?, wakeAt: Instant?, expired: EventLoop.Watch?) {
    guard var adapter = adapters[path] else { return (nil, nil, nil) }
    let expired = adapter.timer
    adapter.timer = nil
    let action = adapter.cycle.next(at: now)
    if adapter.cycle.isQuiet {
      for task in adapter.waitingForQuiet { task.resume() }
      adapter.waitingForQuiet = []
    }
    adapters[path] = adapter
    return (action, adapter.cycle.wakeAt, expired)
  }

  /// Sets the timer at which the controller is asked again.
  mutating func setTimer(_ timer: EventLoop.Watch, of path: String) {
    adapters[path]?.timer = timer
  }

  /// Discovery has started.
  mutating func started(_ path: String, at now: Instant) { adapters[path]?.cycle.started(at: now) }

  /// Discovery could not start.
  mutating func failed(_ path: String, at now: Instant) { adapters[path]?.cycle.failed(at: now) }

  /// Discovery ended without a request.
  mutating func ended(_ path: String, at now: Instant) { adapters[path]?.cycle.ended(at: now) }

  /// Discovery was stopped.
  ///
  /// - Returns: Whether the controller seems deaf.
  mutating func stopped(_ path: String, at now: Instant) -> Bool {
    adapters[path]?.cycle.stopped(at: now)
    return adapters[path]?.silence.isDeaf(at: now) ?? false
  }

  /// A controller received an advertisement.
  mutating func heard(_ path: String, at now: Instant) { adapters[path]?.silence.heard(at: now) }

  /// Discovery rests until as many calls of ``release(_:)`` have come.
  mutating func hold(_ path: String) { adapters[path]?.cycle.holds += 1 }

  /// Discovery may continue.
  ///
  /// - Returns: Whether a hold ended.
  mutating func release(_ path: String) -> Bool {
    guard let holds = adapters[path]?.cycle.holds, holds > 0 else { return false }
    adapters[path]?.cycle.holds = holds - 1
    return true
  }

  /// Whether discovery rests.
  func isQuiet(_ path: String) -> Bool { adapters[path]?.cycle.isQuiet ?? true }

  /// A task waits until discovery rests.
  mutating func waitForQuiet(_ path: String, _ task: CheckedContinuation<Void, Never>) {
    guard adapters[path]?.cycle.isQuiet == false else { return task.resume() }
    adapters[path]?.waitingForQuiet.append(task)
  }

  // MARK: - Turns

  /// A task requests the turn of a link; it is resumed with whether the turn came.
  mutating func requestTurn(
    _ number: UInt64, on path: String, isKnown: Bool, _ task: CheckedContinuation<Bool, Never>
  ) {
    guard let admission = adapters[path]?.turns.request(number, isKnown: isKnown) else {
      return task.resume(returning: false)
    }
    switch admission {
    case .begins: task.resume(returning: true)
    case .waits(let displaced):
      adapters[path]?.waitingForTurns[number] = task
      guard let displaced else { return }
      adapters[path]?.waitingForTurns.removeValue(forKey: displaced)?.resume(returning: false)
    }
  }

  /// A link's turn ends; the next one's begins.
  mutating func endTurn(_ number: UInt64, on path: String) {
    guard let next = adapters[path]?.turns.end(number) else { return }
    adapters[path]?.waitingForTurns.removeValue(forKey: next)?.resume(returning: true)
  }
}
