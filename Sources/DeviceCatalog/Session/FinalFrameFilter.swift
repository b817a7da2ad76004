import Care
import Foundation

/// Holds an advertised measurement back until it is final, and lets it through once.
///
/// A scale advertises the weight while it settles, when it is stable, when it has found the
/// impedance, and for minutes after everyone has stepped off. One weighing must be one reading:
/// the first stable frame with someone on it, and the companion (impedance) of the same time and
/// weight where it comes soon enough.
///
/// Which of the stable frames is heard first is the radio's luck, and after a restart it is another.
/// The weight is therefore given with the frame as it would be without the companion
/// (``RecordRule/withoutCompanion(_:_:)``): so it is the same sample whichever was heard.
struct FinalFrameFilter: Sendable {
  /// What came through, with the frame that carried it.
  struct Committed: Hashable, Sendable {
    var value: DecodedValue
    var raw: [UInt8]
    var arrival: Date
  }

  /// What makes two frames the same measurement.
  private struct Key: Hashable, Sendable {
    var time: LocalDateTime?
    var value: Double
  }

  private struct Pending: Sendable {
    var key: Key
    var main: Committed
    var deadline: Date
  }

  let rule: CommitRule
  private var pending: Pending?
  private var recent = RecentKeys<Key>(capacity: 64)

  init(_ rule: CommitRule) {
    self.rule = rule
  }

  /// When to give up waiting for the companion.
  var wakeAt: Date? { pending?.deadline }

  /// Takes a frame, and gives what has become final by it.
  ///
  /// - Parameters:
  ///   - content: What the frame holds.
  ///   - raw: The frame.
  ///   - mainRaw: The frame as it would be without the companion.
  ///   - arrival: When it was heard.
  /// - Returns: The main value and its companion, each once.
  mutating func offer(
    _ content: FrameContent, raw: [UInt8], mainRaw: [UInt8], at arrival: Date
  ) -> [Committed] {
    let isRemoved = rule.removed?.holds(in: content.fields) ?? false
    let main = content.values.first { $0.quantity == rule.quantity && $0.value > 0 }
    let companion = rule.companion.flatMap { wanted in
      content.values.first { $0.quantity == wanted.quantity }
    }
    let key = main.map { Key(time: $0.time, value: $0.value) }

    var committed: [Committed] = []
    if let pending {
      if pending.key == key {
        guard companion != nil || isRemoved else { return [] }
        self.pending = nil
        return [pending.main]
          + (companion.map { [Committed(value: $0, raw: raw, arrival: arrival)] } ?? [])
      }
      // Another weighing has begun, or the person has left.
      committed = giveUp()
    }

    guard let main, let key, rule.stable.holds(in: content.fields), !isRemoved,
      recent.insert(key)
    else { return committed }
    let first = Committed(value: main, raw: mainRaw, arrival: arrival)
    if let companion {
      return committed + [first, Committed(value: companion, raw: raw, arrival: arrival)]
    }
    guard let seconds = rule.companion?.seconds else { return committed + [first] }
    pending = Pending(key: key, main: first, deadline: arrival.addingTimeInterval(seconds))
    return committed
  }

  /// Gives what has waited long enough.
  mutating func wake(at time: Date) -> [Committed] {
    guard let pending, pending.deadline <= time else { return [] }
    return giveUp()
  }

  private mutating func giveUp() -> [Committed] {
    defer { pending = nil }
    return pending.map { [$0.main] } ?? []
  }
}

extension CommitRule {
  /// The values of a single frame that are final as far as it alone can tell.
  func final(_ content: FrameContent) -> [DecodedValue] {
    guard stable.holds(in: content.fields), !(removed?.holds(in: content.fields) ?? false),
      content.values.contains(where: { $0.quantity == quantity && $0.value > 0 })
    else { return [] }
    return content.values
  }
}

// MARK: - Recent keys

/// The last few keys that were seen; the one seen longest ago gives way.
struct RecentKeys<Key: Hashable & Sendable>: Sendable {
  /// How many are kept.
  let capacity: Int
  // The one seen last is last. A linear search over a few dozen needs no hashing.
  private var keys: [Key] = []

  init(capacity: Int) {
    self.capacity = capacity
  }

  /// Remembers `key`.
  ///
  /// - Returns: Whether it had not been seen.
  mutating func insert(_ key: Key) -> Bool {
    let known = keys.firstIndex(of: key)
    if let known { keys.remove(at: known) }
    keys.append(key)
    if keys.count > capacity { keys.removeFirst() }
    return known == nil
  }
}
