import Foundation
import Radio

/// Decides when an advertising device is connected to, and how long it is left alone after each
/// failure, by what kind of failure it was.
///
/// The pauses are those of bleak-retry-connector where it has one: a quarter to a whole second after
/// something passing, nine times at most; four seconds while a controller has no room. What only a
/// person can put right is tried every ten minutes to an hour.
struct LinkPolicy: Hashable, Sendable {
  /// Where the link is.
  enum State: Hashable, Sendable {
    case down
    case connecting(until: Date)
    case up
  }

  private(set) var state = State.down
  private(set) var notBefore: Date?
  /// How often the link failed in each way since it last worked.
  private var failures: [LinkFailure: Int] = [:]
  private var hasWorked = false
  private var lastHeard: Date?
  private var retriesUnheard = false

  /// How long a connection may take to come up before it counts as failed; a radio that answers
  /// gives up sooner by itself.
  static let connectTime = 60.0
  /// How long to leave a device alone that has just been read; scales advertise on for seconds.
  static let restTime = 5.0
  /// How long a device that was heard may be taken to be still there.
  static let nearTime = 10.0
  /// The longest pause after failures that may end by themselves.
  static let longestPause = 60.0
  /// The shortest and the longest pause after failures that a person has to end.
  static let helplessPauses = 600.0...3600.0
  /// How many passing failures in a row are believed to be passing.
  static let mostTransients = 9

  /// Whether to connect now that the device was heard.
  mutating func heard(at time: Date) -> Bool {
    lastHeard = time
    if case .connecting(let until) = state {
      guard time >= until else { return false }
      failed(.gone, at: time)
    }
    return begin(at: time)
  }

  /// When a connection is to be tried again although nothing more was heard: a scale that has just
  /// measured may say no more than that.
  var wakeAt: Date? {
    guard state == .down, retriesUnheard, let notBefore, let lastHeard,
      notBefore.timeIntervalSince(lastHeard) <= Self.nearTime
    else { return nil }
    return notBefore
  }

  /// Whether to connect now that the time has come.
  mutating func wake(at time: Date) -> Bool {
    guard let wakeAt, wakeAt <= time else { return false }
    return begin(at: time)
  }

  private mutating func begin(at time: Date) -> Bool {
    guard state == .down, notBefore.map({ $0 <= time }) ?? true else { return false }
    state = .connecting(until: time.addingTimeInterval(Self.connectTime))
    retriesUnheard = false
    return true
  }

  /// The link is up, whoever asked for it.
  mutating func connected() {
    guard state != .up else { return }
    state = .up
    hasWorked = false
  }

  /// The device answered: whatever was wrong is over.
  mutating func worked() {
    hasWorked = true
    failures = [:]
    notBefore = nil
  }

  /// The link is down.
  mutating func disconnected(at time: Date) {
    if state == .up {
      state = .down
      // A link over which nothing came is as good as none.
      let pause = hasWorked ? 0 : pause(after: .other)
      leaveAlone(for: max(pause, Self.restTime), from: time)
    } else {
      failed(.gone, at: time)
    }
  }

  /// A connection did not come up, or what came up is of no use.
  ///
  /// - Returns: How long the device is left alone; `nil` where a command failed on a link that is
  ///   sound.
  @discardableResult
  mutating func failed(_ kind: LinkFailure, at time: Date) -> TimeInterval? {
    if case .connecting = state {
      state = .down
    } else if kind != .staleBond, kind != .unauthorized {
      return nil
    }
    let pause = pause(after: kind)
    leaveAlone(for: pause, from: time)
    retriesUnheard = kind == .transient || kind == .outOfSlots
    return pause
  }

  /// Counts a failure, and says how long the pause after it is.
  private mutating func pause(after kind: LinkFailure) -> TimeInterval {
    let count = min((failures[kind] ?? 0) + 1, 1000)
    failures[kind] = count
    func doubled(_ first: Double, _ count: Int, atMost longest: Double) -> Double {
      min(longest, first * Double(1 << min(count - 1, 12)))
    }
    switch kind {
    case .transient where count <= Self.mostTransients:
      return doubled(0.25, count, atMost: 1)
    case .transient:
      return doubled(1, count - Self.mostTransients, atMost: Self.longestPause)
    case .outOfSlots:
      return doubled(4, count, atMost: Self.longestPause)
    case .gone, .other:
      return doubled(1, count, atMost: Self.longestPause)
    case .staleBond, .unauthorized:
      return doubled(
        Self.helplessPauses.lowerBound, count, atMost: Self.helplessPauses.upperBound)
    }
  }

  private mutating func leaveAlone(for pause: TimeInterval, from time: Date) {
    let end = time.addingTimeInterval(pause)
    notBefore = notBefore.map { max($0, end) } ?? end
  }
}

// MARK: - Catching up

/// Decides when a device that broadcasts is connected to for what it has stored.
///
/// It is left in peace while somebody stands on it: a scale that is connected to advertises nothing.
/// Once it has been heard for a while the weighing is over, and what nobody heard since the last
/// time can be fetched.
struct CatchUp: Hashable, Sendable {
  private var firstHeard: Date?
  private var lastHeard: Date?
  private var notBefore: Date?

  /// How long a weighing may take, the impedance included.
  static let weighingTime = 20.0
  /// After how long a silence the next advertisement is of another weighing.
  static let silence = 60.0
  /// The least time from one fetching to the next.
  static let interval = 3600.0
  /// The least time from one attempt to the next.
  static let retryTime = 600.0

  /// Whether what is stored may be fetched now that the device was heard.
  mutating func heard(at time: Date) -> Bool {
    if lastHeard.map({ time.timeIntervalSince($0) > Self.silence }) ?? true { firstHeard = time }
    lastHeard = time
    let isOver = firstHeard.map { time.timeIntervalSince($0) >= Self.weighingTime } ?? false
    return isOver && notBefore.map { $0 <= time } ?? true
  }

  /// A link was asked for.
  mutating func began(at time: Date) { notBefore = time.addingTimeInterval(Self.retryTime) }

  /// What is stored was fetched.
  mutating func done(at time: Date) { notBefore = time.addingTimeInterval(Self.interval) }
}
