import Radio
import Testing

@testable import KernelRadio

@Suite struct ConnectQueueTests {
  var queue = ConnectQueue()
  let a = DeviceAddress(rawValue: 1)
  let b = DeviceAddress(rawValue: 2)
  let c = DeviceAddress(rawValue: 3)

  @Test mutating func connectsOneAtATimeOnEachController() {
    let begun = [(a, 0), (b, 0), (c, 1)].map { device, controller in
      queue.add(device, to: controller, isKnown: false).begins
    }
    #expect(begun == [true, false, true])
    #expect([0, 1, 2].map(queue.isBusy) == [true, true, false])
    #expect([0, 1, 2].map(queue.isAwaited) == [true, false, false])
  }

  @Test mutating func givesTheNextItsTurn() {
    for device in [a, b, c] { _ = queue.add(device, to: 0, isKnown: true) }
    let next = [queue.remove(a, from: 0), queue.remove(b, from: 0), queue.remove(c, from: 0)]
    #expect(next == [b, c, nil])
    #expect(!queue.isBusy(0))
  }

  @Test mutating func goesOnWithoutOneThatIsNotWantedAnyMore() {
    for device in [a, b, c] { _ = queue.add(device, to: 0, isKnown: true) }
    let afterWaiting = queue.remove(b, from: 0)
    let afterFirst = queue.remove(a, from: 0)
    let afterStranger = queue.remove(b, from: 0)
    #expect(afterWaiting == nil)
    #expect(afterFirst == c)
    #expect(afterStranger == nil)
    #expect(queue.isBusy(0))
  }

  /// Those that were read before go first, then the stranger that came last.
  @Test mutating func letsNoStrangersKeepOthersWaiting() {
    let strangers = (10..<20).map { DeviceAddress(rawValue: $0) }
    var dropped: [DeviceAddress?] = []
    for stranger in strangers {
      dropped.append(queue.add(stranger, to: 0, isKnown: false).dropped)
    }
    #expect(dropped.compactMap(\.self) == Array(strangers[1...5]))
    for device in [a, b] { _ = queue.add(device, to: 0, isKnown: true) }
    var order: [DeviceAddress] = []
    var next = queue.remove(strangers[0], from: 0)
    while let device = next {
      order.append(device)
      next = queue.remove(device, from: 0)
    }
    #expect(order == [a, b] + strangers[6...].reversed())
  }
}
