/// Whose turn it is to bring a link up over a controller.
///
/// One at a time, since a second attempt wedges some controllers; and devices that are known before
/// those that are not, so that no stranger who takes no connection keeps a scale waiting.
struct TurnQueue<Waiter> {
  /// How many may wait; more than can be linked at all.
  static var limit: Int { 32 }

  private var isTaken = false
  private var known: [Waiter] = []
  private var strangers: [Waiter] = []

  /// Whether another may wait.
  var hasRoom: Bool { known.count + strangers.count < Self.limit }

  /// Takes the turn, if nobody has it.
  mutating func take() -> Bool {
    defer { isTaken = true }
    return !isTaken
  }

  /// Waits for the turn.
  mutating func wait(_ waiter: Waiter, isKnown: Bool) {
    if isKnown { known.append(waiter) } else { strangers.append(waiter) }
  }

  /// Gives the turn up.
  ///
  /// - Returns: Whose it is now.
  mutating func give() -> Waiter? {
    if !known.isEmpty { return known.removeFirst() }
    if !strangers.isEmpty { return strangers.removeFirst() }
    isTaken = false
    return nil
  }
}
