import Foundation

/// A schedule is coded as the list of its elements.
extension Schedule: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode([ScheduleElement].self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(elements)
  }
}

extension ScheduleElement: Codable {
  private enum CodingKeys: String, CodingKey {
    case start, end, interval, duration, targets, text, timeZone
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      start: container.decode(CodedTime.self, forKey: .start).date,
      end: container.decodeIfPresent(CodedTime.self, forKey: .end)?.date,
      interval: container.decode(Interval.self, forKey: .interval),
      duration: container.decode(EventDuration.self, forKey: .duration),
      targets: container.decodeIfPresent([TargetValue].self, forKey: .targets) ?? [],
      text: container.decodeIfPresent(String.self, forKey: .text),
      timeZone: container.decode(CodedZone.self, forKey: .timeZone).timeZone)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(CodedTime(start), forKey: .start)
    try container.encodeIfPresent(end.map(CodedTime.init), forKey: .end)
    try container.encode(interval, forKey: .interval)
    try container.encode(duration, forKey: .duration)
    if !targets.isEmpty { try container.encode(targets, forKey: .targets) }
    try container.encodeIfPresent(text, forKey: .text)
    try container.encode(CodedZone(timeZone), forKey: .timeZone)
  }
}

/// An interval is coded as the units that it has: `{"days":1}`.
extension Interval: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable {
    case years, months, weeks, days, hours, minutes, seconds

    var part: WritableKeyPath<Interval, Int> {
      switch self {
      case .years: \.years
      case .months: \.months
      case .weeks: \.weeks
      case .days: \.days
      case .hours: \.hours
      case .minutes: \.minutes
      case .seconds: \.seconds
      }
    }
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    for key in container.allKeys {
      self[keyPath: key.part] = try container.decode(Int.self, forKey: key)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    for key in CodingKeys.allCases where self[keyPath: key.part] != 0 {
      try container.encode(self[keyPath: key.part], forKey: key)
    }
  }
}

/// A duration is coded as `"allDay"` or as its seconds.
extension EventDuration: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let seconds = try? container.decode(Double.self) {
      self = .seconds(seconds)
    } else if try container.decode(String.self) == "allDay" {
      self = .allDay
    } else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a duration is ‘allDay’ or a number of seconds")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .allDay: try container.encode("allDay")
    case .seconds(let seconds): try container.encode(seconds)
    }
  }
}
