import Care
import CareStore
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Exchange

/// Many boxes that come back at once: what is short comes before what is long.
struct LongRowsTests {
  /// Which streams the centre has rows of.
  private static func streams(_ wire: Wire) async throws -> Set<RowStream> {
    Set(try await Household.rows(wire.centre).keys.map(\.stream))
  }

  @Test func `while others wait, a box brings what is short and comes again`() async throws {
    let wire = try await Wire(seed: 61)
    try await Household.fill(wire.box)
    wire.waiting = CentreDoor.many
    for _ in 0..<3 {
      #expect(try await wire.session())
      #expect(wire.link.pause == 30)
      #expect(try await Self.streams(wire) == [.quick, .singles])
      // Nothing long was sent in vain.
      #expect(wire.statuses.allSatisfy { $0 == 200 || $0 == 401 })
    }
    wire.waiting = CentreDoor.many - 1
    #expect(try await wire.session())
    #expect(wire.link.pause == nil)
    #expect(try await wire.differences() == [])
    // Who has nothing long is level however many wait.
    wire.waiting = 1_000
    let requests = wire.requests
    #expect(try await wire.session())
    #expect(wire.link.pause == nil)
    #expect(wire.requests == requests + 1)
  }

  @Test func `a box insists after a quarter of an hour`() async throws {
    let wire = try await Wire(seed: 64)
    try await Household.fill(wire.box)
    wire.waiting = CentreDoor.many
    for count in 0..<BoxSession.mostPauses {
      #expect(try await wire.session())
      #expect(wire.link.pause == 30, "\(count)")
    }
    #expect(try await wire.session())
    #expect(wire.link.pause == nil)
    #expect(try await wire.differences() == [])
    // The patience is new with the next rows.
    let hour = Date(
      timeIntervalSince1970: (wire.now.timeIntervalSince1970 / 3_600).rounded(.up) * 3_600)
    try await wire.box.write { writer in
      _ = try writer.insert(.beat(70, of: "p0", at: hour))
    }
    try await wire.box.exchanging { try $0.closeHours(at: hour + 7_200) }
    #expect(try await wire.session())
    #expect(wire.link.pause == 30)
  }

  @Test func `a box that does not know it is refused what is long, and loses nothing`() async throws
  {
    let wire = try await Wire(seed: 62)
    wire.isOlder = true
    try await Household.fill(wire.box)
    wire.waiting = CentreDoor.tooMany
    for _ in 0..<2 {
      #expect(try await !wire.session())
      #expect(wire.statuses.last == 503)
      #expect(try await Self.streams(wire) == [.quick, .singles])
    }
    let refused = try #require(wire.sent)
    #expect(try await wire.answer(refused).retryAfter == 30)
    // Less than that, and it may bring it, though others are asked for patience.
    wire.waiting = CentreDoor.tooMany - 1
    let before = wire.statuses.count
    #expect(try await wire.session())
    // The nonce that was refused is good.
    #expect(!wire.statuses.dropFirst(before).contains(401))
    #expect(try await wire.differences() == [])
  }

  @Test func `both sides read the answers of older ones`() throws {
    struct Older: Codable, Hashable {
      var nonce: String?
      var reply: Reply?
    }
    let nonce = String(repeating: "a", count: 32)
    let older = try PackedMessage.unpacked(
      PackedMessage.packed(Older(nonce: nonce, reply: .level)))
    #expect(
      try PackedMessage.read(DoorMessage.self, json: older)
        == DoorMessage(nonce: nonce, reply: .level))
    let newer = try PackedMessage.unpacked(
      PackedMessage.packed(DoorMessage(nonce: nonce, reply: .level, later: 30)))
    #expect(
      try PackedMessage.read(Older.self, json: newer) == Older(nonce: nonce, reply: .level))
    // A centre without anybody who waits says no more than an older one.
    #expect(
      try PackedMessage.packed(DoorMessage(nonce: nonce, reply: .level))
        == PackedMessage.packed(Older(nonce: nonce, reply: .level)))
  }

  @Test func `a pause does not grow, and spreads the boxes`() {
    var random = SeededGenerator(seed: 63)
    let pauses = (0..<1_000).map { _ in SyncPace.afterPause(of: 30, using: &random) }
    #expect(pauses.allSatisfy { (30...60).contains($0) })
    // A thousand boxes: in no second more than twice the mean.
    let seconds = Dictionary(grouping: pauses) { Int($0) }.mapValues(\.count)
    #expect(seconds.count == 30)
    #expect(seconds.values.allSatisfy { $0 < 67 }, "\(seconds)")
  }

  @Test func `the pace without pauses is as it was`() {
    var pace = SyncPace()
    let quiet = (0..<7).map { _ in pace.next(hasTravelled: false) }
    #expect(quiet == [300, 600, 1_200, 2_400, 4_800, 5_400, 5_400])
    #expect(pace.next(hasTravelled: true) == 300)
  }
}

/// The line at a centre's door.
struct DoorLineTests {
  private struct Seen {
    var running = 0
    var most = 0
    var order: [Int] = []
    var waiting: [Int] = []
  }

  /// Ten boxes come one after the other, and are answered when all have come.
  @Test func `two are answered at a time, in their order, and hear how many wait`() async throws {
    let line = DoorLine()
    let seen = Mutex(Seen())
    let isOpen = Atomic(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<10 {
        group.addTask {
          try await line.run(for: "box \(number)") { waiting in
            seen.withLock { seen in
              seen.running += 1
              seen.most = max(seen.most, seen.running)
              seen.order.append(number)
              seen.waiting.append(waiting)
            }
            while !isOpen.load(ordering: .relaxed) { await Task.yield() }
            seen.withLock { $0.running -= 1 }
          }
        }
        while line.count <= number { await Task.yield() }
      }
      #expect(seen.withLock(\.order) == [0, 1])
      isOpen.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
    let result = seen.withLock { $0 }
    #expect(result.most == 2)
    #expect(result.order.sorted() == Array(0..<10))
    // Two run at once, so that neighbours may change places.
    #expect(result.order.enumerated().allSatisfy { abs($0 - $1) <= 1 })
    #expect(result.waiting.prefix(2) == [0, 0])
    #expect(result.waiting.max() == 7)
    #expect(line.count == 0)
  }

  @Test func `a box has two requests there, and the next one is refused`() async throws {
    let line = DoorLine()
    let isOpen = Atomic(false)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<2 {
        group.addTask {
          try await line.run(for: "a") { _ in while !isOpen.load(ordering: .relaxed) { await Task.yield() } }
        }
        while line.count <= number { await Task.yield() }
      }
      await #expect(throws: DoorBusy.self) { try await line.run(for: "a") { _ in } }
      isOpen.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
    #expect(try await line.run(for: "a") { $0 } == 0)
    #expect(line.count == 0)
  }
}
