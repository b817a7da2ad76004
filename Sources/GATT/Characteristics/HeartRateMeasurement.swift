/// `Heart Rate Measurement` (2A37): the rate and the intervals between beats.
///
/// ```
/// flags u8  0 rate is u16 · 1 contact detected · 2 contact supported · 3 energy · 4 RR-intervals
/// rate u8 or u16 [energy expended u16] [RR-interval u16 … to the end]
/// ```
/// Source: Heart Rate Service 1.0 §3.1.
public struct HeartRateMeasurement: Characteristic {
  public static let uuid = BluetoothUUID(0x2A37)

  /// The rate in beats a minute as sent; 0 if the sensor detects no beat.
  public var rawRate: UInt16
  /// The sensor's contact with the skin.
  public var contact: Contact
  /// Energy expended since the last reset, in kJ; it saturates at 0xFFFF.
  public var energyExpended: UInt16?
  /// The times between beats in 1/1024 s (not ms), oldest first.
  ///
  /// Empty if they are not sent, or if a frame announces them before the next beat.
  public var rrIntervals: [UInt16]

  /// Makes a measurement.
  public init(
    rawRate: UInt16, contact: Contact = .notSupported, energyExpended: UInt16? = nil,
    rrIntervals: [UInt16] = []
  ) {
    self.rawRate = rawRate
    self.contact = contact
    self.energyExpended = energyExpended
    self.rrIntervals = rrIntervals
  }

  /// A sensor's contact with the skin.
  public enum Contact: Hashable, Sendable, CaseIterable {
    /// The sensor does not detect contact.
    case notSupported
    /// No contact, or a poor one.
    case notDetected
    /// Contact.
    case detected
  }

  /// The rate in beats a minute; `nil` for 0, no beat detected.
  public var rate: Int? {
    rawRate == 0 ? nil : Int(rawRate)
  }

  /// The times between beats in seconds, oldest first.
  public var rrIntervalsInSeconds: [ScaledValue] {
    rrIntervals.map { ScaledValue($0, per: 1024) }
  }
}

extension HeartRateMeasurement {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let wideRate = Flags(rawValue: 1 << 0)
    static let contactDetected = Flags(rawValue: 1 << 1)
    static let contactSupported = Flags(rawValue: 1 << 2)
    static let energy = Flags(rawValue: 1 << 3)
    static let rrIntervals = Flags(rawValue: 1 << 4)
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    let flags = Flags(rawValue: try reader.u8("flags"))
    rawRate =
      flags.contains(.wideRate)
      ? try reader.u16("heart rate") : UInt16(try reader.u8("heart rate"))
    if flags.contains(.contactSupported) {
      contact = flags.contains(.contactDetected) ? .detected : .notDetected
    } else {
      contact = .notSupported
    }
    energyExpended = try reader.u16("energy expended", if: flags.contains(.energy))
    rrIntervals = []
    if flags.contains(.rrIntervals) {
      // No count is sent: the list ends with the last whole interval.
      while reader.remaining >= 2 { rrIntervals.append(try reader.u16("RR-interval")) }
    }
  }

  public func encode(into writer: inout ByteWriter) {
    let narrowRate = UInt8(exactly: rawRate)
    var flags: Flags = narrowRate == nil ? .wideRate : []
    if contact != .notSupported { flags.insert(.contactSupported) }
    if contact == .detected { flags.insert(.contactDetected) }
    if energyExpended != nil { flags.insert(.energy) }
    if !rrIntervals.isEmpty { flags.insert(.rrIntervals) }
    writer.u8(flags.rawValue)
    if let narrowRate { writer.u8(narrowRate) } else { writer.u16(rawRate) }
    if let energyExpended { writer.u16(energyExpended) }
    for interval in rrIntervals { writer.u16(interval) }
  }
}
