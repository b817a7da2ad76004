import Assessments
import Care
package import CareStore
package import DeviceCatalog
package import Foundation
package import Hub
import Localization
import Plans
import Web

extension WebEnvironment {
  /// The environment of a store, with the words and rules of the command line.
  package init(
    store: SQLStore, catalog: DeviceCatalog, desk: MeasuringDesk? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.init(
      store: store, now: now, timeZone: .current,
      fault: { error in
        let failure = CommandFailure(error)
        return Fault(Fault.Kind(failure.code), failure.message)
      },
      deviceNames: Dictionary(
        catalog.definitions.map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first }),
      plans: .commands(definitions: DefinitionIndex(catalog)),
      measuring: desk.map { Measuring($0, store: store, now: now) })
  }
}

extension Measuring {
  /// The sessions of a desk, whose results `store` keeps.
  fileprivate init(
    _ desk: MeasuringDesk, store: SQLStore, now: @escaping @Sendable () -> Date
  ) {
    self.init(
      open: { event, startsSoon, reader in
        try desk.open(event, startsSoon: startsSoon, in: reader, now: now())
      },
      status: { desk.status(of: $0) }, statusOfEvent: { desk.status(ofEvent: $0) },
      all: { desk.statuses }, perform: { try desk.perform($0, on: $1) },
      keep: { try await desk.keep($0, in: store, now: now()) })
  }
}

extension MeasuringDesk {
  /// The desk of this program.
  package static func live() -> MeasuringDesk {
    let start = ContinuousClock.now
    return MeasuringDesk(
      clock: {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
      },
      makeID: { UUID().uuidString.lowercased() })
  }
}

extension PlanText {
  /// Plan files as the command line reads and writes them; all mistakes of a file are reported.
  ///
  /// `definitions` are the device definitions; `nil` to take any.
  static func commands(definitions: DefinitionIndex? = nil) -> PlanText {
    PlanText(
      encode: { PlanFile.encode(try PlanDocument(current: $0, patient: nil)) },
      parse: { try PlanFile.plan(in: $0, file: "the plan", definitions: definitions) },
      check: { task, reader in
        var plan = try PlanDocument(current: reader, patient: nil)
        plan.tasks = [task]
        (plan.devices, plan.notes) = ([], [])
        let read = try PlanFile.parse(
          PlanFile.encode(plan), file: "the plan", activeTasks: AssessmentList.forms)
        guard read.tasks == [task] else {
          throw CommandFailure(.refused, "command.plan.unsayable")
        }
      })
  }
}

extension Fault.Kind {
  fileprivate init(_ code: ExitCode) {
    self =
      switch code {
      case .done, .failed: .failed
      case .malformedArgument: .malformed
      case .refused: .refused
      case .unknown: .unknown
      }
  }
}
