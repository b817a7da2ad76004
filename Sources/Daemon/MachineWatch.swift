import Foundation
import Outlets
import Radio
import Terminal

/// Finds the faults that keep this machine from measuring, as `measured doctor` does, for messages.
///
/// It looks when messages are looked after, at most every five minutes: nothing wakes for it. A fault
/// that mends itself within ten minutes, as a controller does that is plugged in anew, rings nobody.
actor MachineWatch {
  /// The names of the parts of the machine that have a problem.
  private let problems: @Sendable (Date) async -> Set<String>
  private var latest: Date?
  /// Since when each fault has been seen.
  private var seen: [String: Date] = [:]
  /// When each fault was taken for one.
  private var lasting: [String: Date] = [:]

  /// The seconds between two examinations.
  static let interval: TimeInterval = 300
  /// How long a fault lasts before somebody is told, in seconds.
  static let patience: TimeInterval = 600

  /// Makes a watch.
  init(problems: @escaping @Sendable (Date) async -> Set<String>) { self.problems = problems }

  /// The faults that last, and when to look again; `nil` for the latter while none is about to last.
  func look(at date: Date) async -> (faults: [MachineFault], wakeAt: Date?) {
    if latest.map({ abs(date.timeIntervalSince($0)) >= Self.interval }) ?? true {
      latest = date
      let found = await problems(date)
      seen = seen.filter { found.contains($0.key) }
      lasting = lasting.filter { found.contains($0.key) }
      for name in found {
        // A clock that was set back makes no fault older.
        let since = min(seen[name] ?? date, date)
        seen[name] = since
        if date.timeIntervalSince(since) >= Self.patience, lasting[name] == nil {
          lasting[name] = date
        }
      }
    }
    let faults = lasting.sorted { $0.key < $1.key }.map { MachineFault($0.key, since: $0.value) }
    let pending = seen.filter { lasting[$0.key] == nil }.values.min()
    return (faults, pending.map { max($0 + Self.patience, date + Self.interval) })
  }
}

extension MachineWatch {
  /// Watches the radio, the clock and the disk of a running daemon.
  ///
  /// - Parameters:
  ///   - store: The path of the store.
  ///   - mode: How the radio is reached.
  ///   - trouble: Why no controller works for the daemon; `nil` if one does.
  init(store: String, mode: RadioMode, trouble: @escaping @Sendable () -> String?) {
    self.init { date in
      var (facts, _) = await MachineFacts.gatherRadio(now: date)
      facts.mode = mode
      facts.daemonRadioTrouble = trouble()
      facts.examineClockAndDisk(store: store)
      return Set(
        facts.watchedFindings.filter { $0.verdict == .problem }.map(\.subject.rawValue))
    }
  }
}

extension MachineFault {
  /// Whether the radio does not work for it.
  var isOfRadio: Bool {
    let subjects: [DoctorFinding.Subject] = [
      .kernel, .controller, .bluetoothd, .permissions, .service,
    ]
    return subjects.contains { $0.rawValue == name }
  }
}
