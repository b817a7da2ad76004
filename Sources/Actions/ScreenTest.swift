import Access
import Assessments
package import Care
package import Foundation
package import Measurement

/// Stores what a person pressed on a screen for an event: the figures with a quantity as samples,
/// all of them as the event's outcome.
package struct PerformOnScreen: Action {
  /// The event, as it is in the transaction.
  package var event: Event
  package var performance: ScreenPerformance

  /// Makes the action.
  package init(_ event: Event, _ performance: ScreenPerformance) {
    self.event = event
    self.performance = performance
  }

  /// - Returns: The event as it is now.
  /// - Throws: As ``Action``; ``ScreenTestRefusal``; `AssessmentRefusal`.
  package func perform(
    in writer: any StoreWriter, by performer: Performer, now: Date
  ) throws -> Event {
    try performer.demand(.answer, on: .patient(event.task.patient))
    let figures = try performance.figures(of: event)
    for (ordinal, value) in figures.enumerated() {
      guard let quantity = value.figure.quantity, let number = value.value.number else { continue }
      let reading = Reading(
        quantity: quantity, value: number, arrival: now,
        device: DeviceIdentity(address: "screen"), ordinal: ordinal, kind: value.figure.kind,
        isStreamed: true, context: event.task.activeTask.map { MeasurementContext($0) } ?? [])
      _ = try writer.insert(
        Sample(
          reading: reading, patient: event.task.patient, start: now, end: now,
          provenance: .active))
    }
    let values = figures.outcomeValues(of: event, now: now)
    return try writer.setOutcome(values, answer: .done, of: event.reference, now: now)
  }
}

/// The event's task is none that is performed on a screen.
package struct ScreenTestRefusal: Error, Hashable {
  /// The task's title.
  package var title: String
}

extension ScreenPerformance {
  /// The figures of an event's test.
  ///
  /// - Throws: ``ScreenTestRefusal``; `AssessmentRefusal`.
  fileprivate func figures(of event: Event) throws -> [FigureValue] {
    guard let task = event.task.activeTask, let assessment = AssessmentList.assessment(for: task),
      type(of: assessment).sensors == .screen
    else { throw ScreenTestRefusal(title: event.task.title) }
    return try assessment.result(of: AssessmentInput(performance: self)).values
  }

  /// The values that the outcome of an event gets if the performance is kept.
  ///
  /// - Throws: ``ScreenTestRefusal``; `AssessmentRefusal`.
  package func outcomeValues(of event: Event, now: Date) throws -> [OutcomeValue] {
    try figures(of: event).outcomeValues(of: event, now: now)
  }
}

extension [FigureValue] {
  fileprivate func outcomeValues(of event: Event, now: Date) -> [OutcomeValue] {
    filter { event.task.linkage == nil || $0.figure.quantity != nil }.map {
      OutcomeValue(
        value: $0.value, unit: $0.figure.unit, kind: $0.figure.kind, time: now,
        provenance: .active)
    }
  }
}
