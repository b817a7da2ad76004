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
  /// Of a sample that is read from a store, the interval is that of ``start`` and ``end``.
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
  /// Whether it counts.
  public var state: State
  /// The measured sample that this one, which a person entered, stands in place of.
  public var corrects: SampleIdentity?

  /// Whether a sample counts.
  public enum State: String, Hashable, Sendable, CaseIterable, Codable {
    /// It counts.
    case live
    /// A person deleted it.
    case deleted
    /// A person's correction stands in its place.
    case corrected
    /// Another receiver reported the same broadcast earlier.
    case duplicate
  }

  /// Makes a sample.
  public init(
    identity: SampleIdentity, reading: Reading, patient: String? = nil,
    unassignedReason: String? = nil, start: Date, end: Date, isClockTrusted: Bool = true,
    provenance: Provenance = .passive, state: State = .live, corrects: SampleIdentity? = nil
  ) {
    self.identity = identity
    self.reading = reading
    self.patient = patient
    self.unassignedReason = unassignedReason
    self.start = start
    self.end = end
    self.isClockTrusted = isClockTrusted
    self.provenance = provenance
    self.state = state
    self.corrects = corrects
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
/// ``Reading/ordinal`` in its frame, the user slot, and the raw bytes in hex. The time is
///
/// - the device's own, if it has a clock that is believed;
/// - else `a` and the arrival in microseconds since 1970;
/// - `b` and the arrival for a broadcast: the same frame within ``broadcastWindow`` is the same
///   reading, in whichever store it arrived;
/// - `a` and the start (of an interval) or arrival for a streamed reading, which repeats its bytes
///   and therefore has no raw part.
public struct SampleIdentity: Hashable, Sendable, RawRepresentable {
  /// The identity as text.
  public var rawValue: String

  /// How long the frames of one broadcast are one reading, in seconds after the first.
  public static let broadcastWindow: TimeInterval = 30

  /// Makes an identity of its text.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The identity of the sample that `reading` becomes; a clock that is not believed is no part of
  /// it.
  public init(_ reading: Reading, isClockTrusted: Bool = true) {
    let time: String
    if reading.isStreamed {
      time = "a\(reading.interval?.start.microseconds ?? reading.arrival.microseconds)"
    } else if let deviceTime = reading.deviceTime, isClockTrusted {
      time = deviceTime.description
    } else {
      time = (reading.isBroadcast ? "b" : "a") + String(reading.arrival.microseconds)
    }
    let raw = reading.isStreamed ? "" : reading.raw.hexString
    rawValue = [
      reading.device.address.text, reading.quantity.rawValue, time, String(reading.ordinal),
      reading.userIndex.map(String.init) ?? "", raw,
    ].joined(separator: "|")
  }
}
