import Care
import Foundation
import Testing

@Suite("Secret")
struct SecretTests {
  private let binding = DeviceBinding(
    address: "8C:D0:B2:F6:BE:EF", definition: "xiaomi-s400", userIndex: 1,
    key: Secret([211, 233]), consentCode: Secret(2520))

  @Test func givesItsValueToWhoeverAsksForIt() {
    let bytes: [UInt8] = [1, 2, 3]
    #expect(Secret(bytes).revealed == bytes)
    #expect(Secret(UInt16(7)) == Secret(UInt16(7)))
    #expect(Secret(UInt16(7)) != Secret(UInt16(8)))
  }

  @Test func saysNothingElse() {
    let secret = Secret(UInt16(2520))
    var dumped = ""
    dump(secret, to: &dumped)
    #expect("\(secret)" == "(secret)")
    #expect(String(reflecting: secret) == "(secret)")
    #expect(dumped == "- (secret)\n")
    #expect(secret.customMirror.children.isEmpty)
  }

  @Test func isNotToldByWhatHoldsIt() {
    var dumped = ""
    dump(binding, to: &dumped)
    for text in ["\(binding)", String(reflecting: binding), dumped] {
      #expect(text.contains("(secret)"))
      #expect(!text.contains("2520"))
      #expect(!text.contains("211"))
    }
  }

  @Test func isNotEncodedWithABinding() throws {
    let encoded = try JSONEncoder().encode(binding)
    let decoded = try JSONDecoder().decode(DeviceBinding.self, from: encoded)
    #expect(
      decoded
        == DeviceBinding(address: "8C:D0:B2:F6:BE:EF", definition: "xiaomi-s400", userIndex: 1))
  }
}
