import Testing

@testable import BluetoothdRadio

@Suite struct DiscoveryCycleTests {
  let start = ContinuousClock.now

  func cycle(isPowered: Bool = true) -> DiscoveryCycle {
    var cycle = DiscoveryCycle(at: start)
    cycle.isPowered = isPowered
    return cycle
  }

  /// A cycle that has been discovering since the start.
  func listening() -> DiscoveryCycle {
    var cycle = cycle()
    _ = cycle.next(at: start)
    cycle.started(at: start)
    return cycle
  }

  @Test(arguments: [(true, Duration.seconds(5)), (false, .milliseconds(100))])
  func `alternates between discovery and pauses`(leavesRoom: Bool, pause: Duration) {
    var cycle = cycle()
    var now = start
    for _ in 0..<3 {
      #expect(cycle.wakeAt == now)
      #expect(cycle.next(at: now) == .start)
      #expect(cycle.next(at: now) == nil)
      #expect(cycle.wakeAt == nil)
      cycle.started(at: now)
      #expect(cycle.wakeAt == now + .seconds(9))
      now += .seconds(9)
      #expect(cycle.next(at: now) == .stop)
      #expect(!cycle.isQuiet)
      cycle.stopped(at: now, leavesRoom: leavesRoom)
      #expect(cycle.isQuiet)
      #expect(cycle.wakeAt == now + pause)
      #expect(cycle.next(at: now + pause / 2) == nil)
      now += pause
    }
  }

  @Test func `waits for its controller`() {
    var cycle = cycle(isPowered: false)
    #expect(cycle.wakeAt == nil)
    #expect(cycle.next(at: start) == nil)
    cycle.isPowered = true
    #expect(cycle.next(at: start) == .start)
  }

  @Test func `pauses while a link is connected`() {
    var cycle = listening()
    cycle.holds = 2
    #expect(cycle.next(at: start + .seconds(1)) == .stop)
    cycle.stopped(at: start + .seconds(1), leavesRoom: true)
    #expect(cycle.isQuiet)
    #expect(cycle.wakeAt == nil)
    cycle.holds = 1
    #expect(cycle.next(at: start + .seconds(60)) == nil)
    cycle.holds = 0
    #expect(cycle.next(at: start + .seconds(60)) == .start)
  }

  @Test func `retries with growing delays`() {
    var cycle = cycle()
    var now = start
    var pauses: [Duration] = []
    for _ in 0..<8 {
      #expect(cycle.next(at: now) == .start)
      cycle.failed(at: now)
      let next = cycle.wakeAt ?? now
      pauses.append(next - now)
      now = next
    }
    #expect(pauses == [2, 4, 8, 16, 32, 64, 64, 64].map { .seconds($0) })
    #expect(cycle.next(at: now) == .start)
    cycle.started(at: now)
    #expect(cycle.wakeAt == now + .seconds(9))
  }

  @Test func `restarts when another program stopped it`() {
    var cycle = listening()
    cycle.ended(at: start + .seconds(3))
    #expect(cycle.wakeAt == start + .seconds(5))
    #expect(cycle.next(at: start + .seconds(5)) == .start)
    // Reports about an earlier phase have no effect.
    cycle.ended(at: start + .seconds(5))
    cycle.failed(at: start + .seconds(5))
    #expect(cycle.wakeAt == start + .seconds(7))
  }

  @Test func `suspects a controller that received before`() {
    var watch = SilenceWatch()
    func silentResults(after seconds: [Int]) -> [Bool] {
      seconds.map { watch.isDeaf(at: start + .seconds($0)) }
    }
    #expect(silentResults(after: [86_400]) == [false])
    watch.received(at: start)
    #expect(silentResults(after: [599, 600, 1200]) == [false, true, false])
    watch.received(at: start + .seconds(1200))
    #expect(silentResults(after: [1799, 1800]) == [false, true])
  }
}
