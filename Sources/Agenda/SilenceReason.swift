package import Care
package import Foundation

/// Why nothing was measured, as far as a box can tell.
///
/// Of the nine a box alone tells seven: that a person fell ill or moved away looks like not having
/// measured.
package enum SilenceReason: String, Hashable, Sendable, CaseIterable {
  /// The box was off.
  case boxOff
  /// The box ran without a network, which a sensor behind it needs.
  case noNetwork
  /// The radio of the box did not work.
  case radioFailed
  /// The device was not heard at all.
  case notReceived
  /// Its battery was low when it was heard last.
  case batteryLow
  /// It measured, and what it sent was kept as no measurement, or waits for an answer.
  case notBelieved
  /// The device is there, and nobody used it.
  case notMeasured
  /// The plan says that the person is away.
  case away
  /// The person left: only somebody who knows can say so.
  case left
}

/// The known facts of a time in which nothing was measured.
package struct SilenceEvidence: Hashable, Sendable {
  /// The time.
  package var span: Range<Date>
  /// When the box was off.
  package var offs: [Range<Date>]
  /// Since when the radio does not work; `nil` while it does.
  package var radioFailedSince: Date?
  /// Since when there is no network; `nil` if there is one, or no sensor needs it.
  package var noNetworkSince: Date?
  /// When the device was heard last; `nil` if that is not known.
  package var heard: Date?
  /// The battery's level when it was heard last, in percent; `nil` if it never said.
  package var battery: Double?
  /// Whether something was received that is no measurement, or waits.
  package var hasUnbelieved = false
  /// Whether the plan says that the person is away.
  package var isAway = false

  /// Makes evidence.
  package init(span: Range<Date>, offs: [Range<Date>] = []) {
    (self.span, self.offs) = (span, offs)
  }
}

extension SilenceEvidence {
  /// The facts of a time that ends now, from what is known of a device.
  init(of device: HeardDevice?, during span: Range<Date>) {
    self.init(span: span)
    heard = device?.end
    battery = device?.lastLevel?.percent
    hasUnbelieved = device?.unbelieved.map { $0 >= span.lowerBound + 1 } ?? false
  }

  /// The stored facts of the silence for which a rule fired; `nil` for any other firing.
  ///
  /// - Parameters:
  ///   - firing: The firing.
  ///   - reader: The store.
  ///   - offs: When the box was off.
  /// - Throws: ``StoreError``.
  package init?(
    of firing: Firing, in reader: any StoreReader, offs: [Range<Date>]
  ) throws {
    guard case .silent(_, let source) = firing.rule?.trigger, firing.event.start < firing.due
    else { return nil }
    let patient = firing.event.patient
    let device: DeviceID? =
      switch source {
      case .quantity(let quantity):
        try reader.latestSample(patient: patient, quantity: quantity)?.reading.device.address
      case .device(let device): device
      }
    try self.init(
      of: device, patient: patient, during: firing.event.start..<firing.due, in: reader, offs: offs)
  }

  /// The stored facts of a time in which a patient's device measured nothing; without a device
  /// whether the person is away.
  ///
  /// - Throws: ``StoreError``.
  private init(
    of device: DeviceID?, patient: String, during span: Range<Date>, in reader: any StoreReader,
    offs: [Range<Date>]
  ) throws {
    self.init(span: span, offs: offs)
    isAway = try PlanPeople(reader).isAway(patient, at: span.upperBound)
    guard let device else { return }
    func last(
      _ quantity: Quantity? = nil, from: Date? = nil, states: Set<Sample.State> = [.live]
    ) throws -> Sample? {
      try reader.samples(
        SampleQuery(
          quantity: quantity, device: device, from: from, to: span.upperBound, limit: 1,
          states: states)
      ).last
    }
    heard = try last(states: Set(Sample.State.allCases))?.end
    battery = try last(.batteryLevel)?.reading.value
    let later = span.lowerBound + 1
    let waits = try reader.samples(
      SampleQuery(
        owner: .unassigned, device: device, from: later, to: span.upperBound, limit: 100))
    hasUnbelieved =
      try waits.contains(where: \.quantity.isPersonal)
      || last(from: later, states: [.notTaken]) != nil
  }
}

extension SilenceReason {
  /// The most probable reasons, the first one first: two where the evidence does not tell them
  /// apart.
  package static func probable(_ evidence: SilenceEvidence) -> [SilenceReason] {
    let span = evidence.span
    let length = max(1, span.upperBound.timeIntervalSince(span.lowerBound))
    if evidence.isAway { return [.away] }
    if evidence.hasUnbelieved { return [.notBelieved] }
    let off = evidence.offs.reduce(0.0) {
      let common = $1.clamped(to: span)
      return $0 + common.upperBound.timeIntervalSince(common.lowerBound)
    }
    if off > length / 2 { return [.boxOff] }
    func isMost(since date: Date?) -> Bool {
      date.map { span.upperBound.timeIntervalSince(max($0, span.lowerBound)) > length / 2 } ?? false
    }
    if isMost(since: evidence.radioFailedSince) { return [.radioFailed] }
    if isMost(since: evidence.noNetworkSince) { return [.noNetwork] }
    let isLow = evidence.battery.map { $0 < Quantity.lowBattery } ?? false
    if let heard = evidence.heard, heard.timeIntervalSince(span.lowerBound) >= length / 3 {
      // It was there long after its last measurement: a person who fell ill or left looks the same. A
      // message that ends a measurement, as many a battery's, does not say so.
      return isLow ? [.notMeasured, .batteryLow] : [.notMeasured]
    }
    // A scale is heard only while somebody stands on it: an empty battery looks the same.
    if isLow { return [.batteryLow, .notMeasured] }
    return evidence.heard == nil ? [.notMeasured, .notReceived] : [.notReceived, .notMeasured]
  }
}
