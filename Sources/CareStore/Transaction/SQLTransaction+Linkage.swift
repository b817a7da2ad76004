import Care
import Foundation

extension SQLTransaction {
  /// The event with what its samples make of its outcome, where its task is linked to a quantity.
  ///
  /// Such an outcome is computed whenever it is read: an assigned or deleted sample counts, or no
  /// longer counts, at once. Only what a person typed in or performed is stored.
  func linked(_ event: Event) throws -> Event {
    guard let linkage = event.task.linkage else { return event }
    let samples = try samples(
      SampleQuery(
        owner: .patient(event.task.patient), quantity: linkage.quantity, device: linkage.device,
        from: event.occurrence.start, to: event.occurrence.linkageEnd))
    let stored = event.outcome
    let values = linkage.values(for: event, samples: samples, existing: stored?.values ?? [])
    guard values != stored?.values else { return event }
    var event = event
    if values.isEmpty {
      event.outcome = nil
    } else {
      event.outcome = stored ?? computedOutcome(of: event, from: samples)
      event.outcome?.values = values
    }
    return event
  }

  /// An outcome that is the same whenever, and on whichever machine, it is computed.
  private func computedOutcome(of event: Event, from samples: [Sample]) -> Outcome {
    let occurrence = event.occurrence
    return Outcome(
      uuid: event.task.uuid.offset(by: occurrence.index), taskUUID: event.task.uuid,
      occurrence: occurrence.index, start: occurrence.start, end: occurrence.end, values: [],
      createdDate: samples.map(\.arrival).max() ?? occurrence.start)
  }
}

extension UUID {
  /// Another id for each offset of at least 0, always the same.
  fileprivate func offset(by offset: Int) -> UUID {
    let digits = 12
    let mask: UInt64 = 0xFFFF_FFFF_FFFF
    let last = UInt64(uuidString.suffix(digits), radix: 16) ?? 0
    let moved = String((last ^ UInt64(truncatingIfNeeded: offset)) & mask, radix: 16)
    let padding = String(repeating: "0", count: digits - moved.count)
    return UUID(uuidString: uuidString.dropLast(digits) + padding + moved) ?? self
  }
}
