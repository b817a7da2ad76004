import Testing

@testable import BluetoothdRadio

@Suite struct TurnQueueTests {
  @Test func givesTheTurnToKnownDevicesFirst() {
    var queue = TurnQueue<Int>()
    let taken = [queue.take(), queue.take()]
    #expect(taken == [true, false])
    for (waiter, isKnown) in [(1, false), (2, true), (3, false), (4, true)] {
      queue.wait(waiter, isKnown: isKnown)
    }
    let order = (0..<5).map { _ in queue.give() }
    #expect(order == [2, 4, 1, 3, nil])
    let again = queue.take()
    #expect(again)
  }

  @Test func hasRoomForSoMany() {
    var queue = TurnQueue<Int>()
    for waiter in 0..<TurnQueue<Int>.limit {
      #expect(queue.hasRoom)
      queue.wait(waiter, isKnown: waiter.isMultiple(of: 2))
    }
    #expect(!queue.hasRoom)
    #expect(queue.give() == 0)
    #expect(queue.hasRoom)
  }
}
