import Care
import Digests
import Foundation
import TestSupport
import Testing

@testable import CareStore
@testable import Exchange

/// A box and a centre through the door: signed, packed, cut, repeated and altered.
struct DoorTests {
  @Test func `everything of a household arrives, and what the centre adds comes back`() async throws
  {
    let wire = try await Wire(seed: 1)
    try await Household.fill(wire.box)
    #expect(try await wire.session())
    #expect(try await wire.differences() == [])
    // The first request is signed with a nonce that nobody gave.
    #expect(
      wire.statuses.first == 401
        && wire.statuses.dropFirst().allSatisfy { [200, 422].contains($0) })
    try await wire.centre.write { [now = wire.now] writer in
      _ = try writer.put(Note(id: "n2", patient: "p0", content: "from there"), now: now)
    }
    #expect(try await wire.session())
    #expect(try await wire.differences() == [])
    let boxes = try await wire.centre.readingExchange {
      try Enrolment(Centre(version: 1)).boxes(in: $0)
    }
    #expect(boxes.map(\.contact) == [wire.now])
  }

  @Test(arguments: Rounds.seeds(300, gate: 30, from: 40))
  func `whatever becomes of requests, both sides are level in the end`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let wire = try await Wire(seed: seed, limits: BatchLimits(rows: 3, bytes: 2_000))
    try await Household.fill(wire.box, picture: random.bytes(400))
    for turn in 0..<6 {
      try await wire.centre.write { [now = wire.now] writer in
        _ = try writer.put(Patient(id: "p0", name: PersonName(given: "Ann")), now: now)
        _ = try writer.put(Note(id: "c\(turn)", patient: "p0", content: "\(turn)"), now: now)
      }
      let fates = (0..<40).map { _ in Wire.Fate.allCases[Int(random.next() % 14) % 8] }
      _ = try await wire.session(
        fates: { $0 < fates.count ? fates[$0] : .arrives }, most: Int(random.next() % 30) + 1)
      wire.now += 60
    }
    // Refused rows are offered again in growing intervals.
    for _ in 0..<6 { #expect(try await wire.session()) }
    let differences = try await wire.differences()
    #expect(differences == [], "\(differences)")
  }

  @Test func `a request that was overheard does nothing, and tells nothing`() async throws {
    let wire = try await Wire(seed: 2)
    try await Household.fill(wire.box)
    var puts: [BoxLink.Outbound] = []
    wire.link.begin()
    while try await wire.step(.arrives) {
      if let sent = wire.sent, case .put = sent.request { puts.append(sent) }
    }
    let before = try await Household.rows(wire.centre)
    #expect(puts.count > 2)
    for put in puts {
      let answer = try await wire.answer(put)
      #expect(answer.status == 401)
      let message = try PackedMessage.read(
        DoorMessage.self, json: try PackedMessage.unpacked(answer.body))
      #expect(message.reply == nil)
    }
    #expect(try await Household.rows(wire.centre) == before)
    // The box goes on.
    #expect(try await wire.session())
  }

  /// It would stand in the head of the next request.
  @Test(arguments: ["\"\r\nX-Other: y", "A\(String(repeating: "a", count: 31))", "", "aa"])
  func `a nonce that none is signed is no part of a request`(nonce: String) async throws {
    let wire = try await Wire(seed: 9)
    wire.link.begin()
    let answer = try PackedMessage.packed(DoorMessage(nonce: nonce))
    let (names, link) = (wire.names, wire.link)
    let (step, before, after) = try await wire.box.exchanging { exchange in
      var link = link
      let first = try #require(try link.next(in: exchange, makeChannel: names.channel))
      let step = try link.take(
        status: 401, body: answer, to: first, in: exchange, makeChannel: names.channel)
      link.begin()
      return (step, first, try link.next(in: exchange, makeChannel: names.channel))
    }
    #expect(step == .unknown)
    #expect(after?.fields.signatureInput == before.fields.signatureInput)
  }

  @Test func `what a centre never took is not removed, whatever it says that it keeps`()
    async throws
  {
    let wire = try await Wire(seed: 10)
    try await Household.fill(wire.box)
    let (names, link) = (wire.names, wire.link)
    let counts = try await wire.box.exchanging { exchange in
      var session = link.session
      session.restart()
      let hello = try #require(try session.next(in: exchange, makeChannel: names.channel))
      let kept = [StreamKey(.singles): Int64.max, StreamKey(.hours): Int64.max]
      let welcome = Reply.Welcome(
        answers: [:], rules: "", kept: kept, people: ["p0"], delivers: ["p0"], level: [],
        isTwin: false)
      try session.take(.welcome(welcome), to: hello, in: exchange, makeChannel: names.channel)
      let (before, pruned) = (
        try exchange.samples(SampleQuery()).count, try session.prune(in: exchange)
      )
      return (before, pruned, try exchange.samples(SampleQuery()).count)
    }
    #expect(counts.0 > 0)
    #expect(counts.1 == 0)
    #expect(counts.2 == counts.0)
  }

  @Test func `a revoked box is told nothing from then on`() async throws {
    let wire = try await Wire(seed: 3)
    #expect(try await wire.session())
    let name = SignedRequest.name(of: try #require(Ed25519.publicKey(of: wire.key)))
    let isRevoked = try await wire.centre.exchanging {
      try Enrolment(Centre(version: 1)).revoke(name, in: $0)
    }
    #expect(isRevoked)
    try await Household.fill(wire.box)
    #expect(try await !wire.session())
    #expect(wire.statuses.last == 401)
    #expect(try await Household.rows(wire.centre).isEmpty)
  }

  /// A body that the key of a box signs is unpacked, and no further than a message goes.
  @Test(
    arguments: [
      ("no gzip", Array("{}".utf8)), ("nothing", []),
      ("a bomb", GzipPacking.packed([UInt8](repeating: 32, count: 50 << 20)) ?? []),
      ("no request", GzipPacking.packed(Array(#"{"hello":{}}"#.utf8)) ?? []),
      ("deep", GzipPacking.packed([UInt8](repeating: 91, count: 100_000)) ?? []),
      (
        "a lying length",
        (GzipPacking.packed(Array("{}".utf8)) ?? []).dropLast(4) + [255, 255, 255, 255]
      ),
      ("long", [UInt8](repeating: 7, count: PackedMessage.longestPacked + 1)),
    ] as [(String, [UInt8])])
  func `a body that is no message is refused, and the store stays`(
    name: String, body: [UInt8]
  ) async throws {
    let wire = try await Wire(seed: 4)
    #expect(try await wire.session())
    let request = SignedRequest(method: "POST", path: CentreDoor.path, body: body)
    let fields = try #require(
      request.signed(by: wire.key, nonce: String(repeating: "0", count: 32)))
    let believed = try #require(
      try await wire.door.believe(request, fields, in: wire.centre))
    await #expect(throws: PackedMessage.Fault.self) {
      try await wire.door.answer(believed, in: wire.centre, now: wire.now)
    }
  }

  @Test func `an answer to joining that was lost is repeated to the same key alone`() async throws {
    let wire = try await Wire(seed: 5)
    let key = try #require(JoinedCentre.publicKey(of: Secret(wire.key)))
    let again = try await wire.door.join(
      JoinMessage(code: "a", key: key.text), in: wire.centre, now: wire.now + 1_000_000)
    #expect(again.box == key.name)
    let other = try #require(
      JoinedCentre.publicKey(of: Secret([UInt8](repeating: 9, count: 32))))
    await #expect(throws: EnrolmentRefusal.unknownCode) {
      try await wire.door.join(
        JoinMessage(code: "A", key: other.text), in: wire.centre, now: wire.now)
    }
    await #expect(throws: EnrolmentRefusal.badKey) {
      try await wire.door.join(JoinMessage(code: "A", key: "xyz"), in: wire.centre, now: wire.now)
    }
  }

  /// The bytes of a day: bodies, and heads as libcurl and the server write them, with one connection
  /// kept open.
  @Test func `a quiet day is one small request each time`() async throws {
    let wire = try await Wire(seed: 6, people: ["p0", "p1"])
    try await Household.fill(wire.box)
    try await Household.fill(wire.box, of: "p1")
    for _ in 0..<2 { #expect(try await wire.session()) }
    let (bytes, requests) = (wire.bytes, wire.requests)
    let times = Int(saturating: 86_400 / SyncPace.longest)
    for _ in 0..<times { #expect(try await wire.session()) }
    #expect(wire.requests - requests == times)
    #expect(wire.bytes - bytes < 16_000, "\(wire.bytes - bytes)")
    // Something new is told at once in the next session.
    try await wire.centre.write { [now = wire.now] writer in
      _ = try writer.put(Note(id: "n", patient: "p1", content: "new"), now: now)
    }
    #expect(try await wire.session())
    #expect(try await wire.differences() == [])
  }

  @Test(.disabled(if: TestEngine.isPostgreSQL, "its samples, one by one, take minutes on a server"))
  func `a day with a strap travels in sealed hours`() async throws {
    var random = SeededGenerator(seed: 8)
    let wire = try await Wire(seed: 7)
    try await wire.box.write { writer in
      _ = try writer.put(Patient(id: "p0", name: PersonName(given: "Ann")), now: Town.start)
    }
    #expect(try await wire.session())
    let before = wire.bytes
    let start = Date(
      timeIntervalSince1970: (Town.start.timeIntervalSince1970 / 3_600).rounded() * 3_600)
    var rate = 70.0
    for hour in 0..<8 {
      let beats = (0..<3_600).map { second in
        rate = min(140, max(50, rate + Double(Int(random.next() % 5)) - 2))
        // A notification comes some milliseconds sooner or later.
        let time = Double(hour * 3_600 + second) + Double(Int(random.next() % 30_000)) / 1_000_000
        return Sample.beat(rate, of: "p0", at: start + time)
      }
      try await wire.box.write { writer in for beat in beats { _ = try writer.insert(beat) } }
      try await wire.box.writing { try $0.packOpenBlocks(before: .max) }
      #expect(try await wire.session())
    }
    #expect(try await wire.differences() == [])
    #expect(wire.bytes - before < 150_000, "\(wire.bytes - before)")
    print("a strap's day: \(wire.bytes - before) bytes")
  }
}

struct ClosedHourTests {
  /// Nothing is measured any more that would close it.
  @Test func `the last hour of a stream travels when it is over, both ways`() async throws {
    let wire = try await Wire(seed: 14)
    try await Household.fill(wire.box)
    func session() async throws -> [Int] {
      try await wire.box.exchanging { [now = wire.now] in try $0.closeHours(at: now) }
      #expect(try await wire.session())
      var counts: [Int] = []
      for store in [wire.box, wire.centre] {
        counts += [
          try await store.read {
            try $0.samples(SampleQuery(owner: .patient("p0"), quantity: .heartRate)).count
          }
        ]
      }
      return counts
    }
    let before = try await session()
    #expect(before[0] == before[1])
    let hour = Date(
      timeIntervalSince1970: (wire.now.timeIntervalSince1970 / 3_600).rounded(.up) * 3_600)
    for (store, first) in [(wire.box, 0), (wire.centre, 60)] {
      try await store.write { writer in
        for second in first..<first + 5 {
          _ = try writer.insert(.beat(70, of: "p0", at: hour + Double(second)))
        }
      }
    }
    // The hour, and the minutes in which sensors still send of it.
    wire.now = hour + 3_600 + 299
    #expect(try await session() == [before[0] + 5, before[1] + 5])
    wire.now += 1
    #expect(try await session() == [before[0] + 10, before[1] + 10])
  }
}

struct PackedMessageTests {
  @Test(
    arguments: [
      ("{}", false), ("[1,2,3]", false), ("[1,2,3,4]", true), ("[-5,0,7,999999999999999999]", true),
      ("[[1,2,3,4],[10,20,30,40]]", true), ("[[1,2,3,4],[1,2,3,4],[5,6,7,8],[1,2,3,4]]", true),
      (#"{"a":"[1,2,3,4]"}"#, true),
      // Lists that would read back otherwise stay.
      ("[01,2,3,4]", false), ("[-0,2,3,4]", false), ("[1.5,2,3,4]", false), ("[1,2,3,4", false),
      ("[1,2,3,4,]", false), ("[1, 2,3,4]", false), ("[1,2,3,1234567890123456789]", false),
      (#"{"a":"[~1,2,3,4]","b":[1,2,3,4]}"#, false), ("[", false), ("", false),
    ])
  func `a list of whole numbers is written as differences`(text: String, isShorter: Bool) {
    let bytes = Array(text.utf8)
    let differences = IntegerLists.differences(bytes)
    #expect((differences != bytes) == isShorter)
    #expect(IntegerLists.sums(differences, most: 1_000) == bytes)
  }

  @Test(
    arguments: [
      "~[~1,2,3]", "~[~]", "~[~1,2,3,4", "~[~1,x,3,4]", "~[~", "~[~999999999999999999,9,9,1.0]",
      "~[~" + String(repeating: "999999999999999999,", count: 12) + "1]",
    ])
  func `differences that nobody writes are refused`(text: String) {
    #expect(IntegerLists.sums(Array(text.utf8), most: 1_000) == nil)
  }

  @Test func `sums take no more room than they may`() {
    let bomb = "~[~999999999999999" + String(repeating: ",0", count: 100_000) + "]"
    #expect(IntegerLists.sums(Array(bomb.utf8), most: 200_000) == nil)
    let again = "~[~1,2,3,4]" + String(repeating: "[~]", count: 100_000)
    #expect(IntegerLists.sums(Array(again.utf8), most: 200_000) == nil)
  }

  @Test(arguments: Rounds.seeds(1_000, from: 70))
  func `what is packed is read back byte by byte`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("[]~,-0123456789\"a".utf8)
    let text = (0..<Int(random.next() % 60)).map { _ in
      alphabet[Int(random.next() % UInt64(alphabet.count))]
    }
    if text.first != IntegerLists.mark {
      #expect(IntegerLists.sums(IntegerLists.differences(text), most: 10_000) == text)
    }
    let message = JoinMessage(code: String(decoding: text, as: UTF8.self), key: "")
    let packed = try PackedMessage.packed(message)
    let json = try PackedMessage.unpacked(packed)
    #expect(try PackedMessage.read(JoinMessage.self, json: json) == message)
    // Whatever comes is refused or read, and never traps.
    _ = IntegerLists.sums([IntegerLists.mark] + text, most: 10_000)
  }
}
