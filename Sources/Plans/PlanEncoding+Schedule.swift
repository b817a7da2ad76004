import Care
import Foundation

extension PlanEncoding {
  func element(_ element: ScheduleElement) -> String {
    let zone = element.timeZone
    let targets = element.targets.map(target)
    return YAMLText.flow([
      "start": time(element.start, in: zone), "end": element.end.map { time($0, in: zone) },
      "interval": interval(element.interval), "duration": duration(element.duration),
      "targets": targets.isEmpty ? nil : YAMLText.flow(targets),
      "text": element.text.map(YAMLText.scalar),
      "timeZone": zone == timeZone ? nil : YAMLText.scalar(zone.identifier),
    ])
  }

  /// The shortest form that names the instant: a local date or time where it does, else with offset.
  func time(_ date: Date, in zone: TimeZone) -> String {
    let full = date.rfc3339(in: zone)
    let forms = [10, 16, 19].map { String(full.prefix($0)) }
    return forms.first { Date($0, in: zone) == date } ?? full
  }

  private func interval(_ interval: Interval) -> String {
    let units = Interval.unitsByName.compactMap { name, unit in
      interval[keyPath: unit] == 0 ? nil : "\(name): \(interval[keyPath: unit])"
    }
    return "{" + units.joined(separator: ", ") + "}"
  }

  private func duration(_ duration: EventDuration) -> String {
    guard case .seconds(let seconds) = duration else { return "allDay" }
    guard let whole = Int(exactly: seconds), whole > 0 else { return "\(seconds)s" }
    let parts = [(whole / 3600, "h"), (whole / 60 % 60, "m"), (whole % 60, "s")]
    return parts.filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }.joined()
  }

  private func target(_ target: TargetValue) -> String {
    YAMLText.flow([
      "value": value(target.value), "unit": target.unit.map { YAMLText.scalar($0.code) },
      "kind": target.kind.map(YAMLText.scalar),
    ])
  }

  private func value(_ value: Value) -> String {
    switch value {
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .text(let text): YAMLText.scalar(text)
    case .binary(let bytes): YAMLText.scalar(bytes.hexString)
    case .date(let date): YAMLText.scalar(date.rfc3339(in: timeZone))
    }
  }
}
