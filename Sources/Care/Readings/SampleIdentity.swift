import Foundation

/// What makes a sample the same one when it is sent, or replayed, again.
///
/// A passive sample is its device, quantity, device time and raw bytes; a streamed one its device,
/// quantity, arrival and ordinal, since a stream repeats its bytes. The text is the identity itself,
/// not a digest of it: two samples that differ in any part can never be taken for one.
public struct SampleIdentity: Hashable, Sendable, RawRepresentable {
  /// The identity as text.
  public var rawValue: String

  /// Takes an identity as it was stored.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The identity of what `reading` becomes when it is stored.
  public init(_ reading: Reading) {
    let time: String
    if reading.isStreamed {
      time = "a\(reading.interval?.start.microseconds ?? reading.arrival.microseconds)"
    } else if let deviceTime = reading.deviceTime {
      time = deviceTime.description
    } else {
      time = "a\(reading.arrival.microseconds)"
    }
    let raw = reading.isStreamed ? "" : reading.raw.hexString
    rawValue = [
      reading.device.address, reading.quantity.rawValue, time, String(reading.ordinal),
      reading.userIndex.map(String.init) ?? "", raw,
    ].joined(separator: "|")
  }
}

extension Sequence<UInt8> {
  /// The bytes as lower-case hex digits.
  public var hexString: String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
