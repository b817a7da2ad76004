/// A table that knows the order in which its keys were last used.
///
/// Without a filter an operation takes constant time, averaged over a sequence of them: a key that
/// is used again leaves its earlier turn behind, which is skipped or swept later.
package struct RecencyTable<Key: Hashable, Value> {
  private var entries: [Key: (value: Value, turn: Int)] = [:]
  /// The turns in order; one that is not the last of its key is stale.
  private var turns: [(key: Key, turn: Int)] = []
  /// The turns before it are stale.
  private var head = 0
  private var lastTurn = 0

  /// Makes an empty table.
  package init() {}

  /// The number of keys.
  package var count: Int { entries.count }

  /// The number of turns in memory, at most twice ``count`` and 64 more after a use.
  package var turnCount: Int { turns.count }

  /// The value of a key; reading it is no use.
  package subscript(key: Key) -> Value? { entries[key]?.value }

  /// The keys with their values, the one used longest ago first; O(n).
  package var byUse: [(key: Key, value: Value)] {
    turns[head...].compactMap { key, turn in
      guard let entry = entries[key], entry.turn == turn else { return nil }
      return (key, entry.value)
    }
  }

  /// Stores the value of a key, which becomes the most recently used one.
  package mutating func use(_ key: Key, _ value: Value) {
    lastTurn += 1
    entries[key] = (value, lastTurn)
    turns.append((key, lastTurn))
    guard turns.count > 2 * entries.count + 64 else { return }
    turns = turns[head...].filter { entries[$0.key]?.turn == $0.turn }
    head = 0
  }

  /// Removes a key, if it is there.
  package mutating func remove(_ key: Key) { entries[key] = nil }

  /// Removes the key that was used longest ago.
  ///
  /// - Parameter isRemovable: Whether a value may be removed; O(n) if the oldest may not.
  /// - Returns: The key; `nil` if none may be removed.
  @discardableResult
  package mutating func removeOldest(
    where isRemovable: (Value) -> Bool = { _ in true }
  ) -> Key? {
    while head < turns.count, entries[turns[head].key]?.turn != turns[head].turn { head += 1 }
    for (key, turn) in turns[head...] {
      guard let entry = entries[key], entry.turn == turn, isRemovable(entry.value) else {
        continue
      }
      entries[key] = nil
      return key
    }
    return nil
  }
}

extension RecencyTable: Sendable where Key: Sendable, Value: Sendable {}

extension RecencyTable where Value == Void {
  /// Stores a key as the most recently used one.
  package mutating func use(_ key: Key) { use(key, ()) }
}
