/// `Body Composition Measurement` (2A9C): the result of an impedance scale.
///
/// ```
/// flags u16  0 imperial · 1 time stamp · 2 user ID · 3…11 components · 12 multiple packet
/// body fat percentage u16 [time stamp 7] [user ID u8] [components u16 each, in bit order]
/// ```
/// The weight is optional: the ``WeightMeasurement`` of the same time stamp carries it.
/// Source: Body Composition Service 1.0 §3.2.
public struct BodyCompositionMeasurement: Characteristic {
  public static let uuid = BluetoothUUID(0x2A9C)

  /// The units of the frame.
  public var unitSystem: UnitSystem
  /// Whether the measurement continues in the next indication.
  public var isMultiplePacket: Bool
  /// The time on the scale's clock.
  public var timeStamp: DateTime?
  /// The index of the user on the scale; `nil` if not sent or unknown.
  public var userIndex: UInt8?
  /// Whether the scale says that it does not know who stands on it.
  public var isOfUnknownUser = false
  /// The measured counts, in each component's own step.
  ///
  /// 0 and 0xFFFF mean "not measured" and are left out: a scale sends frames of zeros when the
  /// person steps off early or wears socks.
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

  /// A component in the frame's own unit; `nil` if it was not measured.
  public subscript(component: Component) -> ScaledValue? {
    counts[component].map { component.scaled($0, in: unitSystem) }
  }

  /// Whether the scale determined the body's composition.
  ///
  /// Without a fat percentage the measurement was unsuccessful, even if other components are sent:
  /// a scale may still send the basal metabolism, which it computes from the weight alone.
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

  /// The value of the mandatory fat percentage in an unsuccessful measurement.
  private static let unsuccessful: UInt16 = 0xFFFF

  private static func isMeasured(_ count: UInt16) -> Bool {
    count != 0 && count != unsuccessful
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    let flags = Flags(rawValue: try reader.u16("flags"))
    var counts: [Component: UInt16] = [:]
    counts[.fatPercentage] = try reader.u16("body fat percentage")
    let timeStamp = try reader.announced(flags.contains(.timeStamp), DateTime.init(from:))
    let userIndex = try reader.userIndex(flags.contains(.user))
    let isOfUnknownUser = flags.contains(.user) && userIndex == nil
    for component in Component.allCases where component.flag != 0 {
      let isAnnounced = flags.rawValue & component.flag != 0
      counts[component] = try reader.u16(component.fieldName, if: isAnnounced)
    }
    self.init(
      unitSystem: flags.contains(.imperial) ? .imperial : .si, counts: counts,
      timeStamp: timeStamp, userIndex: userIndex,
      isMultiplePacket: flags.contains(.multiplePacket))
    self.isOfUnknownUser = isOfUnknownUser
  }

  public func encode(into writer: inout ByteWriter) {
    var flags: Flags = unitSystem == .imperial ? .imperial : []
    if timeStamp != nil { flags.insert(.timeStamp) }
    if userIndex != nil || isOfUnknownUser { flags.insert(.user) }
    if isMultiplePacket { flags.insert(.multiplePacket) }
    writer.u16(counts.keys.reduce(flags.rawValue) { $0 | $1.flag })
    writer.u16(counts[.fatPercentage] ?? Self.unsuccessful)
    timeStamp?.encode(into: &writer)
    if let index = userIndex ?? (isOfUnknownUser ? 0xFF : nil) { writer.u8(index) }
    for component in Component.allCases where component.flag != 0 {
      if let count = counts[component] { writer.u16(count) }
    }
  }
}

// MARK: - Components

extension BodyCompositionMeasurement {
  /// The components of a body composition frame, in the order of their flag bits.
  public enum Component: Hashable, Sendable, CaseIterable {
    /// Body fat in % of the weight; mandatory, so it has no flag.
    case fatPercentage
    /// Basal metabolism in kJ.
    case basalMetabolism
    /// Muscle in % of the weight.
    case musclePercentage
    /// Muscle mass in kg or lb.
    case muscleMass
    /// Fat-free mass in kg or lb.
    case fatFreeMass
    /// Soft lean mass in kg or lb.
    case softLeanMass
    /// Mass of the body's water in kg or lb.
    case bodyWaterMass
    /// Impedance in ohm.
    case impedance
    /// Weight in kg or lb.
    case weight
    /// Height in m or in.
    case height

    /// The flag bit of the component; 0 for the mandatory one.
    var flag: UInt16 {
      switch self {
      case .fatPercentage: 0
      case .basalMetabolism: 1 << 3
      case .musclePercentage: 1 << 4
      case .muscleMass: 1 << 5
      case .fatFreeMass: 1 << 6
      case .softLeanMass: 1 << 7
      case .bodyWaterMass: 1 << 8
      case .impedance: 1 << 9
      case .weight: 1 << 10
      case .height: 1 << 11
      }
    }

    /// The field's name in the specification.
    var fieldName: String {
      switch self {
      case .fatPercentage: "body fat percentage"
      case .basalMetabolism: "basal metabolism"
      case .musclePercentage: "muscle percentage"
      case .muscleMass: "muscle mass"
      case .fatFreeMass: "fat free mass"
      case .softLeanMass: "soft lean mass"
      case .bodyWaterMass: "body water mass"
      case .impedance: "impedance"
      case .weight: "weight"
      case .height: "height"
      }
    }

    /// A count of the component's steps, converted to its unit.
    func scaled(_ count: UInt16, in units: UnitSystem) -> ScaledValue {
      switch self {
      case .basalMetabolism: ScaledValue(count, per: 1)
      case .fatPercentage, .musclePercentage, .impedance: ScaledValue(count, per: 10)
      case .muscleMass, .fatFreeMass, .softLeanMass, .bodyWaterMass, .weight: units.mass(count)
      case .height: units.height(count)
      }
    }
  }
}
