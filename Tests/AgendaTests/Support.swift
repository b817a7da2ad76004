import Assessments
import Care
import CareStore
import Foundation
import Plans
import StrictYAML

/// A time of RFC 3339; the distant past if it is misspelt.
func time(_ text: String) -> Date { Date(rfc3339: text) ?? .distantPast }

/// The plan of a text.
func plan(_ text: String) throws -> PlanDocument {
  try PlanFile.parse(text, file: "plan.yaml", activeTasks: AssessmentList.forms)
}

extension SQLStore {
  /// A store in memory with a plan, imported then.
  static func planned(_ text: String, at now: Date) async throws -> SQLStore {
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    let plan = try plan(text)
    _ = try await store.write { try $0.importPlan(plan, now: now) }
    return store
  }

  /// Stores a weight of John's.
  func weigh(_ kilograms: Double, at date: Date) async throws {
    let sample = Sample(
      identity: SampleIdentity(text: "scale|\(date.microseconds)"),
      reading: Reading(
        quantity: .bodyMass, value: kilograms, arrival: date,
        device: DeviceIdentity(address: "5C:CA:D3:70:D4:A2")),
      patient: "john", start: date, end: date)
    _ = try await write { try $0.insert(sample) }
  }

  /// Gives the event of a task that contains `date` a result, or an answer without one.
  func answer(
    _ task: String, at date: Date, _ values: [(kind: String?, value: Double, unit: UnitOfMeasure?)],
    state: Answer.State = .done
  ) async throws {
    try await write { writer in
      let events = try writer.events(patient: "john", task: task, from: date, to: date + 1)
      guard let event = events.last(where: { $0.occurrence.start <= date }) else { return }
      _ = try writer.setOutcome(
        values.map {
          OutcomeValue(
            value: .double($0.value), unit: $0.unit, kind: $0.kind, time: date, provenance: .active)
        }, answer: Answer(state: state), of: event.reference, now: date)
    }
  }
}
