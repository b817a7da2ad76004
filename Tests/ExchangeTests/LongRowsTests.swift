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
      #expect(!wire.statuses.contains(503))
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

/// The latest measurements of a box that has many rows to bring.
struct LatestRowsTests {
  /// A box with a month of weighings, and answers to them.
  private static func month(_ wire: Wire) async throws {
    try await wire.box.write { writer in
      _ = try writer.put(Patient(id: "p0", name: PersonName(given: "Ann")), now: Town.start)
    }
    #expect(try await wire.session())
    try await wire.box.write { writer in
      for number in 0..<60 {
        _ = try writer.insert(
          .weight(number, of: "p0", at: Town.start + Double(number) * 43_200))
      }
      _ = try writer.insert(.weight(99, of: nil, at: Town.start + 5_000_000))
    }
  }

  private static func latest(_ wire: Wire) async throws -> Date? {
    try await wire.centre.read { try $0.latestSample(patient: "p0", quantity: .bodyMass)?.start }
  }

  @Test func `today's weight is there before the month`() async throws {
    let wire = try await Wire(seed: 65)
    try await Self.month(wire)
    wire.link.begin()
    var requests: [Request] = []
    while try await wire.step(.arrives), let sent = wire.sent {
      requests.append(sent.request)
      guard case .latest(let latest) = sent.request else { continue }
      #expect(latest.rows.count == 1)
      #expect(requests.count == 2, "\(requests.map(\.brief))")
      #expect(try await Self.latest(wire) == Town.start + 59 * 43_200)
      #expect(try await wire.centre.read { try $0.samples(SampleQuery()).count } == 1)
    }
    #expect(requests.count { if case .latest = $0 { true } else { false } } == 1)
    #expect(try await wire.differences() == [])
    // A few rows need nothing before them.
    try await wire.box.write { writer in
      _ = try writer.insert(.weight(100, of: "p0", at: Town.start + 6_000_000))
    }
    wire.link.begin()
    while try await wire.step(.arrives) {
      if case .latest = wire.sent?.request { Issue.record("it is one row") }
    }
    #expect(try await wire.differences() == [])
  }

  @Test(arguments: [Wire.Fate.lost, .unanswered, .twice, .twiceLate, .busy, .damaged])
  func `what is cut or comes twice changes nothing twice`(fate: Wire.Fate) async throws {
    let wire = try await Wire(seed: 66)
    try await Self.month(wire)
    // The second request is that of the latest.
    _ = try await wire.session(fates: { $0 == 1 ? fate : .arrives })
    #expect(try await wire.session())
    #expect(try await wire.differences() == [])
    #expect(try await wire.centre.read { try $0.samples(SampleQuery()).count } == 61)
  }

  @Test func `an older centre is sent none`() async throws {
    let wire = try await Wire(seed: 67)
    wire.isOlder = true
    try await Self.month(wire)
    wire.link.begin()
    while try await wire.step(.arrives) {
      if case .latest = wire.sent?.request { Issue.record("nobody asked for it") }
    }
    #expect(try await wire.differences() == [])
  }

  @Test func `the latest of others, and of who has not agreed, stays`() async throws {
    let wire = try await Wire(seed: 68)
    try await Self.month(wire)
    try await wire.box.write { writer in
      _ = try writer.put(Patient(id: "p9", name: PersonName(given: "Bob")), now: Town.start)
      _ = try writer.insert(.weight(7, of: "p9", at: Town.start + 7_000_000))
    }
    wire.link.begin()
    while try await wire.step(.arrives), let sent = wire.sent {
      guard case .latest(let latest) = sent.request else { continue }
      #expect(latest.rows.count == 1)
    }
    let other = try await wire.centre.read {
      try $0.latestSample(patient: "p9", quantity: .bodyMass)
    }
    #expect(other == nil)
  }
}

/// The line at a centre's door.
struct DoorLineTests {
  /// The state that several tasks see, and the sign on which they end.
  private final class Seen: Sendable {
    struct State {
      var running = 0
      var most = 0
      var order: [Int] = []
      var waiting: [Int] = []
    }

    let state = Mutex(State())
    let isOpen = Atomic(false)

    /// Notes a request that is answered, which lasts until the gate is open.
    func answer(_ number: Int, _ waiting: Int) async {
      state.withLock { state in
        state.running += 1
        state.most = max(state.most, state.running)
        state.order.append(number)
        state.waiting.append(waiting)
      }
      while !isOpen.load(ordering: .relaxed) { await Task.yield() }
      state.withLock { $0.running -= 1 }
    }

    func open() { isOpen.store(true, ordering: .relaxed) }
  }

  /// Ten boxes come one after the other, and are answered when all have come.
  @Test(arguments: [1, 2])
  func `few are answered at a time, in their order, and hear how many wait`(most: Int) async throws
  {
    let line = DoorLine(answered: most)
    let seen = Seen()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<10 {
        group.addTask {
          try await line.run(for: "box \(number)", length: 0) { await seen.answer(number, $0) }
        }
        while line.count <= number { await Task.yield() }
      }
      while seen.state.withLock({ $0.order.count }) < most { await Task.yield() }
      #expect(seen.state.withLock { $0.running } == most)
      seen.open()
      try await group.waitForAll()
    }
    let result = seen.state.withLock { $0 }
    #expect(result.most == most)
    #expect(result.order.sorted() == Array(0..<10))
    if most == 1 {
      #expect(result.order == Array(0..<10))
      #expect(result.waiting.dropFirst() == [8, 7, 6, 5, 4, 3, 2, 1, 0])
    }
    #expect(line.count == 0)
  }

  @Test func `short requests come before long ones, which are not forgotten`() async throws {
    let line = DoorLine(answered: 1)
    let seen = Seen()
    try await withThrowingTaskGroup(of: Void.self) { group in
      // One is answered; then twenty long ones come, and twenty short ones.
      for number in 0..<41 {
        let isLong = (1..<21).contains(number)
        let length = isLong ? DoorLine.short + 1 : DoorLine.short
        group.addTask {
          try await line.run(for: "box \(number)", length: length) {
            await seen.answer(number, $0)
          }
        }
        while line.count <= number { await Task.yield() }
      }
      seen.open()
      try await group.waitForAll()
    }
    let turns = seen.state.withLock { $0.order.map((1..<21).contains) }
    // Every eighth turn is a long one's.
    let short = [Bool](repeating: false, count: 7)
    let first = [false] + short + [true] + short + [true] + short.prefix(6)
    #expect(turns == first + [Bool](repeating: true, count: 18))
    #expect(line.count == 0)
  }

  @Test func `a box has two requests there, and the next one is refused`() async throws {
    let line = DoorLine()
    let seen = Seen()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<2 {
        group.addTask {
          try await line.run(for: "a", length: 0) { await seen.answer(number, $0) }
        }
        while line.count <= number { await Task.yield() }
      }
      await #expect(throws: DoorBusy.self) { try await line.run(for: "a", length: 0) { _ in } }
      seen.open()
      try await group.waitForAll()
    }
    #expect(try await line.run(for: "a", length: 0) { $0 } == 0)
    #expect(line.count == 0)
  }
}
