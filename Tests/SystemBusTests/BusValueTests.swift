import Testing

@testable import SystemBus

@Suite struct BusValueTests {
  @Test(arguments: [
    (BusValue.byte(1), "y"), (.boolean(true), "b"), (.int16(1), "n"), (.uint16(1), "q"),
    (.int32(1), "i"), (.uint32(1), "u"), (.int64(1), "x"), (.uint64(1), "t"), (.double(1), "d"),
    (.string(""), "s"), (.path("/"), "o"), (.signature(""), "g"), (.bytes([]), "ay"),
    (.variant(.byte(1)), "v"), (.array(of: "(qv)", []), "a(qv)"), (.properties([:]), "a{sv}"),
    (.structure([.byte(1), .array(of: "s", []), .structure([.path("/")])]), "(yas(o))"),
  ])
  func `encodes its type`(value: BusValue, signature: String) {
    #expect(value.signature == signature)
  }

  @Test(
    arguments: [
      (BusValue.variant(.variant(.int16(-5))), -5), (.byte(255), 255), (.uint64(.max), nil),
      (.int64(.min), Int(Int64.min)), (.string("5"), nil), (.boolean(true), nil), (.double(5), nil),
    ] as [(BusValue, Int?)])
  func `is a number if whole`(value: BusValue, number: Int?) {
    #expect(value.number == number)
  }

  @Test func `is nil for another kind`() {
    let value = BusValue.array(of: "s", [.string("a"), .byte(1), .path("/b")])
    #expect(value.texts == ["a", "/b"])
    #expect(value.text == nil)
    #expect(value.flag == nil)
    #expect(value.data == nil)
    #expect(value.entries == nil)
    #expect(value.properties == nil)
    #expect(value.openFile == nil)
    #expect(BusValue.bytes([1]).texts == nil)
  }

  @Test func `unwraps properties`() {
    let value = BusValue.variant(
      .dictionary(
        of: "vv", [.variant(.string("a")): .variant(.byte(1)), .byte(7): .variant(.byte(2))]))
    #expect(value.properties == ["a": .byte(1)])
  }

  @Test func `counts its parts`() {
    let small = BusValue.properties(["a": .bytes([1, 2, 3])])
    #expect(small.isSmaller(than: 9))
    #expect(!small.isSmaller(than: 8))
    #expect(!BusValue.array(of: "u", Array(repeating: .uint32(0), count: 100)).isSmaller(than: 50))
    #expect(!BusValue.byte(0).isSmaller(than: 0))
  }

  @Test func `returns an argument if present`() {
    let message = BusMessage(
      kind: .signal, sender: "", path: "", interface: "", member: "", arguments: [.byte(1)])
    #expect(message.argument(0) == .byte(1))
    #expect(message.argument(1) == nil)
    #expect(message.argument(-1) == nil)
  }
}
