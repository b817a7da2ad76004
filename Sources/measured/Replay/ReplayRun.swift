import Care
import CareStore
import DeviceCatalog
import Foundation
import Hub
import Radio
import Traces

/// Plays recordings through the hub into a store.
struct ReplayRun {
  var store: SQLStore
  var plan: PlanDocument?
  var patient: String?
  var catalog: DeviceCatalog
  var reporter: ReplayReporter

  /// Imports the plan and plays `radio` to its end; `totalBytes` is the recordings' size, for the
  /// progress bar.
  func run(_ radio: TraceRadio, totalBytes: Int?) async throws -> HubSummary {
    if let plan {
      let now = try radio.start() ?? Date(timeIntervalSince1970: 0)
      _ = try await store.write { try $0.importPlan(plan, now: now) }
    }
    if let patient {
      let known = try await store.read { try $0.patients().map(\.id) }
      guard known.contains(patient) else {
        throw CommandFailure(.unknown, "there is no patient ‘\(patient)’ in the plan")
      }
    }
    let watched = WatchedRadio(radio, totalBytes: totalBytes)
    var hub = try await Hub(radio: watched, store: store, catalog: catalog, patient: patient) {
      watched.clear()
      reporter.print($0)
    }
    defer { watched.clear() }
    do {
      return try await hub.run()
    } catch let error as RadioError {
      throw CommandFailure(.failed, error.description)
    }
  }
}
