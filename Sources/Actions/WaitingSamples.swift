import Care
import Foundation

extension StoreWriter {
  /// Gives what waits of a device to the patient to whom it was bound: the question whose it is was
  /// asked once, for the device.
  ///
  /// Weighings keep their own evidence. What a person decided stays, and so does what is beyond its
  /// quantity's range.
  func assignWaiting(of device: DeviceID, to patient: String, now: Date) throws {
    let reason = "the device was bound"
    let waiting = try samples(SampleQuery(owner: .unassigned, device: device))
    let isNobodysYet = try sampleCount(SampleQuery(device: device)) == waiting.count
    let singles = try waiting.filter { sample in
      try !sample.reading.isStreamed && !sample.isOfWeighing
        && sample.quantity.plausible.contains(sample.value) && assignment(of: sample) == nil
    }
    for sample in singles {
      _ = try change(
        .sample(sample.identity), .assign(patient: patient), decidedBy: .person, reason: reason,
        now: now)
    }
    guard isNobodysYet, waiting.contains(where: \.reading.isStreamed) else { return }
    // A span has single samples, too: it ends before each.
    let ends = waiting.filter { !$0.reading.isStreamed }.map(\.start)
    let starts = [nil] + ends.map { $0.addingTimeInterval(0.000_001) as Date? }
    for (from, to) in zip(starts, ends + [now]) where from.map({ $0 <= to }) ?? true {
      _ = try change(
        .span(device: device, from: from, to: to), .assign(patient: patient), decidedBy: .person,
        reason: reason, now: now)
    }
  }
}

extension Sample {
  fileprivate var isOfWeighing: Bool {
    reading.quantity == .bodyMass || reading.quantity.isMeasuredWithWeight
  }
}
