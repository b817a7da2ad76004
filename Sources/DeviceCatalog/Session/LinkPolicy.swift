import Foundation
import Radio

/// Decides when to connect to an advertising device, and how long to pause after each kind of
/// failure.
///
/// The pauses are those of bleak-retry-connector: a quarter of a second to a second after a
/// transient failure, at most nine times; four seconds while the controller has no free slot.
/// Failures that only a person can resolve are retried every ten minutes to an hour.
struct LinkPolicy: Hashable, Sendable {
  /// The state of the link.
  enum State: Hashable, Sendable {
    case down
    case connecting(until: SteadyTime)
    case up
  }

  private(set) var state = State.down
  private(set) var notBefore: SteadyTime?
  /// The number of failures of each kind since the link last worked.
  private var failures: [LinkFailure: Int] = [:]
  private var hasWorked = false
  /// The pause after what the link has refused for want of a bond; `nil` if it has refused nothing.
  private var bondPause: TimeInterval?
  /// How many links in a row were ended because the device was mute.
  private var renewals = 0
  /// How often in a row its turn did not come.
  private var missedTurns = 0
  /// Whether the link is being ended because the device sends too much.
  private var isFlooded = false
  private var lastAdvertisement: SteadyTime?
  private var retriesWithoutAdvertisement = false

  /// The time after which a connection counts as failed; the radio usually reports a failure
  /// sooner.
  static let connectTime = 60.0
  /// The pause after a successful link; scales continue to advertise for seconds.
  static let restTime = 5.0
  /// The time after an advertisement during which a device is assumed to be in range.
  static let nearTime = 10.0
  /// The longest pause after failures that may resolve by themselves.
  static let longestPause = 60.0
  /// The shortest and the longest pause after failures that a person has to resolve.
  static let unresolvedPauses = 600.0...3600.0
  /// The first pauses after a failed pairing: a time-out on a busy machine is reported like a refusal,
  /// and may succeed while the person is still there.
  static let pairingPauses = [15.0, 60]
  /// The number of consecutive transient failures with short pauses.
  static let maximumTransients = 9

  /// Whether to connect after an advertisement.
  mutating func advertised(at time: SteadyTime) -> Bool {
    lastAdvertisement = time
    if case .connecting(let until) = state {
      guard time >= until else { return false }
      failed(.gone, at: time)
    }
    return begin(at: time)
  }

  /// The time of a retry without another advertisement: a scale that has just measured may not send
  /// one.
  var wakeAt: SteadyTime? {
    guard state == .down, retriesWithoutAdvertisement, let notBefore, let lastAdvertisement,
      notBefore - lastAdvertisement <= Self.nearTime
    else { return nil }
    return notBefore
  }

  /// Whether to connect at a due time.
  mutating func wake(at time: SteadyTime) -> Bool {
    guard let wakeAt, wakeAt <= time else { return false }
    return begin(at: time)
  }

  private mutating func begin(at time: SteadyTime) -> Bool {
    guard state == .down, notBefore.map({ $0 <= time }) ?? true else { return false }
    state = .connecting(until: time + Self.connectTime)
    retriesWithoutAdvertisement = false
    return true
  }

  /// The link is up, requested by this session or not.
  mutating func connected() {
    guard state != .up else { return }
    state = .up
    missedTurns = 0
    hasWorked = false
    bondPause = nil
  }

  /// The device sent a value or acknowledged a write: earlier failures are resolved.
  mutating func worked() {
    hasWorked = true
    bondPause = nil
    failures = [:]
    if !isFlooded { notBefore = nil }
  }

  /// The device sent a measurement.
  mutating func spoke() { renewals = 0 }

  /// The link is ended because the device was mute: the pause after it grows, also if the device
  /// answers other requests.
  mutating func renew() { renewals = min(renewals + 1, 16) }

  /// The link is down.
  mutating func disconnected(at time: SteadyTime) {
    isFlooded = false
    if state == .up {
      state = .down
      // A link without any value counts as a failure.
      let pause = hasWorked ? 0 : pause(after: .other)
      let renewal =
        renewals > 0
        ? min(Self.longestPause, Self.restTime * Double(1 << (renewals - 1))) : 0
      wait(max(pause, renewal, Self.restTime), from: time)
    } else {
      failed(.gone, at: time)
    }
  }

  /// A connection or a command failed.
  ///
  /// - Returns: The pause before the next attempt; `nil` if a command failed on a working link.
  @discardableResult
  mutating func failed(_ kind: LinkFailure, at time: SteadyTime) -> TimeInterval? {
    if case .connecting = state {
      state = .down
    } else if kind != .staleBond, kind != .unauthorized {
      return nil
    }
    // The requests of one link that need a bond are one attempt, however many the device refuses.
    if state == .up, let bondPause { return bondPause }
    let pause = pause(after: kind)
    if state == .up { bondPause = pause }
    wait(pause, from: time)
    retriesWithoutAdvertisement = kind == .transient || kind == .outOfSlots
    return pause
  }

  /// Handles a failed command, or a flood; a device that only waited for its turn is not to blame.
  ///
  /// - Returns: As ``failed(_:at:)-(LinkFailure,_)``.
  @discardableResult
  mutating func failed(_ error: LinkError, at time: SteadyTime) -> TimeInterval? {
    // The radio ends the link; a new one would be flooded as well, while other devices wait.
    if error.cause == .flooded {
      isFlooded = true
      wait(Self.longestPause, from: time)
      return Self.longestPause
    }
    guard error.cause == .displaced || error.cause == .gaveWay, case .connecting = state else {
      missedTurns = 0
      return failed(error.kind, at: time)
    }
    missedTurns += 1
    state = .down
    wait(Self.queuePause, from: time)
    retriesWithoutAdvertisement = true
    return Self.queuePause
  }

  /// The user has paired the device, or deleted its bond: the pause after what only a person can
  /// resolve ends.
  ///
  /// The failures count until the link works, so that the next pause is no shorter.
  mutating func bondChanged() {
    guard !isFlooded, failures[.unauthorized] != nil || failures[.staleBond] != nil else { return }
    notBefore = nil
    bondPause = nil
  }

  /// Whether the last failure is no news yet: of ten devices that wake at once, some miss a turn or
  /// two and are linked seconds later.
  var isOnlyWaiting: Bool { (1..<Self.toldTurns).contains(missedTurns) }

  /// How many turns in a row have to be missed before that is told.
  static let toldTurns = 5
  /// The pause, in seconds, before a device requests its turn again.
  static let queuePause: TimeInterval = 1

  /// Counts a failure and gives the pause after it.
  private mutating func pause(after kind: LinkFailure) -> TimeInterval {
    let count = min((failures[kind] ?? 0) + 1, 1000)
    failures[kind] = count
    func doubled(_ first: Double, _ count: Int, atMost longest: Double) -> Double {
      min(longest, first * Double(1 << min(count - 1, 12)))
    }
    switch kind {
    case .transient where count <= Self.maximumTransients:
      return doubled(0.25, count, atMost: 1)
    case .transient:
      return doubled(1, count - Self.maximumTransients, atMost: Self.longestPause)
    case .outOfSlots:
      return doubled(4, count, atMost: Self.longestPause)
    case .gone, .other:
      return doubled(1, count, atMost: Self.longestPause)
    case .unauthorized where count <= Self.pairingPauses.count:
      return Self.pairingPauses[count - 1]
    case .staleBond, .unauthorized:
      let attempts = kind == .staleBond ? count : count - Self.pairingPauses.count
      return doubled(
        Self.unresolvedPauses.lowerBound, attempts, atMost: Self.unresolvedPauses.upperBound)
    }
  }

  private mutating func wait(_ pause: TimeInterval, from time: SteadyTime) {
    let end = time + pause
    notBefore = notBefore.map { max($0, end) } ?? end
  }
}

// MARK: - Catching up

/// Decides when to connect to a broadcasting device for its stored measurements.
///
/// Not during a weighing: a connected scale does not advertise. Some time after the first
/// advertisement the weighing is over, and the missed measurements can be fetched.
struct CatchUp: Hashable, Sendable {
  private var firstAdvertisement: SteadyTime?
  private var lastAdvertisement: SteadyTime?
  private var notBefore: SteadyTime?

  /// The maximum duration of a weighing with the impedance.
  static let weighingTime = 20.0
  /// The silence after which an advertisement belongs to another weighing.
  static let silence = 60.0
  /// The minimum time between two fetches.
  static let interval = 3600.0
  /// The minimum time between two attempts.
  static let retryTime = 600.0

  /// Whether to fetch the stored measurements after an advertisement.
  mutating func advertised(at time: SteadyTime) -> Bool {
    if lastAdvertisement.map({ time - $0 > Self.silence }) ?? true {
      firstAdvertisement = time
    }
    lastAdvertisement = time
    let isOver =
      firstAdvertisement.map { time - $0 >= Self.weighingTime } ?? false
    return isOver && notBefore.map { $0 <= time } ?? true
  }

  /// A link was requested.
  mutating func began(at time: SteadyTime) { notBefore = time + Self.retryTime }

  /// The stored measurements were fetched.
  mutating func done(at time: SteadyTime) { notBefore = time + Self.interval }
}
