import Care
import CareStore
import Foundation
import Hub
import Web

extension WebEnvironment {
  /// The environment of a store, with the words and rules of the command line.
  init(store: SQLStore, now: @escaping @Sendable () -> Date = { Date() }) {
    self.init(
      store: store, now: now,
      fault: { error in
        let failure = CommandFailure(error)
        return Fault(Fault.Kind(failure.code), failure.message)
      },
      unassignedReason: \.unassignedMessage,
      outcomeValue: { answer, task, time in
        let unit = try answer.unit.map { try UnitOfMeasure(entered: $0) }
        return try EnteredValue(text: answer.text, unit: unit, kind: answer.kind)
          .outcomeValue(for: task, at: time)
      },
      review: { writer, now in
        _ = try WeighingReview.update(in: writer, after: "a change on the page", now: now)
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
