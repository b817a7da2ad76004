/// Chooses which device is linked next over one controller.
///
/// One attempt at a time: a second pending attempt leaves some controllers unable to connect. Known
/// devices go first, in order of arrival. Unknown devices alternate between the newest, which is
/// most likely awake, and the one that has waited longest, which is never displaced. A displaced
/// device requests again after a second, as the newest. So a device that changes its address delays
/// known devices by one attempt, and unknown ones by a few.
package struct LinkTurns<Waiter: Hashable & Sendable>: Sendable {
  /// How many unknown devices may wait: about a minute at a few seconds per attempt.
  package static var mostUnknown: Int { 4 }
  /// How many known devices may wait: more than any controller can link.
  package static var mostKnown: Int { 32 }

  private var current: Waiter?
  private var known: [Waiter] = []
  private var unknown: [Waiter] = []
  private var isNewestNext = true

  /// The answer to a request for a turn.
  package enum Admission: Hashable, Sendable {
    /// The attempt begins now.
    case begins
    /// The device waits. It may have displaced an unknown device that waited, or its own request
    /// may be displaced because the queue is full; the displaced device fails with
    /// ``LinkError/Cause/displaced``.
    case waits(displaced: Waiter?)
  }

  /// Makes an empty queue.
  package init() {}

  /// Whether an attempt is in progress.
  package var isBusy: Bool { current != nil }

  /// Whether a device waits for the current attempt to end.
  package var isContested: Bool { !known.isEmpty || !unknown.isEmpty }

  /// Requests a turn.
  ///
  /// - Parameters:
  ///   - waiter: The device or link that requests it; each waits once.
  ///   - isKnown: Whether the device has a bond, or was read before.
  /// - Returns: Whether its attempt begins now, and which device is displaced.
  package mutating func request(_ waiter: Waiter, isKnown: Bool) -> Admission {
    guard current != nil else {
      current = waiter
      return .begins
    }
    if isKnown {
      guard known.count < Self.mostKnown else { return .waits(displaced: waiter) }
      known.append(waiter)
      return .waits(displaced: nil)
    }
    unknown.append(waiter)
    return .waits(displaced: unknown.count > Self.mostUnknown ? unknown.remove(at: 1) : nil)
  }

  /// Ends a device's attempt, or its wait.
  ///
  /// - Returns: The device whose attempt begins now, if any.
  package mutating func end(_ waiter: Waiter) -> Waiter? {
    guard current == waiter else {
      known.removeAll { $0 == waiter }
      unknown.removeAll { $0 == waiter }
      return nil
    }
    current = takeNext()
    return current
  }

  /// Ends all turns.
  ///
  /// - Returns: The devices that waited.
  package mutating func removeAll() -> [Waiter] {
    defer { self = LinkTurns() }
    return known + unknown
  }

  private mutating func takeNext() -> Waiter? {
    if !known.isEmpty { return known.removeFirst() }
    guard !unknown.isEmpty else { return nil }
    defer { isNewestNext.toggle() }
    return isNewestNext ? unknown.removeLast() : unknown.removeFirst()
  }
}
