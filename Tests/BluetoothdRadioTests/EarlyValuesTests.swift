import Testing

@testable import BluetoothdRadio

@Suite struct EarlyValuesTests {
  @Test func keepsValuesUntilTheyAreTaken() {
    var early = EarlyValues()
    early.keep([1], of: "/d/c1")
    early.keep([2], of: "/d/c2")
    early.keep([3], of: "/d/c1")
    let first = early.take(of: "/d/c1")
    #expect(first == [[1], [3]])
    let again = early.take(of: "/d/c1")
    #expect(again.isEmpty)
    early.keep([4], of: "/d2/c1")
    early.forget(below: "/d")
    let others = ["/d/c2", "/d2/c1"].map { early.take(of: $0) }
    #expect(others == [[], [[4]]])
  }

  @Test func keepsSoMany() {
    var early = EarlyValues()
    for number in 0..<100 {
      for value: UInt8 in 0..<100 { early.keep([value], of: "/d/c\(number)") }
    }
    let kept = (0..<100).map { early.take(of: "/d/c\($0)").count }
    #expect(kept == Array(repeating: 64, count: 64) + Array(repeating: 0, count: 36))
  }
}
