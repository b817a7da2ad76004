import Foundation
import Radio
import Traces

/// Recordings whose progress somebody watches: a bar moves as events are taken.
final class WatchedRadio: Radio {
  private let recordings: TraceRadio
  private var progress: ProgressBar

  /// Watches `recordings` of so many bytes.
  init(_ recordings: TraceRadio, totalBytes: Int?) {
    self.recordings = recordings
    progress = ProgressBar("replaying", total: totalBytes)
  }

  var hasNext: Bool { recordings.hasNext }

  func next(until deadline: Date?) async throws(RadioError) -> RadioStep {
    let step = try await recordings.next(until: deadline)
    progress.update(recordings.bytesRead)
    return step
  }

  func send(_ command: RadioCommand) async throws(RadioError) {
    try await recordings.send(command)
  }

  /// Takes the bar away, so that a line can be printed.
  func clear() {
    progress.finish()
  }
}
