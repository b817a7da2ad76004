import Foundation
import Radio

/// What a codec may have to know beside the bytes: whose they are, and what opens them.
struct CodecContext: Sendable {
  /// The device's address.
  var address: DeviceAddress
  /// The plan's zone, in which device times without one are given.
  var timeZone: TimeZone
  /// What the plan holds to open the device's data.
  var credentials: DeviceCredentials

  /// A frame of no device in particular, which nothing opens.
  static let none = CodecContext(
    address: DeviceAddress(rawValue: 0), timeZone: .gmt, credentials: DeviceCredentials())
}
