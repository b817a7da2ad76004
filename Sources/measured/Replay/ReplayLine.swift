import Care
import Foundation
import Hub

/// One line of `replay --json`; which keys are there depends on `type`.
struct ReplayLine: Encodable {
  var type: String
  var quantity: String?
  var value: Double?
  var unit: String?
  var kind: String?
  var time: String?
  var end: String?
  var arrival: String?
  var patient: String?
  var device: String?
  var definition: String?
  var clock: String?
  var deviceTime: String?
  var provenance: String?
  var reason: String?
  var task: String?
  var title: String?
  var version: Int?
  var occurrence: Int?
  var start: String?
  var progress: ProgressOutput?
  var events: Int?
  var readings: Int?
  var unassigned: Int?
  var duplicates: Int?
  var completed: Int?
  var rejected: Int?

  init(type: String) {
    self.type = type
  }

  /// The line for a report; `nil` for one that only people see.
  init?(_ report: HubReport, in timeZone: TimeZone) {
    switch report {
    case .stored(let sample):
      self.init(type: "reading", sample, in: timeZone)
    case .unassigned(let sample):
      self.init(type: "unassigned", sample, in: timeZone)
      reason = sample.unassignedReason
    case .duplicate(let reading):
      self.init(type: "duplicate")
      quantity = reading.quantity.rawValue
      value = reading.value
      unit = reading.quantity.unit.code
      kind = reading.kind
      arrival = reading.arrival.rfc3339(in: timeZone)
      deviceTime = reading.deviceTime?.description
      device = reading.device.address.text
      definition = reading.device.definition
    case .completed(let event, let progress, let sample):
      self.init(type: "completed", sample, in: timeZone)
      value = progress.value
      task = event.task.id
      title = event.task.title
      patient = event.task.patient
      version = event.version
      occurrence = event.occurrence.index
      start = event.occurrence.start.rfc3339(in: event.occurrence.element.timeZone)
      end = event.occurrence.end.rfc3339(in: event.occurrence.element.timeZone)
      self.progress = ProgressOutput(progress)
    case .progressed, .notMeasured, .note, .rejected, .refusedReading, .refusedOutcome:
      return nil
    }
  }

  private init(type: String, _ sample: Sample, in timeZone: TimeZone) {
    self.type = type
    quantity = sample.quantity.rawValue
    value = sample.value
    unit = sample.quantity.unit.code
    kind = sample.kind
    time = sample.start.rfc3339(in: timeZone)
    if sample.end != sample.start { end = sample.end.rfc3339(in: timeZone) }
    arrival = sample.arrival.rfc3339(in: timeZone)
    patient = sample.patient
    device = sample.device.address.text
    definition = sample.device.definition
    clock = sample.isClockTrusted ? "trusted" : "untrusted"
    deviceTime = sample.deviceTime?.description
    provenance = sample.provenance.rawValue
  }

  /// The line for what a replay came to.
  init(_ summary: HubSummary) {
    self.init(type: "summary")
    events = summary.events
    readings = summary.stored
    unassigned = summary.unassigned
    duplicates = summary.duplicates
    completed = summary.completed
    rejected = summary.rejected
  }
}

/// How far an event has come, as JSON.
struct ProgressOutput: Encodable {
  var value: Double
  @Nullable var goal: Double?
  var fraction: Double

  init(_ progress: EventProgress) {
    value = progress.value
    goal = progress.goal
    fraction = progress.fraction
  }
}
