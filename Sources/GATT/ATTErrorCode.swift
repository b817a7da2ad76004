/// The error code of a failed request (Core Specification, Vol 3 Part F §3.4.1.1).
package struct ATTErrorCode: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let invalidHandle = ATTErrorCode(rawValue: 0x01)
  package static let readNotPermitted = ATTErrorCode(rawValue: 0x02)
  package static let writeNotPermitted = ATTErrorCode(rawValue: 0x03)
  package static let invalidPDU = ATTErrorCode(rawValue: 0x04)
  package static let insufficientAuthentication = ATTErrorCode(rawValue: 0x05)
  package static let requestNotSupported = ATTErrorCode(rawValue: 0x06)
  package static let invalidOffset = ATTErrorCode(rawValue: 0x07)
  package static let insufficientAuthorization = ATTErrorCode(rawValue: 0x08)
  package static let attributeNotFound = ATTErrorCode(rawValue: 0x0A)
  package static let attributeNotLong = ATTErrorCode(rawValue: 0x0B)
  package static let keyTooShort = ATTErrorCode(rawValue: 0x0C)
  package static let insufficientEncryption = ATTErrorCode(rawValue: 0x0F)
  package static let databaseOutOfSync = ATTErrorCode(rawValue: 0x12)

  /// Whether pairing or encryption may make the request succeed.
  package var asksForSecurity: Bool {
    switch self {
    case .insufficientAuthentication, .insufficientAuthorization, .keyTooShort,
      .insufficientEncryption:
      true
    default: false
    }
  }
}

extension ATTErrorCode: CustomStringConvertible {
  /// The meaning and the code: `the device wants an encrypted link (error 0x0F)`.
  package var description: String {
    let number = "0x" + (rawValue < 16 ? "0" : "") + String(rawValue, radix: 16, uppercase: true)
    return "\(meaning) (error \(number))"
  }

  private var meaning: String {
    switch self {
    case .invalidHandle: "there is no such attribute"
    case .readNotPermitted: "it cannot be read"
    case .writeNotPermitted: "it cannot be written"
    case .invalidPDU: "the request was not understood"
    case .insufficientAuthentication: "the device wants to be paired"
    case .requestNotSupported: "the device does not support the request"
    case .invalidOffset: "the value ends before that place"
    case .insufficientAuthorization: "the device wants a permission that was not given"
    case .attributeNotFound: "nothing of the kind was found"
    case .attributeNotLong: "the value is not long"
    case .keyTooShort: "the key of the bond is too short"
    case .insufficientEncryption: "the device wants an encrypted link"
    case .databaseOutOfSync: "its attributes have changed"
    // The meaning depends on the characteristic's service.
    case _ where (0x80...0x9F).contains(rawValue): "a reason of the characteristic's own"
    default: "the device gave no known reason"
    }
  }
}
