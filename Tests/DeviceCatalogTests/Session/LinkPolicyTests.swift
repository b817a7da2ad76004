import Foundation
import Radio
import Testing

@testable import DeviceCatalog

struct LinkPolicyTests {
  private func advertise(_ policy: inout LinkPolicy, at seconds: Double) -> Bool {
    policy.advertised(at: SessionBench.time(seconds).steady)
  }

  @Test func `connects once`() {
    var policy = LinkPolicy()
    let answers = [0, 0.1, 59].map { advertise(&policy, at: $0) }
    #expect(answers == [true, false, false])
    #expect(policy.state == .connecting(until: SessionBench.time(60).steady))
  }

  @Test func `does not connect a linked device`() {
    var policy = LinkPolicy()
    policy.connected()
    let answer = advertise(&policy, at: 100)
    #expect(!answer)
  }

  @Test func `rests after a link`() {
    var policy = LinkPolicy()
    policy.connected()
    policy.worked()
    policy.disconnected(at: SessionBench.time(10).steady)
    let answers = [10, 14.9, 15].map { advertise(&policy, at: $0) }
    #expect(answers == [false, false, true])
  }

  /// The pauses in seconds after consecutive failures of one kind.
  static let pauses: [(kind: LinkFailure, seconds: [Double])] = [
    (.gone, [1, 2, 4, 8, 16, 32, 60, 60]),
    (.other, [1, 2, 4, 8, 16, 32, 60, 60]),
    (.outOfSlots, [4, 8, 16, 32, 60, 60]),
    (.transient, [0.25, 0.5, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 16, 32, 60, 60]),
    (.staleBond, [600, 1200, 2400, 3600, 3600]),
    (.unauthorized, [15, 60, 600, 1200, 2400, 3600, 3600]),
  ]

  @Test(arguments: pauses.indices)
  func `waits by the kind of failure`(index: Int) {
    let (kind, pauses) = Self.pauses[index]
    var policy = LinkPolicy()
    var time = 0.0
    for pause in pauses {
      let begins = advertise(&policy, at: time)
      #expect(begins)
      #expect(policy.failed(kind, at: SessionBench.time(time).steady) == pause)
      let early = advertise(&policy, at: time + pause - 0.01)
      #expect(!early)
      time += pause
    }
  }

  /// The user has paired the device: it is connected at once.
  ///
  /// If that was in vain, the pauses go on.
  @Test(arguments: [LinkFailure.unauthorized, .staleBond])
  func `a new bond ends the pause`(kind: LinkFailure) {
    var policy = LinkPolicy()
    var time = 0.0
    for _ in 0..<4 {
      let begins = advertise(&policy, at: time)
      #expect(begins)
      time += policy.failed(kind, at: SessionBench.time(time).steady) ?? 0
    }
    time -= 1
    let early = advertise(&policy, at: time)
    policy.bondChanged()
    let begins = advertise(&policy, at: time)
    #expect([early, begins] == [false, true])
    let pause = policy.failed(kind, at: SessionBench.time(time).steady)
    #expect(pause == (kind == .staleBond ? 3600 : 2400))
  }

  /// A cuff refuses each of its subscriptions for want of a bond.
  @Test(arguments: [(LinkFailure.unauthorized, [15.0, 60, 600]), (.staleBond, [600, 1200, 2400])])
  func `counts the refusals of one link once`(kind: LinkFailure, pauses: [Double]) {
    var policy = LinkPolicy()
    var time = 0.0
    for pause in pauses {
      let begins = advertise(&policy, at: time)
      #expect(begins)
      policy.connected()
      for _ in 0..<5 { #expect(policy.failed(kind, at: SessionBench.time(time).steady) == pause) }
      policy.disconnected(at: SessionBench.time(time).steady)
      time += pause
    }
  }

  /// Other pauses protect the radio.
  @Test func `a new bond shortens no other pause`() {
    var policy = LinkPolicy()
    _ = advertise(&policy, at: 0)
    policy.failed(.gone, at: SessionBench.time(0).steady)
    policy.bondChanged()
    let early = advertise(&policy, at: 0.5)
    #expect(!early)
  }

  /// A device that waited for its turn in vain is not to blame: its pause stays short.
  @Test(arguments: [LinkError.Cause.displaced, .gaveWay])
  func `a turn that does not come is no failure`(cause: LinkError.Cause) {
    var policy = LinkPolicy()
    var time = 0.0
    for _ in 0..<50 {
      let begins = advertise(&policy, at: time)
      #expect(begins)
      #expect(policy.failed(LinkError(.transient, cause), at: SessionBench.time(time).steady) == 1)
      #expect(policy.wakeAt == SessionBench.time(time + 1).steady)
      time += 1
    }
  }

  @Test func `a turn that does not come is news when that repeats`() {
    var policy = LinkPolicy()
    var time = 0.0
    func isTold(_ error: LinkError) -> Bool {
      _ = advertise(&policy, at: time)
      policy.failed(error, at: SessionBench.time(time).steady)
      time += 1
      return !policy.isOnlyWaiting
    }
    let displaced = LinkError(.transient, .displaced)
    #expect((0..<6).map { _ in isTold(displaced) } == [false, false, false, false, true, true])
    _ = advertise(&policy, at: time)
    policy.connected()
    policy.disconnected(at: SessionBench.time(time).steady)
    time += 100
    #expect(!isTold(displaced))
    #expect(isTold(LinkError(.gone, .notHeard)))
  }

  @Test(arguments: LinkFailure.allCases)
  func `retries forever`(kind: LinkFailure) {
    var policy = LinkPolicy()
    var time = 0.0
    for _ in 0..<2000 {
      guard advertise(&policy, at: time) else {
        Issue.record("the pause is longer than the reported one")
        return
      }
      time += policy.failed(kind, at: SessionBench.time(time).steady) ?? 0
    }
    #expect(policy.notBefore == SessionBench.time(time).steady)
  }

  @Test func `a value ends the row of failures`() {
    var policy = LinkPolicy()
    var time = 0.0
    for _ in 0..<6 {
      _ = advertise(&policy, at: time)
      policy.disconnected(at: SessionBench.time(time).steady)
      time += 60
    }
    _ = advertise(&policy, at: time)
    policy.connected()
    policy.worked()
    policy.disconnected(at: SessionBench.time(time).steady)
    _ = advertise(&policy, at: time + 5)
    #expect(policy.failed(.gone, at: SessionBench.time(time + 5).steady) == 1)
  }

  @Test func `a link without values is a failure`() {
    var policy = LinkPolicy()
    var time = 0.0
    var pauses: [Double] = []
    for _ in 0..<7 {
      _ = advertise(&policy, at: time)
      policy.connected()
      policy.disconnected(at: SessionBench.time(time).steady)
      let next = policy.notBefore.map { $0 - SessionBench.time(time).steady } ?? 0
      pauses.append(next)
      time += next
    }
    #expect(pauses == [5, 5, 5, 8, 16, 32, 60])
  }

  @Test func `a failed command leaves the link up`() {
    var policy = LinkPolicy()
    #expect(policy.failed(.gone, at: SessionBench.time(0).steady) == nil)
    policy.connected()
    #expect(policy.failed(.other, at: SessionBench.time(0).steady) == nil)
    #expect(policy.state == .up)
    #expect(policy.notBefore == nil)
  }

  /// A value that arrives before the link has ended does not shorten the pause.
  @Test func `leaves a flooding device alone for a minute`() {
    var policy = LinkPolicy()
    policy.connected()
    policy.worked()
    let flood = LinkError(.other, .flooded)
    #expect(policy.failed(flood, at: SessionBench.time(10).steady) == 60)
    policy.worked()
    policy.disconnected(at: SessionBench.time(11).steady)
    let answers = [12, 69, 70].map { advertise(&policy, at: $0) }
    #expect(answers == [false, false, true])
  }

  /// A link may come up and be unusable without its bond.
  @Test func `a stale bond is not forgotten with the link`() {
    var policy = LinkPolicy()
    _ = advertise(&policy, at: 0)
    policy.connected()
    #expect(policy.failed(.staleBond, at: SessionBench.time(1).steady) == 600)
    policy.disconnected(at: SessionBench.time(2).steady)
    let answers = [7, 600, 601].map { advertise(&policy, at: $0) }
    #expect(answers == [false, false, true])
  }

  @Test func `retries transient failures without an advertisement`() {
    var policy = LinkPolicy()
    _ = advertise(&policy, at: 0)
    policy.failed(.transient, at: SessionBench.time(3).steady)
    #expect(policy.wakeAt == SessionBench.time(3.25).steady)
    let answers = [3.2, 3.25, 3.3].map { policy.wake(at: SessionBench.time($0).steady) }
    #expect(answers == [false, true, false])
    #expect(policy.state == .connecting(until: SessionBench.time(63.25).steady))
    #expect(policy.wakeAt == nil)
  }

  @Test func `waits for an advertisement after a long pause`() {
    var policy = LinkPolicy()
    _ = advertise(&policy, at: 0)
    // The last advertisement is too old.
    policy.failed(.transient, at: SessionBench.time(9.8).steady)
    #expect(policy.wakeAt == nil)
    // A device that is out of range is not retried without an advertisement.
    var gone = LinkPolicy()
    _ = advertise(&gone, at: 0)
    gone.failed(.gone, at: SessionBench.time(1).steady)
    #expect(gone.wakeAt == nil)
    let answer = advertise(&gone, at: 2)
    #expect(answer)
  }
}

// MARK: - Catching up

struct CatchUpTests {
  private func advertise(_ catchUp: inout CatchUp, _ seconds: [Double]) -> [Bool] {
    seconds.map { catchUp.advertised(at: SessionBench.time($0).steady) }
  }

  @Test func `does not interrupt a weighing`() {
    var catchUp = CatchUp()
    let answers = advertise(&catchUp, [0, 1, 19.9, 20, 21])
    #expect(answers == [false, false, false, true, true])
  }

  @Test func `does not interrupt the next weighing`() {
    var catchUp = CatchUp()
    let answers = advertise(&catchUp, [0, 30, 90, 150.1, 160, 170.1])
    #expect(answers == [false, true, true, false, false, true])
  }

  @Test func `fetches once an hour`() {
    var catchUp = CatchUp()
    _ = advertise(&catchUp, [0])
    catchUp.done(at: SessionBench.time(20).steady)
    let answers = advertise(&catchUp, [50, 3590, 3630])
    #expect(answers == [false, false, true])
  }

  @Test func `retries after ten minutes`() {
    var catchUp = CatchUp()
    _ = advertise(&catchUp, [0])
    catchUp.began(at: SessionBench.time(20).steady)
    let answers = advertise(&catchUp, [50, 590, 630])
    #expect(answers == [false, false, true])
  }
}
