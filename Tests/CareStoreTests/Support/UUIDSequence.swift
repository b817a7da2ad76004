import Foundation
import Synchronization

/// Ids that count up, so that a test is reproducible.
final class UUIDSequence: Sendable {
  private let last = Mutex(0)

  func next() -> UUID {
    let number = last.withLock { last in
      last += 1
      return last
    }
    let digits = String(number, radix: 16)
    let padding = String(repeating: "0", count: 12 - digits.count)
    return UUID(uuidString: "00000000-0000-4000-8000-" + padding + digits) ?? UUID()
  }
}
