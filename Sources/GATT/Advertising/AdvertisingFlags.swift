/// How a device can be discovered and which radio it speaks.
///
/// Source: Core Specification Supplement, Part A §1.3.
public struct AdvertisingFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Discoverable for a short while.
  public static let limitedDiscoverable = AdvertisingFlags(rawValue: 1 << 0)
  /// Discoverable at any time.
  public static let generalDiscoverable = AdvertisingFlags(rawValue: 1 << 1)
  /// Low energy only: classic Bluetooth is not supported.
  public static let classicNotSupported = AdvertisingFlags(rawValue: 1 << 2)
}
