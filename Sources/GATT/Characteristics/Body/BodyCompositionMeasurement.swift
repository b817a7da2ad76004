/// `Body Composition Measurement` (2A9C): what an impedance scale makes of a weighing.
///
/// ```
/// flags u16  0 imperial · 1 time stamp · 2 user ID · 3…11 components · 12 multiple packet
/// body fat percentage u16 [time stamp 7] [user ID u8] [components u16 each, in bit order]
/// ```
/// The weight is optional here: it comes with the ``WeightMeasurement`` of the same time stamp.
/// Source: Body Composition Service 1.0 §3.2.
public struct BodyCompositionMeasurement: Characteristic {
  public static let uuid = BluetoothUUID(0x2A9C)

  /// The units that the frame speaks.
  public var unitSystem: UnitSystem
  /// Whether the measurement goes on in the next indication.
  public var isMultiplePacket: Bool
  /// What the scale's clock showed.
  public var timeStamp: DateTime?
  /// The slot of the user on the scale; `nil` where it is not sent or unknown.
  public var userIndex: UInt8?
  /// The counts that were measured, in each component's own step.
  ///
  /// What a scale sends as 0 or 0xFFFF was not measured and is not here: scales send whole frames
  /// of zeros when someone steps off early or wears socks.
  public private(set) var counts: [Component: UInt16]

  /// Makes a measurement; counts of 0 and 0xFFFF are left out.
  public init(
    unitSystem: UnitSystem = .si, counts: [Component: UInt16], timeStamp: DateTime? = nil,
    userIndex: UInt8? = nil, isMultiplePacket: Bool = false
  ) {
    self.unitSystem = unitSystem
    self.isMultiplePacket = isMultiplePacket
    self.timeStamp = timeStamp
    self.userIndex = userIndex
    self.counts = counts.filter { Self.isMeasured($0.value) }
  }

  /// A component in the frame's own unit; `nil` where it was not measured.
  public subscript(component: Component) -> ScaledValue? {
    counts[component].map { component.scaled($0, in: unitSystem) }
  }

  /// Whether the scale determined the body's composition at all.
  ///
  /// Without a fat percentage the measurement was unsuccessful, whatever else the frame holds: a
  /// scale may still send the basal metabolism, which it gets from the weight alone.
  public var isSuccessful: Bool { counts[.fatPercentage] != nil }
}

extension BodyCompositionMeasurement {
  private struct Flags: OptionSet {
    let rawValue: UInt16
    static let imperial = Flags(rawValue: 1 << 0)
    static let timeStamp = Flags(rawValue: 1 << 1)
    static let user = Flags(rawValue: 1 << 2)
    static let multiplePacket = Flags(rawValue: 1 << 12)
  }

  /// What the fat percentage, which is always sent, holds where there is none.
  private static let unsuccessful: UInt16 = 0xFFFF

  private static func isMeasured(_ count: UInt16) -> Bool {
    count != 0 && count != unsuccessful
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    let flags = Flags(rawValue: try reader.u16("flags"))
    var counts: [Component: UInt16] = [:]
    counts[.fatPercentage] = try reader.u16("body fat percentage")
    let timeStamp = flags.contains(.timeStamp) ? try DateTime(from: &reader) : nil
    let userIndex = flags.contains(.user) ? try reader.userIndex() : nil
    for component in Component.allCases where flags.rawValue & component.flag != 0 {
      counts[component] = try reader.u16(component.fieldName)
    }
    self.init(
      unitSystem: flags.contains(.imperial) ? .imperial : .si, counts: counts,
      timeStamp: timeStamp, userIndex: userIndex,
      isMultiplePacket: flags.contains(.multiplePacket))
  }

  public func encode(into writer: inout ByteWriter) {
    var flags: Flags = unitSystem == .imperial ? .imperial : []
    if timeStamp != nil { flags.insert(.timeStamp) }
    if userIndex != nil { flags.insert(.user) }
    if isMultiplePacket { flags.insert(.multiplePacket) }
    writer.u16(counts.keys.reduce(flags.rawValue) { $0 | $1.flag })
    writer.u16(counts[.fatPercentage] ?? Self.unsuccessful)
    timeStamp?.encode(into: &writer)
    if let userIndex { writer.u8(userIndex) }
    for component in Component.allCases where component.flag != 0 {
      if let count = counts[component] { writer.u16(count) }
    }
  }
}
