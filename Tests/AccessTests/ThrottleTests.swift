import Digests
import Foundation
import TestSupport
import Testing

@testable import Access

final class ThrottleTests {
  var throttle = Throttle(key: [UInt8](repeating: 9, count: 32))

  /// Makes an attempt, and reports the wait.
  func attempt(
    _ name: String?, from client: String, at uptime: TimeInterval, isAccount: Bool = true
  ) -> TimeInterval {
    let result = throttle.begin(
      name: name, isAccount: isAccount, client: client, uptime: uptime)
    return if case .failure(let wait) = result { wait.seconds } else { 0 }
  }

  @Test(
    arguments: [true, false])
  func `waits double from the fourth wrong attempt on, up to 15 minutes`(isAccount: Bool) {
    var uptime: TimeInterval = 0
    var waits: [TimeInterval] = []
    for index in 0..<16 {
      // Each attempt from another network, so that only the name counts.
      let client = "10.0.0.\(index)"
      let wait = attempt("mary", from: client, at: uptime, isAccount: isAccount)
      waits.append(wait)
      uptime += wait
      if wait > 0 {
        #expect(attempt("mary", from: client, at: uptime - 0.5, isAccount: isAccount) == 1)
        #expect(attempt("mary", from: client, at: uptime, isAccount: isAccount) == 0)
      }
    }
    #expect(waits == [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
  }

  @Test
  func `a network waits from the eleventh wrong attempt on, under all names together`() {
    for index in 0..<11 {
      #expect(attempt("name\(index)", from: "10.0.0.1", at: 0, isAccount: false) == 0)
    }
    #expect(attempt("other", from: "10.0.0.1", at: 0, isAccount: false) == 1)
    #expect(attempt("other", from: "10.0.0.2", at: 0, isAccount: false) == 0)
    #expect(attempt(nil, from: "10.0.0.1", at: 0) == 1)
  }

  @Test
  func `10 000 networks leave the wait of an account, and bounded memory`() {
    for index in 0..<4 { _ = attempt("mary", from: "192.0.2.\(index)", at: 0) }
    #expect(attempt("mary", from: "192.0.2.9", at: 0.1) == 1)
    for index in 0..<10_000 {
      let client = "10.1.\(index / 256).\(index % 256)"
      _ = attempt("name\(index)", from: client, at: 0.2, isAccount: false)
    }
    #expect(attempt("mary", from: "192.0.2.9", at: 0.3) == 1)
    #expect(throttle.accounts.count == 1)
    #expect(throttle.strangers.counts.count <= Throttle.capacity)
    #expect(throttle.networks.counts.count <= Throttle.capacity)
  }

  @Test
  func `10 000 networks together make no more attempts at an account than one`() {
    var accepted = 0
    for index in 0..<10_000 {
      // An attempt every 0.1 s for 1000 s.
      let client = "10.1.\(index / 256).\(index % 256)"
      if attempt("mary", from: client, at: Double(index) / 10) == 0 { accepted += 1 }
    }
    // 3 free, then after 1, 2, 4, ... 256 s and 512 s.
    #expect(accepted == 13)
  }

  @Test
  func `a network with several wrong attempts stays when many with one arrive`() {
    for _ in 0..<11 { _ = attempt(nil, from: "192.0.2.1", at: 0) }
    for index in 0..<5000 { _ = attempt(nil, from: "10.1.\(index / 256).\(index % 256)", at: 0.1) }
    #expect(attempt(nil, from: "192.0.2.1", at: 0.2) == 1)
  }

  @Test
  func `a right attempt frees its name, and its network of this attempt only`() throws {
    for _ in 0..<3 { _ = attempt("mary", from: "10.0.0.1", at: 0) }
    let right = try throttle.begin(
      name: "mary", isAccount: true, client: "10.0.0.1", uptime: 0
    ).get()
    throttle.succeed(right, account: "mary", client: "10.0.0.1")
    #expect(throttle.accounts.isEmpty)
    #expect(throttle.networks.counts.values.map(\.failures) == [3])
  }

  @Test
  func `attempts from elsewhere do not keep a person out of a familiar network`() throws {
    let right = try throttle.begin(
      name: "mary", isAccount: true, client: "10.0.0.1", uptime: 0
    ).get()
    throttle.succeed(right, account: "mary", client: "10.0.0.1")
    for index in 0..<4 { _ = attempt("mary", from: "192.0.2.\(index)", at: 1) }
    #expect(attempt("mary", from: "192.0.2.9", at: 1) == 1)
    #expect(attempt("mary", from: "10.0.0.1", at: 1) == 0)
    for index in 0..<20 { _ = attempt("name\(index)", from: "10.0.0.1", at: 1, isAccount: false) }
    #expect(attempt("eve", from: "10.0.0.1", at: 1) > 0)
    #expect(attempt("mary", from: "10.0.0.1", at: 1) == 0)
    // The person's own are counted there as well.
    for _ in 0..<2 { _ = attempt("mary", from: "10.0.0.1", at: 1) }
    #expect(attempt("mary", from: "10.0.0.1", at: 1) == 1)
    throttle.remove("mary")
    #expect(throttle.accounts.isEmpty)
  }

  /// Eight wrong passcodes from elsewhere, then a restart.
  @Test
  func `a familiar network is familiar after a restart, and its address is not in the file`() throws
  {
    let right = try throttle.begin(
      name: "mary", isAccount: true, client: "192.0.2.77", uptime: 0
    ).get()
    throttle.succeed(right, account: "mary", client: "192.0.2.77")
    for index in 0..<8 { _ = attempt("mary", from: "10.0.0.\(index)", at: 1000 * Double(index)) }
    let familiar = throttle.familiarRecords
    #expect(familiar.map(\.account) == ["mary"])
    #expect(!"\(familiar)".contains("192.0.2"))
    throttle = try #require(
      Throttle(key: throttle.key, records: throttle.records, familiar: familiar, uptime: 5))
    #expect(attempt("mary", from: "192.0.2.9", at: 6) > 0)
    #expect(attempt("mary", from: "192.0.2.77", at: 6) == 0)
    #expect(throttle.familiarRecords == familiar)
  }

  @Test
  func `a lane is forgotten after a day`() {
    for index in 0..<4 { _ = attempt("mary", from: "10.0.0.\(index)", at: 0) }
    #expect(attempt("eve", from: "10.0.1.1", at: 86_401) == 0)
    #expect(throttle.accounts.count == 1)
    #expect(throttle.networks.counts.count == 1)
  }

  @Test
  func `after a restart the wait begins again, for accounts and for unknown names`() throws {
    for index in 0..<8 { _ = attempt("mary", from: "10.0.0.\(index)", at: 1000 * Double(index)) }
    for index in 0..<8 {
      _ = attempt("eve", from: "10.0.1.\(index)", at: 1000 * Double(index), isAccount: false)
    }
    let records = throttle.records
    #expect(records.count == 2)
    throttle = try #require(Throttle(key: throttle.key, records: records, uptime: 5))
    #expect(attempt("mary", from: "10.0.0.1", at: 6) == 15)
    #expect(attempt("eve", from: "10.0.0.1", at: 6, isAccount: false) == 15)
    #expect(throttle.records == records)
  }

  @Test
  func `names are not stored as typed`() {
    for _ in 0..<4 { _ = attempt("my passcode", from: "10.0.0.1", at: 0, isAccount: false) }
    #expect(!"\(throttle)".contains("my passcode"))
    #expect(throttle.records.map(\.lane.count) == [22])
  }

  @Test
  func `damaged records are refused`() {
    let key = [UInt8](repeating: 9, count: 32)
    let lane = Base64URL.text(of: [UInt8](repeating: 1, count: 16))
    for (lane, failures) in [("", 1), ("AAAA", 1), (lane, 0), (lane, 1001), (lane, -1)] {
      let record = Throttle.Record(lane: lane, failures: failures, isAccount: true)
      #expect(Throttle(key: key, records: [record], uptime: 0) == nil)
    }
    for lanes in [[""], ["AAAA"], Array(repeating: lane, count: 9)] {
      let record = Throttle.Familiar(account: "mary", lanes: lanes)
      #expect(Throttle(key: key, records: [], familiar: [record], uptime: 0) == nil)
    }
    let twice = Throttle.Familiar(account: "mary", lanes: [lane])
    #expect(Throttle(key: key, records: [], familiar: [twice, twice], uptime: 0) == nil)
  }

  static let networks: [(client: String, network: String)] = [
    ("192.0.2.1", "192.0.2.1"), ("::ffff:192.0.2.1", "192.0.2.1"),
    ("2001:db8:1:2::1", "IAENuAABAAI"), ("2001:db8:1:2:ffff::9", "IAENuAABAAI"),
    ("2001:db8:1:3::1", "IAENuAABAAM"), ("fe80::1%eth0", "_oAAAAAAAAA"), ("", ""),
    ("unix", "unix"),
  ]

  @Test(arguments: networks.indices)
  func `the network of an address`(index: Int) {
    let example = Self.networks[index]
    #expect(Throttle.network(of: example.client) == example.network)
  }
}
