import Care
import Foundation

/// The progress of long work on standard error: a bar, the rate and the time left.
///
/// It appears only on a terminal, and only after half a second.
package struct ProgressBar {
  private let title: String
  private let total: Int?
  private let isOfBytes: Bool
  private let clock = ContinuousClock()
  private let start: ContinuousClock.Instant
  private var lastShown: ContinuousClock.Instant
  private var isShown = false

  /// Makes a bar for work on `total` bytes, or on so many other things; `nil` if the size is unknown.
  package init(_ title: String, total: Int?, isOfBytes: Bool = true) {
    (self.title, self.total, self.isOfBytes) = (title, total, isOfBytes)
    start = clock.now
    lastShown = start.advanced(by: .milliseconds(400))
  }

  /// Shows that so much is done.
  package mutating func update(_ done: Int) {
    guard Console.isErrorTerminal else { return }
    let now = clock.now
    guard now - lastShown > .milliseconds(100) else { return }
    lastShown = now
    isShown = true
    Console.write("\r\u{1B}[K" + line(done, elapsed: now - start), to: .standardError)
  }

  /// Removes the line.
  package mutating func finish() {
    guard isShown else { return }
    isShown = false
    Console.write("\r\u{1B}[K", to: .standardError)
  }

  package func line(_ done: Int, elapsed: Duration) -> String {
    let seconds =
      Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
    let rate = seconds > 0 ? Double(done) / seconds : 0
    let speed = isOfBytes ? String(format: "%.1f MB/s", rate / 1_000_000) + "  " : ""
    guard let total, total > 0 else {
      return "\(title)  \(done / 1_000_000) MB  \(speed.dropLast(2))"
    }
    let fraction = min(1, Double(done) / Double(total))
    let filled = Int(saturating: fraction * 24)
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 24 - filled)
    let left = rate > 0 ? Int(saturating: (Double(total - done) / rate).rounded(.up)) : 0
    return "\(title)  \(bar) \(Int(saturating: fraction * 100)) %  \(speed)\(left / 60):"
      + String(format: "%02d left", left % 60)
  }
}
