import Care
import Foundation

/// Keeps what was found in the store, each batch in one transaction.
struct Keeper {
  private let store: any Store
  private let patient: String?
  private var linker = Linker()
  /// The plan as it was at the last batch.
  private(set) var context: PlanContext

  /// Reads the plan; `patient` is the only person that readings may be given to, `nil` for everyone.
  init(store: any Store, patient: String?) async throws {
    self.store = store
    self.patient = patient
    context = try await store.read { try PlanContext($0, patient: patient) }
  }

  /// Takes over another plan where somebody has imported one.
  ///
  /// - Returns: Whether somebody has.
  mutating func refresh() async throws -> Bool {
    let (patient, known) = (patient, context)
    let changed = try await store.read { reader in
      try reader.planRevision() == known.revision ? nil : try PlanContext(reader, patient: patient)
    }
    guard let changed else { return false }
    (context, linker) = (changed, Linker())
    return true
  }

  /// Keeps `batches` in one transaction; all of it is durable when this returns.
  ///
  /// Somebody may have imported another plan meanwhile; it counts from these batches on.
  mutating func keep(_ batches: [FindingBatch]) async throws -> [HubReport] {
    let (patient, known, linker) = (patient, context, linker)
    let kept = try await store.write { writer in
      let isCurrent = try writer.planRevision() == known.revision
      let context = isCurrent ? known : try PlanContext(writer, patient: patient)
      var recorder = SampleRecorder(
        writer: writer, context: context, linker: isCurrent ? linker : Linker())
      let reports = try batches.flatMap { try recorder.record($0) }
      return (reports: reports, context: context, linker: recorder.linker)
    }
    (context, self.linker) = (kept.context, kept.linker)
    return kept.reports
  }
}
