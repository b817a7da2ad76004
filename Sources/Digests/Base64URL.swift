import Foundation

/// Base64 for URLs and cookies, without padding.
///
/// Source: RFC 4648, section 5.
package enum Base64URL {
  package static func text(of bytes: [UInt8]) -> String {
    let text = Data(bytes).base64EncodedString()
    return text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// Whether a byte is one of the 64 characters.
  package static func isDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// The bytes of a text; `nil` unless it is exactly what ``text(of:)`` makes of them.
  package static func bytes(of text: String) -> [UInt8]? {
    var padded = text.replacing("-", with: "+").replacing("_", with: "/")
    while !padded.utf8.count.isMultiple(of: 4) { padded += "=" }
    guard let data = Data(base64Encoded: padded), self.text(of: Array(data)) == text else {
      return nil
    }
    return Array(data)
  }
}
