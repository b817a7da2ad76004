import Actions
import Attribution
import Care
import Foundation

/// Assigns readings to patients, on evidence only.
///
/// In this order: a device bound with its user slot; a device bound to one person, unless what is
/// expected of the person contradicts; for a weight, the evidence of all weighings before it; for a
/// device of the household, a plan with one patient. That a plan knows one patient is no evidence
/// that the devices in range are that patient's: what an unbound one measures is unassigned.
struct ReadingAttribution {
  /// The patients whose readings are stored.
  var patients: [Patient]
  /// The plan's devices.
  var bindings: [DeviceBinding]

  /// The patient of a reading, or the reason why it is unassigned.
  enum Owner: Hashable {
    case patient(String)
    case unassigned(UnassignedReason)
    /// A named housemate's, of whom nothing is stored under a name.
    case housemate(UnassignedReason)

    /// The patient; `nil` if the reading is unassigned.
    var patient: String? {
      guard case .patient(let patient) = self else { return nil }
      return patient
    }
  }

  /// The owner of `reading`; `verdict` judges a weight by the evidence of all weighings.
  func owner(of reading: Reading, verdict: () throws -> Verdict) rethrows -> Owner {
    guard !patients.isEmpty else {
      return .unassigned(.noPlan)
    }
    if reading.discardedBy != nil { return .unassigned(.discarded) }
    guard reading.quantity.plausible.contains(reading.value) else {
      return .unassigned(.implausible)
    }
    let slot = bindings.slot(of: reading)
    if let patient = slot.patient { return owner(patient) }
    if let index = reading.userIndex, slot.isBound {
      return .unassigned(.unboundSlot(index: Int(index)))
    }
    if let patient = bindings.onlyPatient(of: reading) {
      guard reading.quantity == .bodyMass, expectsWeight(of: patient) else {
        return unexpected(reading, of: patient) ?? owner(patient)
      }
      let verdict = try verdict()
      return verdict.excludes(patient)
        ? owner(by: verdict, of: reading) : owner(patient)
    }
    if reading.quantity == .bodyMass { return owner(by: try verdict(), of: reading) }
    let device = reading.device.address
    guard bindings.isOfHousehold(device) else {
      return .unassigned(.unbound)
    }
    guard let patient = patients.first, patients.count == 1 else {
      return .unassigned(.severalPatients(count: patients.count))
    }
    return unexpected(reading, of: patient.id) ?? .patient(patient.id)
  }

  private func expectsWeight(of patient: String) -> Bool {
    patients.contains { $0.id == patient && $0.expects[Quantity.bodyMass.rawValue] != nil }
  }

  /// The patient that a device is bound to, unless only another patient's readings are stored.
  private func owner(_ patient: String) -> Owner {
    patients.contains { $0.id == patient }
      ? .patient(patient) : .unassigned(.notStored(patient: patient))
  }

  private func owner(by verdict: Verdict, of reading: Reading) -> Owner {
    switch verdict.decision {
    // On a bound device another patient's weight waits, too: binding and weight contradict.
    case .patient(let patient) where bindings.onlyPatient(of: reading) ?? patient == patient:
      patients.contains { $0.id == patient }
        ? .patient(patient) : .unassigned(.weightNotStored(patient: patient))
    case .housemate where bindings.onlyPatient(of: reading) == nil:
      .housemate(.weighing(UnassignedWeighing(verdict)))
    case .patient, .housemate, .unassigned:
      .unassigned(.weighing(UnassignedWeighing(verdict)))
    }
  }

  /// The veto of what the plan expects of the patient, with a tolerance.
  private func unexpected(_ reading: Reading, of patient: String) -> Owner? {
    guard reading.quantity != .bodyMass,
      let expected = patients.first(where: { $0.id == patient })?.expects[
        reading.quantity.rawValue],
      let tolerance = expected.tolerance, !reading.isWithin(tolerance, of: expected.value)
    else { return nil }
    return .unassigned(.unexpected(patient: patient))
  }
}

extension PlanSnapshot {
  /// The rule that assigns readings.
  var attribution: ReadingAttribution {
    ReadingAttribution(patients: patients, bindings: bindings)
  }
}

extension Verdict {
  /// Whether the weight is probably another person's: odds below 1 in 20.
  fileprivate func excludes(_ patient: String) -> Bool {
    (odds.first { $0.patient == patient }?.millionths ?? 0) < 50_000
  }
}

extension Reading {
  /// Whether the value is at most `tolerance` away from `reference`.
  ///
  /// Compared in millionths of the unit, so that 86.4 is exactly 6.4 away from 80.
  func isWithin(_ tolerance: Double, of reference: Double) -> Bool {
    (abs(value - reference) * 1_000_000).rounded() <= (tolerance * 1_000_000).rounded()
  }
}

// MARK: - Device clock

/// Decides when a reading was taken: at the time of the device's clock if that can be true,
/// otherwise on arrival.
///
/// A broadcast reading is taken now: its device's time is more exact than the arrival if both
/// agree, and wrong if they do not. A reading over a link may have waited in the device's memory:
/// an older time holds, if it can be true.
struct DeviceClock {
  /// The most by which the clock of a device that sends live may differ, and by which any may be
  /// ahead, in seconds.
  static let tolerance = Reading.clockTolerance

  /// A clock that shows an earlier year has lost its time: the epochs to which devices reset (1970,
  /// 2000, 2010) all lie before.
  static let earliestYear = 2015

  /// The zone of device clocks: the plan's.
  var timeZone: TimeZone

  /// The state of the clock that dates arrivals.
  var machine = MachineClockState.set

  /// The time of a reading, and whether it is trusted.
  struct Verdict: Hashable {
    /// The time of the reading.
    var start: Date
    /// Whether it is the device's own time, or the arrival of a reading that needs no clock.
    var isTrusted: Bool
    /// Whether the device's clock tells this reading from the device's others.
    var isDated: Bool
    /// By how many seconds the device's clock is ahead, if that is why it is not trusted.
    var error: TimeInterval?

    init(start: Date, isTrusted: Bool, isDated: Bool? = nil, error: TimeInterval? = nil) {
      (self.start, self.isTrusted, self.error) = (start, isTrusted, error)
      self.isDated = isDated ?? isTrusted
    }
  }

  /// The evidence of a device's earlier readings about its clock.
  struct History: Hashable {
    /// The latest trusted time of the records that an earlier connection fetched: a later one sends
    /// what was measured since.
    var lastFetched: Date?
    /// By how many seconds the clock was ahead when it was last seen live, if it was wrong.
    var error: TimeInterval?
  }

  /// The time of `reading`.
  ///
  /// - Parameters:
  ///   - reading: A reading.
  ///   - history: The clock history of a device that sends stored records.
  /// - Returns: The time of the reading.
  func verdict(on reading: Reading, _ history: History = History()) -> Verdict {
    var verdict = verdict(onArrivalOf: reading, history)
    switch machine {
    case .set: return verdict
    case .unsynchronized where reading.isStreamed: return verdict
    case .unsynchronized, .behind: break
    }
    // A clock that was never set stands in the past: of two that differ, the later one is right.
    if let error = verdict.error, error > Self.tolerance, history.error == nil,
      (reading.deviceTime?.year ?? 0) >= Self.earliestYear
    {
      verdict.start = reading.arrival + error
      verdict.isDated = true
    }
    verdict.isTrusted = false
    verdict.error = nil
    return verdict
  }

  /// The time of `reading`, if it arrived when this machine's clock says.
  private func verdict(onArrivalOf reading: Reading, _ history: History) -> Verdict {
    if let interval = reading.interval { return Verdict(start: interval.start, isTrusted: true) }
    guard let deviceTime = reading.deviceTime else {
      return Verdict(start: reading.arrival, isTrusted: reading.isStreamed)
    }
    // Of a time that occurs twice, the arrival tells which it is.
    let latest = reading.arrival + Self.tolerance
    let instants = deviceTime.instants(in: timeZone)
    guard let time = instants.last(where: { $0 <= latest }) ?? instants.first else {
      return Verdict(start: reading.arrival, isTrusted: false)
    }
    let error = time.timeIntervalSince(reading.arrival)
    let unknown = Verdict(start: reading.arrival, isTrusted: false, error: error)
    if reading.isBroadcast {
      guard abs(error) <= Self.tolerance else { return unknown }
      // Of two clocks that are on different days, this machine's says which day it is.
      let isOneDay = LocalDateTime(reading.arrival, in: timeZone).isSameDay(as: deviceTime)
      return Verdict(start: isOneDay ? time : reading.arrival, isTrusted: true)
    }
    func canBeTrue(_ time: Date) -> Bool {
      // An age needs no clock.
      time <= latest
        && (reading.isDatedByAge || history.lastFetched.map { $0 <= time } ?? true)
    }
    if let known = history.error {
      // The record was stamped by the clock that was seen to be wrong.
      let corrected = time - known
      guard canBeTrue(corrected) else { return unknown }
      return Verdict(start: corrected, isTrusted: false)
    }
    guard deviceTime.year >= Self.earliestYear, canBeTrue(time) else { return unknown }
    return Verdict(start: time, isTrusted: true)
  }
}

/// The state of the machine's clock when a reading arrives.
///
/// A machine without a battery clock starts in 1970, or when it was last shut down. Its clock is
/// right only once a time service has set it.
enum MachineClockState: Hashable, Sendable {
  /// It is right, or the reading is of a recording, which has its own times.
  case set
  /// No time service has set it. It may be right, so streams, of which each single value would have
  /// to be marked, stay as they are.
  case unsynchronized
  /// It shows a time that is past: long before the latest stored sample, or before
  /// ``DeviceClock``'s earliest year.
  case behind

  /// The state at `now`.
  ///
  /// - Parameters:
  ///   - now: The time that the clock shows.
  ///   - isSynchronized: Whether the machine says that it is; `nil` if it does not say.
  ///   - latest: The time of the latest stored sample; `nil` if it is not far ahead.
  init(at now: Date, isSynchronized: Bool?, latest: Date?) {
    if isSynchronized == true {
      self = .set
    } else if now < Self.earliest || latest.map({ now < $0 - Self.slack }) == true {
      self = .behind
    } else {
      self = isSynchronized == false ? .unsynchronized : .set
    }
  }

  /// 2015-01-01, the start of ``DeviceClock/earliestYear``.
  private static let earliest = Date(timeIntervalSince1970: 1_420_070_400)
  /// A day: a sample may be dated by a device whose clock is in another zone.
  static let slack: TimeInterval = 86_400
}

extension LocalDateTime {
  fileprivate func isSameDay(as other: LocalDateTime) -> Bool {
    (year, month, day) == (other.year, other.month, other.day)
  }
}
