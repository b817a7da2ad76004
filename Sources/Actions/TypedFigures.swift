import Assessments
import Care
import Foundation

/// A figure of an assessment that a person typed: a value like one that a sensor measured.
private struct TypedFigure: Hashable {
  let quantity: Quantity
  let kind: String
  /// In the quantity's unit.
  let value: Double
  let time: Date

  init?(_ value: OutcomeValue, of task: PlannedTask) {
    guard value.provenance == .manual, let number = value.value.number, let kind = value.kind,
      let quantity = task.figures.first(where: { $0.kind == kind })?.quantity,
      let canonical = (value.unit ?? quantity.unit).convert(number, to: quantity.unit)
    else { return nil }
    self.quantity = quantity
    self.kind = kind
    self.value = canonical
    time = Date(microseconds: value.time.microseconds)
  }

  /// Whether a sample was stored of it.
  func isOf(_ sample: Sample) -> Bool {
    sample.provenance == .manual && sample.device.address == .entered && sample.kind == kind
      && sample.value == value
  }
}

extension Event {
  /// The figures that a person typed; those of a linked task are its samples already.
  fileprivate var typedFigures: [TypedFigure] {
    guard task.linkages.isEmpty, task.activeTask != nil else { return [] }
    return outcome?.values.compactMap { TypedFigure($0, of: task.planned) } ?? []
  }
}

extension StoreWriter {
  /// Deletes the samples of a performed measurement whose result was taken back, and restores them with it.
  func followMeasurement(of event: Event, after before: Event, now: Date) throws {
    let isTakenBack = event.outcome == nil
    guard event.task.linkages.isEmpty, event.task.activeTask != nil,
      isTakenBack != (before.outcome == nil),
      let result = (isTakenBack ? before : event).outcome?.values.first(where: {
        $0.provenance == .active && event.task.planned.quantity(of: $0) != nil
      }),
      let quantity = event.task.planned.quantity(of: result)
    else { return }
    let measured = try samples(
      SampleQuery(
        owner: .patient(event.task.patient), quantity: quantity, from: result.time,
        to: result.time, states: [isTakenBack ? .live : .deleted])
    ).first { $0.provenance == .active && $0.kind == result.kind }
    guard let measured else { return }
    _ = try change(
      .sample(measured.identity), isTakenBack ? .delete : .restore, reason: nil, now: now)
  }

  /// Stores what a person typed for an event's assessment as samples, and deletes those of what no longer
  /// stands there.
  func storeTypedFigures(of event: Event, after before: Event, now: Date) throws {
    let (old, new) = (before.typedFigures, event.typedFigures)
    for figure in old where !new.contains(figure) {
      let query = SampleQuery(
        owner: .patient(event.task.patient), quantity: figure.quantity, from: figure.time,
        to: figure.time)
      for sample in try samples(query) {
        // A correction goes with what was typed.
        let origin = try sample.corrects.flatMap { try self.sample($0) } ?? sample
        guard figure.isOf(origin) else { continue }
        _ = try change(.sample(origin.identity), .delete, reason: nil, now: now)
        break
      }
    }
    let arrival = Date(microseconds: now.microseconds)
    for (ordinal, figure) in new.enumerated() where !old.contains(figure) {
      let reading = Reading(
        quantity: figure.quantity, value: figure.value, arrival: arrival,
        device: DeviceIdentity(address: .entered), ordinal: ordinal, kind: figure.kind,
        context: event.task.activeTask.map { MeasurementContext($0) } ?? [])
      var sample = Sample(
        reading: reading, patient: event.task.patient, start: figure.time, end: figure.time,
        provenance: .manual)
      // The same can have been typed and deleted at this time before.
      while try self.sample(sample.identity) != nil {
        sample.reading.ordinal += 1
        sample.identity = SampleIdentity(sample.reading)
      }
      _ = try insert(sample)
    }
  }
}
