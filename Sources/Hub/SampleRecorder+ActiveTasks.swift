import Actions
import Assessments
import Attribution
import Care
import Foundation
import Measurement
import Motion

extension SampleRecorder {
  /// Measures the active tasks that were due during a recording.
  ///
  /// Completes the events whose assessment the recorded sensors show; motion that no task asks for
  /// is dropped. `now` is the moment of storing.
  mutating func record(_ recording: ActiveTaskRecording, now: Date) throws -> [HubReport] {
    let recording = recording.placed(by: plan.bindings)
    guard let span = recording.own.span, recording.own.placement != nil else { return [] }
    let reading = Reading(
      quantity: .rangeOfMotion, value: 0, arrival: span.end, device: recording.own.device)
    let owner = plan.attribution.owner(of: reading) {
      Verdict(decision: .unassigned(.stranger), odds: [])
    }
    let requests = try requests(shownBy: recording, of: owner.patient, in: span)
    guard let first = requests.first?.events.first else { return [] }
    switch owner {
    case .patient: break
    case .unassigned(let reason), .housemate(let reason):
      return [.notMeasured(first, .unassigned(reason, reading))]
    }
    let heartRates = try heartRates(of: owner.patient, in: span)
    let height = try height(of: owner.patient)
    var reports: [HubReport] = []
    var stored: [Computation: [Sample]] = [:]
    for request in requests {
      let input = AssessmentInput(
        request.recordings.map(\.samples), on: request.recordings.last?.placement?.segment,
        height: height, heartRates: heartRates, end: now.microseconds)
      let values: [FigureValue]
      do throws(AssessmentRefusal) {
        values = try request.assessment.result(of: input).values
      } catch {
        reports += request.events.map { .notMeasured($0, .refused(error)) }
        continue
      }
      let computation = Computation(request.task, request.recordings)
      if stored[computation] == nil {
        let new = try store(values, of: request.recordings, by: computation, arrival: span.end)
        reports += new
        stored[computation] = new.compactMap(\.storedSample)
      }
      let result = MeasuredResult(values: values, samples: stored[computation] ?? [])
      for event in request.events where !event.progress.isCompleted && !event.isTypedIn {
        reports += try complete(event, with: result, now: now)
      }
    }
    return reports
  }

  /// Stores a measurement that a person made and wants to keep, and completes its event.
  ///
  /// - Throws: ``MeasuringFault`` if a person answered the event meanwhile, or if the samples would
  ///   be nobody's; ``StoreError`` if the store refuses the outcome.
  mutating func keep(_ measured: KeptMeasurement, now: Date) throws {
    guard let event = try writer.event(measured.event.key) else {
      throw MeasuringFault.noAssessment
    }
    guard !event.isTypedIn else { throw MeasuringFault.answered }
    let reports = try store(
      measured.values, of: measured.recordings,
      by: Computation(measured.task, measured.recordings), arrival: now)
    for case .unassigned in reports {
      throw MeasuringFault.unassigned
    }
    for case .refusedReading(_, let refusal) in reports { throw StoreError.refused(refusal) }
    let result = MeasuredResult(
      values: measured.values, samples: reports.compactMap(\.storedSample))
    for case .refusedOutcome(_, let refusal) in try complete(event, with: result, now: now) {
      throw StoreError.refused(refusal)
    }
  }

  /// The active tasks due in `span` that `recording` shows, each once with its events.
  private func requests(
    shownBy recording: ActiveTaskRecording, of patient: String?, in span: DateInterval
  ) throws -> [ActiveTaskRequest] {
    var requests: [ActiveTaskRequest] = []
    for event in try writer.events(patient: patient, task: nil, from: span.start, to: span.end) {
      guard let task = event.task.activeTask,
        recording.own.isFromSwitchOn || !AssessmentList.mustWait(event.task.planned)
      else { continue }
      if let known = requests.firstIndex(where: { $0.task == task }) {
        requests[known].events.append(event)
        continue
      }
      guard let assessment = AssessmentList.assessment(for: task),
        let recordings = recording.recordings(meeting: type(of: assessment).sensors, for: task)
      else { continue }
      requests.append(
        ActiveTaskRequest(
          task: task, assessment: assessment, recordings: recordings, events: [event]))
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
        rate: Int32(saturating: min(max(sample.value.rounded(), 0), 1_000)))
    }
  }

  /// The patient's latest height in metres; `nil` if none is known.
  private func height(of patient: String?) throws -> Double? {
    guard let patient else { return nil }
    let query = SampleQuery(owner: .patient(patient), quantity: .height, limit: 1)
    return try writer.samples(query).first?.value
  }

  /// Stores the figures that have a quantity as samples of the outermost sensor.
  private mutating func store(
    _ values: [FigureValue], of recordings: [SensorRecording], by computation: Computation,
    arrival: Date
  ) throws -> [HubReport] {
    guard let device = recordings.last?.device,
      let times = recordings.map(\.samples).commonTimeSpan
    else { return [] }
    var reports: [HubReport] = []
    for value in values {
      guard let quantity = value.figure.quantity, let number = value.value.number else { continue }
      reports += try record(
        Reading(
          quantity: quantity, value: number, arrival: arrival,
          interval: DateInterval(microseconds: times), device: device,
          ordinal: computation.ordinal(of: value.figure), kind: value.figure.kind,
          isStreamed: true))
    }
    return reports
  }

  private func complete(
    _ event: Event, with result: MeasuredResult, now: Date
  ) throws -> [HubReport] {
    guard let sample = result.samples.first else { return [] }
    // A linked task's values are its samples, all in one unit.
    let values = result.values.filter {
      event.task.linkage == nil || $0.figure.quantity != nil
    }
    let outcome = values.map {
      OutcomeValue(
        value: $0.value, unit: $0.figure.unit, kind: $0.figure.kind, time: sample.start,
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

/// An active task that is due, the recordings that show it, and its events.
private struct ActiveTaskRequest {
  let task: ActiveTask
  let assessment: any Assessment
  let recordings: [SensorRecording]
  var events: [Event]
}

/// The computation from a recording; tasks that ask for the same share its samples.
private struct Computation: Hashable {
  private let text: String

  /// Makes the computation that a task asks for.
  ///
  /// It consists of the assessment, the parameters that distinguish two of its kind, and the
  /// sensors beside the one that the samples belong to. A joint and a side only choose the sensors,
  /// and a step length may be corrected later.
  init(_ task: ActiveTask, _ recordings: [SensorRecording]) {
    text =
      ([
        task.type.rawValue, task.axis.map { "\($0)" } ?? "", task.distance.map { "\($0)" } ?? "",
      ] + recordings.dropLast().map(\.device.address.text)).joined(separator: "|")
  }

  /// The ordinal of a figure's sample: the same for the same recording, whatever else the plan asks
  /// for (FNV-1a, 32 bits).
  func ordinal(of figure: FigureDescription) -> Int {
    let hash = "\(text)|\(figure.kind)".utf8.reduce(0x811C_9DC5 as UInt32) { hash, byte in
      (hash ^ UInt32(byte)) &* 0x0100_0193
    }
    return Int(hash)
  }
}

/// The figures of an event, and the samples that were stored of its recording.
private struct MeasuredResult {
  let values: [FigureValue]
  let samples: [Sample]
}

extension Event {
  /// Whether its outcome was entered by a person, which stands.
  var isTypedIn: Bool {
    outcome?.values.contains { $0.provenance == .manual } ?? false
  }
}

extension HubReport {
  fileprivate var storedSample: Sample? {
    guard case .stored(let sample) = self else { return nil }
    return sample
  }
}
