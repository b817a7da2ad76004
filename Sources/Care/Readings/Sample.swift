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
  /// The identity, the same when the sample is received again: see ``SampleIdentity``.
  public var identity: SampleIdentity {
    get { ownIdentity ?? SampleIdentity(reading, isClockTrusted: isClockTrusted) }
    set { ownIdentity = newValue }
  }
  /// The identity; `nil` for the one of the reading, whose text is made only when it is needed.
  private var ownIdentity: SampleIdentity?
  /// The measurement, as it was received.
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
    /// A person said that it is of none of the patients.
    case disowned
    /// A person's correction stands in its place.
    case corrected
    /// Another receiver reported the same broadcast earlier.
    case duplicate
    /// Its value is none that the quantity can have (``Quantity/possible``), or the device's definition
    /// discards it (``Reading/discardedBy``): it is kept, and not taken as a measurement.
    case notTaken
  }

  /// Makes a sample.
  public init(
    identity: SampleIdentity, reading: Reading, patient: String? = nil,
    unassignedReason: String? = nil, start: Date, end: Date, isClockTrusted: Bool = true,
    provenance: Provenance = .passive, state: State = .live, corrects: SampleIdentity? = nil
  ) {
    self.init(
      reading: reading, patient: patient, unassignedReason: unassignedReason, start: start,
      end: end,
      isClockTrusted: isClockTrusted, provenance: provenance, state: state, corrects: corrects)
    ownIdentity = identity
  }

  /// Makes a sample with the identity of its reading.
  public init(
    reading: Reading, patient: String? = nil, unassignedReason: String? = nil, start: Date,
    end: Date, isClockTrusted: Bool = true, provenance: Provenance = .passive, state: State = .live,
    corrects: SampleIdentity? = nil
  ) {
    ownIdentity = nil
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
  @inlinable
  public subscript<Member>(dynamicMember member: WritableKeyPath<Reading, Member>) -> Member {
    get { reading[keyPath: member] }
    set { reading[keyPath: member] = newValue }
  }
}

extension Sample {
  /// Its state if nobody says anything about it: whether its value can be one of the quantity, and the
  /// device's definition takes it for one.
  package var ownState: State {
    reading.discardedBy == nil && reading.quantity.possible.contains(reading.value)
      ? .live : .notTaken
  }

  /// Whether its device has a clock that is not believed; of a device without one, nothing is to be
  /// doubted.
  public var hasDistrustedClock: Bool { !isClockTrusted && reading.deviceTime != nil }

  public static func == (a: Sample, b: Sample) -> Bool {
    a.reading == b.reading && a.patient == b.patient && a.unassignedReason == b.unassignedReason
      && a.start == b.start && a.end == b.end && a.isClockTrusted == b.isClockTrusted
      && a.provenance == b.provenance && a.state == b.state && a.corrects == b.corrects
      && (a.ownIdentity == b.ownIdentity || a.identity == b.identity)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(reading)
    hasher.combine(patient)
    hasher.combine(start)
    hasher.combine(state)
  }
}

/// The identity of a sample, the same when it is received, or replayed, again.
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
///
/// The ordinal of a performed measurement's figure follows from its computation and kind, so it
/// does not depend on the other figures.
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
    let device = reading.device.address.text
    let clock =
      reading.isStreamed || !isClockTrusted ? nil : reading.deviceTime.map(\.description)
    let known = device.utf8.count + reading.quantity.rawValue.utf8.count + (clock?.utf8.count ?? 0)
    // Beside them stand three numbers, a letter and five separators.
    let capacity = known + 2 * reading.raw.count + 3 * 20 + 6
    rawValue = unsafe String(unsafeUninitializedCapacity: capacity) { buffer in
      var text = unsafe TextBuffer(buffer)
      text.append(device)
      text.append("|")
      text.append(reading.quantity.rawValue)
      text.append("|")
      if let clock {
        text.append(clock)
      } else {
        text.append(reading.isBroadcast && !reading.isStreamed ? "b" : "a")
        let time = reading.isStreamed ? reading.interval?.start : nil
        text.append(decimal: (time ?? reading.arrival).microseconds)
      }
      text.append("|")
      text.append(decimal: Int64(reading.ordinal))
      text.append("|")
      if let userIndex = reading.userIndex { text.append(decimal: Int64(userIndex)) }
      text.append("|")
      if !reading.isStreamed { text.append(hexOf: reading.raw) }
      return text.count
    }
  }
}

/// ASCII and UTF-8 written into memory that a string will own: every sample's identity is built
/// when it is stored.
@safe private struct TextBuffer {
  private let bytes: UnsafeMutableBufferPointer<UInt8>
  private(set) var count = 0

  init(_ bytes: UnsafeMutableBufferPointer<UInt8>) {
    unsafe self.bytes = bytes
  }

  private mutating func append(_ byte: UInt8) {
    unsafe bytes[count] = byte
    count += 1
  }

  mutating func append(_ text: String) {
    for byte in text.utf8 { append(byte) }
  }

  /// Appends the digits of a number.
  mutating func append(decimal number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    var (rest, divisor) = (number.magnitude, UInt64(1))
    while rest / divisor > 9 { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(rest / divisor))
      rest %= divisor
      divisor /= 10
    }
  }

  mutating func append(hexOf raw: [UInt8]) {
    for byte in raw {
      append(hexDigit: byte >> 4)
      append(hexDigit: byte & 15)
    }
  }

  private mutating func append(hexDigit digit: UInt8) {
    append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
  }
}

extension Sample {
  /// The largest time between a weight and what its scale measures with it, in seconds.
  package static let weighingSpan: TimeInterval = 60

  /// Whether this weight is of the weighing in which the same device measured `reading`.
  ///
  /// - Parameters:
  ///   - reading: A value that a scale measures beside a weight.
  ///   - start: When the reading was measured.
  /// - Returns: Whether device, device's time and user are the same, and the times near.
  package func isWeight(with reading: Reading, at start: Date) -> Bool {
    self.reading.quantity == .bodyMass && self.reading.device.address == reading.device.address
      && self.reading.deviceTime == reading.deviceTime
      && self.reading.userIndex == reading.userIndex
      && abs(self.start.timeIntervalSince(start)) <= Self.weighingSpan
  }
}
