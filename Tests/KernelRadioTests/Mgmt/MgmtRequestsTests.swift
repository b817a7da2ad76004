import Testing

@testable import KernelRadio

@Suite struct MgmtRequestsTests {
  var requests = MgmtRequests()

  @Test mutating func sendsOneOfAKindAtATimeToAController() {
    let (first, isFirstNext) = requests.add(.setPowered(true), to: 0)
    let (second, isSecondNext) = requests.add(.setPowered(false), to: 0)
    let (_, isOtherKindNext) = requests.add(.startDiscovery, to: 0)
    let (_, isOtherControllerNext) = requests.add(.setPowered(true), to: 1)
    #expect(isFirstNext)
    #expect(!isSecondNext)
    #expect(isOtherKindNext)
    #expect(isOtherControllerNext)
    let answered = requests.answer(0x0005, from: 0)
    #expect(answered?.answered == first)
    #expect(answered?.next == second)
    #expect(requests.answer(0x0005, from: 0)?.next == nil)
  }

  @Test mutating func knowsNobodyWhoWaitsForAStrangeAnswer() {
    #expect(requests.answer(0x0005, from: 0) == nil)
    _ = requests.add(.setPowered(true), to: 0)
    #expect(requests.answer(0x0005, from: 1) == nil)
    #expect(requests.answer(0x0004, from: 0) == nil)
  }

  @Test mutating func goesOnAfterOneThatWasDropped() {
    let first = requests.add(.setPowered(true), to: 0).0
    let second = requests.add(.setPowered(false), to: 0).0
    let third = requests.add(.setPowered(true), to: 0).0
    // One that waits in line is not under way: nothing is to be sent for it.
    #expect(requests.drop(second) == nil)
    #expect(requests.drop(first) == third)
    #expect(requests.drop(first) == nil)
  }

  @Test mutating func dropsThoseOfAControllerThatIsGone() {
    let first = requests.add(.setPowered(true), to: 0).0
    let second = requests.add(.startDiscovery, to: 0).0
    let other = requests.add(.startDiscovery, to: 1).0
    #expect(requests.dropAll(of: 0) == [first, second])
    #expect(requests.dropAll() == [other])
    #expect(requests.dropAll().isEmpty)
  }
}
