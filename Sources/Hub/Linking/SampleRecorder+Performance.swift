import Care
import Foundation
import Measurement

extension SampleRecorder {
  /// Takes a stretch of motion for what somebody was asked to perform at that time.
  ///
  /// Completes the events that were due during it and whose measurement its sensors show; motion
  /// that nobody asked for is let go. `now` is the moment of storing.
  mutating func record(_ performance: Performance, now: Date) throws -> [HubReport] {
    let performance = performance.placed(by: context.bindings)
    guard let span = performance.own.span, performance.own.placement != nil else { return [] }
    let owner = context.attribution.owner(
      of: Reading(
        quantity: .rangeOfMotion, value: 0, arrival: span.end, device: performance.own.device),
      lastWeight: { _ in nil })
    let asked = try askedFor(performance, of: owner.patient, in: span)
    guard let first = asked.first?.events.first else { return [] }
    if case .nobody(let reason) = owner {
      return [.note("‘\(first.task.title)’ was not measured: \(reason)")]
    }
    let surroundings = Surroundings(
      end: now, heartRates: try heartRates(of: owner.patient, in: span))
    var reports: [HubReport] = []
    var results: [PerformedResult] = []
    for request in asked {
      let values: [PerformedValue]
      do throws(PerformanceRefusal) {
        values = try request.measurement.measure(request.recordings, amid: surroundings)
      } catch {
        reports += request.events.map {
          .note("‘\($0.task.title)’ was not measured: \(error.description)")
        }
        continue
      }
      if !results.contains(where: { $0.values == values }) {
        let ordinal = results.reduce(0) { $0 + $1.values.count }
        let stored = try store(values, of: request.recordings, from: ordinal, arrival: span.end)
        reports += stored
        results.append(PerformedResult(values: values, samples: stored.compactMap(\.storedSample)))
      }
      guard let result = results.last(where: { $0.values == values }) else { continue }
      for event in request.events where !event.progress.isCompleted && !event.isTypedIn {
        reports += try complete(event, with: result, now: now)
      }
    }
    return reports
  }

  /// What was asked for in `span`, each measurement once with its events.
  private func askedFor(
    _ performance: Performance, of patient: String?, in span: DateInterval
  ) throws -> [PerformanceRequest] {
    var requests: [PerformanceRequest] = []
    for event in try writer.events(patient: patient, task: nil, from: span.start, to: span.end) {
      guard let activeTask = event.task.activeTask else { continue }
      if let known = requests.firstIndex(where: { $0.activeTask == activeTask }) {
        requests[known].events.append(event)
        continue
      }
      let measurement = activeTask.measurement
      guard let recordings = measurement.recordings(of: performance) else { continue }
      requests.append(
        PerformanceRequest(
          activeTask: activeTask, measurement: measurement, recordings: recordings,
          events: [event]))
    }
    return requests
  }

  private func heartRates(
    of patient: String?, in span: DateInterval
  ) throws -> [HeartRateSample] {
    guard let patient else { return [] }
    let query = SampleQuery(
      owner: .patient(patient), quantity: .heartRate, from: span.start, to: span.end)
    return try writer.samples(query).map { sample in
      HeartRateSample(
        time: sample.start.microseconds,
        rate: Int32(min(max(sample.value.rounded(), 0), 1_000)))
    }
  }

  /// Stores the results among `values` as samples of the outermost sensor.
  private mutating func store(
    _ values: [PerformedValue], of recordings: [ExerciseRecording], from first: Int, arrival: Date
  ) throws -> [HubReport] {
    guard let device = recordings.last?.device, let times = recordings.commonTimes else {
      return []
    }
    var reports: [HubReport] = []
    for (offset, value) in values.enumerated() {
      guard let quantity = value.quantity, let number = value.value.number else { continue }
      reports += try record(
        Reading(
          quantity: quantity, value: number, arrival: arrival,
          interval: DateInterval(microseconds: times), device: device, ordinal: first + offset,
          kind: value.kind, isStreamed: true))
    }
    return reports
  }

  private func complete(
    _ event: Event, with result: PerformedResult, now: Date
  ) throws -> [HubReport] {
    guard let sample = result.samples.first else { return [] }
    // A linked task's values are its samples, all in one unit.
    let values = result.values.filter { event.task.linkage == nil || $0.quantity != nil }
    let outcome = values.map {
      OutcomeValue(
        value: $0.value, unit: $0.unit, kind: $0.kind, time: sample.start,
        provenance: sample.provenance)
    }
    do {
      let after = try writer.setOutcome(outcome, of: event, now: now)
      let progress = after.progress
      return progress.isCompleted
        ? [.completed(after, progress, by: sample)] : [.progressed(after, progress, by: sample)]
    } catch StoreError.refused(let refusal) {
      return [.refusedOutcome(event, refusal)]
    }
  }
}

/// A measurement that was asked for, the recordings that show it, and the events it is for.
private struct PerformanceRequest {
  let activeTask: ActiveTask
  let measurement: any PerformedMeasurement
  let recordings: [ExerciseRecording]
  var events: [Event]
}

/// What a measurement came to, and the samples that were stored of it.
private struct PerformedResult {
  let values: [PerformedValue]
  let samples: [Sample]
}

extension Event {
  /// Whether a person typed in what came of it, which stands.
  fileprivate var isTypedIn: Bool {
    outcome?.values.contains { $0.provenance == .manual } ?? false
  }
}

extension HubReport {
  fileprivate var storedSample: Sample? {
    guard case .stored(let sample) = self else { return nil }
    return sample
  }
}
