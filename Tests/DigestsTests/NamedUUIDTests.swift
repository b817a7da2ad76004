import Digests
import Foundation
import Testing

struct NamedUUIDTests {
  /// By Python's hashlib and uuid.
  @Test(arguments: [
    ([], "E3B0C442-98FC-8C14-9AFB-F4C8996FB924"),
    (["a", "b|c"], "03CAA3C8-75C9-8075-A58E-247D83F41268"),
    (["a|b", "c"], "F0AA1C05-5D0C-8B57-A68A-861F8C4E7BC7"),
    (["Weight ⚖"], "8D4FAE0A-B179-805F-8BB0-8BE2D1460493"),
  ])
  func `names a list of texts`(texts: [String], uuid: String) {
    #expect(UUID(of: texts).uuidString == uuid)
  }
}
