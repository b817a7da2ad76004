import Radio
import SystemBus

/// The radio's state of each controller, by its path.
///
/// It stores the tasks that wait for a turn or for discovery to pause, and resumes them.
struct Adapters: Sendable {
  typealias Instant = ContinuousClock.Instant

  /// The state of one controller.
  private struct Adapter {
    var cycle: DiscoveryCycle
    var silence = SilenceWatch()
    var stuck = StuckDiscovery()
    /// When the cycle is evaluated again.
    var timer: EventLoop.Watch?
    /// When the next attempt to switch it on is due.
    var powerTimer: EventLoop.Watch?
    /// The tasks that wait until discovery is paused.
    var waitingForQuiet: [CheckedContinuation<Void, Never>] = []
    /// The order in which links are connected, by their numbers.
    var turns = LinkTurns<UInt64>()
    /// The tasks that wait for their turns, resumed with whether the turn was granted.
    var waitingForTurns: [UInt64: CheckedContinuation<Bool, Never>] = [:]
    /// The last trouble reported.
    var trouble: ControllerTrouble?
  }

  private var adapters: [String: Adapter] = [:]

  var isEmpty: Bool { adapters.isEmpty }

  /// The controllers' paths, sorted.
  var paths: [String] { adapters.keys.sorted() }

  func contains(_ path: String) -> Bool { adapters[path] != nil }

  // MARK: - Added and removed controllers

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

  /// A controller was removed: tasks that wait for a turn are refused, and those that wait for
  /// discovery to pause continue.
  ///
  /// - Returns: Its timers, for the caller to cancel.
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
  /// - Returns: The earlier timer, for the caller to cancel.
  mutating func setPowerTimer(_ timer: EventLoop.Watch?, of path: String) -> EventLoop.Watch? {
    defer { adapters[path]?.powerTimer = timer }
    return adapters[path]?.powerTimer
  }

  /// Sets or clears a controller's trouble.
  ///
  /// - Returns: Whether it changed.
  mutating func setTrouble(_ trouble: ControllerTrouble?, of path: String) -> Bool {
    guard adapters[path] != nil, adapters[path]?.trouble != trouble else { return false }
    adapters[path]?.trouble = trouble
    return true
  }

  // MARK: - Discovery

  /// The next action for a controller, and when to evaluate it again; tasks that wait for discovery
  /// to pause continue when it does.
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

  /// Sets the timer at which the controller is evaluated again.
  mutating func setTimer(_ timer: EventLoop.Watch, of path: String) {
    adapters[path]?.timer = timer
  }

  /// Discovery has started, or seems to have.
  mutating func started(_ path: String, at now: Instant) {
    adapters[path]?.cycle.started(at: now)
    if adapters[path]?.stuck.isProven == false { adapters[path]?.trouble = nil }
  }

  /// Discovery could not start.
  mutating func failed(_ path: String, at now: Instant) { adapters[path]?.cycle.failed(at: now) }

  /// Discovery ended without a request.
  mutating func ended(_ path: String, at now: Instant) { adapters[path]?.cycle.ended(at: now) }

  /// Discovery was stopped.
  ///
  /// - Parameters:
  ///   - path: The controller.
  ///   - now: The present time.
  ///   - leavesRoom: Whether bluetoothd waits for a device that it links by itself.
  /// - Returns: Whether the controller seems to have stopped receiving.
  mutating func stopped(_ path: String, at now: Instant, leavesRoom: Bool) -> Bool {
    adapters[path]?.cycle.stopped(at: now, leavesRoom: leavesRoom)
    return adapters[path]?.silence.isDeaf(at: now) ?? false
  }

  /// A stop of discovery was accepted.
  ///
  /// - Returns: Whether discovery was stuck until now.
  mutating func acceptedStop(_ path: String) -> Bool {
    guard adapters[path]?.stuck.stopped() == true else { return false }
    adapters[path]?.trouble = nil
    return true
  }

  /// A stop of discovery was refused.
  ///
  /// - Returns: The remedy; `nil` as long as nothing is proven.
  mutating func refusedStop(
    _ path: String, at now: Instant, isLinked: Bool
  ) -> StuckDiscovery.Remedy? {
    adapters[path]?.stuck.refused(at: now, isLinked: isLinked)
  }

  /// A controller received an advertisement.
  mutating func received(_ path: String, at now: Instant) {
    adapters[path]?.silence.received(at: now)
  }

  /// Pauses discovery until ``release(_:)`` was called as often.
  mutating func hold(_ path: String) { adapters[path]?.cycle.holds += 1 }

  /// Releases one hold on discovery.
  ///
  /// - Returns: Whether a hold ended.
  mutating func release(_ path: String) -> Bool {
    guard let holds = adapters[path]?.cycle.holds, holds > 0 else { return false }
    adapters[path]?.cycle.holds = holds - 1
    return true
  }

  /// Whether discovery is paused.
  func isQuiet(_ path: String) -> Bool { adapters[path]?.cycle.isQuiet ?? true }

  /// Stores a task that waits until discovery is paused.
  mutating func waitForQuiet(_ path: String, _ task: CheckedContinuation<Void, Never>) {
    guard adapters[path]?.cycle.isQuiet == false else { return task.resume() }
    adapters[path]?.waitingForQuiet.append(task)
  }

  // MARK: - Turns

  /// Requests a link's turn; the task is resumed with whether it was granted.
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

  /// Ends a link's turn; the next turn begins.
  mutating func endTurn(_ number: UInt64, on path: String) {
    guard let next = adapters[path]?.turns.end(number) else { return }
    adapters[path]?.waitingForTurns.removeValue(forKey: next)?.resume(returning: true)
  }
}
