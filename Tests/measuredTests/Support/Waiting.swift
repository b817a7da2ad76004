import Testing

/// An event that a test waited for never came.
///
/// A wait ends after a number of looks, not at a time: a machine that is busy with other tests looks
/// more rarely, and the wait is longer.
struct NeverCame: Error, CustomStringConvertible {
  let what: String
  var description: String { "It never came: \(what)" }

  /// How often a wait looks, five milliseconds apart: a minute at least.
  fileprivate static let looks = 12_000

  fileprivate static func pause() async throws { try await Task.sleep(for: .milliseconds(5)) }
}

/// Waits until a condition holds that another task or another process brings about.
///
/// - Throws: ``NeverCame``, and what `condition` throws.
func until(_ what: String, _ condition: () async throws -> Bool) async throws {
  for _ in 0..<NeverCame.looks {
    if try await condition() { return }
    try await NeverCame.pause()
  }
  throw NeverCame(what: what)
}

/// Runs `body`, which waits for another task or another process, and cancels it if that never comes.
///
/// - Throws: ``NeverCame``, and what `body` throws.
func bounded<Value: Sendable>(
  _ what: String, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  try await withThrowingTaskGroup(of: Value.self) { tasks in
    tasks.addTask { try await body() }
    tasks.addTask {
      for _ in 0..<NeverCame.looks { try await NeverCame.pause() }
      throw NeverCame(what: what)
    }
    defer { tasks.cancelAll() }
    guard let value = try await tasks.next() else { throw NeverCame(what: what) }
    return value
  }
}
