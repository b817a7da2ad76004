public import Foundation

/// The identity of a sample, the same when it is received, or replayed, again.
///
/// It has the parts that tell one reading from all others, and no digest of them, so two samples that
/// differ in any part are never confused. ``text`` is the identity outside of this program.
public struct SampleIdentity: Hashable, Sendable {
  /// How long the frames of one broadcast are one reading, in seconds after the first.
  public static let broadcastWindow: TimeInterval = 30

  /// The time of a reading, as far as it tells the reading from others.
  public enum Time: Hashable, Sendable {
    /// The device's own, of a clock that is believed.
    case clock(LocalDateTime)
    /// The arrival, or the start of a streamed reading, in µs since 1970.
    case arrival(Int64)
    /// The arrival of a broadcast, in µs since 1970: the same frame within ``broadcastWindow`` is the
    /// same reading, in whichever store it arrived.
    case broadcast(Int64)
  }

  /// The parts of a reading's identity.
  public struct Parts: Hashable, Sendable {
    /// The device's address, or a recorded sensor's name, as it is spelt.
    public var device: String
    /// The quantity.
    public var quantity: Quantity
    /// The time.
    public var time: Time
    /// The reading's ``Reading/ordinal`` in its frame.
    ///
    /// That of a performed measurement's figure follows from its computation and kind, so it does not
    /// depend on the other figures.
    public var ordinal: Int
    /// The device's user slot.
    public var userIndex: Int?
    /// The bytes; none of a streamed reading, which repeats them.
    public var raw: [UInt8]
  }

  private enum Content: Hashable, Sendable {
    case reading(Parts)
    /// The name of another program's entry, which is its identity there, too.
    case entry(String)
  }

  private let content: Content

  /// The parts; `nil` for an entry of another program.
  public var parts: Parts? {
    if case .reading(let parts) = content { parts } else { nil }
  }

  /// The identity of the sample that `reading` becomes; a clock that is not believed is no part of
  /// it.
  public init(_ reading: Reading, isClockTrusted: Bool = true) {
    let time: Time
    if reading.isStreamed {
      time = .arrival((reading.interval?.start ?? reading.arrival).microseconds)
    } else if let clock = reading.deviceTime, isClockTrusted {
      time = .clock(clock)
    } else {
      let arrival = reading.arrival.microseconds
      time = reading.isBroadcast ? .broadcast(arrival) : .arrival(arrival)
    }
    content = .reading(
      Parts(
        device: reading.device.address.text, quantity: reading.quantity, time: time,
        ordinal: reading.ordinal, userIndex: reading.userIndex,
        raw: reading.isStreamed ? [] : reading.raw))
  }
}

// MARK: - Text

extension SampleIdentity {
  /// The identity as text.
  ///
  /// The parts of a reading are separated by `|`: device, quantity, time, ordinal, user slot, and the
  /// bytes in hex. The time is the clock's, or the µs of an arrival after `a`, those of a broadcast's
  /// after `b`.
  public var text: String {
    switch content {
    case .reading(let parts): parts.text
    case .entry(let text): text
    }
  }

  /// Reads a text: that of a reading, else it is another program's entry.
  public init(text: String) {
    content = Parts(text: text).map(Content.reading) ?? .entry(text)
  }
}

extension SampleIdentity.Parts {
  /// Reads the text of a reading's identity.
  ///
  /// - Returns: `nil` for any other text, also one that spells the same parts in another way.
  fileprivate init?(text: String) {
    // A device's name may contain the separator; a fixed number of parts follows it.
    let parts = text.split(separator: "|", omittingEmptySubsequences: false)
    guard parts.count >= 6 else { return nil }
    let last = Array(parts.suffix(5))
    guard let quantity = Quantity(rawValue: String(last[0])),
      let time = SampleIdentity.Time(text: last[1]), let ordinal = Int(last[2]),
      let raw = [UInt8](hex: last[4])
    else { return nil }
    self.init(
      device: parts.dropLast(5).joined(separator: "|"), quantity: quantity, time: time,
      ordinal: ordinal, userIndex: Int(last[3]), raw: raw)
    guard self.text == text else { return nil }
  }

  fileprivate var text: String {
    let clock: String? = if case .clock(let clock) = time { clock.description } else { nil }
    let known = device.utf8.count + quantity.rawValue.utf8.count + (clock?.utf8.count ?? 0)
    // Beside them stand three numbers, a letter and five separators.
    let capacity = known + 2 * raw.count + 3 * 20 + 6
    return unsafe String(unsafeUninitializedCapacity: capacity) { buffer in
      var text = unsafe TextBuffer(buffer)
      text.append(device)
      text.append("|")
      text.append(quantity.rawValue)
      text.append("|")
      switch time {
      case .clock: text.append(clock ?? "")
      case .arrival(let microseconds):
        text.append("a")
        text.append(decimal: microseconds)
      case .broadcast(let microseconds):
        text.append("b")
        text.append(decimal: microseconds)
      }
      text.append("|")
      text.append(decimal: Int64(ordinal))
      text.append("|")
      if let userIndex { text.append(decimal: Int64(userIndex)) }
      text.append("|")
      text.append(hexOf: raw)
      return text.count
    }
  }
}

extension SampleIdentity.Time {
  fileprivate init?(text: Substring) {
    let number = Int64(text.dropFirst())
    switch (text.first, number) {
    case ("a", let number?): self = .arrival(number)
    case ("b", let number?): self = .broadcast(number)
    default:
      guard let clock = LocalDateTime(text: String(text)) else { return nil }
      self = .clock(clock)
    }
  }
}

extension LocalDateTime {
  /// Reads the text of ``description``; `nil` for anything else.
  ///
  /// The fields need not make a real date.
  package init?(text: String) {
    let halves = text.split(separator: "T", omittingEmptySubsequences: false)
    guard halves.count == 2 else { return nil }
    let date = halves[0].split(separator: "-").compactMap { Int($0) }
    let time = halves[1].split(separator: ":").compactMap { Int($0) }
    // A device sends a year in two bytes, and every other field in one.
    guard date.count == 3, time.count == 3, date[0] <= UInt16.max,
      (date.dropFirst() + time).allSatisfy({ $0 <= UInt8.max })
    else { return nil }
    self.init(
      year: date[0], month: date[1], day: date[2], hour: time[0], minute: time[1],
      second: time[2])
    guard description == text else { return nil }
  }
}

/// ASCII and UTF-8 written into memory that a string will own: an identity is written for
/// every line of an export.
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
