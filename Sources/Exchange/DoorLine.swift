import Synchronization

/// The line at a centre's door: a few requests are unpacked and answered at a time, short ones before long
/// ones, each in the order in which they came.
///
/// A comparison and the latest measurements are short: of a thousand boxes that come back, all of them
/// pass before the weeks of one. One turn of a few is a long one's all the same.
///
/// A store has one writer. What waits for it unpacked takes many times the memory of what waits packed.
final class DoorLine: Sendable {
  /// How many requests are answered at a time: while one is written, the next one is unpacked.
  private let answered: Int
  /// The most bytes of a short request as it travels.
  static let short = 4 << 10
  /// One of so many turns is a long request's.
  static let turns = 8
  /// The requests of one box: that which it has on its way, and one whose line broke.
  static let mostOfBox = 2

  private struct State {
    var running = 0
    var short: [CheckedContinuation<Void, Never>] = []
    var long: [CheckedContinuation<Void, Never>] = []
    /// How many short requests came before a long one that waits.
    var passed = 0
    var boxes: [String: Int] = [:]

    var waiting: Int { short.count + long.count }

    /// The one whose turn is next.
    mutating func next() -> CheckedContinuation<Void, Never>? {
      let isLong = short.isEmpty || passed >= DoorLine.turns - 1
      if isLong, !long.isEmpty {
        passed = 0
        return long.removeFirst()
      }
      guard !short.isEmpty else { return nil }
      if !long.isEmpty { passed += 1 }
      return short.removeFirst()
    }
  }

  private let state = Mutex(State())

  init(answered: Int = 2) { self.answered = answered }

  /// How many requests are answered or wait.
  var count: Int { state.withLock { $0.running + $0.waiting } }

  /// Runs `body` when it is its turn; it is told how many requests wait then.
  ///
  /// - Throws: ``DoorBusy`` if too many are of this box; what `body` throws.
  func run<Result>(
    for box: String, length: Int, _ body: (_ waiting: Int) async throws -> Result
  ) async throws -> Result {
    let isIn = state.withLock { state in
      let count = state.boxes[box] ?? 0
      guard count < Self.mostOfBox else { return false }
      state.boxes[box] = count + 1
      return true
    }
    guard isIn else { throw DoorBusy() }
    defer { leave(box) }
    await turn(length)
    return try await body(state.withLock(\.waiting))
  }

  private func turn(_ length: Int) async {
    await withCheckedContinuation { continuation in
      let isNow = state.withLock { state in
        guard state.running >= answered else {
          state.running += 1
          return true
        }
        if length <= Self.short {
          state.short.append(continuation)
        } else {
          state.long.append(continuation)
        }
        return false
      }
      if isNow { continuation.resume() }
    }
  }

  private func leave(_ box: String) {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      let count = (state.boxes[box] ?? 1) - 1
      state.boxes[box] = count > 0 ? count : nil
      let next = state.next()
      if next == nil { state.running -= 1 }
      return next
    }
    next?.resume()
  }
}

/// Too many requests of one box are under way at once.
package struct DoorBusy: Error, Hashable, Sendable {}
