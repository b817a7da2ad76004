/// `Weight Scale Feature` (2A9E): the features and the resolution of a scale.
///
/// The resolutions state the precision of the last digits. They rescale nothing: the step of
/// ``WeightMeasurement`` is fixed. Source: Weight Scale Service 1.0 §3.1.
public struct WeightScaleFeature: Characteristic {
  public static let uuid = BluetoothUUID(0x2A9E)

  /// The 32 bits as sent.
  public var rawValue: UInt32

  /// Makes a feature value from its bits.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  public init(from reader: inout ByteReader) throws(GATTError) {
    rawValue = try reader.u32("weight scale feature")
  }

  public func encode(into writer: inout ByteWriter) {
    writer.u32(rawValue)
  }

  /// Whether the scale has a clock.
  public var supportsTimeStamp: Bool { rawValue & 1 << 0 != 0 }
  /// Whether the scale supports several users.
  public var supportsMultipleUsers: Bool { rawValue & 1 << 1 != 0 }
  /// Whether the scale computes the body mass index.
  public var supportsBodyMassIndex: Bool { rawValue & 1 << 2 != 0 }

  /// The precision of a weight in kg or lb; `nil` if not given.
  public func weightResolution(in units: UnitSystem) -> ScaledValue? {
    let code = rawValue >> 3 & 0b1111
    return switch units {
    case .si: Self.step(code, of: [500, 200, 100, 50, 20, 10, 5], per: 1000)
    case .imperial: Self.step(code, of: [100, 50, 20, 10, 5, 2, 1], per: 100)
    }
  }

  /// The precision of a height in m or in; `nil` if not given.
  public func heightResolution(in units: UnitSystem) -> ScaledValue? {
    let code = rawValue >> 7 & 0b111
    return switch units {
    case .si: Self.step(code, of: [10, 5, 1], per: 1000)
    case .imperial: Self.step(code, of: [10, 5, 1], per: 10)
    }
  }

  /// The step with the number `code`, from 1; `nil` for 0 and reserved codes.
  private static func step(
    _ code: UInt32, of steps: [Int], per denominator: Int
  ) -> ScaledValue? {
    let index = Int(code) - 1
    return steps.indices.contains(index) ? ScaledValue(steps[index], per: denominator) : nil
  }
}
