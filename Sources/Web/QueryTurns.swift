/// Lets each sender run a few queries at a time; further ones of theirs wait in order, so that one
/// sender's long queries do not stand before the short ones of others.
actor QueryTurns {
  /// The most queries of a sender that run at a time.
  static let running = 2
  /// The most queries of a sender that wait.
  static let waiting = 32

  private struct Line {
    var running = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private var lines: [MemoryBudget.Sender: Line] = [:]

  /// Runs `body` when it is its turn.
  ///
  /// - Throws: ``MemoryExhausted`` if too many wait; what `body` throws.
  func run<Result: Sendable>(
    for sender: MemoryBudget.Sender, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await begin(sender)
    defer { end(sender) }
    return try await body()
  }

  private func begin(_ sender: MemoryBudget.Sender) async throws(MemoryExhausted) {
    var line = lines[sender] ?? Line()
    guard line.running >= Self.running else {
      line.running += 1
      lines[sender] = line
      return
    }
    guard line.waiting.count < Self.waiting else { throw MemoryExhausted() }
    await withCheckedContinuation { lines[sender, default: Line()].waiting.append($0) }
  }

  private func end(_ sender: MemoryBudget.Sender) {
    guard var line = lines[sender] else { return }
    if line.waiting.isEmpty {
      line.running -= 1
      lines[sender] = line.running > 0 ? line : nil
    } else {
      // The next one takes the turn over.
      line.waiting.removeFirst().resume()
      lines[sender] = line
    }
  }
}
