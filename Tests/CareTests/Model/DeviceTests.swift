import Care
import Foundation
import Testing

@Suite struct DeviceIDTests {
  @Test(arguments: ["5c:ca:d3:70:d4:a2", "5C:CA:D3:70:D4:A2", "5c:Ca:D3:70:d4:A2"])
  func `an address has one spelling`(text: String) {
    #expect(DeviceID(text).text == "5C:CA:D3:70:D4:A2")
    #expect("\(DeviceID(text))" == "5C:CA:D3:70:D4:A2")
  }

  @Test(arguments: [
    "left-Thigh", "a:b:c:d:e:f", "5c:ca:d3:70:d4", "5c:ca:d3:70:d4:a2:00", "5c:ca:d3:70:d4:+2",
    "5c-ca-d3-70-d4-a2", "g0:ca:d3:70:d4:a2", "",
  ])
  func `anything else is a name and keeps its spelling`(text: String) {
    #expect(DeviceID(text).text == text)
  }

  @Test func `names compare without regard to case`() {
    #expect(DeviceID("left-thigh") == "Left-Thigh")
    #expect(Set<DeviceID>(["left-thigh", "LEFT-THIGH", "left_thigh"]).count == 2)
    #expect(DeviceID("left") != "lef")
    // The fold is that of SQLite's NOCASE: no letters but A–Z, and no signs beside them.
    #expect(DeviceID("Ärmel") != "ärmel")
    #expect(DeviceID("a[") != "a{")
    #expect(DeviceID("@") != "`")
  }

  @Test func `sorts without regard to case`() {
    let sorted = (["b", "A", "C", "a2"] as [DeviceID]).sorted()
    #expect(sorted.map(\.text) == ["A", "a2", "b", "C"])
    #expect(!(DeviceID("a") < "A") && !(DeviceID("A") < "a"))
  }

  @Test func `is coded as its text`() throws {
    let data = try JSONEncoder().encode([DeviceID("Left"), "aa:bb:cc:dd:ee:ff"])
    #expect(String(decoding: data, as: UTF8.self) == #"["Left","AA:BB:CC:DD:EE:FF"]"#)
    let old = Data(#"["aa:bb:cc:dd:ee:ff"]"#.utf8)
    #expect(
      try JSONDecoder().decode([DeviceID].self, from: old).map(\.text) == ["AA:BB:CC:DD:EE:FF"])
  }
}

struct SecretTests {
  private let binding = DeviceBinding(
    address: "8C:D0:B2:F6:BE:EF", definition: "xiaomi-s400", userIndex: 1,
    key: Secret([211, 233]), consentCode: Secret(2520))

  @Test func `reveals its value`() {
    let bytes: [UInt8] = [1, 2, 3]
    #expect(Secret(bytes).revealed == bytes)
    #expect(Secret(UInt16(7)) == Secret(UInt16(7)))
    #expect(Secret(UInt16(7)) != Secret(UInt16(8)))
  }

  @Test func `descriptions hide the value`() {
    let secret = Secret(UInt16(2520))
    var dumped = ""
    dump(secret, to: &dumped)
    #expect("\(secret)" == "(secret)")
    #expect(String(reflecting: secret) == "(secret)")
    #expect(dumped == "- (secret)\n")
    #expect(secret.customMirror.children.isEmpty)
  }

  @Test func `a bindings description hides its secrets`() {
    var dumped = ""
    dump(binding, to: &dumped)
    for text in ["\(binding)", String(reflecting: binding), dumped] {
      #expect(text.contains("(secret)"))
      #expect(!text.contains("2520"))
      #expect(!text.contains("211"))
    }
  }

  @Test func `is not encoded with a binding`() throws {
    let encoded = try JSONEncoder().encode(binding)
    let decoded = try JSONDecoder().decode(DeviceBinding.self, from: encoded)
    #expect(
      decoded
        == DeviceBinding(address: "8C:D0:B2:F6:BE:EF", definition: "xiaomi-s400", userIndex: 1))
  }
}
