public import Foundation

/// The link from a task to a quantity, so that samples complete its events.
public struct Linkage: Hashable, Sendable, Codable {
  /// The quantity.
  public var quantity: Quantity
  /// Whether each sample is a value (discrete) or their sum is one (cumulative).
  public var type: Aggregation
  /// The unit of the outcome's values.
  public var unit: UnitOfMeasure
  /// The only device whose samples count; `nil` for any.
  public var device: DeviceID?

  /// Makes a linkage.
  public init(quantity: Quantity, type: Aggregation, unit: UnitOfMeasure, device: DeviceID? = nil) {
    self.quantity = quantity
    self.type = type
    self.unit = unit
    self.device = device
  }
}

extension ScheduleOccurrence {
  /// When it stops taking samples: its end, or the next local midnight if it lasts all day.
  ///
  /// A sample exactly then belongs to the next occurrence.
  public var linkageEnd: Date { isAllDay ? end + 1 : end }

  /// Whether the span from `start` to `end` falls in it.
  ///
  /// A span that ends exactly at the occurrence's start does; one that starts exactly at its end
  /// does not.
  public func contains(start: Date, end: Date) -> Bool {
    end >= self.start && (start < linkageEnd || start == self.start)
  }
}

extension Event {
  /// Whether `sample` counts for it: it is the patient's, of the linked quantity and device, and in
  /// the event's span.
  public func takes(_ sample: Sample) -> Bool {
    guard let linkage = task.linkage, sample.patient == task.patient,
      sample.quantity == linkage.quantity
    else { return false }
    if let device = linkage.device, device != sample.device.address { return false }
    return occurrence.contains(start: sample.start, end: sample.end)
  }
}

extension Linkage {
  /// The values of an event that is linked to samples.
  ///
  /// A discrete linkage gives one value for each sample, in the order of arrival; a cumulative one
  /// gives exactly one, their sum, at the start of the latest. Two devices that counted over the
  /// same span counted the same steps: only the one with the higher count is used. Samples never
  /// replace what a person entered. Values of a performed measurement are kept beside those of
  /// samples.
  ///
  /// - Parameters:
  ///   - event: The event; samples that do not count for it are ignored.
  ///   - samples: The samples around it, each once.
  ///   - existing: The values that are stored for it.
  /// - Returns: The values in the linkage's unit; empty if there is none.
  public func values(
    for event: Event, samples: [Sample], existing: [OutcomeValue] = []
  ) -> [OutcomeValue] {
    guard !existing.contains(where: { $0.provenance == .manual }) else { return existing }
    let taken = samples.filter(event.takes).sorted(by: Self.arrivedBefore)
    let values = (type == .cumulative ? Self.countedOnce(taken) : taken).compactMap(value)
    switch type {
    case .cumulative:
      guard let latest = values.map(\.time).max() else { return existing }
      let sum = values.reduce(0) { $0 + $1.value.summand }
      return [OutcomeValue(value: .double(sum), unit: unit, time: latest, provenance: .passive)]
    case .discrete:
      let performed = existing.filter { earlier in
        earlier.provenance == .active
          && !values.contains { $0.time == earlier.time && $0.kind == earlier.kind }
      }
      return performed + values
    }
  }

  /// The sample as a value in the linkage's unit; `nil` if its unit cannot be converted.
  private func value(of sample: Sample) -> OutcomeValue? {
    guard let value = sample.quantity.unit.convert(sample.value, to: unit) else { return nil }
    return OutcomeValue(
      value: .double(value), unit: unit, kind: sample.kind, time: sample.start,
      provenance: sample.provenance)
  }

  /// `samples` without those of a device that counted less than another over the same span.
  private static func countedOnce(_ samples: [Sample]) -> [Sample] {
    var counts: [ClosedRange<Date>: [String: Double]] = [:]
    for sample in samples where sample.start < sample.end {
      counts[sample.start...sample.end, default: [:]][sample.device.address.text, default: 0] +=
        sample.value
    }
    let best = counts.mapValues { devices in
      devices.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
    return samples.filter { sample in
      sample.start >= sample.end || best[sample.start...sample.end] == sample.device.address.text
    }
  }

  private static func arrivedBefore(_ a: Sample, _ b: Sample) -> Bool {
    (a.arrival, a.start, a.identity.rawValue) < (b.arrival, b.start, b.identity.rawValue)
  }
}
