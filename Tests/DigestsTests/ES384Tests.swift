import Digests
import Testing

@Suite struct ES384Tests {
  /// The key and the signature of "sample" in RFC 6979 §A.2.6.
  private static let point = (
    x: bytes(
      "EC3A4E415B4E19A4568618029F427FA5DA9A8BC4AE92E02E06AAE5286B300C64DEF8F0EA9055866064A254515480BC13"
    ),
    y: bytes(
      "8015D9B72D7D57244EA8EF9AC0C621896708A59367F9DFB9F54CA84B3F1C9DB1288B231C3AE0D4FE7344FD2533264720"
    )
  )
  private static let signature = bytes(
    "94EDBB92A5ECB8AAD4736E56C691916B3F88140666CE9FA73D64C4EA95AD133C81A648152E44ACF96E36DD1E80FABE46"
      + "99EF4AEB15F178CEA1FE40DB2603138F130E740A19624526203B6351D0A3A94FA329C145786E679E7B82C71A38628AC8"
  )

  private static func bytes(_ text: String) -> [UInt8] {
    var digits = Substring(text)
    var result: [UInt8] = []
    while let byte = UInt8(digits.prefix(2), radix: 16) {
      result.append(byte)
      digits = digits.dropFirst(2)
    }
    return result
  }

  @Test func `the signature of the standard holds, and of no other message`() {
    #expect(ES384.isValid(Self.signature, of: Array("sample".utf8), by: Self.point))
    #expect(!ES384.isValid(Self.signature, of: Array("sampel".utf8), by: Self.point))
    #expect(
      !ES384.isValid(Array(Self.signature.dropLast()), of: Array("sample".utf8), by: Self.point))
  }

  @Test func `a new key signs what its point confirms, halves with leading zeros too`() throws {
    let key = try #require(ES384.makeKey())
    let point = try #require(ES384.publicPoint(of: key))
    // About one half in 256 begins with a zero.
    for number in 0..<600 {
      let message = Array("message \(number)".utf8)
      let signature = try #require(ES384.sign(message, with: key))
      #expect(signature.count == 96)
      #expect(ES384.isValid(signature, of: message, by: point))
      #expect(!ES384.isValid(signature, of: message + [0], by: point))
    }
  }

  @Test(arguments: [
    "", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
    // Of the curve P-256.
    """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgQ3aWt3NG0bXNNE/B
    diQFydqV8JHEvh1/59Vq374mJ4mhRANCAARugMYh91t5aZuhss53R3UANuTGObo0
    hLrzGCJWOF0sIhHpTu1b6qfK6cNF2cy0CFj/IkHWQcZ/Q1tsYpgHX9ij
    -----END PRIVATE KEY-----
    """,
  ])
  func `what is no key of this curve is refused`(text: String) {
    #expect(ES384.publicPoint(of: text) == nil)
    #expect(ES384.sign([1], with: text) == nil)
  }
}
