import Care
import DeviceCatalog
import Foundation
import Hub
import Radio
import Synchronization
import Terminal

/// The counts of the hub's reports since the daemon's start.
final class HubCounts: Sendable {
  /// The numbers.
  struct Numbers: Hashable, Sendable {
    /// Readings, by what became of them.
    var readings = ["stored": 0, "unassigned": 0, "disowned": 0, "duplicate": 0, "rejected": 0]
    /// Events completed.
    var completed = 0
    /// Assessments that were refused.
    var notMeasured = 0
    /// Link failures, by kind.
    var linkFailures: [String: Int] = [:]
    /// When the latest reading arrived, by device definition.
    var lastReadings: [String: Date] = [:]
  }

  private let numbers = Mutex(Numbers())

  /// The numbers now.
  var now: Numbers { numbers.withLock { $0 } }

  /// Counts a report.
  func add(_ report: HubReport) {
    numbers.withLock { numbers in
      switch report {
      case .stored(let sample): numbers.count(sample, as: "stored")
      case .unassigned(let sample): numbers.count(sample, as: "unassigned")
      case .notTaken(let sample): numbers.count(sample, as: "notTaken")
      case .disowned(let sample): numbers.count(sample, as: "disowned")
      case .duplicate: numbers.readings["duplicate", default: 0] += 1
      case .rejected, .refusedReading: numbers.readings["rejected", default: 0] += 1
      case .completed: numbers.completed += 1
      case .notMeasured: numbers.notMeasured += 1
      case .linkFailed(let failure):
        numbers.linkFailures[failure.error.kind.rawValue, default: 0] += 1
      case .passedOver: numbers.readings["passedOver", default: 0] += 1
      case .progressed, .radioRefused, .device, .wrongClock, .refusedOutcome, .uncounted,
        .clockSet:
        break
      }
    }
  }
}

extension HubCounts.Numbers {
  fileprivate mutating func count(_ sample: Sample, as result: String) {
    readings[result, default: 0] += 1
    guard let definition = sample.device.definition else { return }
    lastReadings[definition] = max(lastReadings[definition] ?? sample.arrival, sample.arrival)
  }
}
