/// `Glucose Measurement` (2A18): one record of a glucose meter.
///
/// ```
/// flags u8  0 time offset · 1 concentration, type and location · 2 mol/L · 3 sensor status
///           4 a context record follows
/// sequence number u16, base time 7
/// [time offset s16] [concentration SFLOAT, type and location u8] [sensor status u16]
/// ```
/// Source: Glucose Service 1.0.1 §3.1.
public struct GlucoseMeasurement: Characteristic {
  public static let uuid = BluetoothUUID(0x2A18)

  /// The record's number in the meter, which ``RecordAccessControlPoint`` asks by.
  public var sequenceNumber: UInt16
  /// What the meter's clock showed, before `timeOffset`.
  public var baseTime: DateTime
  /// What to add to `baseTime`, in minutes: how far the user has since set the clock.
  public var timeOffset: Int16?
  /// The concentration, where it was measured.
  public var concentration: Concentration?
  /// What went wrong.
  public var status: Status?
  /// Whether a `Glucose Measurement Context` (2A34) of the same sequence number follows.
  public var hasContext: Bool

  /// Makes a record.
  public init(
    sequenceNumber: UInt16, baseTime: DateTime, timeOffset: Int16? = nil,
    concentration: Concentration? = nil, status: Status? = nil, hasContext: Bool = false
  ) {
    self.sequenceNumber = sequenceNumber
    self.baseTime = baseTime
    self.timeOffset = timeOffset
    self.concentration = concentration
    self.status = status
    self.hasContext = hasContext
  }
}

extension GlucoseMeasurement {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let timeOffset = Flags(rawValue: 1 << 0)
    static let concentration = Flags(rawValue: 1 << 1)
    static let molesPerLitre = Flags(rawValue: 1 << 2)
    static let status = Flags(rawValue: 1 << 3)
    static let context = Flags(rawValue: 1 << 4)
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    let flags = Flags(rawValue: try reader.u8("flags"))
    sequenceNumber = try reader.u16("sequence number")
    baseTime = try DateTime(from: &reader)
    timeOffset = flags.contains(.timeOffset) ? try reader.s16("time offset") : nil
    concentration =
      flags.contains(.concentration)
      ? try Concentration(
        from: &reader,
        unit: flags.contains(.molesPerLitre) ? .molesPerLitre : .kilogramsPerLitre) : nil
    status =
      flags.contains(.status)
      ? Status(rawValue: try reader.u16("sensor status annunciation")) : nil
    hasContext = flags.contains(.context)
  }

  public func encode(into writer: inout ByteWriter) {
    var flags: Flags = hasContext ? .context : []
    if timeOffset != nil { flags.insert(.timeOffset) }
    if concentration != nil { flags.insert(.concentration) }
    if concentration?.unit == .molesPerLitre { flags.insert(.molesPerLitre) }
    if status != nil { flags.insert(.status) }
    writer.u8(flags.rawValue)
    writer.u16(sequenceNumber)
    baseTime.encode(into: &writer)
    if let timeOffset { writer.s16(timeOffset) }
    concentration?.encode(into: &writer)
    if let status { writer.u16(status.rawValue) }
  }
}
