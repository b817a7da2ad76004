public import Foundation

/// How a value was obtained.
public enum Provenance: String, Hashable, Sendable, CaseIterable, Codable {
  /// A device reported it by itself.
  case passive
  /// A person performed a measurement.
  case active
  /// A person entered it. A passive value never replaces it.
  case manual
}

/// A stored reading: a patient's, or unassigned.
///
/// The members of ``reading`` are members of the sample, too: `sample.quantity` is
/// `sample.reading.quantity`.
@dynamicMemberLookup
public struct Sample: Hashable, Sendable {
  /// What makes it the same sample when it is received again: see ``SampleIdentity``.
  public var identity: SampleIdentity
  /// What was measured, as it was received.
  ///
  /// A store keeps ``Reading/ordinal`` and ``Reading/isStreamed`` in the identity only: of a sample
  /// read from a store they are 0 and `false`, and the interval is that of ``start`` and ``end``.
  public var reading: Reading
  /// The patient it belongs to; `nil` while it is unassigned.
  public var patient: String?
  /// Why it is unassigned, for people; `nil` once it belongs to a patient.
  public var unassignedReason: String?
  /// When it was measured; the start of what is measured over time.
  public var start: Date
  /// When the measured span ended; equal to `start` for an instant.
  public var end: Date
  /// Whether `start` is the device's own time (or the arrival of something that needs no clock).
  public var isClockTrusted: Bool
  /// How it was obtained.
  public var provenance: Provenance

  /// Makes a sample.
  public init(
    identity: SampleIdentity, reading: Reading, patient: String? = nil,
    unassignedReason: String? = nil, start: Date, end: Date, isClockTrusted: Bool = true,
    provenance: Provenance = .passive
  ) {
    self.identity = identity
    self.reading = reading
    self.patient = patient
    self.unassignedReason = unassignedReason
    self.start = start
    self.end = end
    self.isClockTrusted = isClockTrusted
    self.provenance = provenance
  }

  /// A member of ``reading``.
  public subscript<Member>(dynamicMember member: WritableKeyPath<Reading, Member>) -> Member {
    get { reading[keyPath: member] }
    set { reading[keyPath: member] = newValue }
  }
}

/// What makes a sample the same one when it is received, or replayed, again.
///
/// The text is the identity itself, not a digest of it, so two samples that differ in any part are
/// never confused. Its parts, separated by `|`: the device, the quantity, the time, the reading's
/// ``Reading/ordinal`` in its frame, the user slot, and the raw bytes in hex. The time is the
/// device's own, if it has a clock, else `a` and the arrival in microseconds since 1970. A streamed
/// reading repeats its bytes: it has no raw part, and its time is `a` and its start (of an
/// interval) or arrival.
public struct SampleIdentity: Hashable, Sendable, RawRepresentable {
  /// The identity as text.
  public var rawValue: String

  /// Makes an identity of its text.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The identity of the sample that `reading` becomes.
  public init(_ reading: Reading) {
    let time: String
    if reading.isStreamed {
      time = "a\(reading.interval?.start.microseconds ?? reading.arrival.microseconds)"
    } else if let deviceTime = reading.deviceTime {
      time = deviceTime.description
    } else {
      time = "a\(reading.arrival.microseconds)"
    }
    let raw = reading.isStreamed ? "" : reading.raw.hexString
    rawValue = [
      reading.device.address.text, reading.quantity.rawValue, time, String(reading.ordinal),
      reading.userIndex.map(String.init) ?? "", raw,
    ].joined(separator: "|")
  }

  /// The identity that a store of version 0.1 has for the same sample if its sensor was named by an
  /// address in lower case; `nil` for a sensor without an address.
  package var lowercaseAddress: SampleIdentity? {
    let device = rawValue.prefix { $0 != "|" }
    guard device.utf8.count == 17, device.contains(":"), device != device.lowercased() else {
      return nil
    }
    return SampleIdentity(rawValue: device.lowercased() + rawValue.dropFirst(device.count))
  }
}
