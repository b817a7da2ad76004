import Assessments
import Care
import CareStore
import DeviceCatalog
import Foundation
import Hub
import Measurement
import Plans
import Radio
import Synchronization
import Traces

/// A hub with a store, a plan and the shipped definitions, and all its reports.
struct Bench {
  let store: any Store & Sendable
  var patient: String?

  /// A bench on `store` with a plan, if given, imported at ``importTime``.
  init(_ plan: String? = nil, on store: any Store & Sendable, patient: String? = nil) async throws {
    self.store = store
    self.patient = patient
    if let plan { try await importPlan(plan) }
  }

  /// A bench in memory.
  init(_ plan: String? = nil, patient: String? = nil) async throws {
    try await self.init(plan, on: .counted(), patient: patient)
  }

  /// The time of plan imports: long before any measurement.
  static let importTime = time("2015-01-01T00:00:00Z")

  func importPlan(_ text: String, now: Date = importTime) async throws {
    let plan = try PlanFile.parse(
      text, file: "plan.yaml", activeTasks: AssessmentList.forms)
    _ = try await store.write { try $0.importPlan(plan, now: now) }
  }

  /// Plays events, and returns the reports; live ones if the machine says of its clock whether it is
  /// set.
  @discardableResult
  func play(
    _ events: [TimedEvent], isClockSynchronized: (() -> Bool?)? = nil
  ) async throws -> HubRun {
    try await play(
      TraceRadio([SyntheticTrace(events)]), isClockSynchronized: isClockSynchronized)
  }

  /// Plays a radio to its end, and returns the reports.
  @discardableResult
  func play(
    _ radio: any Radio, isClockSynchronized: (() -> Bool?)? = nil
  ) async throws -> HubRun {
    let log = ReportLog()
    var hub = try await Hub(
      radio: radio, store: store, catalog: try Catalog.shipped(), patient: patient,
      isClockSynchronized: isClockSynchronized
    ) { log.add($0) }
    let summary = try await hub.run()
    return HubRun(reports: log.reports, summary: summary)
  }

  func samples(_ quantity: Quantity? = nil) async throws -> [Sample] {
    try await store.read { try $0.samples(SampleQuery(quantity: quantity)) }
  }

  /// A task's events in the days around the recordings.
  func events(_ task: String, from: String, to: String) async throws -> [Event] {
    let (from, to) = (time(from), time(to))
    return try await store.read { try $0.events(patient: nil, task: task, from: from, to: to) }
  }
}

/// A hub's reports and summary of a run.
struct HubRun {
  var reports: [HubReport]
  var summary: HubSummary

  var stored: [Sample] {
    reports.compactMap { if case .stored(let sample) = $0 { sample } else { nil } }
  }
  var unassigned: [Sample] {
    reports.compactMap { if case .unassigned(let sample) = $0 { sample } else { nil } }
  }
  var notTaken: [Sample] {
    reports.compactMap { if case .notTaken(let sample) = $0 { sample } else { nil } }
  }
  /// The ids of the tasks that were completed.
  var completed: [String] {
    reports.compactMap { if case .completed(let event, _, _) = $0 { event.task.id } else { nil } }
  }
  var progressed: [EventProgress] {
    reports.compactMap { if case .progressed(_, let progress, _) = $0 { progress } else { nil } }
  }
  var unmeasured: [Unmeasured] {
    reports.compactMap {
      if case .notMeasured(let event, let reason) = $0 {
        Unmeasured(task: event.task.id, reason: reason)
      } else {
        nil
      }
    }
  }
  /// The reports of faults: of devices, of the radio and of the store.
  var notes: [HubReport] {
    reports.filter {
      switch $0 {
      case .device, .linkFailed, .radioRefused, .rejected, .refusedReading, .refusedOutcome,
        .wrongClock, .uncounted, .clockSet:
        true
      case .stored, .unassigned, .notTaken, .disowned, .duplicate, .passedOver, .progressed,
        .completed,
        .notMeasured:
        false
      }
    }
  }

  var deviceNotes: [SessionNote] {
    reports.compactMap { if case .device(let note) = $0 { note } else { nil } }
  }
}

/// An active task that was performed but not measured.
struct Unmeasured: Hashable {
  var task: String
  var reason: UnmeasuredReason

  /// The silence in milliseconds for which a range of motion was refused.
  var silence: Int64? {
    guard case .refused(.rangeOfMotion(.dropout(let milliseconds))) = reason else {
      return nil
    }
    return milliseconds
  }
}

/// Collects reports.
final class ReportLog {
  private(set) var reports: [HubReport] = []

  func add(_ report: HubReport) { reports.append(report) }
}

/// The definitions of this repository, read once.
enum Catalog {
  static func shipped() throws -> DeviceCatalog { try loaded.get() }

  private static let loaded = Result {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Devices").standardizedFileURL
    return try DeviceCatalog.load([DefinitionFile.files(in: folder)])
  }
}

/// Sequential ids, so that a test always gives the same store.
final class CountedIDs: Sendable {
  private let last = Mutex<UInt64>(0)

  func next() -> UUID {
    let number = last.withLock { last in
      last += 1
      return last
    }
    let digits = String(number, radix: 16)
    let text =
      "00000000-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
    return UUID(uuidString: text) ?? UUID()
  }
}

extension Store where Self == SQLStore {
  /// An empty store in memory.
  static func counted() throws -> SQLStore {
    let ids = CountedIDs()
    return try .inMemory { ids.next() }
  }

  /// A store in a file.
  static func counted(at path: String) throws -> SQLStore {
    let ids = CountedIDs()
    return try .open(path: path) { ids.next() }
  }
}

/// A time in RFC 3339; the distant past if it is misspelt.
func time(_ text: String) -> Date { Date(rfc3339: text) ?? .distantPast }
