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

  /// The record's number in the meter, by which ``RecordAccessControlPoint`` selects it.
  public var sequenceNumber: UInt16
  /// The time on the meter's clock, without `timeOffset`.
  public var baseTime: DateTime
  /// The user's adjustment of the clock in minutes, to be added to `baseTime`.
  public var timeOffset: Int16?
  /// The concentration, if measured.
  public var concentration: Concentration?
  /// The status annunciation of the sensor.
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
    timeOffset = try reader.s16("time offset", if: flags.contains(.timeOffset))
    let unit: Unit = flags.contains(.molesPerLitre) ? .molesPerLitre : .kilogramsPerLitre
    concentration = try reader.announced(flags.contains(.concentration)) {
      reader throws(GATTError) in try Concentration(from: &reader, unit: unit)
    }
    status = try reader.u16("sensor status annunciation", if: flags.contains(.status))
      .map(Status.init(rawValue:))
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

// MARK: - Concentration, unit and status

extension GlucoseMeasurement {
  /// A glucose concentration with its fluid and sample location.
  public struct Concentration: Hashable, Sendable {
    /// The concentration in `unit`.
    public var value: MedicalFloat
    /// The unit of `value`.
    public var unit: Unit
    /// The fluid, 0…15: 1 capillary whole blood, 2 capillary plasma, 3 venous whole
    /// blood, 4 venous plasma, 5 arterial whole blood, 6 arterial plasma, 7 undetermined whole
    /// blood, 8 undetermined plasma, 9 interstitial fluid, 10 control solution.
    public var type: UInt8
    /// The sample location, 0…15: 1 finger, 2 alternate site, 3 ear lobe, 4 control solution,
    /// 15 not known.
    public var location: UInt8

    /// Makes a concentration; only the low 4 bits of `type` and `location` are used.
    public init(value: MedicalFloat, unit: Unit, type: UInt8, location: UInt8) {
      self.value = value
      self.unit = unit
      self.type = type & 0x0F
      self.location = location & 0x0F
    }

    init(from reader: inout ByteReader, unit: Unit) throws(GATTError) {
      let value = try reader.sfloat("glucose concentration")
      let nibbles = try reader.u8("type-sample location")
      self.init(value: value, unit: unit, type: nibbles, location: nibbles >> 4)
    }

    func encode(into writer: inout ByteWriter) {
      writer.sfloat(value)
      writer.u8(location << 4 | type & 0x0F)
    }

    /// Whether a control solution was measured instead of a person.
    public var isControlSolution: Bool { type == 10 || location == 4 }
  }

  /// A unit of concentration.
  public enum Unit: Hashable, Sendable, CaseIterable {
    /// kg/L; 1 mg/dL is 10^-5 of it.
    case kilogramsPerLitre
    /// mol/L; 1 mmol/L is 10^-3 of it.
    case molesPerLitre
  }

  /// Faults of a glucose measurement (`Sensor Status Annunciation`).
  public struct Status: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
      self.rawValue = rawValue
    }

    /// The battery is low.
    public static let batteryLow = Status(rawValue: 1 << 0)
    /// The sensor is broken.
    public static let sensorMalfunction = Status(rawValue: 1 << 1)
    /// The sample is insufficient.
    public static let sampleInsufficient = Status(rawValue: 1 << 2)
    /// The strip was inserted wrongly.
    public static let stripInsertionError = Status(rawValue: 1 << 3)
    /// The strip is of the wrong kind.
    public static let wrongStripType = Status(rawValue: 1 << 4)
    /// The result is above the meter's range.
    public static let resultTooHigh = Status(rawValue: 1 << 5)
    /// The result is below the meter's range.
    public static let resultTooLow = Status(rawValue: 1 << 6)
    /// The temperature is too high to measure.
    public static let temperatureTooHigh = Status(rawValue: 1 << 7)
    /// The temperature is too low to measure.
    public static let temperatureTooLow = Status(rawValue: 1 << 8)
    /// The strip was pulled out too soon.
    public static let readInterrupted = Status(rawValue: 1 << 9)
    /// Another fault of the device.
    public static let deviceFault = Status(rawValue: 1 << 10)
    /// The clock is wrong or was reset.
    public static let timeFault = Status(rawValue: 1 << 11)
  }
}
