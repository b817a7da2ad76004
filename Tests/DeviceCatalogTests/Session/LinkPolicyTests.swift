import Testing

@testable import DeviceCatalog

@Suite("LinkPolicy")
struct LinkPolicyTests {
  private func hears(_ policy: inout LinkPolicy, at seconds: Double) -> Bool {
    policy.heard(at: SessionBench.time(seconds))
  }

  @Test func connectsOnce() {
    var policy = LinkPolicy()
    let answers = [0, 0.1, 29].map { hears(&policy, at: $0) }
    #expect(answers == [true, false, false])
    #expect(policy.state == .connecting(until: SessionBench.time(30)))
  }

  @Test func leavesALinkedDeviceAlone() {
    var policy = LinkPolicy()
    policy.connected()
    let answer = hears(&policy, at: 100)
    #expect(!answer)
  }

  @Test func restsAfterALink() {
    var policy = LinkPolicy()
    policy.connected()
    policy.disconnected(at: SessionBench.time(10))
    let answers = [10, 14.9, 15].map { hears(&policy, at: $0) }
    #expect(answers == [false, false, true])
  }

  @Test func aLinkEndsTheRowOfFailures() {
    var policy = LinkPolicy()
    var time = 0.0
    for _ in 0..<6 {
      _ = hears(&policy, at: time)
      policy.disconnected(at: SessionBench.time(time))
      time += 60
    }
    _ = hears(&policy, at: time)
    policy.connected()
    policy.disconnected(at: SessionBench.time(time))
    _ = hears(&policy, at: time + 5)
    policy.failed(at: SessionBench.time(time + 5))
    let answers = [time + 5.9, time + 6].map { hears(&policy, at: $0) }
    #expect(answers == [false, true])
  }

  @Test func aFailureWithoutAnAttemptIsNone() {
    var policy = LinkPolicy()
    policy.failed(at: SessionBench.time(0))
    let answer = hears(&policy, at: 0)
    #expect(answer)
  }
}
