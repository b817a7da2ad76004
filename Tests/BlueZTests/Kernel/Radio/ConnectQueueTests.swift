import Radio
import Testing

@testable import BlueZ

@Suite struct ConnectQueueTests {
  var queue = ConnectQueue()
  let a = DeviceAddress(rawValue: 1)
  let b = DeviceAddress(rawValue: 2)
  let c = DeviceAddress(rawValue: 3)

  @Test mutating func connectsOneAtATimeOnEachController() {
    let begun = [queue.add(a, to: 0), queue.add(b, to: 0), queue.add(c, to: 1)]
    #expect(begun == [true, false, true])
    #expect([0, 1, 2].map(queue.isBusy) == [true, true, false])
    #expect([0, 1, 2].map(queue.isAwaited) == [true, false, false])
  }

  @Test mutating func givesTheNextItsTurn() {
    for device in [a, b, c] { _ = queue.add(device, to: 0) }
    let next = [queue.remove(a, from: 0), queue.remove(b, from: 0), queue.remove(c, from: 0)]
    #expect(next == [b, c, nil])
    #expect(!queue.isBusy(0))
  }

  @Test mutating func goesOnWithoutOneThatIsNotWantedAnyMore() {
    for device in [a, b, c] { _ = queue.add(device, to: 0) }
    let afterWaiting = queue.remove(b, from: 0)
    let afterFirst = queue.remove(a, from: 0)
    let afterStranger = queue.remove(b, from: 0)
    #expect(afterWaiting == nil)
    #expect(afterFirst == c)
    #expect(afterStranger == nil)
    #expect(queue.isBusy(0))
  }
}
