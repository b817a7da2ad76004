/// `Temperature Measurement` (2A1C), and `Intermediate Temperature` (2A1E) in the same layout.
///
/// ```
/// flags u8  0 Fahrenheit · 1 time stamp · 2 temperature type
/// temperature FLOAT [time stamp 7] [temperature type u8]
/// ```
/// Source: Health Thermometer Service 1.0 §3.1 and §3.3.
public struct TemperatureMeasurement: Characteristic {
  public static let uuid = BluetoothUUID(0x2A1C)
  /// The UUID of the values during a measurement.
  public static let intermediateUUID = BluetoothUUID(0x2A1E)

  /// The unit of the temperature.
  public var unit: Unit
  /// The temperature.
  public var temperature: MedicalFloat
  /// The time on the thermometer's clock.
  public var timeStamp: DateTime?
  /// The site of the measurement on the body.
  public var site: Site?

  /// Makes a measurement.
  public init(
    unit: Unit = .celsius, temperature: MedicalFloat, timeStamp: DateTime? = nil,
    site: Site? = nil
  ) {
    self.unit = unit
    self.temperature = temperature
    self.timeStamp = timeStamp
    self.site = site
  }

  /// A unit of temperature.
  public enum Unit: Hashable, Sendable, CaseIterable {
    /// Degrees Celsius.
    case celsius
    /// Degrees Fahrenheit.
    case fahrenheit
  }

  /// The site of a temperature measurement on the body (`Temperature Type`, 2A1D).
  public struct Site: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// In the armpit.
    public static let armpit = Site(rawValue: 1)
    /// On the body in general.
    public static let body = Site(rawValue: 2)
    /// At the ear, mostly the lobe.
    public static let ear = Site(rawValue: 3)
    /// At a finger.
    public static let finger = Site(rawValue: 4)
    /// In the gastro-intestinal tract.
    public static let gastroIntestinalTract = Site(rawValue: 5)
    /// In the mouth.
    public static let mouth = Site(rawValue: 6)
    /// In the rectum.
    public static let rectum = Site(rawValue: 7)
    /// At a toe.
    public static let toe = Site(rawValue: 8)
    /// At the ear drum.
    public static let tympanum = Site(rawValue: 9)
  }
}

extension TemperatureMeasurement {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let fahrenheit = Flags(rawValue: 1 << 0)
    static let timeStamp = Flags(rawValue: 1 << 1)
    static let site = Flags(rawValue: 1 << 2)
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    let flags = Flags(rawValue: try reader.u8("flags"))
    unit = flags.contains(.fahrenheit) ? .fahrenheit : .celsius
    temperature = try reader.float("temperature")
    timeStamp = try reader.announced(flags.contains(.timeStamp), DateTime.init(from:))
    site = try reader.u8("temperature type", if: flags.contains(.site)).map(Site.init(rawValue:))
  }

  public func encode(into writer: inout ByteWriter) {
    var flags: Flags = unit == .fahrenheit ? .fahrenheit : []
    if timeStamp != nil { flags.insert(.timeStamp) }
    if site != nil { flags.insert(.site) }
    writer.u8(flags.rawValue)
    writer.float(temperature)
    timeStamp?.encode(into: &writer)
    if let site { writer.u8(site.rawValue) }
  }
}
