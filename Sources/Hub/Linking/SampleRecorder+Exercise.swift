import Care
import Foundation
import Measurement

extension SampleRecorder {
  /// Takes a stretch of motion for the exercise that somebody was asked for at that time.
  ///
  /// Completes the range-of-motion events that were due during `recording` and that its sensor
  /// measures; motion that nobody asked for is let go. `now` is the moment of storing.
  mutating func record(_ recording: ExerciseRecording, now: Date) throws -> [HubReport] {
    guard let span = recording.span,
      let placement = context.placement(of: recording.device.address)
    else { return [] }
    let owner = context.attribution.owner(
      of: Reading(quantity: .rangeOfMotion, value: 0, arrival: span.end, device: recording.device),
      lastWeight: { _ in nil })
    let events = try writer.events(
      patient: owner.patient, task: nil, from: span.start, to: span.end
    )
    .filter { $0.task.asks(for: placement) }
    guard let first = events.first else { return [] }
    if case .nobody(let reason) = owner {
      return [.note("‘\(first.task.title)’ was not measured: \(reason)")]
    }

    let motion: RangeOfMotion
    do throws(RangeOfMotionRefusal) {
      motion = try recording.rangeOfMotion(until: now)
    } catch {
      return [.note("‘\(first.task.title)’ was not measured: \(error.description)")]
    }
    var reports: [HubReport] = []
    for (ordinal, part) in motion.parts.enumerated() {
      reports += try record(
        Reading(
          quantity: .rangeOfMotion, value: part.degrees, arrival: span.end, interval: span,
          device: recording.device, ordinal: ordinal, kind: part.kind, isStreamed: true))
    }
    let samples = reports.compactMap { report -> Sample? in
      guard case .stored(let sample) = report else { return nil }
      return sample
    }
    guard let range = samples.first else { return reports }
    for event in events where !event.progress.isCompleted && !event.isTypedIn {
      reports += try complete(event, with: samples, range: range, now: now)
    }
    return reports
  }

  private func complete(
    _ event: Event, with samples: [Sample], range: Sample, now: Date
  ) throws -> [HubReport] {
    let values = samples.map { sample in
      OutcomeValue(
        value: .double(sample.value), unit: sample.quantity.unit, kind: sample.kind,
        time: sample.start, provenance: sample.provenance)
    }
    do {
      let after = try writer.setOutcome(values, of: event.reference, now: now)
      let progress = after.progress
      return progress.isCompleted
        ? [.completed(after, progress, by: range)] : [.progressed(after, progress, by: range)]
    } catch StoreError.refused(let reason) {
      return [.note(reason)]
    }
  }
}

extension Event {
  /// Whether a person typed in what came of it, which stands.
  fileprivate var isTypedIn: Bool {
    outcome?.values.contains { $0.provenance == .manual } ?? false
  }
}

extension CareTask {
  /// Whether the task asks for the motion that a sensor worn at `placement` measures.
  fileprivate func asks(for placement: Placement) -> Bool {
    guard let activeTask, activeTask.type == .rangeOfMotion, let joint = activeTask.joint else {
      return false
    }
    return placement.measures(joint, side: activeTask.side)
  }
}

extension PlanContext {
  /// Where a sensor is worn, by the plan, else by the name that a recording gives it.
  fileprivate func placement(of address: String) -> Placement? {
    let bound = bindings.filter { $0.isOf(address) }
    return bound.lazy.compactMap(\.placement).first ?? Placement(sensorName: address)
  }
}

extension RangeOfMotion {
  /// What an outcome holds of it, the range first, in degrees.
  fileprivate var parts: [(kind: String, degrees: Double)] {
    [
      ("range", range), ("start", start), ("finish", finish), ("minimum", minimum),
      ("maximum", maximum),
    ]
  }
}
