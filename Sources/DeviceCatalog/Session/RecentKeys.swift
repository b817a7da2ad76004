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
