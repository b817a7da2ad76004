package import Foundation

extension SHA256 {
  /// The 32 bytes of texts in their order; their lengths keep neighbouring texts apart.
  package static func digest(ofTexts texts: [String]) -> [UInt8] {
    digest(of: Array(texts.map { "\($0.utf8.count):\($0)" }.joined().utf8))
  }
}

extension UUID {
  /// The UUID of texts, the same everywhere and for ever: their SHA-256 as version 8 (RFC 9562, section
  /// 5.8).
  package init(of texts: [String]) {
    var bytes = SHA256.digest(ofTexts: texts)
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    self.init(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8],
        bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
