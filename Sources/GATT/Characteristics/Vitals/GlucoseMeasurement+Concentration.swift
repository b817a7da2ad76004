extension GlucoseMeasurement {
  /// A glucose concentration, and what it was measured in.
  public struct Concentration: Hashable, Sendable {
    /// The concentration in `unit`.
    public var value: MedicalFloat
    /// The unit of `value`.
    public var unit: Unit
    /// What was measured, 0…15: 1 capillary whole blood, 2 capillary plasma, 3 venous whole
    /// blood, 4 venous plasma, 5 arterial whole blood, 6 arterial plasma, 7 undetermined whole
    /// blood, 8 undetermined plasma, 9 interstitial fluid, 10 control solution.
    public var type: UInt8
    /// Where it was taken, 0…15: 1 finger, 2 alternate site, 3 ear lobe, 4 control solution,
    /// 15 not known.
    public var location: UInt8

    /// Makes a concentration; only the low 4 bits of `type` and `location` are kept.
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

    /// Whether a control solution was measured and not a person.
    public var isControlSolution: Bool { type == 10 || location == 4 }
  }

  /// A unit of concentration.
  public enum Unit: Hashable, Sendable, CaseIterable {
    /// kg/L; 1 mg/dL is 10^-5 of it.
    case kilogramsPerLitre
    /// mol/L; 1 mmol/L is 10^-3 of it.
    case molesPerLitre
  }

  /// What went wrong in a glucose measurement (`Sensor Status Annunciation`).
  public struct Status: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
      self.rawValue = rawValue
    }

    /// The battery is low.
    public static let batteryLow = Status(rawValue: 1 << 0)
    /// The sensor is broken.
    public static let sensorMalfunction = Status(rawValue: 1 << 1)
    /// There was too little blood.
    public static let sampleInsufficient = Status(rawValue: 1 << 2)
    /// The strip was put in wrongly.
    public static let stripInsertionError = Status(rawValue: 1 << 3)
    /// The strip is of the wrong kind.
    public static let wrongStripType = Status(rawValue: 1 << 4)
    /// The result is above what the meter can measure.
    public static let resultTooHigh = Status(rawValue: 1 << 5)
    /// The result is below what the meter can measure.
    public static let resultTooLow = Status(rawValue: 1 << 6)
    /// It is too warm to measure.
    public static let temperatureTooHigh = Status(rawValue: 1 << 7)
    /// It is too cold to measure.
    public static let temperatureTooLow = Status(rawValue: 1 << 8)
    /// The strip was pulled out too soon.
    public static let readInterrupted = Status(rawValue: 1 << 9)
    /// Some other fault of the device.
    public static let deviceFault = Status(rawValue: 1 << 10)
    /// The clock's time is wrong or lost.
    public static let timeFault = Status(rawValue: 1 << 11)
  }
}
