import Actions
import Care
package import CareStore
package import DeviceCatalog
package import Foundation
import Interchange
import Localization
package import Outlets
import Plans

/// Asks FHIR servers for the plans of their people, and takes nothing over.
///
/// The changes that a plan would make are kept until somebody has decided.
package struct PlanAsking: Sendable {
  package let store: SQLStore
  /// The device definitions; `nil` to take any.
  private let definitions: DefinitionIndex?
  private let send: @Sendable (HTTPRequest) async -> TransferResult
  private let now: @Sendable () -> Date

  /// Makes it.
  ///
  /// - Parameters:
  ///   - store: The store.
  ///   - catalog: The devices that a plan may name; `nil` for any.
  ///   - send: The transport.
  ///   - now: The current time.
  package init(
    store: SQLStore, catalog: DeviceCatalog? = nil,
    send: @escaping @Sendable (HTTPRequest) async -> TransferResult,
    now: @escaping @Sendable () -> Date
  ) {
    (self.store, self.send, self.now) = (store, send, now)
    definitions = catalog.map { DefinitionIndex($0) }
  }

  /// Asks the servers that are due.
  ///
  /// - Parameter fixed: The outlets of the settings, which come before those of the store.
  /// - Throws: `StoreError`.
  package func look(_ fixed: [OutletSettings] = []) async throws {
    let (own, known, zone) = try await store.readOutlets { reader in
      (
        try OutletDefinition.all(in: reader), try PlanProposal.all(in: reader),
        try reader.planTimeZone() ?? .gmt
      )
    }
    let taken = Set(fixed.map(\.name))
    let others = own.filter { !taken.contains($0.key) }.sorted { $0.key < $1.key }
      .compactMap { OutletSettings($0.key, $0.value) }
    let asked = (fixed + others).filter {
      $0.definition.asksForPlan && !$0.definition.isLeaving
    }
    for outlet in asked where (known[outlet.name] ?? PlanProposal()).isDue(at: now(), in: zone) {
      let answer = await answer(of: outlet, in: zone)
      try await store.writeOutlets { [now] writer in
        // An outlet that was taken away or set up anew while its server answered proposes nothing.
        let current = try OutletDefinition.all(in: writer)[outlet.name]
        guard taken.contains(outlet.name) || current == outlet.definition else { return }
        var proposal = try PlanProposal.all(in: writer)[outlet.name] ?? PlanProposal()
        switch answer {
        case .success(let text): proposal.note(text, at: now())
        case .failure(let problem): proposal.note(problem: problem.text, at: now())
        }
        try proposal.keep(outlet.name, in: writer)
      }
    }
  }

  /// Why a plan could not be read, for people.
  private struct Problem: Error {
    var text: String
  }

  /// The plan of an outlet's people as the text of a file; `nil` if it changes nothing here.
  private func answer(
    of outlet: OutletSettings, in zone: TimeZone
  ) async -> Result<String?, Problem> {
    do {
      let reading = FHIRAdditions(names: try outlet.names())
      let source = try FHIRPlanSource(
        outlet, patient: nil, mapping: reading.names, store: store, send: send)
      guard let bundle = try await source.bundle() else { return .success(nil) }
      let json = String(decoding: FHIRJSON.text(of: bundle), as: UTF8.self)
      let text = PlanFile.encode(try FHIRFile(json, as: reading, zone: zone).plan)
      guard text.utf8.count <= PlanProposal.longest else {
        return .failure(Problem(text: LocalizedText("receiver.planTooLong").message))
      }
      // It has to obey every rule of a plan's file, whoever wrote it.
      let plan = try PlanFile.plan(in: text, file: outlet.name, definitions: definitions)
      let report = try await store.preview(
        plan, options: PlanImportOptions(isLive: true), now: now())
      return .success(report.isUnchanged ? nil : text)
    } catch {
      return .failure(Problem(text: CommandFailure(error).message))
    }
  }
}
