import Synchronization

/// The line at a centre's door: a few requests are unpacked and answered at a time, in the order in which
/// they came.
///
/// A store has one writer. What waits for it unpacked takes many times the memory of what waits packed.
final class DoorLine: Sendable {
  /// The requests that are answered at a time: while one is written, the next one is unpacked.
  static let answered = 2
  /// The requests of one box: that which it has on its way, and one whose line broke.
  static let mostOfBox = 2

  private struct State {
    var running = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
    var boxes: [String: Int] = [:]
  }

  private let state = Mutex(State())

  /// How many requests are answered or wait.
  var count: Int { state.withLock { $0.running + $0.waiting.count } }

  /// Runs `body` when it is its turn; it is told how many requests wait then.
  ///
  /// - Throws: ``DoorBusy`` if too many are of this box; what `body` throws.
  func run<Result>(
    for box: String, _ body: (_ waiting: Int) async throws -> Result
  ) async throws -> Result {
    let isIn = state.withLock { state in
      let count = state.boxes[box] ?? 0
      guard count < Self.mostOfBox else { return false }
      state.boxes[box] = count + 1
      return true
    }
    guard isIn else { throw DoorBusy() }
    defer { leave(box) }
    await turn()
    return try await body(state.withLock { $0.waiting.count })
  }

  private func turn() async {
    await withCheckedContinuation { continuation in
      let isNow = state.withLock { state in
        guard state.running >= Self.answered else {
          state.running += 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isNow { continuation.resume() }
    }
  }

  private func leave(_ box: String) {
    let next: CheckedContinuation<Void, Never>? = state.withLock { state in
      let count = (state.boxes[box] ?? 1) - 1
      state.boxes[box] = count > 0 ? count : nil
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.running -= 1
      return nil
    }
    next?.resume()
  }
}

/// Too many requests of one box are under way at once.
package struct DoorBusy: Error, Hashable, Sendable {}
