import Care
import Foundation

/// What an event came to, on its way into the store.
enum Finding: Sendable {
  /// Something was measured.
  case reading(Reading)
  /// A stretch of motion that may be an active task.
  case recording(ActiveTaskRecording)
  /// Something to tell that needs no store, in its place among the others.
  case news(HubReport)

  /// Whether it is somebody's weight.
  var isWeight: Bool {
    guard case .reading(let reading) = self else { return false }
    return reading.quantity == .bodyMass
  }
}

/// What was found at one time, and is kept together.
struct FindingBatch: Sendable {
  /// When.
  var time: Date
  /// What, in order.
  var findings: [Finding]
}
