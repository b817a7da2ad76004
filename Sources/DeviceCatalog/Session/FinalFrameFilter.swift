import Care
import Foundation
import Recency

/// Passes an advertised measurement once, when it is final.
///
/// A scale advertises the weight while it settles, when it is stable, when it has measured the
/// impedance, and for minutes after the person has stepped off. One weighing must be one reading:
/// the first stable frame with a person on the scale, and the companion (impedance) of the same
/// time and weight if it follows soon enough.
///
/// Which of the stable frames is received first is random, and differs after a restart. The raw
/// bytes of the weight are therefore those of the frame without the companion
/// (``RecordRule/withoutCompanion(_:_:)``), so that every stable frame gives the same sample.
///
/// A scale that is heard only after the person has stepped off repeats the last weighing, also hours
/// later. It counts if the scale's clock shows that it was just now.
struct FinalFrameFilter: Sendable {
  /// A final value with its frame.
  struct Committed: Hashable, Sendable {
    var value: DecodedValue
    var raw: [UInt8]
    var arrival: EventTime
    /// Whether it is from after the measurement.
    var isRepeated = false
  }

  /// The identity of a measurement.
  private struct Key: Hashable, Sendable {
    var time: LocalDateTime?
    var value: Double
  }

  private struct Pending: Sendable {
    var key: Key
    var main: Committed
    var deadline: SteadyTime
  }

  /// By how many seconds the clock of a device may be ahead of this machine's.
  private static let clockError: TimeInterval = 10

  let rule: CommitRule
  /// The zone of the device's clock.
  private let timeZone: TimeZone
  private var pending: Pending?
  private var recent = RecentKeys<Key>(capacity: 64)
  /// The last stable measurement, and how many frames in a row had it.
  private var run: (key: Key, count: Int)?
  /// The last measurement that another source gave, until its companion has come.
  private var elsewhere: Key?
  /// The value that was stable last, with its arrival.
  private var lastStable: (value: Double, arrival: SteadyTime)?
  /// The course of the load since the last measurement.
  private var load = Load.steady

  /// The course of a scale's load.
  private enum Load: Hashable, Sendable {
    /// It did not show that it was empty.
    case steady
    case empty
    /// It was empty, and shows a weight that is not final yet.
    case rising(Double)
  }

  init(_ rule: CommitRule, timeZone: TimeZone = .gmt) {
    self.rule = rule
    self.timeZone = timeZone
  }

  /// The end of the wait for the companion.
  var wakeAt: SteadyTime? { pending?.deadline }

  /// Processes a frame and returns the values that are final.
  ///
  /// - Parameters:
  ///   - content: The frame's content.
  ///   - raw: The frame.
  ///   - mainRaw: The frame without the companion.
  ///   - arrival: The time of its arrival.
  /// - Returns: The main value and its companion, each once.
  mutating func offer(
    _ content: FrameContent, raw: [UInt8], mainRaw: [UInt8], at arrival: EventTime
  ) -> [Committed] {
    let isRemoved = rule.removed?.holds(in: content.fields) ?? false
    let main = content.values.first { $0.quantity == rule.quantity && $0.value > 0 }
    let companion = rule.companion.flatMap { wanted in
      content.values.first { $0.quantity == wanted.quantity }
    }
    let key = main.map { Key(time: $0.time, value: $0.value) }
    let isStable = rule.stable?.holds(in: content.fields) ?? true
    if !isRemoved { follow(main?.value, of: content, isStable: isStable) }

    var committed: [Committed] = []
    if let pending {
      if pending.key == key {
        guard companion != nil || isRemoved else { return [] }
        self.pending = nil
        return [pending.main]
          + (companion.map { [Committed(value: $0, raw: raw, arrival: arrival)] } ?? [])
      }
      // Another weighing has begun, or the person has stepped off.
      committed = giveUp()
    }

    guard let main, let key, isStable,
      !isRemoved || rule.isUndoneByBits && isUnheard(main, at: arrival)
    else {
      run = nil
      return committed
    }
    if !isRemoved { lastStable = (main.value, arrival.steady) }
    let count = run.map { $0.key == key ? min($0.count + 1, rule.equal) : 1 } ?? 1
    run = (key, count)
    guard count >= rule.equal else { return committed }
    // Without a clock, an empty scale in between tells two weighings of the same weight apart; a
    // scale that is woken repeats the last one without a weight that rises.
    if case .rising(let value) = load, key.time == nil, value != key.value { recent.remove(key) }
    load = .steady
    guard recent.insert(key, at: arrival.steady) else {
      guard elsewhere == key, let companion else { return committed }
      elsewhere = nil
      return committed + [Committed(value: companion, raw: raw, arrival: arrival)]
    }
    let first = Committed(value: main, raw: mainRaw, arrival: arrival, isRepeated: isRemoved)
    if let companion {
      return committed + [
        first, Committed(value: companion, raw: raw, arrival: arrival, isRepeated: isRemoved),
      ]
    }
    guard let seconds = rule.companion?.seconds, !isRemoved else { return committed + [first] }
    pending = Pending(key: key, main: first, deadline: arrival.steady + seconds)
    return committed
  }

  /// Takes note of whether the scale is empty, or a weight rises from that.
  private mutating func follow(_ value: Double?, of content: FrameContent, isStable: Bool) {
    guard let value else {
      if content.values.contains(where: { $0.quantity == rule.quantity }) { load = .empty }
      return
    }
    if load == .empty, !isStable || rule.equal > 1 { load = .rising(value) }
  }

  /// Whether the device's clock shows that the value was measured just now, and it was not heard then.
  ///
  /// The time after the measurement may be that of stepping off.
  private func isUnheard(_ value: DecodedValue, at arrival: EventTime) -> Bool {
    guard let time = value.time, !value.isDatedByAge else { return false }
    if let lastStable, lastStable.value == value.value,
      arrival.steady - lastStable.arrival <= Reading.repetitionWindow
    {
      return false
    }
    // A measurement lies in the past; two clocks differ by some seconds.
    return time.instants(in: timeZone).contains {
      (-Reading.clockTolerance...Self.clockError).contains($0.timeIntervalSince(arrival.date))
    }
  }

  /// Takes note of what another source of the same device gave, which gives no second reading here:
  /// only its companion, if it had none there.
  mutating func remember(_ given: [Committed], at arrival: SteadyTime) {
    // With a time of its own it is known again by that.
    guard let main = given.first(where: { $0.value.quantity == rule.quantity })?.value,
      main.time == nil
    else { return }
    let key = Key(time: main.time, value: main.value)
    let isCompleted = given.contains { $0.value.quantity == rule.companion?.quantity }
    if pending?.key == key { pending = nil }
    if !isCompleted { elsewhere = key }
    _ = recent.insert(key, at: arrival)
  }

  /// Returns a value whose wait for the companion has ended.
  mutating func wake(at time: SteadyTime) -> [Committed] {
    guard let pending, pending.deadline <= time else { return [] }
    return giveUp()
  }

  private mutating func giveUp() -> [Committed] {
    defer { pending = nil }
    return pending.map { [$0.main] } ?? []
  }
}

extension CommitRule {
  /// Whether a frame of which ``removed`` holds differs from one of before by bits that are known.
  fileprivate var isUndoneByBits: Bool {
    removed?.terms.allSatisfy { if case .bit = $0.operand { true } else { false } } ?? true
  }

  /// The values of a single frame if it is final by itself.
  func final(_ content: FrameContent) -> [DecodedValue] {
    guard equal == 1, stable?.holds(in: content.fields) ?? true,
      !(removed?.holds(in: content.fields) ?? false),
      content.values.contains(where: { $0.quantity == quantity && $0.value > 0 })
    else { return [] }
    return content.values
  }
}

// MARK: - Recent keys

/// A bounded set of the most recently used keys.
struct RecentKeys<Key: Hashable & Sendable>: Sendable {
  /// The maximum number of keys.
  let capacity: Int
  /// When each key was used last.
  private var uses = RecencyTable<Key, SteadyTime>()

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Forgets `key`.
  mutating func remove(_ key: Key) { uses.remove(key) }

  /// Inserts `key` as the most recent one, used at `time`.
  ///
  /// A key that was not used for ``Reading/repetitionWindow`` is new: a scale whose clock restarts
  /// sends the same time for another weighing.
  ///
  /// - Returns: Whether it is new.
  mutating func insert(_ key: Key, at time: SteadyTime) -> Bool {
    let isNew =
      uses[key].map { abs(time - $0) > Reading.repetitionWindow } ?? true
    uses.use(key, time)
    if uses.count > capacity { uses.removeOldest() }
    return isNew
  }
}
