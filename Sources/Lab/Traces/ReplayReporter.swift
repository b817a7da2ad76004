import Care
import Foundation
import Hub
import Interchange
import Localization
import Terminal
import Traces

/// Prints what a replay measures and completes, for people or as JSON Lines.
struct ReplayReporter {
  /// The time zone of printed times.
  var timeZone: TimeZone
  /// Whether lines are JSON.
  var isJSON: Bool
  /// Whether single heart rates and minutes of steps are omitted for people.
  var isBrief = false
  /// Whether nothing is printed.
  var isSilent = false
  /// The units in which people read values, by patient.
  var units: [String: PreferredUnits] = [:]

  /// Prints one report.
  func print(_ report: HubReport) {
    guard !isSilent else { return }
    if isJSON {
      if let line = ReplayLine(report, in: timeZone) { printJSON(line) }
    } else if !(isBrief && report.isRoutine), let text = report.text(in: timeZone, for: units) {
      Console.out(text)
    }
    if let rejection = report.rejection { Console.error("measured: \(rejection)") }
  }

  /// Prints a line of JSON, or that it cannot be printed: a replay goes on.
  private func printJSON(_ line: ReplayLine) {
    do throws(CommandFailure) {
      try Console.json(line)
    } catch {
      Console.error("measured: \(error.message)")
    }
  }

  /// Prints the summary.
  func print(_ summary: HubSummary) throws {
    guard !isJSON else {
      printJSON(ReplayLine(summary))
      return
    }
    func count(_ number: Int, _ one: String, _ many: String) -> String {
      "\(number) \(number == 1 ? one : many)"
    }
    Console.out("")
    if summary.passedOver > 0, let device = summary.passedOverDevice {
      Console.out(
        "\(count(summary.passedOver, "reading", "readings")) of a room or battery not stored:"
          + " only those of a patient's device are, and the plan gives \(device) to nobody.")
    }
    if summary.notTaken > 0 {
      Console.out(
        "\(count(summary.notTaken, "reading", "readings")) kept and not taken as a measurement;"
          + " measured samples shows why.")
    }
    if summary.stored + summary.unassigned == 0, summary.duplicates > 0 {
      Console.out(
        "Nothing changed: \(count(summary.duplicates, "reading was", "readings were")) in the store"
          + " already.")
      return
    }
    Console.out(
      "\(count(summary.events, "event", "events")) received: "
        + "\(count(summary.stored, "reading", "readings")) stored, \(summary.unassigned) unassigned,"
        + " \(summary.duplicates) stored already, \(summary.rejected) unreadable; "
        + "\(count(summary.completed, "task", "tasks")) completed.")
  }
}

/// Says what a capture lost.
enum CaptureLoss {
  /// Prints a line for each reason to standard error.
  static func report(_ skipped: [CaptureSkip: Int], of file: String?) {
    for reason in CaptureSkip.allCases {
      guard let count = skipped[reason], count > 0 else { continue }
      let loss = LocalizedText(
        "captureSkip.lost", ["count": "\(count)", "what": .text(reason.localized)])
      Console.error("measured: \(file.map { "\($0): " } ?? "")\(loss.message)")
    }
  }
}

// MARK: - JSON

/// One line of `replay --json`; its keys depend on `type`.
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
  var context: [String]?
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
  var notTaken: Int?

  init(type: String) {
    self.type = type
  }

  /// The line of a report; `nil` for one that is printed for people only.
  init?(_ report: HubReport, in timeZone: TimeZone) {
    switch report {
    case .stored(let sample):
      self.init(type: "reading", sample, in: timeZone)
    case .unassigned(let sample):
      self.init(type: "unassigned", sample, in: timeZone)
      reason = sample.unassignedMessage
    case .notTaken(let sample):
      self.init(type: "notTaken", sample, in: timeZone)
      reason = sample.unassignedMessage
    case .disowned(let sample):
      self.init(type: "disowned", sample, in: timeZone)
    case .duplicate(let reading):
      self.init(type: "duplicate")
      quantity = reading.quantity.rawValue
      value = reading.value.data(of: reading.quantity)
      unit = reading.quantity.unit.code
      kind = reading.kind
      arrival = reading.arrival.rfc3339(in: timeZone)
      deviceTime = reading.deviceTime?.description
      device = reading.device.address.text
      definition = reading.device.definition
    case .completed(let event, let progress, let sample):
      self.init(type: "completed", sample, in: timeZone)
      let progress = ProgressOutput(event, progress)
      value = progress.value
      task = event.task.id
      title = event.task.title
      patient = event.task.patient
      version = event.version
      occurrence = event.occurrence.index
      start = event.occurrence.start.rfc3339(in: event.occurrence.element.timeZone)
      end = event.occurrence.end.rfc3339(in: event.occurrence.element.timeZone)
      self.progress = progress
    case .passedOver, .progressed, .notMeasured, .linkFailed, .radioRefused, .device, .rejected,
      .refusedReading, .refusedOutcome, .wrongClock, .uncounted, .clockSet:
      return nil
    }
  }

  private init(type: String, _ sample: Sample, in timeZone: TimeZone) {
    self.type = type
    quantity = sample.quantity.rawValue
    value = sample.value.data(of: sample.quantity)
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
    context = sample.context.isEmpty ? nil : sample.context.names
  }

  /// The line of the summary.
  init(_ summary: HubSummary) {
    self.init(type: "summary")
    events = summary.events
    readings = summary.stored
    unassigned = summary.unassigned
    duplicates = summary.duplicates
    completed = summary.completed
    rejected = summary.rejected
    if summary.notTaken > 0 { notTaken = summary.notTaken }
  }
}
