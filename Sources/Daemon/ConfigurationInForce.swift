import Actions
import Care
import CareStore
import DeviceCatalog
import Foundation
import Logging
import Synchronization
import Terminal

/// The configuration by which a daemon works, and its change at a reload.
///
/// A change of the plan's file takes effect through the store, where the hub notices it: its links
/// stay up. Only other device definitions, or another patient, need a new hub. A file with a fault
/// changes nothing.
final class ConfigurationInForce: Sendable {
  private let store: SQLStore
  private let logger: Logger
  private let now: @Sendable () -> Date
  /// Reads the files again.
  private let load: @Sendable () throws -> DaemonConfiguration
  private let configuration: Mutex<DaemonConfiguration>
  /// The faults of the files as they were read last.
  private let faults: Mutex<[String]>
  /// Receives the settings of ``silence`` that hold from then on.
  private let silenceChanges: AsyncStream<SilenceSettings?>.Continuation
  /// Where this machine says that it lives: what holds now, and after each reload.
  let silence: AsyncStream<SilenceSettings?>

  init(
    _ first: DaemonConfiguration, store: SQLStore, logger: Logger,
    now: @escaping @Sendable () -> Date, load: @escaping @Sendable () throws -> DaemonConfiguration
  ) {
    self.store = store
    self.logger = logger
    self.now = now
    self.load = load
    configuration = Mutex(first)
    faults = Mutex(first.allFaults)
    (silence, silenceChanges) = AsyncStream.makeStream(
      of: SilenceSettings?.self, bufferingPolicy: .bufferingNewest(1))
    silenceChanges.yield(first.settings.silence)
  }

  /// The configuration.
  var current: DaemonConfiguration { configuration.withLock { $0 } }

  /// The faults of the files as they were read last.
  var currentFaults: [String] { faults.withLock { $0 } }

  /// Imports the first configuration's plan, and reports what is wrong with the files.
  func begin() async throws {
    let first = current
    for fault in first.allFaults { logger.error("\(fault)") }
    try await importPlan(of: first)
    let isEmpty = try await store.read { reader in
      try reader.patients().isEmpty && reader.taskVersions(patient: nil).isEmpty
    }
    try await checkPatient(of: first)
    if isEmpty {
      logger.warning(
        """
        The store has no plan and no measurements of a patient. If that is not expected, is it the \
        right file? See measured doctor; measured plan import FILE imports a plan.
        """)
    }
  }

  /// Reads the files again.
  ///
  /// - Returns: Whether the hub has to begin again.
  func reload() async -> Bool {
    let next: DaemonConfiguration
    do {
      next = try load()
    } catch {
      refuse([CommandFailure(error).message])
      return false
    }
    guard next.faults.isEmpty else {
      refuse(next.faults)
      return false
    }
    let before = current
    let newFaults = next.definitionFaults.filter { !before.definitionFaults.contains($0) }
    guard newFaults.isEmpty else {
      refuse(newFaults)
      return false
    }
    faults.withLock { $0 = next.allFaults }
    configuration.withLock { $0 = next }
    logger.notice("Settings, device definitions and plan were read again.")
    if next.settings.needsRestart(after: before.settings) {
      logger.notice(
        "Other settings than plan, patient, mail and silence take effect at the next start.")
    }
    if next.settings.silence != before.settings.silence {
      silenceChanges.yield(next.settings.silence)
    }
    do {
      try await importPlan(of: next)
      try await checkPatient(of: next)
    } catch {
      logger.error("The plan is not imported: \(Message.of(error))")
      faults.withLock { $0.append("The plan is not imported: \(Message.of(error))") }
    }
    return next.definitionFiles != before.definitionFiles
      || next.settings.patient != before.settings.patient
  }

  private func refuse(_ found: [String]) {
    for fault in found {
      logger.error("\(fault). The previous configuration stays in force.")
    }
    faults.withLock { $0 = found }
  }

  /// Warns of a patient of the settings whom the store does not know, unless the store is empty.
  private func checkPatient(of configuration: DaemonConfiguration) async throws {
    guard let patient = configuration.settings.patient else { return }
    let known = try await store.read { try $0.patients().map(\.id) }
    guard !known.isEmpty, !known.contains(patient) else { return }
    logger.warning("\(MachineFacts.unknownPatient(patient).message)")
  }

  /// Imports a configuration's plan, if any.
  private func importPlan(of configuration: DaemonConfiguration) async throws {
    guard let plan = configuration.plan else { return }
    let file = configuration.settings.plan ?? ""
    if let exposure = plan.exposure(in: file) { logger.warning("\(exposure)") }
    do {
      let date = now()
      let videos = try plan.videoFiles(for: store)
      let report = try await store.write {
        try ImportPlan(plan, options: PlanImportOptions(isLive: true), videos: videos)
          .perform(in: $0, by: .owner, now: date)
      }
      let tasks = report.lines.filter { $0.kind == .task && $0.change != .missing }
      let changed = tasks.count { $0.change != .unchanged }
      logger.info(
        "The plan \(file) is in force: \(changed) of its \(tasks.count) tasks are new or changed.")
    } catch let error as StoreError {
      logger.error("The plan \(file) is not imported: \(error.message)")
      faults.withLock { $0.append("The plan \(file) is not imported: \(error.message)") }
    }
  }
}

extension ServiceSettings {
  /// Whether a setting has changed that takes effect at a start only.
  fileprivate func needsRestart(after before: ServiceSettings) -> Bool {
    var same = self
    (same.plan, same.patient) = (before.plan, before.patient)
    (same.mail, same.silence) = (before.mail, before.silence)
    return same != before
  }
}
