public import Foundation

extension ScheduleOccurrence {
  /// When it stops taking samples: its end, for an all-day one the next local midnight.
  ///
  /// A sample exactly then is the next one's.
  public var linkageEnd: Date { isAllDay ? end + 1 : end }

  /// Whether something that lasted from `start` to `end` falls in it.
  ///
  /// Something that ended exactly when the occurrence starts does, something that starts exactly when
  /// it ends does not.
  public func contains(start: Date, end: Date) -> Bool {
    end >= self.start && (start < linkageEnd || start == self.start)
  }
}

extension Event {
  /// Whether `sample` completes it: the patient's, of the linked quantity and device, and in time.
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
  /// A discrete linkage gives one value a sample, in the order of arrival; a cumulative one gives
  /// exactly one, their sum, at the start of the latest. Two devices that counted over the same span
  /// counted the same steps: of these the one that counted most is taken. What a person typed in stands: samples
  /// never replace it. A performed measurement stays beside what other samples give.
  ///
  /// - Parameters:
  ///   - event: The event; samples that it does not take are left out.
  ///   - samples: The samples around it, each once.
  ///   - existing: The values that are stored for it.
  /// - Returns: The values in the linkage's unit; empty where there is none, which leaves the event
  ///   open.
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

  /// The sample as a value in the linkage's unit; `nil` where its unit cannot be converted.
  private func value(of sample: Sample) -> OutcomeValue? {
    guard let value = sample.quantity.unit.convert(sample.value, to: unit) else { return nil }
    return OutcomeValue(
      value: .double(value), unit: unit, kind: sample.kind, time: sample.start,
      provenance: sample.provenance)
  }

  /// `samples` without those of a device that counted over the same span as another, and less.
  private static func countedOnce(_ samples: [Sample]) -> [Sample] {
    var counts: [ClosedRange<Date>: [DeviceID: Double]] = [:]
    for sample in samples where sample.start < sample.end {
      counts[sample.start...sample.end, default: [:]][sample.device.address, default: 0] +=
        sample.value
    }
    let best = counts.mapValues { devices in
      devices.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
    }
    return samples.filter { sample in
      sample.start >= sample.end || best[sample.start...sample.end] == sample.device.address
    }
  }

  private static func arrivedBefore(_ a: Sample, _ b: Sample) -> Bool {
    (a.arrival, a.start, a.identity.rawValue) < (b.arrival, b.start, b.identity.rawValue)
  }
}
