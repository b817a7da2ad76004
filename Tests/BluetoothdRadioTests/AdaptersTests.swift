import Radio
import Testing

@testable import BluetoothdRadio

@Suite struct AdaptersTests {
  static let path = "/org/bluez/hci0"
  let start = ContinuousClock.now
  var adapters = Adapters()

  @Test mutating func `starts discovery on a powered controller`() {
    let added = [
      adapters.add(Self.path, isPowered: true, at: start),
      adapters.add(Self.path, isPowered: true, at: start),
    ]
    #expect(added == [true, false])
    let first = adapters.next(Self.path, at: start)
    #expect(first.action == .start)
    adapters.started(Self.path, at: start)
    #expect(!adapters.isQuiet(Self.path))
    adapters.hold(Self.path)
    let second = adapters.next(Self.path, at: start)
    #expect(second.action == .stop)
    let isDeaf = adapters.stopped(Self.path, at: start, leavesRoom: false)
    #expect(!isDeaf)
    #expect(adapters.isQuiet(Self.path))
    let released = [adapters.release(Self.path), adapters.release(Self.path)]
    #expect(released == [true, false])
  }

  @Test mutating func `reports a trouble once`() {
    _ = adapters.add(Self.path, isPowered: false, at: start)
    let changes = [
      adapters.setTrouble(.deaf, of: Self.path), adapters.setTrouble(.deaf, of: Self.path),
      adapters.setTrouble(.notPermitted, of: Self.path),
    ]
    #expect(changes == [true, false, true])
    // Changing another property does not clear the trouble; switching on does.
    adapters.setPowered(false, of: Self.path)
    let same = adapters.setTrouble(.notPermitted, of: Self.path)
    #expect(!same)
    adapters.setPowered(true, of: Self.path)
    let again = adapters.setTrouble(.notPermitted, of: Self.path)
    #expect(again)
  }

  /// A start clears an earlier trouble, but not that discovery is stuck: it only seems to start.
  @Test mutating func `believes a stop and not a start`() {
    _ = adapters.add(Self.path, isPowered: true, at: start)
    _ = adapters.setTrouble(.deaf, of: Self.path)
    adapters.started(Self.path, at: start)
    let isNew = adapters.setTrouble(.deaf, of: Self.path)
    #expect(isNew)
    let remedies = (0..<2).map { _ in
      adapters.refusedStop(Self.path, at: start, isLinked: false)
    }
    #expect(remedies == [nil, .power])
    let stuck = ControllerTrouble.stuck(isHopeless: false)
    _ = adapters.setTrouble(stuck, of: Self.path)
    adapters.started(Self.path, at: start)
    let repeated = adapters.setTrouble(stuck, of: Self.path)
    #expect(!repeated)
    let accepted = [adapters.acceptedStop(Self.path), adapters.acceptedStop(Self.path)]
    #expect(accepted == [true, false])
    let again = adapters.setTrouble(stuck, of: Self.path)
    #expect(again)
  }

  @Test func `ends turns with the controller`() async {
    var adapters = Adapters()
    _ = adapters.add(Self.path, isPowered: true, at: start)
    let came = await withCheckedContinuation { (task: CheckedContinuation<Bool, Never>) in
      adapters.requestTurn(1, on: Self.path, isKnown: false, task)
    }
    #expect(came)
    let second = await withCheckedContinuation { (task: CheckedContinuation<Bool, Never>) in
      adapters.requestTurn(2, on: Self.path, isKnown: false, task)
      _ = adapters.remove(Self.path)
    }
    #expect(!second)
    let third = await withCheckedContinuation { (task: CheckedContinuation<Bool, Never>) in
      adapters.requestTurn(3, on: Self.path, isKnown: false, task)
    }
    #expect(!third)
  }
}
