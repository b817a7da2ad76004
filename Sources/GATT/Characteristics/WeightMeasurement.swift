/// `Weight Measurement` (2A9D): one weighing.
///
/// ```
/// flags u8   0 imperial · 1 time stamp · 2 user ID · 3 BMI and height
/// weight u16 [time stamp 7] [user ID u8] [BMI u16, height u16]
/// ```
/// Source: Weight Scale Service 1.0 §3.2; GATT Specification Supplement, Weight Measurement.
public struct WeightMeasurement: Characteristic {
  public static let uuid = BluetoothUUID(0x2A9D)

  /// The units of the frame.
  public var unitSystem: UnitSystem
  /// The weight in steps of 0.005 kg or 0.01 lb; `nil` if the weighing failed (0xFFFF).
  public var rawWeight: UInt16?
  /// The time on the scale's clock.
  public var timeStamp: DateTime?
  /// The index of the user on the scale; `nil` if not sent or unknown.
  public var userIndex: UInt8?
  /// The user's body mass index and height, if sent.
  public var build: Build?

  /// Makes a measurement.
  public init(
    unitSystem: UnitSystem = .si, rawWeight: UInt16?, timeStamp: DateTime? = nil,
    userIndex: UInt8? = nil, build: Build? = nil
  ) {
    self.unitSystem = unitSystem
    self.rawWeight = rawWeight
    self.timeStamp = timeStamp
    self.userIndex = userIndex
    self.build = build
  }

  /// Body mass index and height: the specification sends both or neither.
  public struct Build: Hashable, Sendable {
    /// The body mass index in steps of 0.1 kg/m².
    public var rawBodyMassIndex: UInt16
    /// The height in steps of 0.001 m or 0.1 in.
    public var rawHeight: UInt16

    /// Makes a build.
    public init(rawBodyMassIndex: UInt16, rawHeight: UInt16) {
      self.rawBodyMassIndex = rawBodyMassIndex
      self.rawHeight = rawHeight
    }
  }

  /// The weight in the frame's own unit, kg or lb; `nil` if the weighing failed.
  public var weight: ScaledValue? {
    rawWeight.map(unitSystem.mass)
  }

  /// The body mass index in kg/m².
  public var bodyMassIndex: ScaledValue? {
    build.map { ScaledValue($0.rawBodyMassIndex, per: 10) }
  }

  /// The height in the frame's own unit, m or in.
  public var height: ScaledValue? {
    build.map { unitSystem.height($0.rawHeight) }
  }
}

extension WeightMeasurement {
  private struct Flags: OptionSet {
    let rawValue: UInt8
    static let imperial = Flags(rawValue: 1 << 0)
    static let timeStamp = Flags(rawValue: 1 << 1)
    static let user = Flags(rawValue: 1 << 2)
    static let build = Flags(rawValue: 1 << 3)
  }

  /// The value of the weight field after a failed weighing.
  private static let unsuccessful: UInt16 = 0xFFFF

  public init(from reader: inout ByteReader) throws(GATTError) {
    let flags = Flags(rawValue: try reader.u8("flags"))
    unitSystem = flags.contains(.imperial) ? .imperial : .si
    let weight = try reader.u16("weight")
    rawWeight = weight == Self.unsuccessful ? nil : weight
    timeStamp = try reader.announced(flags.contains(.timeStamp), DateTime.init(from:))
    userIndex = try reader.userIndex(flags.contains(.user))
    build = try reader.announced(flags.contains(.build)) { reader throws(GATTError) in
      Build(rawBodyMassIndex: try reader.u16("BMI"), rawHeight: try reader.u16("height"))
    }
  }

  public func encode(into writer: inout ByteWriter) {
    var flags: Flags = unitSystem == .imperial ? .imperial : []
    if timeStamp != nil { flags.insert(.timeStamp) }
    if userIndex != nil { flags.insert(.user) }
    if build != nil { flags.insert(.build) }
    writer.u8(flags.rawValue)
    writer.u16(rawWeight ?? Self.unsuccessful)
    timeStamp?.encode(into: &writer)
    if let userIndex { writer.u8(userIndex) }
    if let build {
      writer.u16(build.rawBodyMassIndex)
      writer.u16(build.rawHeight)
    }
  }
}
