import Care
import Foundation

/// An event as JSON.
struct EventOutput: Encodable {
  var id: String
  var task: String
  var patient: String
  var version: Int
  var occurrence: Int
  var start: String
  var end: String
  var title: String
  var targets: [ValueOutput]
  var values: [ValueOutput]
  var progress: ProgressOutput
  var completed: Bool

  init(_ event: Event) {
    let zone = event.occurrence.element.timeZone
    id = event.id
    task = event.task.id
    patient = event.task.patient
    version = event.version
    occurrence = event.occurrence.index
    start = event.occurrence.start.rfc3339(in: zone)
    end = event.occurrence.end.rfc3339(in: zone)
    title = event.task.title
    targets = event.occurrence.element.targets.map(ValueOutput.init)
    values = (event.outcome?.values ?? []).map { ValueOutput($0, in: zone) }
    progress = ProgressOutput(event.progress)
    completed = event.progress.isCompleted
  }
}

/// A value or target as JSON.
struct ValueOutput: Encodable {
  var kind: String?
  var value: Value
  var unit: String?
  var time: String?
  var provenance: String?

  init(_ target: TargetValue) {
    kind = target.kind
    value = target.value
    unit = target.unit?.code
  }

  init(_ value: OutcomeValue, in timeZone: TimeZone) {
    kind = value.kind
    self.value = value.value
    unit = value.unit?.code
    time = value.time.rfc3339(in: timeZone)
    provenance = value.provenance.rawValue
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encodeIfPresent(kind, forKey: .kind)
    switch value {
    case .integer(let number): try container.encode(number, forKey: .value)
    case .double(let number): try container.encode(number, forKey: .value)
    case .boolean(let flag): try container.encode(flag, forKey: .value)
    case .text(let text): try container.encode(text, forKey: .value)
    case .binary(let bytes): try container.encode(Data(bytes).base64EncodedString(), forKey: .value)
    case .date(let date): try container.encode(date.rfc3339(in: .gmt), forKey: .value)
    }
    try container.encodeIfPresent(unit, forKey: .unit)
    try container.encodeIfPresent(time, forKey: .time)
    try container.encodeIfPresent(provenance, forKey: .provenance)
  }

  enum Keys: String, CodingKey {
    case kind, value, unit, time, provenance
  }
}
